"""The plan that a custodian begins with, from what the schema says of the map."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine.core.refusal import Refusal
from engine.mechanisms.on_a_map import check_traces
from engine.mechanisms.traces.plan import TracesPlan
from engine.table.domain import Categories
from engine.table.positions.area import OUTSIDE
from engine.table.schema import Schema

_CELL: Final = re.compile(r"r(\d+)c(\d+)")
_CELLS_A_ZONE: Final = 4
"""So many cells each way are one zone, as near as may be."""
_FEWEST_ZONES, _MOST_ZONES = 2, 8


def opening(schema: Schema) -> TracesPlan:
    """The columns by their usual names, on the map that the names of places tell: r03c17 is in the
    third row and the seventeenth column. Of other names, on the map that is nearest to a square.

    Raises:
        Refusal: the schema is of no table of traces.
    """
    check_traces(schema)
    place = next((each for each in schema.columns if each.name == "place"), None)
    if place is None or not isinstance(place.domain, Categories):
        raise Refusal(
            "The table has no column “place” with the cells of a map.",
            "Make one from positions with `understudy traces`.",
            field="place",
        )
    rows, columns = _shape([value for value in place.domain.values if value != OUTSIDE])
    zones = min(_MOST_ZONES, max(_FEWEST_ZONES, round(max(rows, columns) / _CELLS_A_ZONE)))
    return TracesPlan(domain=schema.fingerprint, rows=rows, columns=columns, zones=zones)


def _shape(names: Sequence[str]) -> tuple[int, int]:
    """How many rows and columns a map of places of these names has."""
    last = _CELL.fullmatch(names[-1]) if names else None
    if last is not None and int(last[1]) * int(last[2]) == len(names):
        return int(last[1]), int(last[2])
    rows = max((each for each in range(1, int(len(names) ** 0.5) + 1) if not len(names) % each),
               default=1)  # fmt: skip
    return rows, max(1, len(names) // rows)
