"""The settings of days like given people's, as forms and reports name and group them.

What each does is said in the declaration of the plan (`plan`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from engine.mechanisms.derived import DERIVED, derived
from engine.mechanisms.fields import Field, Group, Table
from engine.mechanisms.kinds import Choice, Kind, Number, Scale, Share, Whole
from engine.mechanisms.plausible_traces.keys import KEEPS
from engine.mechanisms.plausible_traces.plan import MOST_ATTEMPTS, PlausiblePlan

COST: Final = Group("What it may cost", "The promise")
MADE: Final = Group("What is made", "The release")
TEST: Final = Group("The privacy test", "The privacy test")
MAP: Final = Group("The map", "The map")
TOLD: Final = Group("The columns of the table", "The table")

KEPT: Final[Mapping[str, str]] = {
    "outline": "The outline of the day",
    "pattern": "Every stay in order",
    "departure": "Also when one first leaves",
    "hours": "Also the hour of every stay",
}
"""What each thing that can be kept is called."""

_DERIVED: Final[Mapping[str, Field]] = {each.name: each for each in derived(PlausiblePlan)}


def _field(
    name: str,
    label: str,
    group: Group,
    stands: Literal["open", "folded"] = "open",
    kind: Kind | None = None,
    **more: Any,
) -> Field:
    found = _DERIVED[name]
    return replace(
        found,
        words=replace(found.words, label=label),
        group=group,
        stands=stands,
        kind=kind or found.kind,
        **more,
    )


TABLE: Final = Table(
    (
        _field("epsilon", "ε for a person, with all days", COST,
               kind=Number(Scale(0.1, 10.0), step=0.1)),
        _field("delta", "δ", COST, kind=Number(digits=3)),
        _field("public_people", "People in the table, publicly known", COST,
               none="Nobody has said"),
        _field("attempts", "Attempts", MADE, kind=Whole(Scale(10, MOST_ATTEMPTS))),
        _field("keeps", "What is kept of a real person's day", MADE,
               kind=Choice({each: KEPT[each] for each in KEEPS})),
        _field("model_epsilon", "ε of the model", COST, "folded", none="As ε"),
        _field("k", "k · other people's days needed", TEST, "folded",
               none="The smallest that ε allows"),
        _field("epsilon0", "ε0 · how little noise is on k", TEST, "folded",
               none="The best for k"),
        _field("seeds", "Share of people who are seeds", TEST, "folded", kind=Share()),
        _field("seeds_at_least", "Seeds counted on", TEST, "folded",
               none="What follows from the people"),
        _field("held_out", "Share of people held out, to compare with", MADE, "folded",
               kind=Share()),
        _field("rows", "Cells from south to north", MAP, "folded"),
        _field("columns", "Cells from west to east", MAP, "folded"),
        _field("north_km", "A cell from south to north, km", MAP, "folded"),
        _field("east_km", "A cell from west to east, km", MAP, "folded"),
        _field("zones", "Zones each way", MAP, "folded"),
        _field("km_a_slot", "How far people get in 20 minutes, km", MAP, "folded"),
        _field("day", "Column of the day", TOLD, "folded"),
        _field("slot", "Column of the slot", TOLD, "folded"),
        _field("place", "Column of the place", TOLD, "folded"),
        _DERIVED["policies"],
    ),
    DERIVED,
)  # fmt: skip
