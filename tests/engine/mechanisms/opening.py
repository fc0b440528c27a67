"""Each method with the plan that it begins with, on the first of some tables that suits it."""

from __future__ import annotations

from contextlib import suppress

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import method_named, opening_plan
from understudy.samples import discharges
from understudy.samples.city import SCHEMA as CITY
from understudy.table.schema import Schema


def open_plan(kind: str) -> tuple[Schema, MechanismPlan]:
    """Return the columns of a table that suits a method, and the plan that it begins with."""
    for schema in (category_schema(2, 3, 4), *map(Schema.load, (discharges.SCHEMA, CITY))):
        with suppress(Refusal):
            method_named(kind).default_plan(schema)
            return schema, opening_plan(kind, schema)
    raise AssertionError(f"no table suits {kind}")
