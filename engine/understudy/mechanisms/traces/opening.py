"""The plan that a custodian begins with, from what the schema says of the map."""

from __future__ import annotations

from typing import Final

from understudy.mechanisms.on_a_map import check_traces, declared_map, shape_of_map
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.table.schema import Schema

_CELLS_A_ZONE: Final = 4
"""So many cells each way are one zone, as near as may be."""
_FEWEST_ZONES, _MOST_ZONES = 2, 8


def opening(schema: Schema) -> TracesPlan:
    """Return the columns by their usual names, on the map of `shape_of_map`; its cells as wide as
    those of the map that positions are read on, where the schema says so.

    Raises:
        Refusal: the schema is of no table of traces.
    """
    check_traces(schema)
    rows, columns = shape_of_map(schema)
    zones = min(_MOST_ZONES, max(_FEWEST_ZONES, round(max(rows, columns) / _CELLS_A_ZONE)))
    settings = {"rows": rows, "columns": columns, "zones": zones, **declared_map(schema)}
    return TracesPlan(domain=schema.fingerprint, **settings)
