"""The noise that learning draws: its laws, how a budget is shared among its draws, and counts of it
on neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.divergence import bound_epsilon
from understudy.assurance.model_queries import BUDGETS, tiny_schema
from understudy.core.arrays import IntArray
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.bayesnet.structure import StructureLearner
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.privacy.accounting.budget_shares import Allowance, equal_share
from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, gaussian_measurement, laplace_tail, measurement
from understudy.privacy.randomness import RandomSource

_PART = "Noise on counts and entropies"
_SCALES = (0.1, 0.5, 1.0, 3.0, 50.0)
_CANCELLED = 1e-9
"""What taking differences of tails may lose."""


def list_checks() -> tuple[Check, ...]:
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
            _convert_rho,
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


def _shares(_: Effort) -> MeasuredValue:
    total = NOTHING
    for epsilon in (0.01, 0.1, 1.0, 10.0):
        for delta in (0.0, 1e-12, 1e-6, 1e-3):
            for queries in (1, 2, 11, 187, 2000):
                budget = Budget(epsilon, delta)
                found = _measure_spending(equal_share(budget, queries).cost, budget)
                total |= MeasuredValue(1, found, f"{queries} queries, ({epsilon:g}, {delta:g})")
    for budget in BUDGETS:
        for learner in (StructureLearner, ParameterLearner, CalibratedLearner):
            found = _measure_spending(learner.within(tiny_schema(), budget).cost, budget)
            total |= MeasuredValue(1, found, f"{learner.__name__}, {budget}")
    return total


def _measure_spending(cost: Budget, budget: Budget) -> float:
    """Return how much of a budget a cost comes to, in whichever of ε and δ it is more."""
    if cost.delta > 0 and budget.delta == 0:
        return math.inf
    return max(cost.epsilon / budget.epsilon, cost.delta / (budget.delta or 1.0))


def _convert_rho(_: Effort) -> MeasuredValue:
    """Return the ε of Gaussian noise of so much ρ, over that which is stated."""
    total = NOTHING
    for rho in (1e-4, 0.01, 0.3, 2.0, 20.0):
        for delta in (1e-12, 1e-6, 1e-3):
            stated = Allowance(rho, "rho").cost(delta)
            exact = brentq(partial(_over_delta, rho, delta), 0.0, 2 * stated.epsilon)
            total |= MeasuredValue(1, exact / stated.epsilon, f"ρ = {rho:g}, δ = {delta:g}")
    return total


def _over_delta(rho: float, delta: float, epsilon: float) -> float:
    """By how much the δ of Gaussian noise exceeds another (Balle and Wang 2018, Theorem 8)."""
    apart = math.sqrt(2 * rho)
    near, far = apart / 2 - epsilon / apart, -apart / 2 - epsilon / apart
    return float(ndtr(near)) - math.exp(epsilon + float(log_ndtr(far))) - delta


def _geometric(_: Effort) -> MeasuredValue:
    """Return the law itself, from the tail that its margins are taken from."""
    total = NOTHING
    for scale in _SCALES:
        tails = np.array([laplace_tail(j, scale) for j in range(1, 40)])
        law = -np.diff(tails)
        middle = 1 - 2 * laplace_tail(1, scale)
        steps = np.log(np.concatenate([[middle], law[:-1]]) / law)
        found = float(np.abs(steps).max()) * scale / (1 + _CANCELLED)
        total |= MeasuredValue(1, found, f"scale {scale:g}")
    return total


def _maps(_: Effort) -> MeasuredValue:
    total = NOTHING
    for scale in _SCALES:
        geometric = float(measurement(scale).map(1)) * scale
        gaussian = float(gaussian_measurement(scale).map(1.0)) * 2 * scale**2
        total |= MeasuredValue(2, max(geometric, gaussian), f"scale {scale:g}")
    return total


REAL = "Real runs, counted"
BROKEN = "Real runs of mutants, which must be caught"

DRAWS = 30_000
"""How many noisy counts are usually drawn, for each half."""

CHOICES = 4_000
"""How many choices are usually made, for each half."""


def list_sampled_checks(source: RandomSource, miss: float) -> tuple[Check, ...]:
    """Return the laws of noise and of choices, and mutants of theirs.

    Args:
        source: where they draw from.
        miss: the chance that one bound is wrong.
    """
    return (*_noises(source, miss), *_choices(source, miss))


def _noises(source: RandomSource, miss: float) -> Iterator[Check]:
    """Yield the noise that learning draws, on a count and on the next larger one."""
    laws: tuple[tuple[str, Budget, Callable[[Noise, IntArray, float], IntArray]], ...] = (
        ("geometric noise on a count", Budget(1.0), Noise.integers),
        ("Gaussian noise on a count", approximate_dp(0.5, 1e-2), Noise.gaussians),
    )
    for name, claimed, draw in laws:
        measure = partial(_noise_bound, source, miss, claimed, draw)
        yield from _with_mutant(name, claimed, "scale 1", measure, 1 / 2, "half the noise")


def _with_mutant(
    name: str,
    claimed: Budget,
    scale: str,
    measure: Callable[[float], Callable[[Effort], MeasuredValue]],
    less: float,
    said: str,
) -> Iterator[Check]:
    """Yield a law at a scale of 1, and with less of it than is claimed.

    Args:
        name: of what is drawn.
        claimed: what a scale of 1 comes to.
        scale: in words.
        measure: from a scale to what puts it to the test.
        less: the mutant's scale.
        said: what the mutant draws, in words.
    """
    for mutant in (False, True):
        yield Check(
            BROKEN if mutant else REAL,
            f"{name}, {said}" if mutant else name,
            f"ε = {claimed.epsilon:.4g} at δ = {claimed.delta:g}, {scale}",
            "Clopper and Pearson 1934, on the half that the event was not chosen on",
            measure(less if mutant else 1.0),
            "mutant" if mutant else "claim",
        )


def _noise_bound(
    source: RandomSource,
    miss: float,
    claimed: Budget,
    draw: Callable[[Noise, IntArray, float], IntArray],
    scale: float,
) -> Callable[[Effort], MeasuredValue]:
    def measure(effort: Effort) -> MeasuredValue:
        draws = effort.of(DRAWS)
        noise = Noise(source)
        one, other = (
            np.stack([_counts(draw(noise, np.full(draws, exact), scale)) for _ in range(2)])
            for exact in (0, 1)
        )
        found = bound_epsilon(one, other, claimed.delta, miss)
        return MeasuredValue(4 * draws, found / claimed.epsilon)

    return measure


def _choices(source: RandomSource, miss: float) -> Iterator[Check]:
    """Choices among two scores, and among two that are each as far from them as may be."""
    for concentrated, claimed in ((True, approximate_dp(0.5, 0.1)), (False, Budget(2.0))):
        name = "the exponential mechanism" if concentrated else "permute and flip"
        measure = partial(_choice_bound, source, miss, claimed, concentrated)
        yield from _with_mutant(name, claimed, "scale Δ", measure, 1 / 3, "a third of the scale")


def _choice_bound(
    source: RandomSource, miss: float, claimed: Budget, concentrated: bool, scale: float
) -> Callable[[Effort], MeasuredValue]:
    def measure(effort: Effort) -> MeasuredValue:
        made = effort.of(CHOICES)
        noise = Noise(source)

        def choose_repeatedly(scores: list[int]) -> IntArray:
            exact = np.array(scores, dtype=np.int64)
            each = (noise.choose_best(exact, scale, concentrated=concentrated) for _ in range(made))
            return np.bincount(np.fromiter(each, np.int64), minlength=2)

        one, other = (
            np.stack([choose_repeatedly(each) for _ in range(2)]) for each in ([0, 0], [1, -1])
        )
        found = bound_epsilon(one, other, claimed.delta, miss)
        return MeasuredValue(4 * made, found / claimed.epsilon)

    return measure


def _counts(noisy: IntArray) -> IntArray:
    """Return how often each noisy count came up, those far off together."""
    return np.bincount(np.clip(noisy, -5, 6) + 5, minlength=12)
