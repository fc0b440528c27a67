"""Noisy tables of two ordered columns, drawn towards what their shape tells.

Cell by cell, noise hides a relation that all cells show together, such as that one column grows
with the other. So what a noisy table of two ordered columns differs by from expectation is
estimated in several ways:

    cells     each cell for itself, as far as noise leaves it (empirical Bayes)
    products  as few products of a number for each row and one for each column: singular values are
              shrunk, weak ones to 0 (Josse and Sardy 2016)
    waves     smooth functions along both columns, from coarse to fine: bands of their coefficients
              are shrunk, each as a whole (block James-Stein, Cai 1999)

and by the last two once more with what they leave shrunk cell by cell.

**The mixture.** The variance of the noise is known, and how closely each estimate follows the noise
can be worked out, so Stein's formula tells how far off each is expected to be, without another look
at the records. The mixture with the least expected error is taken (Leung and Barron 2006). If it
hardly spares more noise than the estimate cell by cell, the table stays as it was measured.

All of it is post-processing of noisy tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.calibrated.measurement import MeasuredMarginal, on_simplex
from understudy.models.views import Marginal, View, shape
from understudy.table.schema import Schema

_CELLS_SPARED: Final = 20.0
"""Of how many cells the noise has to be expected to go, for a table to be changed: less may be
chance …"""
_SHARE_SPARED: Final = 0.3
"""… and as a share of what is expected to be left."""
_MOST_CELLS: Final = 250_000
"""Larger tables stay as they were measured."""
_POWERS: Final = (1.0, 2.0, 4.0, 8.0)
_THRESHOLDS: Final = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5)
"""Singular values are shrunk to s·(1 − (λ/s)^γ), at least 0: γ, and λ in units of the largest that
noise alone shows."""
_WAVES: Final = 2.0
"""The noise that is expected to be left of K cells of two ordered columns is that of 2·K^¾."""
_POLYNOMIALS: Final = 4
"""The first functions along a column are polynomials of normal scores, the others cosines."""
_MOST_MOVES: Final = 200
_TURNS: Final = 10
_LEAST_SHARE: Final = 1e-6
"""The least that a value of a column is taken to hold, in units of the mean."""


def shrink_pair(schema: Schema, table: MeasuredMarginal, expected: FloatArray) -> MeasuredMarginal:
    """Return a table of two ordered columns drawn towards what its shape tells, with the variance
    that is expected to be left on each cell. Return any other table, and one whose shape tells
    hardly anything, as it was measured. Either knows how far to trust what was expected.

    Args:
        schema: the columns.
        table: as it was measured.
        expected: (cells,) what was expected of it before.
    """
    sizes, whole = shape(schema, table.marginal), float(expected.sum())
    able = _is_ordered(schema, table.marginal) and max(sizes) > 2 and len(expected) <= _MOST_CELLS
    if able and table.deviation and whole > 0:
        noisy = NoisyPair.of(schema, table, expected)
        cells, shapes = noisy.estimate_cells(), noisy.estimate_shapes()
        best = noisy.mix((*cells, *shapes))
        error = noisy.expected_error(best)
        spared = min(map(noisy.stein_error, cells)) - noisy.stein_error(best)
        if spared >= max(_CELLS_SPARED * noisy.variance, _SHARE_SPARED * error):
            counts = on_simplex(best.counts.ravel(), whole, table.possible)
            left = noisy.variance * best.spread.ravel()
            # What the estimate leaves out is taken to be in proportion to the counts.
            hidden = (error - float(left.sum())) / (2 * whole)
            table = replace(
                table, counts=counts, left=left + hidden * (counts + noisy.expected.ravel())
            )
    return table.beside(expected)


def count_shaped_cells(
    schema: Schema, marginals: Sequence[Marginal], occupied: IntArray
) -> IntArray:
    """Return (K,) of how many cells the noise is expected to be left: of pairs of ordered columns
    fewer than are occupied, as waves along both tell most.

    Args:
        schema: the columns.
        marginals: K of them.
        occupied: (K,) how many cells of each are expected to hold records, at least 1.
    """
    ordered = [_is_ordered(schema, each) for each in marginals]
    fewer = (_WAVES * occupied**0.75).astype(np.int64)
    return np.where(ordered, np.minimum(occupied, fewer), occupied)


def _is_ordered(schema: Schema, marginal: Marginal) -> bool:
    """Return whether a marginal is of two columns that both have an order."""
    return len(marginal) == 2 and all(schema.columns[each.attribute].ordered for each in marginal)


def fit_margins(counts: FloatArray, rows: FloatArray, columns: FloatArray) -> FloatArray:
    """Return counts with these sums of rows and of columns, as near as raking comes in `_TURNS`."""
    found = counts + _LEAST_SHARE * np.outer(rows, columns) / max(float(rows.sum()), 1.0)
    for _ in range(_TURNS):
        for axis, wanted in ((1, rows[:, None]), (0, columns[None, :])):
            sums = found.sum(axis=axis, keepdims=True)
            found = found * np.divide(wanted, sums, out=np.zeros_like(sums), where=sums > 0)
    return found


@dataclass(frozen=True, eq=False)
class PairEstimate:
    """Estimated counts of a noisy table.

    Attributes:
        counts: (rows, columns).
        spread: (rows, columns) the variance of each from noise, as a share of that of a measured
            cell.
        followed: how many cells' noise it follows: the sum over the cells of what each estimate
            changes by as its measurement does, at least.
    """

    counts: FloatArray
    spread: FloatArray
    followed: float = 0.0


@dataclass(frozen=True, eq=False)
class ColumnWaves:
    """Orthonormal functions of the values of a column, from coarse to fine.

    Attributes:
        functions: (values, values − 1) a column each; each of sum 0.
        bands: (values − 1,) which functions are shrunk together.
    """

    functions: FloatArray
    bands: IntArray

    @classmethod
    def of(cls, schema: Schema, view: View, expected: FloatArray) -> ColumnWaves:
        """Return the functions of a view of an ordered column, of which so much is expected; each
        code for missing has one of its own."""
        size = len(expected)
        weights = np.maximum(expected, _LEAST_SHARE * max(float(expected.mean()), _LEAST_SHARE))
        values = size - schema.columns[view.attribute].missing_count
        waves = np.column_stack([_list_waves(weights, values), np.eye(size)[:, values:]])
        bands = np.zeros(size - 1, dtype=np.int64)
        bands[: values - 1] = 1 + np.log2(np.arange(1, values)).astype(np.int64)
        # Of sum 0, so that what is expected of each value stays.
        waves = waves - weights[:, None] * (waves.sum(axis=0) / weights.sum())
        return cls(np.linalg.qr(waves)[0], bands)


def _list_waves(weights: FloatArray, values: int) -> FloatArray:
    """Return (all, values − 1) functions along the first, ordered values, times the weight of
    each."""
    own = weights[:values]
    ranks = (np.cumsum(own) - own / 2) / own.sum()
    powers = np.polynomial.hermite_e.hermevander(ndtri(ranks), min(values, _POLYNOMIALS) - 1)
    cosines = np.cos(np.pi * np.outer(ranks, np.arange(_POLYNOMIALS, max(values, _POLYNOMIALS))))
    waves = np.zeros((len(weights), values - 1))
    waves[:values] = own[:, None] * np.column_stack([powers[:, 1:], cosines])
    return np.asarray(waves / np.sqrt((waves**2).sum(axis=0)))


@dataclass(frozen=True, eq=False)
class NoisyPair:
    """A noisy table of two ordered columns.

    Attributes:
        counts: (rows, columns) as measured.
        expected: (rows, columns) as expected before.
        noisy: (rows, columns) 1 where there is noise, 0 where no record can be.
        variance: of the noise on each cell.
        axes: functions along each column.
    """

    counts: FloatArray
    expected: FloatArray
    noisy: FloatArray
    variance: float
    axes: tuple[ColumnWaves, ColumnWaves]

    @classmethod
    def of(cls, schema: Schema, table: MeasuredMarginal, expected: FloatArray) -> NoisyPair:
        """Return a table, of which so much was expected."""
        sizes = shape(schema, table.marginal)
        possible = np.ones(sizes) if table.possible is None else table.possible.reshape(sizes)
        noisy = possible.astype(np.float64)
        own = noisy * expected.reshape(sizes)
        one, other = table.marginal
        axes = (
            ColumnWaves.of(schema, one, own.sum(axis=1)),
            ColumnWaves.of(schema, other, own.sum(axis=0)),
        )
        return cls(table.counts.reshape(sizes), own, noisy, table.deviation**2, axes)

    @property
    def many(self) -> int:
        """How many cells have noise."""
        return int(self.noisy.sum())

    def stein_error(self, estimate: PairEstimate) -> float:
        """Return the sum of squares that an estimate is expected to be off by (Stein 1981). It errs
        as well, and may be below 0."""
        apart = float(((self.counts - estimate.counts) ** 2).sum())
        return apart + (2 * estimate.followed - self.many) * self.variance

    def expected_error(self, estimate: PairEstimate) -> float:
        """Return the same, at least what the noise in it comes to."""
        return max(self.stein_error(estimate), float(estimate.spread.sum()) * self.variance)

    def mix(self, estimates: Sequence[PairEstimate]) -> PairEstimate:
        """Return the mixture of which Stein's formula expects the least error."""
        apart = np.array([(self.counts - each.counts).ravel() for each in estimates])
        followed = np.array([each.followed for each in estimates])
        shares = _least_shares(apart @ apart.T, self.variance * followed)
        counts = np.tensordot(shares, np.array([each.counts for each in estimates]), axes=1)
        spread = np.tensordot(shares, np.sqrt([each.spread for each in estimates]), axes=1) ** 2
        return PairEstimate(counts, spread, float(shares @ followed))

    @property
    def unmoved(self) -> PairEstimate:
        """What was expected, whatever was measured."""
        return PairEstimate(self.expected, np.zeros(self.expected.shape))

    def estimate_cells(self) -> tuple[PairEstimate, PairEstimate]:
        """Return what was expected, and with each cell for itself."""
        return self.unmoved, self._follow_cells(self.unmoved)

    def estimate_shapes(self) -> tuple[PairEstimate, ...]:
        """Return what shapes tell, each with and without cells for themselves; without products of
        a table of two rows or columns, which is but one."""
        waves = self._follow_waves()
        shapes = [waves]
        if min(self.counts.shape) > 2:
            products = self._follow_products(self.unmoved)
            shapes = [products, waves, self._follow_products(waves)]
        return (*shapes, *map(self._follow_cells, shapes))

    def _follow_cells(self, first: PairEstimate) -> PairEstimate:
        """Return an estimate, and as much of what each cell is beyond it as noise leaves: where the
        variance of the true counts about it is taken to be in proportion to them."""
        left, whole = self.counts - first.counts, float(self.expected.sum())
        beyond = float((left**2).sum()) - (self.many - first.followed) * self.variance
        if beyond <= 0:
            return first
        likely = on_simplex(first.counts.ravel(), whole).reshape(left.shape)
        own = beyond / whole * likely
        trust = self.noisy * own / (own + self.variance)
        # What is estimated of all cells follows a little more of the noise.
        followed = float(trust.sum()) + (1 - float(trust.sum()) / self.many) * first.followed + 2
        spread = trust**2 + (1 - trust**2) * first.spread
        return PairEstimate(first.counts + trust * left, spread, followed)

    def _follow_products(self, first: PairEstimate) -> PairEstimate:
        """Return an estimate, and what is beyond it in a few products; its sums of rows and of
        columns stay."""
        left = self.counts - first.counts
        left = left - left.mean(axis=0)
        left = left - left.mean(axis=1, keepdims=True)
        rows, values, columns = np.linalg.svd(left, full_matrices=False)
        # Sums of 0 leave a row and a column less, and the last singular value is 0.
        rows, values, columns = rows[:, :-1], values[:-1], columns[:-1]
        sizes = left.shape[0] - 1, left.shape[1] - 1
        shrunk, followed = _shrink_values(values, sizes, self.variance)
        fitted = self.noisy * ((rows * shrunk) @ columns)
        kept = shrunk / np.maximum(values, 1e-300)
        one, other = rows**2 @ kept, kept @ columns**2
        spread = self.noisy * (one[:, None] + other - np.outer(one, other))
        spread = spread + (1 - spread) * first.spread
        return PairEstimate(first.counts + fitted, spread, first.followed + followed)

    def _follow_waves(self) -> PairEstimate:
        """Return what was expected, and what is beyond it in waves along the columns."""
        one, other = self.axes
        heights = one.functions.T @ (self.counts - self.expected) @ other.functions
        bands = one.bands[:, None] * (1 + other.bands.max()) + other.bands
        kept, followed = _shrink_bands(heights, bands, self.variance)
        fitted = self.noisy * (one.functions @ (kept * heights) @ other.functions.T)
        spread = self.noisy * (one.functions**2 @ kept**2 @ (other.functions**2).T)
        return PairEstimate(self.expected + fitted, spread, followed)


