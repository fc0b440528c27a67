"""Studies that the tests of disclosure measures are tried on. Studies of hand-made tables, for the
tests of what is predicted and told apart. Studies and slow shares for the tests of measures that
compare shares of records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.arrays import CodeArray
from understudy.evaluation.cells import Sides
from understudy.evaluation.measure import RELEASED, Interval, Role, Study, SubjectResult, Table
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.table.records import Records
from understudy.table.schema import Schema


def schema_of(*tables: CodeArray) -> Schema:
    """Columns c0, c1, … with as many values as are used."""
    every = np.concatenate(tables)
    return category_schema(*(int(each) + 1 for each in every.max(axis=0)))


def disclosure_study(
    released: CodeArray,
    seeds: CodeArray,
    held_out: CodeArray,
    others: Mapping[str, CodeArray] | None = None,
    target: str = "c0",
    key: int = 3,
) -> Study:
    """A released table, and others by name, beside seeds and held-out records."""
    every = {RELEASED: released, **(others or {})}
    schema = schema_of(*every.values(), seeds, held_out)
    tables = tuple(
        Table(name, "released" if name == RELEASED else "synthetic", Records(schema, codes))
        for name, codes in every.items()
    )
    return Study(
        tables, Records(schema, held_out), Records(schema, seeds), {}, target, repeats=2, key=key
    )


def people(count: int, key: int, columns: int = 8, values: int = 5) -> CodeArray:
    """Real records: uneven columns, each like the one before it in half of the cases."""
    rng = np.random.default_rng(key)
    codes = (rng.random((count, columns)) ** 2 * values).astype(np.uint16)
    for column in range(1, columns):
        same = rng.random(count) < 0.5
        codes[same, column] = codes[same, column - 1]
    return codes


def leaking(seeds: CodeArray, count: int, share: float, redrawn: int, key: int) -> CodeArray:
    """A table of which a share are seeds with some columns redrawn, the rest other people."""
    rng = np.random.default_rng(key)
    made = people(count, key + 1, seeds.shape[1])
    copied = rng.random(count) < share
    made[copied] = seeds[rng.integers(0, len(seeds), int(copied.sum()))]
    for row in np.flatnonzero(copied):
        columns = rng.permutation(seeds.shape[1])[:redrawn]
        made[row, columns] = rng.integers(0, 5, redrawn)
    return made


def records(schema: Schema, *columns: npt.ArrayLike) -> Records:
    """Records with these columns of codes."""
    return Records(schema, np.column_stack([np.asarray(each) for each in columns]))


def copies(count: int, seed: int, values: int = 2) -> Records:
    """The last column is a copy of the first; the one between has nothing to do with it."""
    random = np.random.default_rng(seed)
    first, other = random.integers(0, values, count), random.integers(0, 4, count)
    return records(category_schema(values, 4, values), first, other, first)


def study_of(
    tables: Mapping[str, Records],
    held_out: Records,
    *,
    seeds: Records | None = None,
    target: str = "c2",
    models: Mapping[str, BayesianNetwork] | None = None,
    roles: Mapping[str, Role] | None = None,
    key: int = 1,
) -> Study:
    """A study of these tables, synthetic ones unless `roles` says otherwise."""
    given: Mapping[str, Role] = roles or {}
    return Study(
        tuple(Table(name, given.get(name, "synthetic"), each) for name, each in tables.items()),
        held_out,
        held_out if seeds is None else seeds,
        models or {},
        target,
        repeats=3,
        key=key,
    )


Row = tuple[int, ...]


def records_of(rows: Sequence[Row], *cardinalities: int) -> Records:
    """Records of columns c0, c1, …"""
    codes = np.array(rows, dtype=np.uint16).reshape(-1, len(cardinalities))
    return Records(category_schema(*cardinalities), codes)


def shares_study(
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


def sure(value: float) -> SubjectResult:
    """Return a value whose interval is itself."""
    return SubjectResult(value, Interval(value, value))
