"""Everything that noisy tables say of the cells of one marginal, put together by least squares.

Tables of a release overlap: a column may be counted by itself, several times, at several levels,
and within pairs. Each of them is a sum of the cells of the marginal that is asked about, with noise
of a known law, so what one wants to know of the cells, Σ s·n, is estimated best by weights that
follow from a system of linear equations (generalised least squares). It is solved by conjugate
gradients, and whatever is left of it is put on the table that counts the marginal itself: the
estimate is unbiased whether or not the equations were solved to the end.

An estimate is a weighted sum of noisy counts, so that its error is a weighted sum of noise
(`noise_sums`). All of it is made of released numbers and the public schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.inference.noise_sums import NoiseOnCells, NoiseSum, NoiseTerms
from understudy.models.noisy_tables import NoisyTable
from understudy.models.possible import possible_cells
from understudy.models.views import Marginal, add_weights, cells, shape, sum_views
from understudy.table.schema import Schema

_ROUNDS: Final = 400
_ENOUGH: Final = 1e-12


@dataclass(frozen=True, eq=False)
class Observation:
    """What one noisy table says of the cells of a marginal.

    Attributes:
        noise: of each cell of the table.
        sums: (seen,) noisy counts of groups of cells of the marginal.
        numbers: (seen,) how many cells of the table each is the sum of; 0 where no record can be.
        groups: (cells,) which of these each cell of the marginal is in.
    """

    noise: NoiseOnCells
    sums: FloatArray
    numbers: FloatArray
    groups: IntArray

    @cached_property
    def precision(self) -> FloatArray:
        """(seen,) the inverse of the variance of each sum; 0 where there is nothing to see."""
        found = np.zeros(len(self.sums))
        seen = self.numbers > 0
        found[seen] = 1 / (self.numbers[seen] * self.noise.variance)
        return found

    def fold(self, values: FloatArray) -> FloatArray:
        """Return (seen,) values of the cells, added up as the table sees them."""
        return add_weights(self.groups, values, len(self.sums))


@dataclass(frozen=True, eq=False)
class LinearEstimate:
    """An estimate of Σ s·n over the cells of a marginal.

    Attributes:
        value: the estimate.
        noise: the law of its error.
    """

    value: float
    noise: NoiseSum

    def less(self, times: float, other: LinearEstimate) -> LinearEstimate:
        """Return this statistic less another one of the same cells, taken `times`."""
        noise = NoiseSum(self.noise.terms, self.noise.weights - times * other.noise.weights)
        return LinearEstimate(self.value - times * other.value, noise)


@dataclass(frozen=True, eq=False)
class CountedCells:
    """The cells of a marginal, as all noisy tables together tell of them.

    Attributes:
        schema: the columns.
        marginal: what the cells are of.
        possible: (cells,) 1 where some record can be, else 0.
        observations: what each table says; the first of them counts the marginal itself.
    """

    schema: Schema
    marginal: Marginal
    possible: FloatArray
    observations: tuple[Observation, ...]

    @classmethod
    def of(cls, schema: Schema, marginal: Marginal, tables: Sequence[NoisyTable]) -> CountedCells:
        """Return the cells of a marginal that is part of one of the tables, in these views.

        Raises:
            ValueError: no table counts them.
        """
        every = [_observe(schema, marginal, table) for table in tables]
        size = cells(schema, marginal)
        own = [each for each in every if len(each.sums) == size]
        if not own:
            raise ValueError("no table counts these columns together")
        first = max(own, key=lambda each: float(each.precision.sum()))
        others = (each for each in every if each is not first)
        allowed = possible_cells(schema, marginal)
        possible = np.ones(size) if allowed is None else allowed.astype(np.float64)
        return cls(schema, marginal, possible, (first, *others))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each view has."""
        return shape(self.schema, self.marginal)

    def statistic(self, scores: FloatArray) -> LinearEstimate:
        """Return the best estimate of Σ s·n, unbiased.

        Args:
            scores: (cells,) s.
        """
        wanted = scores * self.possible
        solved, left = self._solve(wanted)
        weights = [each.precision * each.fold(solved) for each in self.observations]
        weights[0] = weights[0] + self.observations[0].fold(left)
        flat = np.concatenate(weights)
        value = float(flat @ np.concatenate([each.sums for each in self.observations]))
        return LinearEstimate(value, NoiseSum(self._terms, flat[self._seen]))

    @cached_property
    def _numbers(self) -> FloatArray:
        return np.concatenate([each.numbers for each in self.observations])

    @cached_property
    def _seen(self) -> BoolArray:
        return np.asarray(self._numbers > 0)

    @cached_property
    def _terms(self) -> NoiseTerms:
        sizes = [len(each.sums) for each in self.observations]
        tables = np.repeat(np.arange(len(sizes)), sizes)[self._seen]
        noise = tuple(each.noise for each in self.observations)
        return NoiseTerms(noise, tables, self._numbers[self._seen])

    def _apply(self, values: FloatArray) -> FloatArray:
        found = np.zeros(len(values))
        for each in self.observations:
            found += (each.precision * each.fold(values))[each.groups]
        return found * self.possible

    def _solve(self, wanted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what solves the normal equations, and what is left of them."""
        scale = self._apply(self.possible)
        scale = np.where(scale > 0, scale, 1.0)
        found, left = np.zeros(len(wanted)), wanted.copy()
        ready = left / scale
        direction, size = ready.copy(), float(left @ ready)
        least = _ENOUGH**2 * max(size, 0.0)
        for _ in range(_ROUNDS):
            if size <= least:
                break
            image = self._apply(direction)
            step = size / float(direction @ image)
            found += step * direction
            left = left - step * image
            ready = left / scale
            before, size = size, float(left @ ready)
            direction = ready + size / before * direction
        return found, wanted - self._apply(found)


def _observe(schema: Schema, marginal: Marginal, table: NoisyTable) -> Observation:
    """Return what a table says of the cells of a marginal: of those of its columns that it has,
    added up over all others, and at the coarser of both levels."""
    asked = {view.attribute: view for view in marginal}
    axes = [place for place, view in enumerate(table.marginal) if view.attribute in asked]
    order = sorted(axes, key=lambda place: list(asked).index(table.marginal[place].attribute))
    allowed = possible_cells(schema, table.marginal)
    sizes = shape(schema, table.marginal)
    counts = table.counts.astype(np.float64)
    many = np.ones(len(counts)) if allowed is None else allowed.astype(np.float64)
    own = tuple(table.marginal[place] for place in order)
    seen = tuple(max(view, asked[view.attribute]) for view in own)
    sums, numbers = (
        _sum_axes(schema, (values * many).reshape(sizes), order, own, seen)
        for values in (counts, many)
    )
    return Observation(
        NoiseOnCells(table.law, table.scale), sums, numbers, _groups(schema, marginal, seen)
    )


def _sum_axes(
    schema: Schema, values: FloatArray, order: Sequence[int], own: Marginal, seen: Marginal
) -> FloatArray:
    others = tuple(place for place in range(values.ndim) if place not in order)
    kept = np.asarray(values.sum(axis=others))
    if not order:
        return kept.reshape(1)
    left = sorted(order)
    turned = np.ascontiguousarray(kept.transpose([left.index(place) for place in order]))
    return sum_views(schema, turned.ravel(), own, seen)


def _groups(schema: Schema, marginal: Marginal, seen: Marginal) -> IntArray:
    """Return (cells,) which cell of `seen` each cell of a marginal is in."""
    found = np.zeros(shape(schema, marginal), dtype=np.int64)
    places = np.indices(found.shape, sparse=True)
    by_attribute = {view.attribute: axis for axis, view in enumerate(marginal)}
    for view in seen:
        axis = by_attribute[view.attribute]
        fine = marginal[axis]
        column = schema.columns[view.attribute]
        values = (
            np.arange(fine.size(schema)) if fine == view else column.fold(fine.level, view.level)
        )
        found = found * view.size(schema) + values[places[axis]]
    return np.asarray(found).ravel()


def finest_views(
    schema: Schema, tables: Sequence[NoisyTable], columns: Sequence[int]
) -> list[Marginal]:
    """Return in which views some columns were counted together, the finest first: each as their
    attributes come in `columns`."""
    found: dict[Marginal, int] = {}
    for table in tables:
        views = {view.attribute: view for view in table.marginal}
        if all(column in views for column in columns):
            marginal = tuple(views[column] for column in columns)
            found[marginal] = cells(schema, marginal)
    return sorted(found, key=lambda each: [view.level for view in each])
