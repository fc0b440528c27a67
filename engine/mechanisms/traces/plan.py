"""A plan of made traces."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from engine.core.refusal import Refusal
from engine.mechanisms.on_a_map import OnAMapPlan
from engine.mechanisms.plan import Delta, Epsilon
from engine.table.schema import Schema

MOST_TRACES = 10_000


class TracesPlan(OnAMapPlan, what="the plan"):
    """Everything a run needs besides the table and its schema.

    Attributes:
        epsilon, delta: what the release may cost one person, with all days.
        traces: how many people are made.
        days: how many days each has; the first is a Monday.
    """

    kind: ClassVar[str] = "traces"

    epsilon: Epsilon = Field(
        default=1.0,
        description="ε for one person, with all days of theirs: what the release may cost.",
    )  # fmt: skip
    delta: Delta = Field(
        default=1e-9,
        description="δ for one person. Far below one in the number of people.",
    )  # fmt: skip
    traces: int = Field(
        default=1000, ge=1, le=MOST_TRACES,
        description="How many people are made. More cost nothing.",
    )  # fmt: skip
    days: int = Field(
        default=7, ge=1, le=28,
        description="How many days each made person has, from a Monday on.",
    )  # fmt: skip

    def check(self, schema: Schema) -> None:
        """See `OnAMapPlan.check`; and that δ is small and the map not too fine.

        Raises:
            Refusal: it does not fit.
        """
        super().check(schema)
        if self.public_people is not None and self.delta >= 1 / self.public_people:
            raise Refusal(
                "δ is not below one in the number of people: publishing somebody's days as they "
                "are would keep to it.",
                "Enter a far smaller δ, such as 1e-9.",
                field="delta",
            )
        self.check_detail(self.epsilon)
