"""The question that every method asks first: what may be spent on one person."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.fields import Field, Group, Option, Words
from understudy.mechanisms.kinds import Number, Scale
from understudy.privacy.budget import EPSILON_IN_SHORT

SPENT: Final = Group("What may be spent, and what is publicly known?", "")

EPSILON: Final = Field(
    name="epsilon",
    words=Words(
        label="ε at most",
        meaning="What may be spent in all, on one person.",
        help=f"**ε** (epsilon). {EPSILON_IN_SHORT}",
    ),
    kind=Number(Scale(0.1, 10), step=0.5),
    group=SPENT,
    option=Option("The total ε that may be spent (default 1)."),
)
