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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
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
        views: the columns of the marginal that the table has, as finely as both tell them apart.
        sums: (groups,) noisy counts of groups of cells of the marginal, one for each combination of
            values of these views.
        numbers: (groups,) how many cells of the table each is the sum of; 0 where no record can be.
        groups: (cells,) which group each cell of the marginal is in.
    """

    noise: NoiseOnCells
    views: Marginal
    sums: FloatArray
    numbers: FloatArray
    groups: IntArray

    @cached_property
    def precision(self) -> FloatArray:
        """(groups,) the inverse of the variance of each sum; 0 where no record can be."""
        precision = np.zeros(len(self.sums))
        np.divide(1 / self.noise.variance, self.numbers, out=precision, where=self.numbers > 0)
        return precision


@dataclass(frozen=True, eq=False)
class _Pool:
    """All tables that add up the cells of a marginal in the same groups.

    Attributes:
        groups: (cells,) which group each cell is in.
        precision: (groups,) the sum of their precisions.
    """

    groups: IntArray
    precision: FloatArray

    def fold(self, values: FloatArray) -> FloatArray:
        """Return (groups,) values of the cells, added up."""
        return add_weights(self.groups, values, len(self.precision))


@dataclass(frozen=True, eq=False)
class LinearEstimate:
    """An estimate of Σ s·n over the cells of a marginal.

    Attributes:
        value: the estimate.
        noise: the law of its error.
    """

    value: float
    noise: NoiseSum

    def subtract(self, times: float, other: LinearEstimate) -> LinearEstimate:
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
        group_cells = cache(partial(_group_cells, schema, marginal))
        every = [_observe(schema, marginal, table, group_cells) for table in tables]
        own = [each for each in every if each.views == marginal]
        if not own:
            raise ValueError("no table counts these columns together")
        first = max(own, key=lambda each: float(each.precision.sum()))
        others = (each for each in every if each is not first)
        return cls(schema, marginal, _possible(schema, marginal), (first, *others))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each view has."""
        return shape(self.schema, self.marginal)

    def statistic(self, scores: FloatArray) -> LinearEstimate:
        """Return the best estimate of Σ s·n, unbiased.

        Args:
            scores: (cells,) s.
        """
        solved, left = self._solve(scores * self.possible)
        folded = np.concatenate([pool.fold(solved) for pool in self._pools.values()])
        weights = self._precision * folded[self._pooled]
        first = self.observations[0]
        weights[: len(first.sums)] += self._pools[first.views].fold(left)
        noise = NoiseSum(self._terms, weights[self._numbers > 0])
        return LinearEstimate(float(weights @ self._sums), noise)

    def spread(self, place: int, values: FloatArray | BoolArray) -> FloatArray:
        """Return (cells,) a number of each value of one view."""
        sizes = [1] * len(self.marginal)
        sizes[place] = -1
        return np.broadcast_to(values.reshape(sizes), self.shape).astype(np.float64).ravel()

    @cached_property
    def _pools(self) -> dict[Marginal, _Pool]:
        pools: dict[Marginal, _Pool] = {}
        for each in self.observations:
            known = pools.get(each.views)
            precision = each.precision if known is None else known.precision + each.precision
            pools[each.views] = _Pool(each.groups, precision)
        return pools

    @cached_property
    def _pooled(self) -> IntArray:
        """The place of each sum among those of all pools."""
        starts, start = {}, 0
        for views, pool in self._pools.items():
            starts[views] = start
            start += len(pool.precision)
        places = [starts[each.views] + np.arange(len(each.sums)) for each in self.observations]
        return np.concatenate(places)

    @cached_property
    def _sums(self) -> FloatArray:
        return np.concatenate([each.sums for each in self.observations])

    @cached_property
    def _precision(self) -> FloatArray:
        return np.concatenate([each.precision for each in self.observations])

    @cached_property
    def _numbers(self) -> FloatArray:
        return np.concatenate([each.numbers for each in self.observations])

    @cached_property
    def _terms(self) -> NoiseTerms:
        """The noise of all sums but those of cells in which no record can be."""
        own = self._numbers > 0
        sizes = [len(each.sums) for each in self.observations]
        noise = tuple(each.noise for each in self.observations)
        tables = np.repeat(np.arange(len(sizes)), sizes)
        return NoiseTerms(noise, tables[own], self._numbers[own])

    def _apply(self, values: FloatArray) -> FloatArray:
        """Return the left side of the normal equations."""
        image = np.zeros(len(values))
        for pool in self._pools.values():
            image += (pool.precision * pool.fold(values))[pool.groups]
        return image * self.possible

    def _solve(self, wanted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what solves the normal equations, and what is left of them."""
        scale = self._apply(self.possible)
        scale = np.where(scale > 0, scale, 1.0)
        solved, left = np.zeros(len(wanted)), wanted.copy()
        ready = left / scale
        direction, size = ready.copy(), float(left @ ready)
        least = _ENOUGH**2 * max(size, 0.0)
        for _ in range(_ROUNDS):
            if size <= least:
                break
            image = self._apply(direction)
            step = size / float(direction @ image)
            solved += step * direction
            left = left - step * image
            ready = left / scale
            before, size = size, float(left @ ready)
            direction = ready + size / before * direction
        return solved, wanted - self._apply(solved)


def _possible(schema: Schema, marginal: Marginal) -> FloatArray:
    """Return (cells,) 1 where some record can be, else 0."""
    allowed = possible_cells(schema, marginal)
    if allowed is None:
        return np.ones(cells(schema, marginal))
    return allowed.astype(np.float64)


def _observe(
    schema: Schema,
    marginal: Marginal,
    table: NoisyTable,
    group_cells: Callable[[Marginal], IntArray],
) -> Observation:
    """Return what a table says of the cells of a marginal: of those of its columns that it has,
    added up over all others, and at the coarser of both levels."""
    axes = {view.attribute: axis for axis, view in enumerate(table.marginal)}
    shared = [view for view in marginal if view.attribute in axes]
    order = [axes[view.attribute] for view in shared]
    own = tuple(table.marginal[axis] for axis in order)
    views = tuple(max(pair) for pair in zip(own, shared, strict=True))
    possible = _possible(schema, table.marginal)
    sizes = shape(schema, table.marginal)
    sums, numbers = (
        _sum_axes(schema, values.reshape(sizes), order, own, views)
        for values in (table.counts * possible, possible)
    )
    noise = NoiseOnCells(table.law, table.scale)
    return Observation(noise, views, sums, numbers, group_cells(views))


def _sum_axes(
    schema: Schema, values: FloatArray, order: Sequence[int], own: Marginal, views: Marginal
) -> FloatArray:
    """Return (groups,) the sums of a table over all axes but some, in their order, at the level of
    `views`."""
    others = [axis for axis in range(values.ndim) if axis not in order]
    turned = values.transpose([*order, *others])
    sums = turned.sum(axis=tuple(range(len(order), values.ndim)))
    return sum_views(schema, np.ascontiguousarray(sums).ravel(), own, views)


def _group_cells(schema: Schema, marginal: Marginal, views: Marginal) -> IntArray:
    """Return (cells,) which cell of coarser views of some of its columns each cell of a marginal is
    in."""
    groups = np.zeros(shape(schema, marginal), dtype=np.int64)
    places = np.indices(groups.shape, sparse=True)
    axes = {view.attribute: axis for axis, view in enumerate(marginal)}
    for view in views:
        axis = axes[view.attribute]
        fold = schema.columns[view.attribute].fold(marginal[axis].level, view.level)
        groups = groups * view.size(schema) + fold[places[axis]]
    return groups.ravel()


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
