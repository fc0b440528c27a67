"""One budget shared among equal queries: the kind of noise that leaves each the most exact.

Each query moves by at most its sensitivity when a record is added or removed. Laplace noise
composes by the sum or by Theorem 2.2, Gaussian noise by adding up ρ; which of them is best
depends on how many queries there are, and all of it is known before the data is looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from engine.privacy.budget import Budget
from engine.privacy.composition import advanced, sequential
from engine.privacy.concentrated import approximate, largest_rho
from engine.privacy.noise import Noise

Composition = Literal["sequential", "advanced", "zero-concentrated", "none"]


@dataclass(frozen=True)
class Share:
    """What each of a number of queries gets.

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
    def deviation(self) -> float:
        """The standard deviation of the noise, per unit of sensitivity."""
        gaussian = self.composed_by == "zero-concentrated"
        return self.scale if gaussian else math.sqrt(2) * self.scale

    @property
    def cost(self) -> Budget:
        """What all the queries cost together."""
        match self.composed_by:
            case "none":
                return Budget.unbounded()
            case "sequential":
                return sequential(Budget(1 / self.scale), self.queries)
            case "advanced":
                return advanced(Budget(1 / self.scale), self.queries, self.slack)
            case "zero-concentrated":
                return approximate(self.queries / (2 * self.scale**2), self.slack)

    def published_cost(self, queries: int, slack: float) -> Budget:
        """What Laplace noise of the same spread costs by the published formula (§6.2.5)."""
        if not self.private or slack <= 0:
            return Budget.unbounded()
        return advanced(Budget(math.sqrt(2) / self.deviation), queries, slack)

    def noised(
        self, values: npt.NDArray[np.int64], sensitivity: int, noise: Noise
    ) -> npt.NDArray[np.int64]:
        """Integer answers with noise on every one; unchanged where the share has none.

        Args:
            values: one answer a query, or one query's table of disjoint counts.
            sensitivity: how far one record can move a query, a positive integer.
        """
        if not self.private:
            return values
        if self.composed_by == "zero-concentrated":
            return noise.gaussians(values, self.scale * sensitivity)
        return noise.integers(values, self.scale * sensitivity)


def best_share(budget: Budget, queries: int) -> Share:
    """The share with the least spread among all ways to compose within the budget."""
    if not budget.bounded:
        return Share(queries, "none", 0.0, 0.0)
    shares = [Share(queries, "sequential", queries / budget.epsilon, 0.0)]
    if budget.delta > 0:
        each = _advanced_each(budget, queries)
        if each is not None:
            shares.append(Share(queries, "advanced", 1 / each, budget.delta))
        sigma = math.sqrt(queries / (2 * largest_rho(budget)))
        shares.append(Share(queries, "zero-concentrated", sigma, budget.delta))
    return min(shares, key=lambda share: share.deviation)


def _advanced_each(budget: Budget, queries: int) -> float | None:
    """The largest ε of one query under Theorem 2.2; None where the plain sum allows more."""

    def excess(each: float) -> float:
        return advanced(Budget(each), queries, budget.delta).epsilon - budget.epsilon

    basic = budget.epsilon / queries
    if excess(basic) >= 0:
        return None
    high = basic
    while excess(high) < 0:
        high *= 2
    return float(brentq(excess, basic, high, xtol=basic * 1e-12)) * (1 - 1e-9)
