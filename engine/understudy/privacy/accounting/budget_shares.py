"""Division of a privacy budget: into unequal parts in a currency in which parts add up, and into
equal ones by whichever noise and composition is the most exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.accounting.composition import (
    approximate_dp,
    compose_advanced,
    largest_epsilon,
    largest_rho,
    optimal,
    sequential,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, gaussian_deviation, laplace_deviation

# A privacy budget that can be divided into unequal parts, in a currency in which parts add up.
#
# Pure ε adds up, with Laplace noise; ρ of zero-concentrated differential privacy adds up, with
# Gaussian noise. The exponential mechanism has a cost in both. Which currency is cheaper depends on
# the number of queries and on δ, and is chosen before the data is looked at. A budget that is
# divided equally can be composed more tightly: see `EqualShare`.

Currency = Literal["epsilon", "rho", "none"]

HALF_NORMAL = math.sqrt(2 / math.pi)
"""The mean absolute value of a standard Gaussian."""


@dataclass(frozen=True)
class Allowance:
    """An amount of ε or of ρ; or “none” for learning without noise, which guarantees nothing.

    Attributes:
        amount: how much, above 0; 0 for “none”.
        currency: “epsilon” for pure differential privacy, “rho” for zero-concentrated.
    """

    amount: float
    currency: Currency

    @classmethod
    def of(cls, budget: Budget, queries: int) -> Allowance:
        """Return all of a budget, in the currency that gives so many equal queries the least
        noise."""
        if not budget.bounded:
            return cls(0.0, "none")
        pure = cls(budget.epsilon, "epsilon")
        if budget.delta == 0:
            return pure
        concentrated = cls(largest_rho(budget), "rho")
        both = pure, concentrated
        return min(both, key=lambda each: each.part(1 / queries).spread)

    def part(self, share: float) -> Allowance:
        """Return a share of the allowance, between 0 and 1."""
        return Allowance(self.amount * share, self.currency)

    def divide(self, sizes: Sequence[float]) -> tuple[Allowance, ...]:
        """Return parts for tables of so many cells each, such that the errors of all cells together
        are smallest: in proportion to cells^(1/2) for ε, to cells^(2/3) for ρ. Where the errors of
        some weigh more, cells times weight stand for cells, as an error grows in proportion to
        both."""
        weights = [self.weight(size) for size in sizes]
        return tuple(self.part(weight / math.fsum(weights)) for weight in weights)

    def weight(self, size: float) -> float:
        """Return the weight of a table of so many cells in `divide`."""
        return math.pow(size, 1 / 2 if self.currency == "epsilon" else 2 / 3)

    def total_error(self, weight: float) -> float:
        """Return the expected L1 error of all tables together, if this is divided among tables
        whose weights add up to `weight`; in records."""
        match self.currency:
            case "none":
                return 0.0
            case "epsilon":
                return weight**2 / self.amount
            case "rho":
                return HALF_NORMAL * math.pow(weight, 1.5) / math.sqrt(2 * self.amount)

    def total_errors(self, weights: FloatArray) -> FloatArray:
        """See `total_error`, for each of several weights."""
        power = 2.0 if self.currency == "epsilon" else 1.5
        return np.asarray(self.total_error(1.0) * weights**power)

    @property
    def private(self) -> bool:
        """Whether noise is added at all."""
        return self.currency != "none"

    def scale(self, l1: float, l2: float) -> float:
        """Return the scale of Laplace noise, or σ of Gaussian noise, for values that one record can
        move by so much in all."""
        return l1 / self.amount if self.currency == "epsilon" else l2 / math.sqrt(2 * self.amount)

    def deviation_of(self, l1: float, l2: float) -> float:
        """Return the standard deviation of that noise; 0 without noise."""
        if not self.private:
            return 0.0
        return self.scale(l1, l2) * (math.sqrt(2) if self.currency == "epsilon" else 1.0)

    @property
    def spread(self) -> float:
        """The standard deviation of continuous noise of this scale on each cell of one table; 0
        without noise."""
        return self.deviation_of(1.0, 1.0)

    @property
    def deviation(self) -> float:
        """The standard deviation of the integer noise on each cell of one table; 0 without
        noise."""
        if not self.private:
            return 0.0
        law = laplace_deviation if self.currency == "epsilon" else gaussian_deviation
        return law(self.scale(1.0, 1.0))

    def table(self, counts: IntArray, noise: Noise) -> IntArray:
        """Disjoint counts with noise on every one: one record moves one of them by 1.

        ε with a scale of 1/ε; ρ with σ² = 1/(2ρ) (Canonne, Kamath and Steinke 2020, Theorem 4).
        """
        return self._add_noise(counts, self.scale(1.0, 1.0), noise) if self.private else counts

    def scores(self, scores: IntArray, sensitivity: int, noise: Noise) -> IntArray:
        """Return scores with noise on each: one record moves every score by up to `sensitivity`."""
        many = len(scores)
        if not self.private or not many:
            return scores
        scale = self.scale(many * sensitivity, math.sqrt(many) * sensitivity)
        return self._add_noise(scores, scale, noise)

    def vector(self, values: IntArray, l1: int, l2: float, noise: Noise) -> IntArray:
        """Return sums with noise on each: one record moves all of them together by up to `l1` in
        absolute values, and by up to `l2` in Euclid's distance."""
        return self._add_noise(values, self.scale(l1, l2), noise) if self.private else values

    def scores_deviation(self, many: int, sensitivity: float) -> float:
        """Return the standard deviation of the noise that `scores` adds to each."""
        if not self.private:
            return 0.0
        scale = self.scale(many * sensitivity, math.sqrt(many) * sensitivity)
        return scale * (math.sqrt(2) if self.currency == "epsilon" else 1.0)

    def choose_best(self, scores: IntArray, sensitivity: int, noise: Noise) -> int:
        """Return the index of a score that is close to the largest: the exponential mechanism.

        One record moves every score by up to `sensitivity`, Δ. Index i with probability in
        proportion to e^{score/s}: ε = 2Δ/s (McSherry and Talwar 2007), ρ = Δ²/(2s²) (Cesar and
        Rogers 2021). For pure ε permute-and-flip takes its place, which is never worse (McKenna
        and Sheldon 2020).
        """
        if not self.private:
            return int(np.argmax(scores))
        scale = self.choice_scale(sensitivity)
        return noise.choose_best(scores, scale, concentrated=self.currency == "rho")

    def choice_scale(self, sensitivity: float) -> float:
        """Return the scale s of `choose_best`, in units of the scores; 0 without noise."""
        if not self.private:
            return 0.0
        return self.scale(2 * sensitivity, sensitivity)

    def cost(self, delta: float) -> Budget:
        """Return the (ε, δ) that this amounts to."""
        match self.currency:
            case "none":
                return Budget.unbounded()
            case "epsilon":
                return Budget(self.amount)
            case "rho":
                return approximate_dp(self.amount, delta)

    def _add_noise(self, values: IntArray, scale: float, noise: Noise) -> IntArray:
        draw = noise.integers if self.currency == "epsilon" else noise.gaussians
        return draw(values, scale)


