"""What the settings of plans over people's days on a map are called, in forms and reports.

What each does is said in the declaration of the plan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

from understudy.mechanisms.derived import derived_fields
from understudy.mechanisms.fields import Field, Group
from understudy.mechanisms.kinds import Kind, Number, Scale, Share
from understudy.mechanisms.mobility_plan import OnAMapPlan

COST: Final = Group("What it may cost", "The promise")
MADE: Final = Group("What is made", "The release")
MAP: Final = Group("The map", "The map")
TOLD: Final = Group("The columns of the table", "The table")


@dataclass(frozen=True)
class Named:
    """The fields of a plan, each called and placed as a form has it.

    Attributes:
        plan: whose settings they are.
    """

    plan: type[OnAMapPlan]

    @cached_property
    def _derived(self) -> dict[str, Field]:
        return {each.name: each for each in derived_fields(self.plan)}

    def field(
        self,
        name: str,
        label: str,
        group: Group,
        stands: Literal["open", "folded"] = "open",
        kind: Kind | None = None,
        **more: Any,
    ) -> Field:
        """Return the field of a setting, as it is derived except for what is given here."""
        found = self._derived[name]
        return replace(
            found,
            words=replace(found.words, label=label),
            group=group,
            stands=stands,
            kind=kind or found.kind,
            **more,
        )

    @property
    def cost(self) -> tuple[Field, ...]:
        """What a person pays, and how many people everybody knows of."""
        return (
            self.field("epsilon", "ε for a person, with all days", COST,
                       kind=Number(Scale(0.1, 10.0), step=0.1)),
            self.field("delta", "δ", COST, kind=Number(digits=3)),
            self.field("public_people", "People in the table, publicly known", COST,
                       none="Nobody has said"),
        )  # fmt: skip

    @property
    def held_out(self) -> Field:
        """Who is only compared with."""
        return self.field("held_out", "Share of people held out, to compare with", MADE, "folded",
                          kind=Share())  # fmt: skip

    @property
    def map(self) -> tuple[Field, ...]:
        """The map, the columns that tell of days, and what becomes of values outside the schema."""
        return (
            self.field("rows", "Cells from south to north", MAP, "folded"),
            self.field("columns", "Cells from west to east", MAP, "folded"),
            self.field("north_km", "A cell from south to north, km", MAP, "folded"),
            self.field("east_km", "A cell from west to east, km", MAP, "folded"),
            self.field("zones", "Zones each way", MAP, "folded"),
            self.field("km_a_slot", "How far people get in 20 minutes, km", MAP, "folded"),
            self.field("day", "Column of the day", TOLD, "folded"),
            self.field("slot", "Column of the slot", TOLD, "folded"),
            self.field("place", "Column of the place", TOLD, "folded"),
            self._derived["policies"],
        )
