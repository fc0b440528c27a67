"""Studies that the tests of disclosure measures are tried on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.support import category_schema
from understudy.core.arrays import CodeArray
from understudy.evaluation.measure import RELEASED, Study, Table
from understudy.table.records import Records
from understudy.table.schema import Schema


def schema_of(*tables: CodeArray) -> Schema:
    """Columns c0, c1, … with as many values as are used."""
    every = np.concatenate(tables)
    return category_schema(*(int(each) + 1 for each in every.max(axis=0)))


def study_of(
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
