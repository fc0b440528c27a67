"""Studies of hand-made tables, for the tests of what is predicted and told apart."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tests.support import category_schema
from understudy.evaluation.measure import Role, Study, Table
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.table.records import Records
from understudy.table.schema import Schema


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
