"""A budget divided equally among queries, by whichever noise and composition is the most exact.

Adding or removing a record moves each query by at most its sensitivity. Laplace noise composes by
the sum or optimally (Kairouz, Oh and Viswanath), Gaussian noise by adding up ρ. Which is best
depends on the number of queries and is chosen before the data is looked at.

`Allowance` divides a budget unequally, so it only knows the two currencies that add up. Optimal
composition does not, but is the tightest for a few dozen equal queries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from understudy.core.arrays import IntArray
from understudy.privacy.accounting.composition import advanced, optimal, sequential
from understudy.privacy.accounting.concentrated import approximate_dp, largest_rho
from understudy.privacy.accounting.optimal import largest_epsilon
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, gaussian_deviation, laplace_deviation

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
        return advanced(Budget(math.sqrt(2) / self.deviation), queries, slack)

    def noised(self, values: IntArray, sensitivity: int, noise: Noise) -> IntArray:
        """Integer answers with noise on every one; unchanged where the share has none.

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
