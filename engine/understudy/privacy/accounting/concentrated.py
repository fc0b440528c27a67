"""Zero-concentrated differential privacy (zCDP) to and from (ε, δ)."""

from __future__ import annotations

import math
from functools import lru_cache

from scipy.optimize import brentq, minimize_scalar

from understudy.privacy.budget import Budget


def approximate_dp(rho: float, delta: float) -> Budget:
    """Return the (ε, δ) that ρ-zCDP implies.

    Canonne, Kamath and Steinke 2020, Proposition 12 with Corollary 13: for every α > 1,
    δ = exp((α − 1)(αρ − ε)) / (α − 1) · (1 − 1/α)^α, solved for ε and minimised over α. Any
    α gives a valid ε, so a search that stops early errs on the safe side.
    """

    def epsilon(log_excess: float) -> float:
        alpha = 1 + math.exp(log_excess)
        slack = math.log(delta) + math.log(alpha - 1) - alpha * math.log1p(-1 / alpha)
        return alpha * rho - slack / (alpha - 1)

    found = minimize_scalar(epsilon, bounds=(-8.0, 30.0), method="bounded", options={"xatol": 1e-9})
    return Budget(max(0.0, float(found.fun)), delta)


# A sweep over settings asks for the same few budgets at every point.
@lru_cache(maxsize=1024)
def largest_rho(budget: Budget) -> float:
    """Return the largest ρ whose (ε, δ) is within the budget; its δ must be positive."""
    high = budget.epsilon
    while approximate_dp(high, budget.delta).epsilon < budget.epsilon:
        high *= 2

    def excess(rho: float) -> float:
        return approximate_dp(rho, budget.delta).epsilon - budget.epsilon

    root = float(brentq(excess, high * 1e-12, high, xtol=high * 1e-14))
    return root * (1 - 1e-7)
