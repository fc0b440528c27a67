"""Views of attributes, in full or coarser, and tables of counts over several of them.

A *view* is an attribute in full (every code), through its buckets, or through a further level of
groups above them. A *marginal* is a few views together: the table that counts how many records show
each combination of their values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.table.records import Records
from understudy.table.schema import Schema

Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, order=True)
class View:
    """An attribute, by index, at a level: 0 in full, 1 through its buckets, 2 and more through
    the levels above them."""

    attribute: int
    level: int = 0

    def size(self, schema: Schema) -> int:
        """Return how many values the view has."""
        return schema.columns[self.attribute].level_size(self.level)


Marginal = tuple[View, ...]
"""Views of different attributes; the last varies fastest in the table."""


def shape(schema: Schema, marginal: Marginal) -> tuple[int, ...]:
    """Return the sizes of the views."""
    return tuple(view.size(schema) for view in marginal)


def cells(schema: Schema, marginal: Marginal) -> int:
    """Return how many cells the table has."""
    return math.prod(shape(schema, marginal))


def parent_view(schema: Schema, attribute: int) -> View:
    """Return the view of an attribute as a parent: bucketed where buckets are coarser than
    codes."""
    column = schema.columns[attribute]
    return View(attribute, int(column.bucket_count < column.cardinality))


def views_of(schema: Schema, attribute: int) -> tuple[View, ...]:
    """Return every view of an attribute, the finest first: in full, and through what is coarser."""
    above = range(2, schema.columns[attribute].coarsest + 1)
    seen = {View(attribute), parent_view(schema, attribute), *(View(attribute, n) for n in above)}
    return tuple(sorted(seen))


def views_from(schema: Schema, finest: View) -> tuple[View, ...]:
    """Return a view and every coarser one of its attribute, the finest first."""
    return tuple(each for each in views_of(schema, finest.attribute) if each >= finest)


def sum_views(
    schema: Schema, table: npt.NDArray[Number], fine: Marginal, coarse: Marginal
) -> npt.NDArray[Number]:
    """Return a table over some views, summed over the values of those that are coarser in `coarse`.

    Args:
        schema: the columns.
        table: (cells,) of `fine`.
        fine: its views.
        coarse: the same attributes in the same order, none of them finer.
    """
    found = table.reshape(shape(schema, fine))
    for axis, (view, seen) in enumerate(zip(fine, coarse, strict=True)):
        if view == seen:
            continue
        groups = schema.columns[view.attribute].fold(view.level, seen.level)
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], np.arange(seen.size(schema)))
        found = np.add.reduceat(np.take(found, order, axis=axis), starts, axis=axis)
    return np.ascontiguousarray(found).ravel()


@dataclass(frozen=True, eq=False)
class Rows:
    """Records held column by column, for counting.

    Attributes:
        schema: the columns.
        columns: one array of codes a column, all of one length.
    """

    schema: Schema
    columns: Sequence[CodeArray]

    @classmethod
    def of(cls, records: Records) -> Rows:
        """Return the records with contiguous columns."""
        return cls(records.schema, list(np.ascontiguousarray(records.codes.T)))

    def __len__(self) -> int:
        return len(self.columns[0])

    def cell_numbers(self, marginal: Marginal) -> npt.NDArray[np.unsignedinteger]:
        """Return (n,) the cell of each record, in the smallest integer type that fits."""
        kind = np.min_scalar_type(cells(self.schema, marginal))
        first, *others = marginal
        number = self._values(first, kind)
        for view in others:
            number *= kind.type(view.size(self.schema))
            number += self._values(view, kind)
        return number

    def _values(self, view: View, kind: np.dtype[Any]) -> npt.NDArray[np.unsignedinteger]:
        """Return (n,) the values of a view, copied."""
        codes = self.columns[view.attribute]
        if not view.level:
            return codes.astype(kind)
        groups = self.schema.columns[view.attribute].level_map(view.level).astype(kind)
        return np.take(groups, codes, mode="clip")

    def counts(self, marginal: Marginal) -> IntArray:
        """Return (cells,) how many records are in each cell, zeros too."""
        size = cells(self.schema, marginal)
        return np.bincount(self.cell_numbers(marginal), minlength=size).astype(np.int64)

    def tables(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """Count marginals; see `Counted.tables`."""
        return map(self.counts, marginals)

    def count_occupied(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """Count occupied cells; see `Counted.count_occupied`."""
        for marginal in marginals:
            yield np.unique(self.cell_numbers(marginal), return_counts=True)[1]

    def weigh_cells(self, marginal: Marginal, weights: FloatArray) -> FloatArray:
        """Return (cells,) the total weight of the records in each cell."""
        return add_weights(self.cell_numbers(marginal), weights, cells(self.schema, marginal))


def add_weights(numbers: npt.NDArray[np.integer], weights: FloatArray, size: int) -> FloatArray:
    """Return (size,) the weights of each number, added up."""
    return np.bincount(numbers, weights=weights, minlength=size).astype(np.float64, copy=False)