# A budget divided equally among queries, by whichever noise and composition is the most exact.
#
# Adding or removing a record moves each query by at most its sensitivity. Laplace noise composes by
# the sum or optimally (Kairouz, Oh and Viswanath), Gaussian noise by adding up ρ. Which is best
# depends on the number of queries and is chosen before the data is looked at.
#
# `Allowance` divides a budget unequally, so it only knows the two currencies that add up. Optimal
# composition does not, but is the tightest for a few dozen equal queries.

Composition = Literal["sequential", "optimal", "zero-concentrated", "none"]

_WORTH_A_DELTA = 0.99
"""The sum costs no δ, so another composition must leave less than this much of its spread."""


@dataclass(frozen=True)
class EqualShare:
    """What each of a number of equal queries may spend.

    Attributes:
        queries: how many queries share the budget.
        composed_by: how they add up; "none" where no noise is added and nothing promised.
        scale: per unit of sensitivity, the scale of Laplace noise, or the standard deviation
            of Gaussian noise.
        slack: the δ that the composition uses.
    """

    queries: int
    composed_by: Composition
    scale: float
    slack: float

    @property
    def private(self) -> bool:
        """Whether noise is added at all."""
        return self.composed_by != "none"

    @property
    def gaussian(self) -> bool:
        """Whether the noise is Gaussian; Laplace otherwise."""
        return self.composed_by == "zero-concentrated"

    @property
    def deviation(self) -> float:
        """The standard deviation of continuous noise, per unit of sensitivity."""
        return self.scale if self.gaussian else math.sqrt(2) * self.scale

    @property
    def integer_deviation(self) -> float:
        """The standard deviation of the integer noise on a query of sensitivity 1; 0 for none."""
        if not self.private:
            return 0.0
        return (gaussian_deviation if self.gaussian else laplace_deviation)(self.scale)

    @property
    def cost(self) -> Budget:
        """What all the queries cost together."""
        match self.composed_by:
            case "none":
                return Budget.unbounded()
            case "sequential":
                return sequential(Budget(1 / self.scale), self.queries)
            case "optimal":
                return optimal(Budget(1 / self.scale), self.queries, self.slack)
            case "zero-concentrated":
                return approximate_dp(self.queries / (2 * self.scale**2), self.slack)

    def published_cost(self, queries: int, slack: float) -> Budget:
        """Return what Laplace noise of the same spread costs by the published formula (§6.2.5)."""
        if not self.private or slack <= 0:
            return Budget.unbounded()
        return compose_advanced(Budget(math.sqrt(2) / self.deviation), queries, slack)

    def add_noise(self, values: IntArray, sensitivity: int, noise: Noise) -> IntArray:
        """Return integer answers with noise on every one; unchanged where the share has none.

        Args:
            values: one answer a query, or one query's table of disjoint counts.
            sensitivity: how far one record can move a query, a positive integer.
        """
        if not self.private:
            return values
        if self.gaussian:
            return noise.gaussians(values, self.scale * sensitivity)
        return noise.integers(values, self.scale * sensitivity)


@lru_cache(maxsize=256)
def equal_share(budget: Budget, queries: int) -> EqualShare:
    """Return the equal share with the least noise among all ways to compose within the budget."""
    if not budget.bounded:
        return EqualShare(queries, "none", 0.0, 0.0)
    added_up = EqualShare(queries, "sequential", queries / budget.epsilon, 0.0)
    if budget.delta == 0:
        return added_up
    each = largest_epsilon(budget.epsilon, queries, budget.delta)
    sigma = math.sqrt(queries / (2 * largest_rho(budget)))
    best = min(
        EqualShare(queries, "optimal", 1 / each, budget.delta),
        EqualShare(queries, "zero-concentrated", sigma, budget.delta),
        key=lambda share: share.deviation,
    )
    return best if best.deviation < _WORTH_A_DELTA * added_up.deviation else added_up
