from __future__ import annotations

from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from understudy.evaluation.classifiers import codes, indicators, unit_rows
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema


def grid(name: str, steps: int, *, missing: bool = False) -> Column:
    return Column(
        name=name, domain=Grid(minimum=Decimal(0), maximum=Decimal(steps - 1)), missing=missing
    )


def kinds(name: str, size: int, *, missing: bool = False) -> Column:
    values = tuple(f"v{value}" for value in range(size))
    return Column(name=name, domain=Categories(values=values), missing=missing)


MIXED = Schema(columns=(kinds("kind", 3, missing=True), grid("age", 5, missing=True), grid("t", 2)))


def table(schema: Schema, *rows: tuple[int, ...]) -> Records:
    return Records(schema, np.array(rows))


def test_trees_see_every_code_but_the_target() -> None:
    assert codes(table(MIXED, (0, 5, 1), (3, 2, 0)), 1).tolist() == [[0, 1], [3, 0]]
    assert codes(table(MIXED, (0, 5, 1))).tolist() == [[0, 5, 1]]


def test_what_is_linear_sees_categories_one_by_one_and_numbers_scaled() -> None:
    seen = indicators(table(MIXED, (0, 3, 0), (3, 5, 1), (2, 0, 0), (2, 4, 0)), 2).toarray()
    #  intercept, kind: v0 v1 v2 missing, age: scaled, missing
    assert seen.tolist() == [
        [1, 1, 0, 0, 0, 0.75, 0],
        [1, 0, 0, 0, 1, 0, 1],
        [1, 0, 0, 1, 0, 0, 0],
        [1, 0, 0, 1, 0, 1, 0],
    ]


def test_a_number_of_one_value_only_is_scaled_without_dividing_by_zero() -> None:
    schema = Schema(columns=(grid("one", 1), grid("two", 2)))
    assert indicators(table(schema, (0, 1))).toarray().tolist() == [[1, 0, 1]]


@st.composite
def tables(draw: st.DrawFn) -> Records:
    columns = tuple(
        draw(st.sampled_from([grid, kinds]))(
            f"c{place}", draw(st.integers(1, 6)), missing=draw(st.booleans())
        )
        for place in range(draw(st.integers(2, 5)))
    )
    schema = Schema(columns=columns)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Records(
        schema, random.integers(0, schema.cardinalities, (draw(st.integers(1, 9)), len(columns)))
    )


@given(tables(), st.booleans())
def test_no_row_is_longer_than_one_and_none_depends_on_the_others(
    records: Records, leave: bool
) -> None:
    without = 0 if leave else None
    rows = unit_rows(records, without).toarray()
    assert (np.linalg.norm(rows, axis=1) <= 1 + 1e-12).all()
    for place in range(len(records)):
        alone = unit_rows(records.take(np.array([place])), without).toarray()
        assert alone.tolist() == [rows[place].tolist()]


@given(tables())
def test_different_records_are_seen_as_different(records: Records) -> None:
    distinct = len(np.unique(records.codes, axis=0))
    assert len(np.unique(indicators(records).toarray(), axis=0)) == distinct


def test_many_values_take_no_more_memory_than_few() -> None:
    schema = Schema(columns=(kinds("many", 1000), kinds("few", 2), grid("steps", 10_000)))
    rows = np.random.default_rng(1).integers(0, schema.cardinalities, (500, 3))
    seen = indicators(Records(schema, rows))
    assert seen.shape == (500, 1 + 1000 + 2 + 1)
    assert seen.nnz <= 500 * 4
