"""The noise that learning draws: its laws, and how a budget is shared among its draws."""

from __future__ import annotations

import math

import numpy as np

from engine.audit.finding import NOTHING, Check, Effort, Measured
from engine.audit.learned import BUDGETS, schema
from engine.audit.names import GUARANTEE
from engine.models.bayesnet.parameters import ParameterLearner
from engine.models.bayesnet.structure import StructureLearner
from engine.privacy.accounting.sharing import best_share
from engine.privacy.budget import Budget
from engine.privacy.noise import gaussian_measurement, laplace_tail, measurement

_PART = "Noise on counts and entropies"
_SCALES = (0.1, 0.5, 1.0, 3.0, 50.0)
_CANCELLED = 1e-9
"""What taking differences of tails may lose."""


def checks() -> tuple[Check, ...]:
    """The shares of a budget, and the laws of the noise."""
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
                found = _spent(best_share(budget, queries).cost, budget)
                total |= Measured(1, found, f"{queries} queries, ({epsilon:g}, {delta:g})")
    for budget in BUDGETS:
        for learner in (StructureLearner, ParameterLearner):
            found = _spent(learner.within(schema(), budget).cost, budget)
            total |= Measured(1, found, f"{learner.__name__}, {budget}")
    return total


def _spent(cost: Budget, budget: Budget) -> float:
    """How much of a budget a cost comes to, in whichever of ε and δ it is more."""
    if cost.delta > 0 and budget.delta == 0:
        return math.inf
    return max(cost.epsilon / budget.epsilon, cost.delta / (budget.delta or 1.0))


def _geometric(_: Effort) -> Measured:
    """The law itself, from the tail that its margins are taken from."""
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
