"""The places of made days."""

from __future__ import annotations

from engine.mechanisms.traces.plan import TracesPlan
from engine.models.mobility import gathering
from engine.table.domain import Categories, Domain
from engine.table.positions.area import OUTSIDE
from engine.table.schema import Schema


def places(plan: TracesPlan, schema: Schema) -> Domain:
    """The places of made days: those of the table, or blocks of them."""
    told = schema.column(plan.place).domain
    if plan.gathered == 1:
        return told
    assert isinstance(told, Categories)
    outside = (OUTSIDE,) if OUTSIDE in told.values else ()
    return Categories(values=(*gathering.names(plan.as_told, plan.gathered), *outside))


def place_names(plan: TracesPlan, schema: Schema) -> tuple[str, ...]:
    """(cells + 1,) what each place of made days is called; the last is off the map."""
    found = places(plan, schema)
    assert isinstance(found, Categories)
    return (*found.values[: plan.where.cells], OUTSIDE)
