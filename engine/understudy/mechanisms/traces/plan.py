"""A plan of made traces."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from understudy.core.refusal import Refusal
from understudy.mechanisms.kinds import Number, Scale, Whole
from understudy.mechanisms.mobility_plan import MAP, OnAMapPlan
from understudy.mechanisms.plan import Delta, Epsilon
from understudy.mechanisms.setting import COST, MADE, declare_setting
from understudy.models.mobility.geography import (
    Geography,
    block_numbers,
    take_together,
)
from understudy.models.mobility.stays import Days
from understudy.table.positions.grids import cells_for
from understudy.table.records import Records
from understudy.table.schema import Schema

MOST_TRACES = 10_000
MOST_GATHERED = 50


class TracesPlan(OnAMapPlan, what="the plan"):
    """Everything a run needs besides the table and its schema."""

    kind: ClassVar[str] = "traces"

    epsilon: Epsilon = declare_setting(
        1.0,
        "ε for a person, with all days",
        "ε for one person, with all days of theirs: what the release may cost.",
        group=COST,
        kind=Number(Scale(0.1, 10.0), step=0.1),
    )
    delta: Delta = declare_setting(
        1e-9,
        "δ",
        "δ for one person. Far below one in the number of people.",
        group=COST,
        kind=Number(digits=3),
    )
    traces: int = declare_setting(
        1000,
        "People to make",
        "How many people are made. More cost nothing.",
        group=MADE,
        ge=1,
        le=MOST_TRACES,
        kind=Whole(Scale(100, 10_000)),
    )
    days: int = declare_setting(
        7,
        "Days of each",
        "How many days each made person has, from a Monday on.",
        group=MADE,
        ge=1,
        le=28,
    )
    gathered: int = declare_setting(
        1,
        "Cells each way taken as one place",
        "So many cells each way are taken together as one place: 2 makes one of four. "
        "Fewer places need fewer people to tell of them.",
        group=MAP,
        ge=1,
        le=MOST_GATHERED,
    )

    @property
    def as_told(self) -> Geography:
        """The map of the table, before cells are taken together."""
        return super().where

    @property
    def where(self) -> Geography:
        """The map of the made days."""
        return take_together(self.as_told, self.gathered)

    def days_told(self, records: Records) -> Days:
        """Answer as `OnAMapPlan.days_told`, with cells taken together."""
        found = super().days_told(records)
        return replace(found, cells=block_numbers(self.as_told, self.gathered)[found.cells])

    @property
    def coarse_enough(self) -> int | None:
        """The fewest cells each way to take together so that the people who are publicly known to
        be there can carry the map; None where nobody said how many they are, or no map will do."""
        if self.public_people is None:
            return None
        most = cells_for(self.public_people, self.epsilon)
        fit = (
            by
            for by in range(1, MOST_GATHERED + 1)
            if take_together(self.as_told, by).cells <= most
        )
        return next(fit, None)

    def check(self, schema: Schema) -> None:
        """Check as `OnAMapPlan.check`; and that δ is small and the map not too fine.

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

    def check_detail(self, epsilon: float, share: float = 1.0) -> None:
        """Answer as `OnAMapPlan.check_detail`; the remedy is to take cells together.

        Raises:
            Refusal: the map is too fine.
        """
        try:
            super().check_detail(epsilon, share)
        except Refusal as refusal:
            by = self.coarse_enough
            remedy = "Choose a larger ε, or a table of more people."
            if by is not None:
                left = take_together(self.as_told, by).cells
                remedy = (
                    f"Take {by} cells each way together as one place, which makes a map of "
                    f"{left:,}; or choose a larger ε, or a table of more people."
                )
            raise Refusal(refusal.problem, remedy, field="gathered") from None
