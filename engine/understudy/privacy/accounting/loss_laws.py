"""Guarantees from the law of the privacy loss, for noise of which the whole law is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, reduce
from typing import Final, Protocol

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import gammaln

from understudy.core.arrays import FloatArray
from understudy.privacy.accounting.composition import decaying_sums, largest_rho
from understudy.privacy.budget import Budget

# Composition by the law of the privacy loss, for mechanisms of which the whole curve is known.
#
# A mechanism between two inputs is known by its curve δ(ε) = sup_S P(S) − e^ε·Q(S), for every real
# ε. Read as a function of x = e^ε it falls and is convex, so the straight lines between its values
# on a grid lie above it; they are the curve of a pair of laws whose privacy loss takes no other
# values than those of the grid (“connect the dots”, Doroshenko, Ghazi, Kamath, Kumar and Manurangsi
# 2022). What the original pair lets anybody find out, this pair lets them find out too, and the
# losses of independent pairs add up: laws of losses are convolved. So what comes out is never too
# small, but for double precision, for which `ROUNDING` is added.

ROUNDING = 1e-13
"""Added to every composed δ, which is more than all convolutions lose in double precision."""

_DROPPED = 4e-15
"""The mass at either end that one convolution may leave out; above, it counts as a certain loss."""

MOST_POINTS = 1 << 21
"""The most points of a grid."""


class TwoWays(Protocol):
    """The curve of a mechanism between two inputs, one way and the other."""

    def forward(self, epsilons: FloatArray) -> FloatArray:
        """Return δ at each ε, 0 or more, of the first input against the second."""
        ...

    def backward(self, epsilons: FloatArray) -> FloatArray:
        """Return δ at each ε, 0 or more, of the second input against the first."""
        ...


@dataclass(frozen=True, eq=False)
class LossLaw:
    """A law of the privacy loss on a grid.

    Attributes:
        step: h, the distance of its values.
        lowest: the first value, in steps.
        masses: (points,) the chance of each, under the first input.
        infinite: the chance that the loss has no bound.
    """

    step: float
    lowest: int
    masses: FloatArray = field(repr=False)
    infinite: float

    @classmethod
    def of(cls, pair: TwoWays, step: float, reach: float) -> LossLaw:
        """Return the law on a grid that lets more be found out than a pair does.

        Args:
            pair: its two curves.
            step: of the grid.
            reach: the largest loss that is told from one without bound.

        Raises:
            ValueError: the grid would have more than `MOST_POINTS` points.
        """
        return cls.both(pair, step, reach)[0]

    @classmethod
    def both(cls, pair: TwoWays, step: float, reach: float) -> tuple[LossLaw, LossLaw]:
        """Return the laws of a pair and of the same pair the other way round, which take the same
        values of its curves; as of `of`.

        Raises:
            ValueError: as of `of`.
        """
        count = math.ceil(reach / step)
        if 2 * count + 1 > MOST_POINTS:
            raise ValueError("the grid is too fine")
        up: FloatArray = step * np.arange(count + 1, dtype=np.float64)
        over, back = pair.forward(up), pair.backward(up)
        return cls._of_curves(step, up, over, back), cls._of_curves(step, up, back, over)

    @classmethod
    def _of_curves(cls, step: float, up: FloatArray, over: FloatArray, back: FloatArray) -> LossLaw:
        """Return the law of curves that have these values on the grid, in one direction and the
        other."""
        # The slope between two points, and one more than it below 0, where it is near −1.
        x = np.exp(up)
        slopes = (over[:-1] - over[1:]) / np.diff(x)
        below = np.exp(-up)
        rests = (back[:-1] * below[:-1] - back[1:] * below[1:]) / (below[:-1] - below[1:])
        above = np.concatenate([slopes, [0.0]])
        right = x[1:] * (above[:-1] - above[1:])
        left = below[1:] * (rests - np.concatenate([rests[1:], [0.0]]))
        middle = 1.0 - rests[0] - above[0]
        masses = np.concatenate([left[::-1], [middle], right])
        infinite = float(over[-1])
        masses[0] += 1.0 - infinite - float(masses.sum())
        return cls(step, 1 - len(up), masses, infinite)

    def __matmul__(self, other: LossLaw) -> LossLaw:
        """Return both together, of grids with the same step.

        Raises:
            ValueError: the steps differ.
        """
        if self.step != other.step:
            raise ValueError("the grids do not fit together")
        size = len(self.masses) + len(other.masses) - 1
        length = next_fast_len(size, real=True)
        masses = irfft(rfft(self.masses, length) * rfft(other.masses, length), length)[:size]
        infinite = self.infinite + other.infinite - self.infinite * other.infinite
        return LossLaw(self.step, self.lowest + other.lowest, masses, infinite)._cut()

    def times(self, count: int) -> LossLaw:
        """So many of them together, at least one."""
        found, square = None, self
        while True:
            if count & 1:
                found = square if found is None else found @ square
            count >>= 1
            if not count:
                assert found is not None
                return found
            square = square @ square

    def delta(self, epsilon: float) -> float:
        """Return δ at an ε of 0 or more."""
        values = self.step * (self.lowest + np.arange(len(self.masses)))
        over = values > epsilon
        shares = -np.expm1(epsilon - values[over])
        return min(1.0, max(0.0, float(self.masses[over] @ shares)) + self.infinite + ROUNDING)

    def epsilon(self, delta: float) -> float:
        """Return the smallest ε of 0 or more with at most this δ; infinite where there is none."""
        values, deltas = self._curve
        if deltas[0] <= delta:
            return 0.0
        under = np.flatnonzero(deltas <= delta)
        if not under.size:
            return math.inf
        at = int(under[0])
        low, high = float(values[at - 1]), float(values[at])
        share = float((deltas[at - 1] - delta) / (deltas[at - 1] - deltas[at]))
        # ln((1 − share)·e^low + share·e^high), of which e^high may be more than a float can hold.
        return high + math.log(share + (1 - share) * math.exp(low - high))

    @cached_property
    def _curve(self) -> tuple[FloatArray, FloatArray]:
        """The points of the grid from 0 on, and δ at each."""
        first = max(0, self.lowest)
        end = max(first, self.lowest + len(self.masses)) + 1
        values: FloatArray = self.step * np.arange(first, end, dtype=np.float64)
        masses = np.zeros(len(values))
        kept = self.masses[first - self.lowest :]
        masses[: len(kept)] = kept
        # Σ_{j>i} p_j·(1 − e^{−(j−i)h}), from the end: nothing is taken from a sum near it.
        before = np.concatenate([np.cumsum(masses[::-1])[::-1][1:], [0.0]])
        faded = decaying_sums(masses[::-1], math.exp(-self.step))[::-1] - masses
        deltas = np.maximum(before - faded, 0.0) + self.infinite + ROUNDING
        if first > 0:
            values, deltas = np.append(0.0, values), np.append(self.delta(0.0), deltas)
        return values, np.asarray(np.minimum(np.minimum.accumulate(deltas), 1.0))

    def _cut(self) -> LossLaw:
        """Without the ends that weigh nothing: above they count as a loss without bound, below as
        the least that is kept."""
        up = np.cumsum(self.masses[::-1])
        top = len(self.masses) - int(np.searchsorted(up, _DROPPED))
        low = int(np.searchsorted(np.cumsum(self.masses), _DROPPED))
        top = max(top, 1)
        low = min(low, top - 1)
        masses = self.masses[low:top].copy()
        masses[0] += max(0.0, float(self.masses[:low].sum()))
        over = max(0.0, float(self.masses[top:].sum()))
        return LossLaw(self.step, self.lowest + low, masses, self.infinite + over)


def add_losses(losses: Sequence[LossLaw]) -> LossLaw:
    """Return the law of all losses together, each on a grid of the same step."""
    return reduce(lambda one, other: one @ other, losses)


# What many Gaussian sums over Poisson samples of the records guarantee together.
#
# Each step takes every record with probability q, sums bounded vectors of those taken, and adds
# Gaussian noise of σ = multiplier·bound. The Rényi divergence of a step at a whole order a is at
# most
#
#     ln( Σ_{k=0}^{a} C(a, k)·(1 − q)^{a−k}·q^k·exp(k(k − 1)/(2·multiplier²)) ) / (a − 1)
#
# (Mironov, Talwar and Zhang 2019, "Rényi Differential Privacy of the Sampled Gaussian Mechanism",
# Section 3.3); docs/latent.md says why that holds for discrete noise too. Steps add up, order by
# order, and so does a question of ρ-zCDP, which has a·ρ.

ORDERS: Final = (
    *range(2, 34),
    *range(34, 66, 2),
    *range(72, 257, 8),
    *(320, 384, 512, 768, 1024, 1536, 2048, 3072, 4096),
)
"""At which the divergence is known; every one of them gives a valid ε."""
LEAST_MULTIPLIER: Final = 0.5
MOST_MULTIPLIER: Final = 1e6
_PRECISION: Final = 1e-4


@dataclass(frozen=True)
class Sampled:
    """Steps over Poisson samples, and one question of all records besides.

    Attributes:
        rate: q, the chance that a record is taken in a step, above 0 and at most 1.
        steps: how many there are.
        multiplier: σ of the noise, in bounds of a record's vector.
        rho: of the question besides; 0 where there is none.
    """

    rate: float
    steps: int
    multiplier: float
    rho: float = 0.0

    def cost(self, delta: float) -> Budget:
        """Return the (ε, δ) of all of it, for add/remove of one record.

        Each order a gives ε = D_a + (−ln δ − ln(a − 1) + a·ln(1 − 1/a))/(a − 1) (Canonne, Kamath
        and Steinke 2020, Proposition 12); the least of them stands.
        """
        orders = np.array(ORDERS, dtype=np.float64)
        spent = np.array([self.divergence(order) for order in ORDERS])
        slack = -math.log(delta) - np.log(orders - 1) + orders * np.log1p(-1 / orders)
        return Budget(max(0.0, float((spent + slack / (orders - 1)).min())), delta)

    def divergence(self, order: int) -> float:
        """Return the Rényi divergence of all of it at this whole order from 2 on."""
        return self.steps * step_divergence(order, self.rate, self.multiplier) + order * self.rho


def step_divergence(order: int, rate: float, multiplier: float) -> float:
    """Return the Rényi divergence of one step at a whole order from 2 on; see the module."""
    k = np.arange(2, order + 1, dtype=np.float64)
    exponent = k * (k - 1) / (2 * multiplier**2)
    if rate >= 1:
        return float(exponent[-1]) / (order - 1)
    chances = _ways(order) + (order - k) * math.log1p(-rate) + k * math.log(rate)
    # All chances sum to 1, so what is summed is how far above 1 it lies: no small number is lost.
    above = chances + _log_expm1(exponent)
    largest = float(above.max())
    together = largest + math.log(float(np.exp(above - largest).sum()))
    return float(np.logaddexp(0.0, together)) / (order - 1)


@cache
def _ways(order: int) -> FloatArray:
    """Return ln C(order, k) for k from 2 on."""
    k = np.arange(2, order + 1, dtype=np.float64)
    return np.asarray(gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1))


def _log_expm1(x: FloatArray) -> FloatArray:
    """ln(e^x − 1), of what is above 0."""
    return np.asarray(x + np.log(-np.expm1(-x)))


def noise_multiplier(budget: Budget, rate: float, steps: int, rho: float = 0.0) -> float | None:
    """Return the least multiplier, to a ten-thousandth, with which all of it is within the budget;
    None where no noise is enough."""

    def dear(multiplier: float) -> bool:
        return Sampled(rate, steps, multiplier, rho).cost(budget.delta).epsilon > budget.epsilon

    low, high = LEAST_MULTIPLIER, 2 * LEAST_MULTIPLIER
    if not dear(low):
        return low
    while dear(high):
        low, high = high, 2 * high
        if high > MOST_MULTIPLIER:
            return None
    while high / low > 1 + _PRECISION:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if dear(middle) else (low, middle)
    return high


def share_of_rho(budget: Budget, share: float) -> float:
    """Return the ρ that a question may have which is given this share of ε and all of δ."""
    return largest_rho(Budget(budget.epsilon * share, budget.delta))
