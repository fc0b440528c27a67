"""The settings of made traces, as forms and reports name and group them.

What each does is said in the declaration of the plan (`plan`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from engine.mechanisms.derived import DERIVED, derived
from engine.mechanisms.fields import Field, Group, Table
from engine.mechanisms.kinds import Kind, Number, Scale, Share, Whole
from engine.mechanisms.traces.plan import TracesPlan

COST: Final = Group("What it may cost", "The promise")
MADE: Final = Group("What is made", "The release")
MAP: Final = Group("The map", "The map")
TOLD: Final = Group("The columns of the table", "The table")

_DERIVED: Final[Mapping[str, Field]] = {each.name: each for each in derived(TracesPlan)}


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
        _field("traces", "People to make", MADE, kind=Whole(Scale(100, 10_000))),
        _field("days", "Days of each", MADE, kind=Whole()),
        _field("held_out", "Share of people held out, to compare with", MADE, "folded",
               kind=Share()),
        _field("gathered", "Cells each way taken as one place", MAP),
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