def _shrink_bands(
    heights: FloatArray, bands: IntArray, variance: float
) -> tuple[FloatArray, float]:
    """Return what share of each coefficient is kept, the same of all in a band, and how many cells'
    noise is followed. Chance alone shows in n of them less than n + 2√n, nearly always."""
    places = np.unique(bands, return_inverse=True)[1].reshape(bands.shape)
    many = np.bincount(places.ravel()).astype(np.float64)
    energy = np.bincount(places.ravel(), weights=(heights**2).ravel())
    noise = (many + 2 * np.sqrt(many)) * variance
    share = np.minimum(noise / np.maximum(energy, noise), 1.0)
    follows = many * (1 - share) + np.where(share < 1, 2 * share, 0.0)
    return (1 - share)[places], float(follows.sum())


def _least_shares(squares: FloatArray, linear: FloatArray) -> FloatArray:
    """Return the shares w, at least 0 and of sum 1, of the least wᵀ·squares·w + 2·linear·w, by
    moving weight from one to another in turn."""
    shares = np.zeros(len(linear))
    shares[np.argmin(np.diag(squares) + 2 * linear)] = 1.0
    for _ in range(_MOST_MOVES):
        slopes = squares @ shares + linear
        held = np.flatnonzero(shares)
        to, of = int(np.argmin(slopes)), int(held[np.argmax(slopes[held])])
        gain = float(slopes[of] - slopes[to])
        curve = float(squares[to, to] + squares[of, of] - 2 * squares[to, of])
        if gain <= _LEAST_SHARE * float(np.abs(slopes).max()) or curve <= 0:
            break
        moved = min(float(shares[of]), gain / curve)
        shares[to] += moved
        shares[of] -= moved
    return shares


