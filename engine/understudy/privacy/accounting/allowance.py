"""A privacy budget that can be divided into unequal parts, in a currency in which parts add up.

Pure ε adds up, with Laplace noise; ρ of zero-concentrated differential privacy adds up, with
Gaussian noise. The exponential mechanism has a cost in both. Which currency is cheaper depends on
the number of queries and on δ, and is chosen before the data is looked at. A budget that is
divided equally can be composed more tightly: see `EqualShare`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.accounting.concentrated import approximate_dp, largest_rho
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, gaussian_deviation, laplace_deviation

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

    def divided(self, sizes: Sequence[float]) -> tuple[Allowance, ...]:
        """Parts for tables of so many cells each, such that the errors of all cells together are
        smallest: in proportion to cells^(1/2) for ε, to cells^(2/3) for ρ. Where the errors of some
        weigh more, cells times weight stand for cells, as an error grows in proportion to
        both."""
        weights = [self.weight(size) for size in sizes]
        return tuple(self.part(weight / math.fsum(weights)) for weight in weights)

    def weight(self, size: float) -> float:
        """Return the weight of a table of so many cells in `divided`."""
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
        return self._noised(counts, self.scale(1.0, 1.0), noise) if self.private else counts

    def scores(self, scores: IntArray, sensitivity: int, noise: Noise) -> IntArray:
        """Scores with noise on each: one record moves every score by up to `sensitivity`."""
        many = len(scores)
        if not self.private or not many:
            return scores
        scale = self.scale(many * sensitivity, math.sqrt(many) * sensitivity)
        return self._noised(scores, scale, noise)

    def vector(self, values: IntArray, l1: int, l2: float, noise: Noise) -> IntArray:
        """Sums with noise on each: one record moves all of them together by up to `l1` in absolute
        values, and by up to `l2` in Euclid's distance."""
        return self._noised(values, self.scale(l1, l2), noise) if self.private else values

    def scores_deviation(self, many: int, sensitivity: float) -> float:
        """Return the standard deviation of the noise that `scores` adds to each."""
        if not self.private:
            return 0.0
        scale = self.scale(many * sensitivity, math.sqrt(many) * sensitivity)
        return scale * (math.sqrt(2) if self.currency == "epsilon" else 1.0)

    def best(self, scores: IntArray, sensitivity: int, noise: Noise) -> int:
        """Return the index of a score that is close to the largest: the exponential mechanism.

        One record moves every score by up to `sensitivity`, Δ. Index i with probability in
        proportion to e^{score/s}: ε = 2Δ/s (McSherry and Talwar 2007), ρ = Δ²/(2s²) (Cesar and
        Rogers 2021). For pure ε permute-and-flip takes its place, which is never worse (McKenna
        and Sheldon 2020).
        """
        if not self.private:
            return int(np.argmax(scores))
        pure = self.currency == "epsilon"
        scale = 2 * sensitivity / self.amount if pure else self.scale(sensitivity, sensitivity)
        return noise.best(scores, scale, concentrated=not pure)

    def cost(self, delta: float) -> Budget:
        """Return the (ε, δ) that this amounts to."""
        match self.currency:
            case "none":
                return Budget.unbounded()
            case "epsilon":
                return Budget(self.amount)
            case "rho":
                return approximate_dp(self.amount, delta)

    def _noised(self, values: IntArray, scale: float, noise: Noise) -> IntArray:
        draw = noise.integers if self.currency == "epsilon" else noise.gaussians
        return draw(values, scale)
