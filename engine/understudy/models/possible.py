"""Which cells of a marginal some record can be in, by the rules of the schema.

A cell that is impossible is empty in every table, so that a count of 0 there tells nothing of any
record and needs no noise. A coarse cell is impossible if all of its fine cells are.
"""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.models.views import Marginal, View, cells, shape, sum_views
from understudy.table.schema import Schema


def possible_cells(schema: Schema, marginal: Marginal) -> BoolArray | None:
    """Return (cells,) which cells of a marginal a record can be in; None where it can be in all, or
    in which it can is not told apart."""
    relations = schema.relations
    if not relations:
        return None
    columns = tuple(sorted(view.attribute for view in marginal))
    allowed = relations.project(columns)
    if allowed is None:
        return None
    axes = [columns.index(view.attribute) for view in marginal]
    fine = tuple(View(view.attribute) for view in marginal)
    full = np.ascontiguousarray(allowed.transpose(axes)).astype(np.int64).ravel()
    found = sum_views(schema, full, fine, marginal) > 0
    return None if found.all() else np.asarray(found)


def count_possible(schema: Schema, marginal: Marginal) -> int:
    """Return in how many cells of a marginal a record can be."""
    found = possible_cells(schema, marginal)
    return cells(schema, marginal) if found is None else int(found.sum())


def shaped(schema: Schema, marginal: Marginal) -> BoolArray:
    """Return `possible_cells` with an axis for each view, all of them where it tells nothing."""
    found = possible_cells(schema, marginal)
    sizes = shape(schema, marginal)
    return np.ones(sizes, dtype=bool) if found is None else found.reshape(sizes)
