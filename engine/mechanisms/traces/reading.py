"""What a plan makes of a table's rows: days on its map, and the places of the made ones."""

from __future__ import annotations

from dataclasses import replace

from engine.mechanisms.traces.plan import TracesPlan
from engine.models.mobility import gathering
from engine.models.mobility.coding import days_of
from engine.models.mobility.stays import Days
from engine.table.domain import Categories, Domain
from engine.table.positions.area import OUTSIDE
from engine.table.records import Records
from engine.table.schema import Schema


def days_told(plan: TracesPlan, records: Records) -> Days:
    """The days that records tell of, on the map of a plan. Confidential.

    A function of each person's records alone, as `days_of`, and of the public map.

    Raises:
        ValueError: the records do not say whose they are.
    """
    found = days_of(records, plan.told_by)
    if plan.gathered == 1:
        return found
    return replace(found, cells=gathering.blocks(plan.as_told, plan.gathered)[found.cells])


def places(plan: TracesPlan, schema: Schema) -> Domain:
    """The places of made days: those of the table, or blocks of them."""
    told = schema.column(plan.place).domain
    if plan.gathered == 1:
        return told
    assert isinstance(told, Categories)
    outside = (OUTSIDE,) if OUTSIDE in told.values else ()
    return Categories(values=(*gathering.names(plan.as_told, plan.gathered), *outside))
