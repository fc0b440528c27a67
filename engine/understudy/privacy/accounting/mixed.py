"""Optimal composition of unequal guarantees.

Mechanisms that are (ε_i, δ_i)-differentially private, their number and all (ε_i, δ_i) fixed
beforehand, each otherwise chosen by what came before, are together
(ε', 1 − Π(1 − δ_i)·(1 − Δ(ε')))-differentially private, and no smaller figure holds for all such
mechanisms (Murtagh and Vadhan 2016, Theorem 1.5; Kairouz, Oh and Viswanath 2015 for equal ones):

    Δ(ε') = Σ_x P(x)·max(0, 1 − e^{ε' − L(x)})

where L = Σ ±ε_i is the privacy loss of independent coins, + with probability e^{ε_i}/(1 + e^{ε_i}).
The exact sum has 2^m terms. Here every ε_i is first rounded up to a multiple of h, which weakens
the guarantee of each mechanism and so keeps the result valid; the loss then lives on a lattice,
and its law is found by convolution, exactly except for double precision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.privacy.accounting.decay import decaying_sums
from understudy.privacy.budget import Budget

STEPS = 20_000
"""Σε_i is divided into at least so many steps h, so that rounding adds less than m·Σε_i/20,000."""

# Shrinks Δ by more than double precision can be off by.
_ROUNDING = 1 - 1e-9
# A smaller unused share of the target δ is rounding, or would not change a digit of ε.
_LEFT_OVER = 1e-6


def plain_sum(budgets: Sequence[Budget]) -> Budget:
    """Return the sum of the budgets as decimal numbers: ten times 0.1 is exactly 1."""
    if not all(budget.bounded for budget in budgets):
        return Budget.unbounded()
    delta = float(sum(Decimal(repr(float(budget.delta))) for budget in budgets))
    if delta >= 1:
        return Budget.unbounded()
    return Budget(float(sum(Decimal(repr(float(budget.epsilon))) for budget in budgets)), delta)


def optimal_mixed(budgets: Sequence[Budget], delta: float) -> Budget:
    """Optimal composition of unequal guarantees within a total δ, or their plain sum where that is
    less.

    Args:
        budgets: what each use guarantees; none at all cost nothing.
        delta: the target for the total, in [0, 1).

    Returns:
        The budget at that δ; unbounded where the δ of the uses alone exceeds it.
    """
    plain = plain_sum(budgets)
    if not plain.bounded:
        return plain
    spare = _spare([budget.delta for budget in budgets], delta)
    if plain.delta > delta and spare <= 0:
        return Budget.unbounded()
    epsilons = [budget.epsilon for budget in budgets if budget.epsilon > 0]
    if spare <= 0 or not epsilons:
        return Budget(plain.epsilon, delta)
    return Budget(min(plain.epsilon, _total_epsilon(epsilons, spare)), delta)


def _spare(deltas: Sequence[float], target: float) -> float:
    """Return the Δ that the δ of the uses leave within a target; 0 or less where they leave
    none."""
    alone = math.fsum(math.log1p(-delta) for delta in deltas)
    return -math.expm1(math.log1p(-target) - alone) - _LEFT_OVER * target


def _total_epsilon(epsilons: Sequence[float], excess: float) -> float:
    """Return the smallest ε' with Δ(ε') ≤ `excess`, for mechanisms rounded up to the lattice."""
    step, sizes = _lattice(epsilons)
    weights = _loss_law(step, sizes)
    allowed = excess * _ROUNDING
    decay = math.exp(-2 * step)
    # In sums over j ≤ J, of positive terms, so that nothing cancels: P(j)·e^{−2(J−j)h}, and
    # P(j)·(1 − e^{−2(J−j)h}), which is Δ at the J-th loss from above.
    faded = decaying_sums(weights, decay)
    before = np.concatenate([[0.0], np.cumsum(weights[:-1])])
    gap = -math.expm1(-2 * step) * decaying_sums(before, decay)
    at = int(np.searchsorted(gap, allowed, side="right")) - 1
    rest, reach = allowed - float(gap[at]), float(faded[at])
    down = 2 * step if rest >= reach else min(2 * step, -math.log1p(-rest / reach))
    total = step * sum(sizes)
    return max(0.0, total - 2 * step * at - down) + 8 * math.ulp(total)


def _lattice(epsilons: Sequence[float]) -> tuple[float, list[int]]:
    """Return the step h, of which the largest ε is a multiple, and each ε in steps, rounded up."""
    largest = max(epsilons)
    parts = math.ceil(STEPS * largest / math.fsum(epsilons))
    step = math.nextafter(largest / parts, math.inf)
    return step, [min(parts, math.ceil(each / step)) for each in epsilons]


def _loss_law(step: float, sizes: Sequence[int]) -> FloatArray:
    """(steps + 1,) the probability that the loss is Σε_i − 2jh, by j."""
    law = np.zeros(sum(sizes) + 1)
    law[0], reach = 1.0, 0
    for size in sorted(sizes):
        lost = 1 / (1 + math.exp(min(size * step, 700.0)))
        moved = law[: reach + 1] * lost
        law[: reach + 1] *= 1 - lost
        law[size : size + reach + 1] += moved
        reach += size
    return law
