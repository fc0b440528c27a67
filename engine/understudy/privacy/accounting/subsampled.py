"""What many Gaussian sums over Poisson samples of the records guarantee together.

Each step takes every record with probability q, sums bounded vectors of those taken, and adds
Gaussian noise of σ = multiplier·bound. The Rényi divergence of a step at a whole order a is at most

    ln( Σ_{k=0}^{a} C(a, k)·(1 − q)^{a−k}·q^k·exp(k(k − 1)/(2·multiplier²)) ) / (a − 1)

(Mironov, Talwar and Zhang 2019, "Rényi Differential Privacy of the Sampled Gaussian Mechanism",
Section 3.3); docs/latent.md says why that holds for discrete noise too. Steps add up, order by
order, and so does a question of ρ-zCDP, which has a·ρ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from scipy.special import gammaln

from understudy.core.arrays import FloatArray
from understudy.privacy.accounting.concentrated import largest_rho
from understudy.privacy.budget import Budget

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
    """ln C(order, k) for k from 2 on."""
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
