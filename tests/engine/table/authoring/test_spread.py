"""Whatever is suggested from a table is the same in whichever order its records stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.authoring.attention import identifiers, needs_attention
from understudy.table.authoring.belonging import likely_order, likely_people, order_of
from understudy.table.authoring.derived import (
    derived_columns,
    evenly_spread_records,
    settling_columns,
)
from understudy.table.authoring.group_suggestions import suggested_groups
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.categories import Categories
from understudy.table.declared_reading import usual
from understudy.table.raw import RawTable, table_of, text_column

Columns = dict[str, list[str]]


def table(columns: Columns, order: np.ndarray | None = None) -> RawTable:
    """A table as a file would hold it, whose texts stand in the order in which they first occur."""
    rows = len(next(iter(columns.values())))
    at = np.arange(rows) if order is None else order
    made = [
        text_column(np.arange(rows), [told[place] for place in at]) for told in columns.values()
    ]
    return RawTable(table_of(list(columns), made), usual("csv"))


def suggestions(raw: RawTable) -> dict[str, Any]:
    """All that is suggested from a table."""
    settling = settling_columns(raw, raw.names)
    suggested = suggest_schema(raw)
    derived = derived_columns(settling, raw.names)
    return {
        "schema": suggested.schema,
        "notes": suggested.notes,
        "settling": settling,
        "attention": needs_attention(raw, suggested.schema, derived),
        "identifiers": identifiers(raw, suggested.schema),
        "people": likely_people(raw),
        "order": [likely_order(raw, name) for name in raw.names],
        "order is": [order_of(raw, name) for name in raw.names],
        "groups": [
            suggested_groups(each.domain)
            for each in suggested.schema.columns
            if isinstance(each.domain, Categories)
        ],
    }


def column(rng: np.random.Generator, rows: int, of: list[np.ndarray]) -> np.ndarray:
    """A column of some kind, which may have to do with one before it."""
    kinds: list[Callable[[], np.ndarray]] = [
        lambda: rng.integers(0, rng.integers(2, 9), rows),
        lambda: rng.integers(0, rng.integers(20, 900), rows),
        lambda: np.sort(rng.integers(0, 4, rows)),
        lambda: np.arange(rows),
        lambda: np.arange(rows) // rng.integers(2, 9),
        lambda: rng.choice(["", "NA", "?", "x", "7"], rows),
        lambda: rng.choice(["A-1", "A-2", "B-1", "B-2", "C-1", "C-2", "C-3"], rows),
        lambda: np.array([f"2020-0{month}-11" for month in rng.integers(1, 9, rows)]),
        lambda: rng.normal(50, 9, rows).round(1),
    ]
    if of:
        one = of[rng.integers(len(of))]
        places = np.unique(one, return_inverse=True)[1]
        kinds += [
            lambda: places // 3,
            lambda: np.where(rng.random(rows) < 0.015, 0, places % 4),
            lambda: np.where(rng.random(rows) < 0.3, places, 0),
        ]
    return np.asarray(kinds[rng.integers(len(kinds))]())


@given(seed=st.integers(0, 2**32 - 1))
def test_every_suggestion_is_the_same_for_any_order_of_the_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([30, 300, 700]))
    found: list[np.ndarray] = []
    for _ in range(rng.integers(2, 6)):
        found.append(column(rng, rows, found))
    columns = {f"c{at}": [str(each) for each in told] for at, told in enumerate(found)}
    if rng.random() < 0.3:
        columns["person"] = columns.pop("c0")
    if any(set(told) <= {"", "NA", "?"} for told in columns.values()):
        return
    said = suggestions(table(columns))
    for order in (rng.permutation(rows), np.arange(rows)[::-1], np.lexsort(found)):
        assert suggestions(table(columns, order)) == said


@pytest.mark.parametrize("rows", [4_000, 15_000, 40_000])
def test_a_column_that_a_file_is_sorted_by_is_not_settled_by_that(rows: int) -> None:
    """The regions one after another: within each number of children the region seldom changes."""
    rng = np.random.default_rng(5)
    region = np.sort(rng.integers(0, 4, rows))
    columns = {
        "region": [("east", "north", "south", "west")[each] for each in region],
        "children": rng.integers(0, 6, rows).astype(str).tolist(),
    }
    for order in (np.arange(rows), rng.permutation(rows)):
        assert settling_columns(table(columns, order), list(columns)) == {}


@pytest.mark.parametrize(("rows", "apart", "settled"), [(12_000, 2_000, False), (5_000, 40, True)])
def test_where_exceptions_stand_in_a_file_makes_no_difference(
    rows: int, apart: int, settled: bool
) -> None:
    """They may all be beyond the records that are looked at, or among the first of them."""
    rng = np.random.default_rng(6)
    code = rng.integers(0, 12, rows)
    group = code // 3
    group[:apart] = rng.integers(0, 4, apart)
    columns = {
        "code": [f"code {each}" for each in code],
        "group": [f"group {each}" for each in group],
    }
    for order in (np.arange(rows), np.arange(rows)[::-1], rng.permutation(rows)):
        found = settling_columns(table(columns, order), list(columns))
        assert found == ({"group": ("code",)} if settled else {})


def test_a_column_that_changes_once_in_a_persons_records_is_not_the_same_in_all_of_them() -> None:
    """As long as the file is sorted, it changes seldom from one record to the next."""
    people, each = 12, 150
    changes = np.repeat(np.random.default_rng(4).integers(40, 110, people), each)
    columns = {
        "key": np.repeat(np.arange(people), each).astype(str).tolist(),
        "day": np.tile(np.arange(each), people).astype(str).tolist(),
        "half": (np.tile(np.arange(each), people) > changes).astype(str).tolist(),
    }
    chance = np.random.default_rng(3).permutation(people * each)
    assert likely_people(table(columns)) == likely_people(table(columns, chance)) is None


@pytest.mark.parametrize("rows", [5, 999, 12_345])
def test_records_are_spread_by_what_they_say(rows: int) -> None:
    rng = np.random.default_rng(rows)
    columns = {name: rng.integers(0, 7, rows).astype(str).tolist() for name in "abc"}
    raw, other = table(columns), table(columns, rng.permutation(rows))

    def taken(of: RawTable) -> list[tuple[str, ...]]:
        texts = [of.distinct(name) for name in of.names]
        places = evenly_spread_records(of, 500)
        return [tuple(known[at[row]] for known, at in texts) for row in places]

    assert taken(raw) == taken(other)
    assert len(taken(raw)) == min(rows, 500)
    # Of equal records as large a share as of all.
    share = [sum(one[0] == str(value) for one in taken(raw)) for value in range(7)]
    of_all = [columns["a"].count(str(value)) for value in range(7)]
    np.testing.assert_allclose(np.array(share) / min(rows, 500), np.array(of_all) / rows, atol=0.08)
