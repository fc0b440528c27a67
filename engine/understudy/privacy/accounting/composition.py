"""Composition of guarantees, and amplification by sampling."""

from __future__ import annotations

import math
from functools import reduce
from operator import or_

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.privacy.accounting.optimal import any_failure, spare_delta, total_epsilon
from understudy.privacy.budget import Budget


def sequential(budget: Budget, times: int) -> Budget:
    """`times` uses of the same records, each with `budget`: the sum (Theorem 2.1)."""
    return budget * times


def advanced(budget: Budget, times: int, slack: float) -> Budget:
    """`times` uses of the same records, paying a further δ of `slack` for a smaller ε.

    Theorem 2.2: ε' = ε·√(2m·ln(1/δ″)) + m·ε·(e^ε − 1), and δ' = m·δ + δ″.

    Raises:
        Refusal: the slack does not lie strictly between 0 and 1.
    """
    if not 0 < slack < 1:
        raise Refusal(
            "Advanced composition needs a δ of its own, between 0 and 1.",
            "Leave part of the total δ unspent by the attempts.",
            field="delta",
        )
    total = advanced_epsilon(np.float64(budget.epsilon), times, np.float64(slack))
    return Budget(float(total), min(1.0, times * budget.delta + slack))


def advanced_epsilon(
    epsilon: FloatArray | np.float64,
    times: FloatArray | float,
    slack: FloatArray | np.float64,
) -> FloatArray:
    """Return the ε of Theorem 2.2, elementwise; infinite where the slack is 0."""
    with np.errstate(divide="ignore", over="ignore"):
        spread = np.sqrt(-2 * times * np.log(slack))
        return np.asarray(epsilon * (spread + times * np.expm1(epsilon)))


def optimal(budget: Budget, times: int, delta: float) -> Budget:
    """`times` uses of the same records within a total δ, at the smallest ε that holds for all
    mechanisms of that budget (Kairouz, Oh and Viswanath 2015, Theorem 3.3).

    Nothing is promised where the uses alone exceed δ; then the result is unbounded.
    """
    if times == 0:
        return Budget(0.0)
    alone = any_failure(budget.delta, times)
    if alone > delta:
        return Budget.unbounded()
    epsilon = total_epsilon(budget.epsilon, times, spare_delta(budget.delta, times, delta))
    return Budget(epsilon, alone if epsilon >= times * budget.epsilon else delta)


def parallel(*budgets: Budget) -> Budget:
    """Parallel composition: parts computed from disjoint records, each assigned by its own coin.

    The maximum of the parts; no parts cost nothing.
    """
    return reduce(or_, budgets, Budget(0.0))


def amplified_by_sampling(budget: Budget, probability: float) -> Budget:
    """Return the guarantee between populations that differ by one member, where the input is a
    secret random sample of the population. The guarantee between tables does not change.

    ε' = ln(1 + p(e^ε − 1)), δ' = p·δ, where each member of the population is in the input
    independently with probability p and nobody knows who is.

    Raises:
        Refusal: p does not lie between 0 (excluded) and 1.
    """
    if not 0 < probability <= 1:
        raise Refusal(
            "The sampling probability has to lie above 0 and be at most 1.",
            "Enter the share of the population that was sampled, such as 0.01.",
            field="sampling",
        )
    # ln(1 − p + p·e^ε), in the form that neither cancels nor overflows.
    if budget.epsilon < 1:
        epsilon = math.log1p(probability * math.expm1(budget.epsilon))
    else:
        rest = (1 - probability) * math.exp(-budget.epsilon)
        epsilon = max(0.0, budget.epsilon + math.log(probability + rest))
    return Budget(epsilon, probability * budget.delta)
