"""Confidence intervals by inversion: which values of an unknown do noise and sampling explain?

Were θ the true ratio, T(θ) = top − θ·bottom would be noise and chance alone, of a known law: noise
of weights that depend on θ (`NoiseSum`) and, where the records are a sample, the sampling error of
Σ (v − θ)·1, which is normal with the variance Σ (v − θ)²·n. A value belongs to the interval if
|T(θ)| or more is likely enough (Fieller 1954, with the law of the noise in place of the normal
one). Nothing is divided by a noisy number, so that the interval holds where there are few records.

The difference of two ratios is inverted together with one of them: every pair of values that the
two statistics explain, by the chi-square law of their squares with their correlation, and of these
the least and the largest difference (the profile of the likelihood).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy import optimize, special

from understudy.core.arrays import FloatArray
from understudy.inference.counted_cells import CountedCells, LinearEstimate
from understudy.inference.noise_sums import is_normal, tail_of_normal

_HALVINGS: Final = 30
_EXACT: Final = 1e-9
"""How exactly ends are found, as a share of the range."""
_POINTS: Final = 17
"""How many values are tried at first."""
_FINE, _COARSE = 241, 6
"""How many values of each ratio are tried for a difference, and every which of them is computed."""
_TINY, _LEAST, _MOST = 1e-300, 1e-12, 0.99
"""The least variance, the least probability and the largest correlation that are computed with."""
_WIDE: Final = 1e-6
"""The level of the intervals within which pairs of values are tried is 1 less this."""


@dataclass(frozen=True)
class Ends:
    """The ends of a confidence interval; infinite where nothing is known."""

    low: float
    high: float

    def covers(self, value: float) -> bool:
        """Return whether a value is within."""
        return self.low <= value <= self.high


@dataclass(frozen=True, eq=False)
class NoisyRatio:
    """A ratio Σ v·n / Σ n over some cells, each with a number v.

    Attributes:
        top, bottom: the estimates of both sums.
        squares: the estimate of Σ v²·n.
        low, high: the least and the largest v, between which the ratio is.
        fixed: whether there are no values between these, as of a share.
    """

    top: LinearEstimate
    bottom: LinearEstimate
    squares: float
    low: float
    high: float
    fixed: bool

    @classmethod
    def of(cls, counted: CountedCells, values: FloatArray, among: FloatArray) -> NoisyRatio:
        """Return the mean of some values.

        Args:
            counted: the cells.
            values: (cells,) v; what they are elsewhere does not matter.
            among: (cells,) 1 of the cells whose records count, else 0; some record can be in one.
        """
        own = values[(among * counted.possible) > 0]
        low, high = float(own.min()), float(own.max())
        fixed = bool(np.isin(own, (low, high)).all())
        scores = np.where(among > 0, values, 0.0)
        top, bottom = counted.statistic(scores), counted.statistic(among)
        squares = 0.0 if fixed else counted.statistic(scores**2).value
        return cls(top, bottom, squares, low, high, fixed)

    @property
    def estimate(self) -> float:
        """The likeliest value; the middle where there seems to be no record."""
        if self.bottom.value <= 0:
            return (self.low + self.high) / 2
        return min(self.high, max(self.low, self.top.value / self.bottom.value))

    def sampling(self, values: FloatArray) -> FloatArray:
        """Return the estimated variance that sampling gives T at some values, for all records.

        It is at most what it would be if all records had one of the two extreme values.
        """
        records = max(self.bottom.value, 0.0)
        inside = np.maximum(values - self.low, 0.0) * np.maximum(self.high - values, 0.0)
        most = np.asarray(records * inside)
        if self.fixed:
            return most
        own = self.squares - 2 * values * self.top.value + values**2 * self.bottom.value
        return np.minimum(np.maximum(own, 0.0), most)

    def deviations(self, values: FloatArray, sampled: float) -> FloatArray:
        """Return how many deviations of a normal law T is from 0 at some values: so many that more
        are as likely as more of T by its own law.

        Args:
            values: of the ratio.
            sampled: what the variance of sampling is multiplied by; 0 for the counted records.
        """
        chance = sampled * self.sampling(values)
        tested = self.top.value - values * self.bottom.value
        variance = self.variances(values, sampled)
        deviation = np.sqrt(np.maximum(variance, _TINY))
        away = np.abs(tested)
        largest = self.top.noise.largest + np.abs(values) * self.bottom.noise.largest
        fourth = _polynomial(self._fourth, values)
        likely = tail_of_normal(away / deviation, fourth / np.maximum(variance, _TINY) ** 2)
        normal = is_normal(fourth, variance, chance, largest)
        for place in np.flatnonzero(np.logical_not(normal)).tolist():
            law = self.top.subtract(float(values[place]), self.bottom).noise
            likely[place] = law.tail_probability(float(away[place]), float(chance[place]))
        return np.copysign(-special.ndtri(np.clip(likely, _LEAST, 1.0) / 2), tested)

    def variances(self, values: FloatArray, sampled: float) -> FloatArray:
        """Return the variance of T at some values, by noise and chance together."""
        return _polynomial(self._variance, values) + sampled * self.sampling(values)

    @cached_property
    def _variance(self) -> tuple[float, ...]:
        """The coefficients of the variance of the noise, by powers of the value."""
        top, bottom = self.top.noise, self.bottom.noise
        return top.variance, -2 * top.covariance(bottom), bottom.variance

    @cached_property
    def _fourth(self) -> tuple[float, ...]:
        """The coefficients of the fourth cumulant of the noise, by powers of the value."""
        top, bottom = self.top.noise.weights, -self.bottom.noise.weights
        fourths = self.top.noise.terms.fourths
        return tuple(
            math.comb(4, power) * float(fourths @ (top ** (4 - power) * bottom**power))
            for power in range(5)
        )

    def interval(self, level: float, sampled: float) -> Ends:
        """Return the values that noise and chance explain; see `deviations`."""
        if self.low == self.high:
            return Ends(self.low, self.high)
        most = float(special.ndtri((1 + level) / 2))
        places = np.linspace(self.low, self.high, _POINTS)
        # None further than 1/√(1 − level) deviations is explained (Chebyshev's inequality).
        away = self.top.value - places * self.bottom.value
        near = places[np.square(away) * (1 - level) <= self.variances(places, sampled)]
        explained = near[np.abs(self.deviations(near, sampled)) <= most]
        within = [self.estimate, *explained.tolist()]
        ends = []
        for inner, sign in ((min(within), -1), (max(within), 1)):
            outside = places[sign * (places - inner) > 0]
            if not outside.size:
                ends.append(inner)
                continue
            outer = float(outside[np.argmin(sign * outside)])

            def excess(value: float) -> float:
                return float(np.abs(self.deviations(np.array([value]), sampled))[0]) - most

            # At the ends of the bracket the signs are known, even if rounding says otherwise.
            if excess(inner) >= 0 or excess(outer) <= 0:
                ends.append(outer)
            else:
                finest = (self.high - self.low) * _EXACT
                ends.append(float(optimize.brentq(excess, inner, outer, xtol=finest)))
        return Ends(ends[0], ends[1])


def _polynomial(coefficients: tuple[float, ...], values: FloatArray) -> FloatArray:
    return np.asarray(np.polynomial.polynomial.polyval(values, np.array(coefficients)))


def difference_interval(one: NoisyRatio, other: NoisyRatio, level: float, sampled: float) -> Ends:
    """Return where one ratio less another lies, of records of different cells.

    Args:
        one, other: of the same counted cells.
        level: with what probability it holds the truth.
        sampled: as of `NoisyRatio.deviations`.
    """
    both = (one, other)
    grids = [_spread_grid(each, sampled) for each in both]
    first, second = (
        np.interp(grid, grid[::_COARSE], ratio.deviations(grid[::_COARSE], sampled))
        for ratio, grid in zip(both, grids, strict=True)
    )
    own = [each.variances(grid, sampled) for each, grid in zip(both, grids, strict=True)]
    spread = np.sqrt(np.maximum(np.outer(*own), _TINY))
    related = np.clip(_find_covariances(one, other, *grids) / spread, -_MOST, _MOST)
    mixed = 2 * related * np.outer(first, second)
    squares = (first[:, None] ** 2 - mixed + second[None, :] ** 2) / (1 - related**2)
    least = float(squares.min())
    within = squares <= max(float(special.chdtri(1, 1 - level)), least)
    apart = (grids[0][:, None] - grids[1][None, :])[within]
    step = sum(float(each[1] - each[0]) for each in grids if len(each) > 1) / 2
    return Ends(
        max(one.low - other.high, float(apart.min()) - step),
        min(one.high - other.low, float(apart.max()) + step),
    )


def _spread_grid(ratio: NoisyRatio, sampled: float) -> FloatArray:
    wide = ratio.interval(1 - _WIDE, sampled)
    return np.linspace(wide.low, wide.high, _FINE) if wide.low < wide.high else np.array([wide.low])


def _find_covariances(
    one: NoisyRatio, other: NoisyRatio, grid: FloatArray, others: FloatArray
) -> FloatArray:
    """Return the covariance of the noise of both statistics at each pair of values."""
    a, b = grid[:, None], others[None, :]
    return np.asarray(
        one.top.noise.covariance(other.top.noise)
        - b * one.top.noise.covariance(other.bottom.noise)
        - a * one.bottom.noise.covariance(other.top.noise)
        + a * b * one.bottom.noise.covariance(other.bottom.noise)
    )


def slope_interval(
    counted: CountedCells,
    x: FloatArray,
    y: FloatArray,
    among: FloatArray,
    level: float,
    sampled: float,
) -> tuple[float, Ends]:
    """Return the slope of the line of y on x by least squares, and its interval.

    T(b) = Σ (x − x̄)(y − ȳ − b·(x − x̄))·n, with the means as estimated, on which it does not
    depend to first order. Both laws are taken as normal. The sampling variance is that which holds
    whatever the spread about the line.

    Args:
        counted: the cells of both columns.
        x, y: (cells,) their numbers.
        among: (cells,) 1 of the cells that have both, else 0.
        level, sampled: as of `difference_interval`.
    """
    records = counted.statistic(among).value
    if records <= 0:
        return math.nan, Ends(-math.inf, math.inf)
    middle = [counted.statistic(np.where(among > 0, each, 0.0)).value / records for each in (x, y)]
    across, up = (
        np.where(among > 0, each - at, 0.0) for each, at in zip((x, y), middle, strict=True)
    )
    top, bottom = counted.statistic(across * up), counted.statistic(across**2)
    moments = [
        counted.statistic(across ** (2 + power) * up ** (2 - power)).value for power in range(3)
    ]
    z = float(special.ndtri((1 + level) / 2)) ** 2
    variance = [
        top.noise.variance + sampled * max(moments[0], 0.0),
        top.noise.covariance(bottom.noise) + sampled * moments[1],
        bottom.noise.variance + sampled * max(moments[2], 0.0),
    ]
    # (top − b·bottom)² = z·(v₀ − 2·b·v₁ + b²·v₂)
    a = bottom.value**2 - z * variance[2]
    b = top.value * bottom.value - z * variance[1]
    c = top.value**2 - z * variance[0]
    inner = b * b - a * c
    estimate = top.value / bottom.value if bottom.value > 0 else math.nan
    if a <= 0 or bottom.value <= 0 or inner < 0:
        return estimate, Ends(-math.inf, math.inf)
    reach = math.sqrt(inner)
    return estimate, Ends((b - reach) / a, (b + reach) / a)


def count_interval(counted: LinearEstimate, share: float, level: float) -> Ends:
    """Return where the number of records of some cells is, of a table of which each record was
    counted with the same probability.

    Args:
        counted: the estimate of how many were counted.
        share: that probability.
        level: with what probability the interval holds the truth.
    """
    failing = 1 - level

    def is_explained(number: float) -> bool:
        chance = (1 - share) * share * number
        return (
            counted.noise.tail_probability(abs(counted.value - share * number), chance) >= failing
        )

    inside = max(0.0, counted.value / share)
    reach = math.sqrt(counted.noise.variance + inside) / share + 1
    outer = inside + reach
    while is_explained(outer):
        outer += reach
    low = 0.0 if is_explained(0.0) else _bisect_edge(is_explained, inside, 0.0)
    return Ends(low, _bisect_edge(is_explained, inside, outer))


def _bisect_edge(is_explained: Callable[[float], bool], inner: float, outer: float) -> float:
    """Return where the values that are explained end, or a little beyond."""
    for _ in range(_HALVINGS):
        middle = (inner + outer) / 2
        inner, outer = (middle, outer) if is_explained(middle) else (inner, middle)
    return outer
