"""The setting that plans of every method have: what becomes of values outside the schema."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.fields import Field, Group, Option, Place, Words
from understudy.mechanisms.kinds import Text

POLICIES: Final = Field(
    name="policies",
    words=Words(
        label="Values outside the schema",
        meaning="What became of them. That some had to be settled is not published.",
        help="What becomes of values that the schema does not name: stop with a message, count "
        "them as missing (where missing is allowed), or move numbers to the nearest allowed "
        "one.",
    ),
    kind=Text(),
    group=Group("Where each record goes", "Records"),
    places=(Place("policies", "policies"),),
    unit="column=policy",
    option=Option(
        "What becomes of values of a column that are outside the schema: refuse, missing, or "
        "clip to the nearest number (default refuse). May be repeated.",
        name="--outside",
        several=True,
    ),
    stands="elsewhere",
    confidential=True,
)
