"""The noise that learning draws: its laws, and how a budget is shared among its draws."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from understudy.assurance.finding import GUARANTEE, NOTHING, Check, Effort, Measured
from understudy.assurance.learned import BUDGETS, schema
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.bayesnet.structure import StructureLearner
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.privacy.accounting.budget_shares import Allowance, equal_share
from understudy.privacy.budget import Budget
from understudy.privacy.noise import gaussian_measurement, laplace_tail, measurement

_PART = "Noise on counts and entropies"
_SCALES = (0.1, 0.5, 1.0, 3.0, 50.0)
_CANCELLED = 1e-9
"""What taking differences of tails may lose."""


def checks() -> tuple[Check, ...]:
    """Return the shares of a budget, and the laws of the noise."""
    return (
        Check(
            _PART,
            "shares of a budget",
            "the (ε, δ) of all queries together stays within the budget that they share",
            GUARANTEE,
            _shares,
        ),
        Check(
            _PART,
            "ρ as an (ε, δ)",
            "Gaussian noise of so much ρ is (ε, δ)-private as stated, by its exact δ",
            "Canonne, Kamath and Steinke 2020, Proposition 12",
            _converted,
        ),
        Check(
            _PART,
            "two-sided geometric noise",
            "Pr{Z = i} and Pr{Z = i + 1} differ by a factor of e^(1/scale) at most",
            "Ghosh, Roughgarden and Sundararajan 2009",
            _geometric,
        ),
        Check(
            _PART,
            "what OpenDP says of its draws",
            "its own privacy map: 1/scale for geometric noise, 1/(2σ²) in zCDP for Gaussian",
            "OpenDP's privacy maps",
            _maps,
        ),
    )


def _shares(_: Effort) -> Measured:
    total = NOTHING
    for epsilon in (0.01, 0.1, 1.0, 10.0):
        for delta in (0.0, 1e-12, 1e-6, 1e-3):
            for queries in (1, 2, 11, 187, 2000):
                budget = Budget(epsilon, delta)
                found = _spent(equal_share(budget, queries).cost, budget)
                total |= Measured(1, found, f"{queries} queries, ({epsilon:g}, {delta:g})")
    for budget in BUDGETS:
        for learner in (StructureLearner, ParameterLearner, CalibratedLearner):
            found = _spent(learner.within(schema(), budget).cost, budget)
            total |= Measured(1, found, f"{learner.__name__}, {budget}")
    return total


def _spent(cost: Budget, budget: Budget) -> float:
    """Return how much of a budget a cost comes to, in whichever of ε and δ it is more."""
    if cost.delta > 0 and budget.delta == 0:
        return math.inf
    return max(cost.epsilon / budget.epsilon, cost.delta / (budget.delta or 1.0))


def _converted(_: Effort) -> Measured:
    """Return the ε of Gaussian noise of so much ρ, over that which is stated."""
    total = NOTHING
    for rho in (1e-4, 0.01, 0.3, 2.0, 20.0):
        for delta in (1e-12, 1e-6, 1e-3):
            stated = Allowance(rho, "rho").cost(delta)
            exact = brentq(partial(_over_delta, rho, delta), 0.0, 2 * stated.epsilon)
            total |= Measured(1, exact / stated.epsilon, f"ρ = {rho:g}, δ = {delta:g}")
    return total


def _over_delta(rho: float, delta: float, epsilon: float) -> float:
    """By how much the δ of Gaussian noise exceeds another (Balle and Wang 2018, Theorem 8)."""
    apart = math.sqrt(2 * rho)
    near, far = apart / 2 - epsilon / apart, -apart / 2 - epsilon / apart
    return float(ndtr(near)) - math.exp(epsilon + float(log_ndtr(far))) - delta


def _geometric(_: Effort) -> Measured:
    """Return the law itself, from the tail that its margins are taken from."""
    total = NOTHING
    for scale in _SCALES:
        tails = np.array([laplace_tail(j, scale) for j in range(1, 40)])
        law = -np.diff(tails)
        middle = 1 - 2 * laplace_tail(1, scale)
        steps = np.log(np.concatenate([[middle], law[:-1]]) / law)
        found = float(np.abs(steps).max()) * scale / (1 + _CANCELLED)
        total |= Measured(1, found, f"scale {scale:g}")
    return total


def _maps(_: Effort) -> Measured:
    total = NOTHING
    for scale in _SCALES:
        geometric = float(measurement(scale).map(1)) * scale
        gaussian = float(gaussian_measurement(scale).map(1.0)) * 2 * scale**2
        total |= Measured(2, max(geometric, gaussian), f"scale {scale:g}")
    return total
