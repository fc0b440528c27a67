"""What one unit of a run guarantees at every t: an attempt, or a slot for one released record.

Stated and proved in docs/guarantee.md, from Theorem 1 (VLDB 2017) and Corollary 4.1 of the
dissertation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.coin import FINEST_DELTA, TABLE_ROUNDING, ThresholdNoise
from understudy.privacy.plausibility.privacy_test import PrivacyTest

LIKELIHOOD_ROUNDING = 1 + 2.0**-30
"""The relative error of a ratio of likelihoods, which are floating-point numbers: sums of up to 255
logarithms, each under 34 in size, and so out by less than 2^−31 together."""

_ROUNDED_UP = 1 + 2.0**-50
"""More than the rounding errors of a sum, a logarithm and a product with a count."""


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
        """ε at each t."""
        return np.asarray((self.epsilon0 + np.log1p(self.similarity / t)) * _ROUNDED_UP)

    def attempt_delta(self, t: IntArray) -> FloatArray:
        """δ of an attempt at each t, with the rounding of the pass coin's table; before the
        division by n + 1 it is at least `FINEST_DELTA`."""
        tail = np.exp(self.log_constant - self.epsilon0 * (self.k - np.asarray(t)))
        passing = np.maximum(tail + TABLE_ROUNDING, FINEST_DELTA)
        return np.asarray(passing / ((self.seeds_at_least or 0) + 1))

    def delta(self, t: IntArray) -> FloatArray:
        """δ of a unit at each t; infinite where it reaches the pass floor."""
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

    def published(self, t: int) -> Budget:
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
