"""The guarantee of one unit of a run, an attempt or a slot for one released record, at every t."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.privacy.accounting.composition import spare_delta, total_epsilon
from understudy.privacy.accounting.unit_counts import argmin, crossing
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import PrivacyTest
from understudy.privacy.plausibility.threshold import FINEST_DELTA, TABLE_ROUNDING, ThresholdNoise

# The pass cap: rejecting some candidates that passed, so that rejections are covered too.

_FINEST_COIN = 2.0**-64
# ρ is rounded up, so that an error in the last place of the division cannot make it too small.
_ROUNDED_UP = 1 + 2.0**-50


def pass_cap(epsilon: float, seeds_at_least: int, *, epsilon0: float) -> float:
    """Return ρ, the probability with which a candidate that passed must be rejected all the same.

    With it, the (ε, δ) of one attempt covers the rejections as well (protocol A):
    ρ = 1/((n+1)·e^ε − n), rounded up, and never less than 2^−64, the finest coin one random
    word can flip.

    Args:
        epsilon: ε of one attempt.
        seeds_at_least: n, a public lower bound on the seeds of both neighbours.
        epsilon0: the part of ε that the noise on the threshold brings.

    Raises:
        Refusal: n < 1, or so small that 1 + 1/n > e^{ε−ε0}.
    """
    if seeds_at_least < 1:
        raise Refusal(
            "The public lower bound on the number of seeds has to be 1 or more.",
            "Enter a number of records everybody may know the table to exceed.",
            field="seeds_at_least",
        )
    rounding = 4 * math.ulp(epsilon)
    if math.log1p(1 / seeds_at_least) > epsilon - epsilon0 + rounding:
        raise Refusal(
            f"With no more than {seeds_at_least:,} seeds for certain, rejections are not "
            "covered at this ε.",
            "Raise the public lower bound on the number of seeds, or choose a smaller t.",
            field="seeds_at_least",
        )
    with np.errstate(over="ignore"):
        excess = (seeds_at_least + 1) * float(np.expm1(epsilon))
    return min(1.0, max(_FINEST_COIN, _ROUNDED_UP / (1 + excess)))


# What one unit of a run guarantees at every t: an attempt, or a slot for one released record.
#
# Stated and proved in docs/guarantee.md, from Theorem 1 (VLDB 2017) and Corollary 4.1 of the
# dissertation.

LIKELIHOOD_ROUNDING = 1 + 2.0**-30
"""The relative error of a ratio of likelihoods, which are floating-point numbers: sums of up to 255
logarithms, each under 34 in size, and so out by less than 2^−31 together."""


@dataclass(frozen=True)
class Unit:
    """The (ε, δ) of one randomised test, at every whole t with 1 ≤ t < k.

    An attempt is (ε, δ)-differentially private with ε = ε0 + ln(1 + g/t) and
    δ = C·e^{−ε0(k−t)}/(n+1). A slot, which repeats attempts until one passes, has the same ε
    and δ/(c − δ).

    Attributes:
        k, epsilon0: of the test.
        similarity: g: γ, or 1 for relative sensitivity and where likelihoods are equal.
        noise: the distribution of the noise on k; C is ½ for Laplace, 1/(1 + e^{−ε0}) for
            geometric.
        seeds_at_least: n, a public lower bound on the seeds; None takes n = 0.
        pass_floor: c, a declared lower bound on the pass probability; None for an attempt.
    """

    k: int
    epsilon0: float
    similarity: float
    noise: ThresholdNoise
    seeds_at_least: int | None = None
    pass_floor: float | None = None

    @property
    def log_constant(self) -> float:
        """ln C."""
        if self.noise == "laplace":
            return -math.log(2)
        return -math.log1p(math.exp(-self.epsilon0))

    def epsilon(self, t: IntArray) -> FloatArray:
        """Return ε at each t."""
        return np.asarray((self.epsilon0 + np.log1p(self.similarity / t)) * _ROUNDED_UP)

    def attempt_delta(self, t: IntArray) -> FloatArray:
        """Return δ of an attempt at each t, with the rounding of the pass coin's table; before the
        division by n + 1 it is at least `FINEST_DELTA`."""
        tail = np.exp(self.log_constant - self.epsilon0 * (self.k - np.asarray(t)))
        passing = np.maximum(tail + TABLE_ROUNDING, FINEST_DELTA)
        return np.asarray(passing / ((self.seeds_at_least or 0) + 1))

    def delta(self, t: IntArray) -> FloatArray:
        """Return δ of a unit at each t; infinite where it reaches the pass floor."""
        return self._of_attempt(self.attempt_delta(t))

    @property
    def finest_delta(self) -> float:
        """The smallest δ that a unit is stated with, however much noise there is."""
        return float(self._of_attempt(np.array(FINEST_DELTA / ((self.seeds_at_least or 0) + 1))))

    def _of_attempt(self, attempt: FloatArray) -> FloatArray:
        """Return a unit's δ from an attempt's."""
        if self.pass_floor is None:
            return attempt
        room = self.pass_floor - attempt
        return np.asarray(np.where(room > 0, attempt / np.where(room > 0, room, 1.0), np.inf))

    def published_cost(self, t: int) -> Budget:
        """Return one released record as in the published theorem: δ = e^{−ε0(k−t)}, never stated
        under `FINEST_DELTA`."""
        tail = math.exp(-self.epsilon0 * (self.k - t))
        return Budget(float(self.epsilon(np.array(t))), max(tail, FINEST_DELTA))


def unit_of(
    test: PrivacyTest,
    seeds_at_least: int | None = None,
    pass_floor: float | None = None,
    equal_likelihood: bool = False,
) -> Unit | None:
    """Return the unit of a test; None for a deterministic one."""
    if test.epsilon0 is None:
        return None
    similarity = 1.0 if equal_likelihood else test.similarity * LIKELIHOOD_ROUNDING
    return Unit(
        k=test.k,
        epsilon0=test.epsilon0,
        similarity=similarity,
        noise=test.noise,
        seeds_at_least=None if seeds_at_least is None else int(seeds_at_least),
        pass_floor=None if pass_floor is None else float(pass_floor),
    )


# The t of the theorem that makes a composition's ε smallest.
#
# t appears in the proof only, so any value is valid. A larger t gives a smaller ε and a larger δ.
# At a target δ for m units only t up to a largest one fit, and the best is there or a little below,
# where part of the target is left for the composition.

# Where m·δ_t is under e^−38 of the target, subtracting it in floating point changes nothing.
_NEGLIGIBLE = 38
_FURTHEST = 1 << 62


def unit_delta(unit: Unit, t: int) -> float:
    """Return δ of one unit at t."""
    return float(unit.delta(np.array(t)))


def unit_epsilon(unit: Unit, t: int) -> float:
    """Return ε of one unit at t."""
    return float(unit.epsilon(np.array(t)))


def meets(unit: Unit, t: int, count: int, delta: float) -> bool:
    """Return whether m units at this t stay within the target δ."""
    return count * unit_delta(unit, t) <= delta


def total_epsilon_at(unit: Unit, t: int, count: int, delta: float) -> float:
    """Return the total ε of m units at this t under optimal composition; infinite past the
    target."""
    each = unit_delta(unit, t)
    if count * each > delta:
        return math.inf
    return total_epsilon(unit_epsilon(unit, t), count, spare_delta(each, count, delta))


def last_t(unit: Unit, count: int, delta: float) -> int:
    """Return the largest t < k that meets the target; 0 if none does."""
    if unit.k < 2 or not meets(unit, 1, count, delta):
        return 0
    low, high = 1, unit.k
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if meets(unit, middle, count, delta) else (low, middle)
    return low


def best_t(unit: Unit, count: int, delta: float) -> int:
    """Return the t with the smallest total ε; 0 if none meets the target."""
    last = last_t(unit, count, delta)
    if last == 0:
        return 0
    earliest = max(1, last - math.ceil(_NEGLIGIBLE / unit.epsilon0))
    return argmin(lambda t: total_epsilon_at(unit, t, count, delta), earliest, last)


def smallest_k_at(unit: Unit, t: int, count: int, delta: float) -> int | None:
    """Return the smallest k at which this t meets the target; None where no k does."""

    def misses(above: int) -> float:
        return 0.0 if meets(replace(unit, k=t + above), t, count, delta) else math.inf

    _, above = crossing(misses, 1, _FURTHEST, 1)
    return t + above if above <= _FURTHEST else None
