"""The places of made days, and made days from a table that a run released."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.mechanisms.traces.plan import TracesPlan
from engine.models.mobility import gathering
from engine.models.mobility.coding import TRACE, TraceColumns, days_of
from engine.models.mobility.stays import Days
from engine.table.domain import Categories, Domain
from engine.table.positions.area import OUTSIDE
from engine.table.records import Records
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


def made_days(released: Records) -> Days:
    """The days of made people.

    Args:
        released: a table of the schema that `schema_of` says.
    """
    who = released.codes[:, released.schema.index(TRACE)].astype(np.int64)
    return days_of(replace(released, whose=who), TraceColumns())
