"""The places of made days."""

from __future__ import annotations

from understudy.mechanisms.mobility_plan import label_places
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.table.positions.area import OUTSIDE
from understudy.table.schema import Schema


def place_names(plan: TracesPlan, schema: Schema) -> tuple[str, ...]:
    """Return (cells + 1,) what each place of made days is called; the last is off the map."""
    found = label_places(plan, schema, plan.gathered)
    return (*found.values[: plan.where.cells], OUTSIDE)
