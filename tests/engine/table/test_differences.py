"""In what schemas of the same columns differ, in words."""

from __future__ import annotations

from decimal import Decimal

from tests.engine.table.leveled import grouped
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import Reading
from understudy.table.differences import differences
from understudy.table.grid import Grid
from understudy.table.people import People
from understudy.table.schema import Schema

AGE = Column(name="age", domain=Grid(minimum=Decimal(0), maximum=Decimal(9)))
JOB = Column(name="job", domain=Categories(values=("cook", "smith")))
SCHEMA = Schema(columns=(AGE, JOB))


def test_the_same_schema_differs_in_nothing() -> None:
    assert differences({"A": SCHEMA, "B": SCHEMA.declare_public()}) == ()


def test_each_thing_that_differs_is_named_with_how_each_schema_has_it() -> None:
    age = AGE.changed(buckets=ByWidth(width=Decimal(5)), missing_values=("?",), title="Age")
    people = People(person="who", order="visit", records_at_most=3)
    other = Schema(columns=(age, JOB), people=people, reading=Reading(kind="excel", sheet="people"))
    found = {each.what: each.said for each in differences({"A": SCHEMA, "B": other})}
    assert found == {
        "age: buckets": {"A": "10: 0, 1, 2, …", "B": "2: 0 to 4, 5 to 9"},
        "age: texts that mean missing": {"A": "“”", "B": "“?”"},
        "age: title": {"A": "none", "B": "Age"},
        "Whose a record is": {
            "A": "each record stands for itself",
            "B": "“who” says it, 3 kept of each at most",
        },
        "How the file is read": {"A": "as the first", "B": "in another way"},
    }


def test_levels_above_the_groups_are_told_by_how_many_groups_they_make() -> None:
    one = grouped((12, 6, 3, 2))
    schema = Schema(columns=(one, JOB))
    other = schema.replace(one.changed(levels=one.levels[:1]))
    (found,) = differences({"A": schema, "B": other, "C": schema.replace(one.changed(levels=()))})
    assert found.what == "code: levels above the buckets"
    assert found.said == {"A": "3 groups, then 2 groups", "B": "3 groups", "C": "none"}