def _shrink_values(
    values: FloatArray, sizes: tuple[int, int], variance: float
) -> tuple[FloatArray, float]:
    """Return singular values shrunk in the way of which Stein's formula expects the least error,
    and how many cells' noise is followed (Candès, Sing-Long and Trzasko 2013).

    Args:
        values: as they are, falling.
        sizes: how many rows and columns may differ.
        variance: of the noise on each cell.
    """
    noise = math.sqrt(variance) * sum(map(math.sqrt, sizes))
    squares = values[:, None] ** 2 - values[None, :] ** 2
    np.fill_diagonal(squares, np.inf)
    between = 2 * values[:, None] / np.where(np.abs(squares) > 0, squares, np.inf)
    best, followed, least = np.zeros(len(values)), 0.0, 0.0
    for power in _POWERS:
        for threshold in _THRESHOLDS:
            ratio = np.minimum(threshold * noise / np.maximum(values, 1e-300), 1.0) ** power
            kept = 1 - ratio
            shrunk = values * kept
            slopes = np.where(kept > 0, 1 + (power - 1) * ratio, 0.0)
            follows = float(
                slopes.sum()
                + abs(sizes[0] - sizes[1]) * kept.sum()
                + (shrunk[:, None] * between).sum()
            )
            apart = float(((shrunk - values) ** 2 - values**2).sum())
            risk = apart + 2 * variance * follows
            if risk < least:
                best, followed, least = shrunk, follows + 1, risk
    return best, followed
