"""Studies and slow shares for the tests of measures that compare shares of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.arrays import CodeArray
from understudy.evaluation.cells import Sides
from understudy.evaluation.measure import Study, Table
from understudy.table.records import Records

Row = tuple[int, ...]


def records_of(rows: Sequence[Row], *cardinalities: int) -> Records:
    """Records of columns c0, c1, …"""
    codes = np.array(rows, dtype=np.uint16).reshape(-1, len(cardinalities))
    return Records(category_schema(*cardinalities), codes)


def study_of(
    table: Records, held_out: Records, *others: Records, repeats: int = 2, key: int = 5
) -> Study:
    """A study of the tables "a", "b", …"""
    tables = tuple(
        Table(name, "synthetic", each)
        for name, each in zip("abcdef", (table, *others), strict=False)
    )
    return Study(tables, held_out, held_out, {}, held_out.schema.names[0], repeats, key=key)


def shares(rows: Sequence[Row], columns: Sequence[int]) -> dict[Row, float]:
    """The share of each combination of values, by counting in a dictionary."""
    counts = Counter(tuple(int(row[column]) for column in columns) for row in rows)
    return {cell: count / len(rows) for cell, count in counts.items()}


def rows_of(records: Records) -> list[Row]:
    return [tuple(row) for row in records.codes.tolist()]


@st.composite
def tables(draw: st.DrawFn, *, most_columns: int = 4, fewest: int = 1) -> tuple[Records, Records]:
    """Two tables of one schema, of unequal sizes, some values rare or on one side only."""
    cardinalities = draw(st.lists(st.integers(1, 5), min_size=2, max_size=most_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    found = []
    for _ in range(2):
        count = draw(st.integers(fewest, 60))
        skew = rng.integers(1, 4)
        codes = [(rng.random(count) ** skew * size).astype(np.uint16) for size in cardinalities]
        found.append(Records(category_schema(*cardinalities), np.column_stack(codes)))
    return found[0], found[1]


def one_set(
    table: Records, held_out: Records, columns: Sequence[int]
) -> tuple[Sides, list[float], list[float]]:
    """Both sides, and their slow shares in every cell of the domain, zeros included."""
    slow = [shares(rows_of(each), columns) for each in (table, held_out)]
    sizes = [int(table.schema.cardinalities[column]) for column in columns]
    cells: list[Row] = list(np.ndindex(*sizes))
    p, q = ([each.get(cell, 0.0) for cell in cells] for each in slow)
    return Sides.of(table, held_out), p, q


def alike(count: int, key: int, columns: int = 5, values: int = 4) -> CodeArray:
    """(count, columns) uneven columns, each like the one before it in half of the records."""
    rng = np.random.default_rng(key)
    codes = (rng.random((count, columns)) ** 2 * values).astype(np.uint16)
    for column in range(1, columns):
        same = rng.random(count) < 0.5
        codes[same, column] = codes[same, column - 1]
    return codes
