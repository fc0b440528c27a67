"""Composition of guarantees, exactly where that is known, of parts that records are dealt to, and
amplification by sampling.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache, reduce
from operator import or_

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import xlogy

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.privacy.budget import Budget

# Zero-concentrated differential privacy (zCDP) to and from (ε, δ).


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


# Exponentially discounted cumulative sums.


def decaying_sums(terms: FloatArray, decay: float) -> FloatArray:
    """Return (n,) Σ_{i ≤ L} terms[i]·decay^{L−i}, for every L.

    Computed by doubling: each of ⌈log₂ n⌉ rounds adds the partial sums twice as far back. Where all
    terms are positive nothing cancels.

    Args:
        terms: (n,).
        decay: in [0, 1].
    """
    sums = terms.astype(np.float64)
    apart, weight = 1, decay
    while apart < len(sums) and weight > 0:
        sums[apart:] += weight * sums[:-apart]
        apart, weight = 2 * apart, weight * weight
    return sums


# Optimal composition of equal guarantees (Kairouz, Oh and Viswanath 2015, Theorem 3.3).
#
# m mechanisms that are (ε, δ)-differentially private each, chosen adaptively, are together (ε', 1 −
# (1 − δ)^m (1 − Δ(ε')))-differentially private, and no smaller figure holds for all such
# mechanisms:
#
#     Δ(ε') = Σ_{ℓ : (m−2ℓ)ε > ε'}  C(m, ℓ) (e^{(m−ℓ)ε} − e^{ε'+ℓε}) / (1 + e^ε)^m
#           = Σ_{ℓ : (m−2ℓ)ε > ε'}  b(ℓ) · (1 − e^{ε' − (m−2ℓ)ε}),      b(ℓ) = Bin(m, 1/(1+e^ε)){ℓ}.
#
# In the second form nothing overflows. With B(L) = Σ_{ℓ≤L} b(ℓ),
#
#     G(L) = Σ_{ℓ≤L} b(ℓ)(1 − e^{−2(L−ℓ)ε}) = e^{−2ε}·G(L−1) + (1 − e^{−2ε})·B(L−1)
#     F(L) = Σ_{ℓ≤L} b(ℓ)·e^{−2(L−ℓ)ε}      = e^{−2ε}·F(L−1) + b(L)
#
# are sums of positive terms, so nothing cancels in them, and for 0 ≤ x ≤ 2ε
#
#     Δ((m−2L)ε − x) = G(L) + (1 − e^{−x})·F(L)
#
# so that the ε' for a given Δ is found without iterating. Only the ℓ within a few standard
# deviations of the mean weigh anything: the work grows with √m.

MOST_EXACT = 100_000_000
"""For more mechanisms than this, a bound by zCDP replaces the exact sum."""

_LEAST = 1e-60
"""A Δ under this is not worth spending."""

# Δ is reduced by more than the error of double precision and of the terms left out.
_ROUNDING = 1 - 1e-9
_LOG_LEFT_OUT = -25.0


def any_failure(delta: float, times: int) -> float:
    """Return 1 − (1 − δ)^m: the chance that any of m mechanisms falls outside its ε."""
    return -math.expm1(times * math.log1p(-delta)) if delta < 1 else 1.0


def spare_delta(delta: float, times: int, target: float) -> float:
    """Return the Δ that m mechanisms of this δ leave within a target δ, rounded down; 0 or less if
    they leave none."""
    if delta >= 1:
        return -1.0
    whole, used = math.log1p(-target), times * math.log1p(-delta)
    return -math.expm1(whole - used) + 2.0**-50 * (whole + used)


def total_epsilon(epsilon: float, times: int, excess: float) -> float:
    """Return the smallest ε' with Δ(ε') ≤ `excess`, for m mechanisms that are ε-private except for
    δ.

    Args:
        epsilon: ε of one mechanism, 0 or more.
        times: m, at least 1. Above `MOST_EXACT` the answer is an upper bound: ε-privacy is
            (ε²/2)-zCDP, which adds up.
        excess: Δ, under 1; see `spare_delta`. 0 or less gives the sum, mε.
    """
    added = times * epsilon
    if excess < _LEAST or epsilon == 0:
        return added
    allowed = excess * _ROUNDING
    if times > MOST_EXACT:
        return min(added, approximate_dp(added * epsilon / 2, allowed).epsilon)
    total = added
    for first, weights in _windows(epsilon, times, excess):
        place, down = _crossing(epsilon, weights, allowed)
        total = (times - 2 * (first + place)) * epsilon - down + 4 * math.ulp(added)
        if place < len(weights) - 1:
            break
    return min(added, max(0.0, total))


def _crossing(epsilon: float, weights: FloatArray, allowed: float) -> tuple[int, float]:
    """Return the last L, counted from the first weight, with G(L) ≤ `allowed`, and the x at which
    Δ((m−2L)ε − x) reaches `allowed`; 0 where that needs weights beyond the last."""
    decay = math.exp(-2 * epsilon)
    below = np.concatenate([[0.0], np.cumsum(weights[:-1])])
    gaps = -math.expm1(-2 * epsilon) * decaying_sums(below, decay)
    place = int(np.searchsorted(gaps, allowed, side="right")) - 1
    if place == len(weights) - 1:
        return place, 0.0
    faded = float(decaying_sums(weights[: place + 1], decay)[-1])
    share = (allowed - float(gaps[place])) / faded
    return place, min(2 * epsilon, -math.log1p(-share)) if share < 1 else 2 * epsilon


def largest_epsilon(total: float, times: int, excess: float) -> float:
    """Return the largest ε of one mechanism with which m of them stay within ε' = `total` at that
    Δ."""

    def over(log_epsilon: float) -> float:
        return total_epsilon(math.exp(log_epsilon), times, excess) - total

    low = math.log(total / times)
    step = 0.5 * math.log(times) + 0.5
    high = low + step
    while over(high) < 0:
        low, high = high, high + step
    if over(low) >= 0:
        return math.nextafter(total / times, 0)
    root = brentq(over, low, high, xtol=1e-13, rtol=1e-13)
    return math.exp(float(root)) * (1 - 1e-11)


def _windows(epsilon: float, times: int, excess: float) -> Iterator[tuple[int, FloatArray]]:
    """Yield the first ℓ with a weight that counts, and b(ℓ) from there on, over growing ranges.

    A sum of m coins of probability p ≤ ½ is r under its mean with probability at most
    e^{−r²/2mp(1−p)}.
    """
    chance = math.exp(-epsilon) / (1 + math.exp(-epsilon))
    deviation = math.sqrt(times * chance * (1 - chance))
    reach = math.ceil(deviation * math.sqrt(2 * (-_LOG_LEFT_OUT - math.log(excess)))) + 2
    mode, top = int((times + 1) * chance), min(times, times // 2 + 1)
    first = max(0, mode - reach)
    ends = [min(top, end) for end in (mode - reach // 2, mode, mode + reach + 40) if end > first]
    for last in ends:
        yield first, _weights(epsilon, times, first, last)


def _weights(epsilon: float, times: int, first: int, last: int) -> FloatArray:
    """b(ℓ) for the ℓ from `first` to `last`."""
    places = np.arange(first, last, dtype=np.float64)
    logs = np.zeros(last - first + 1)
    np.cumsum(np.log((times - places) / (places + 1)) - epsilon, out=logs[1:])
    if first == 0:
        logs -= times * math.log1p(math.exp(-epsilon))
    else:
        logs += _log_weight(epsilon, times, last) - logs[-1]
    return np.asarray(np.exp(logs))


def _log_weight(epsilon: float, times: int, place: int) -> float:
    """Return ln b(ℓ) for 0 < ℓ < m, by Loader's saddle-point expansion (2000), which keeps its
    precision for any m."""
    rest, other = times - place, 1 / (1 + math.exp(-epsilon))
    correction = _stirling(times) - _stirling(place) - _stirling(rest)
    deviance = _deviance(place, times * math.exp(-epsilon) * other) + _deviance(rest, times * other)
    return correction - deviance + 0.5 * math.log(times / (2 * math.pi * place * rest))


def _stirling(n: int) -> float:
    """Return ln n! less Stirling's formula for it."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    inverse = 1 / (n * n)
    return (1 / 12 - (1 / 360 - (1 / 1260 - inverse / 1680) * inverse) * inverse) / n


def _deviance(x: float, mean: float) -> float:
    """x·ln(x/mean) + mean − x, which cancels where the two are close."""
    apart = (x - mean) / mean
    if abs(apart) > 0.1:
        return float(xlogy(x, x / mean)) + mean - x
    # (1+u)·ln(1+u) − u = u²/2 − u³/6 + u⁴/12 − …
    series = sum((-apart) ** power / (power * (power - 1)) for power in range(2, 18))
    return mean * float(series)


# Composition of guarantees, and amplification by sampling.


def sequential(budget: Budget, times: int) -> Budget:
    """`times` uses of the same records, each with `budget`: the sum (Theorem 2.1)."""
    return budget * times


def compose_advanced(budget: Budget, times: int, slack: float) -> Budget:
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


_LAST_PLACES = 1 - 2**-50


def compose_dealt(*parts: tuple[float, Budget]) -> Budget:
    """Return the guarantee of parts to one of which each record is dealt by a secret coin of its
    own: e^ε′ is the mean of e^ε over the parts, and δ′ the largest δ.

    Args:
        parts: of each the chance with which a record is dealt to it, and what it costs then; what
            the chances leave of 1 goes to records that nothing is released of.
    """
    used = [(chance, cost) for chance, cost in parts if chance]
    costs = parallel(*(cost for _, cost in used))
    if not costs.bounded:
        return costs
    if costs.epsilon < 1:
        epsilon = math.log1p(math.fsum(p * math.expm1(cost.epsilon) for p, cost in used))
    else:
        # As shares of e to the largest ε, which neither cancel nor overflow.
        rest = 1 - math.fsum(chance for chance, _ in used)
        shares = (p * math.exp(cost.epsilon - costs.epsilon) for p, cost in used)
        mean = math.fsum((*shares, max(0.0, rest) * math.exp(-costs.epsilon)))
        epsilon = costs.epsilon + math.log(mean)
    return Budget(min(max(0.0, epsilon), costs.epsilon), costs.delta)


def solve_dealt(epsilon: float, chance: float, *others: tuple[float, Budget]) -> float:
    """Return the ε that a part may cost a record that is dealt to it, for `compose_dealt` to keep
    to an ε; never a smaller one.

    Args:
        epsilon: of all parts together; others are taken to cost no more.
        chance: with which a record is dealt to that part, or to one of several that cost as much.
        others: the other parts, as of `compose_dealt`.
    """
    if epsilon < 1:
        spent = math.fsum(p * math.expm1(min(cost.epsilon, epsilon)) for p, cost in others)
        most = math.log1p((math.expm1(epsilon) - spent) / chance)
    else:
        rest = max(0.0, 1 - chance - math.fsum(p for p, _ in others))
        shares = (p * math.exp(min(cost.epsilon, epsilon) - epsilon) for p, cost in others)
        left = 1 - math.fsum((*shares, rest * math.exp(-epsilon)))
        most = epsilon + math.log(left / chance)
    return max(epsilon, most * _LAST_PLACES)


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


# Optimal composition of unequal guarantees.
#
# Mechanisms that are (ε_i, δ_i)-differentially private, their number and all (ε_i, δ_i) fixed
# beforehand, each otherwise chosen by what came before, are together (ε', 1 − Π(1 − δ_i)·(1 −
# Δ(ε')))-differentially private, and no smaller figure holds for all such mechanisms (Murtagh and
# Vadhan 2016, Theorem 1.5; Kairouz, Oh and Viswanath 2015 for equal ones):
#
#     Δ(ε') = Σ_x P(x)·max(0, 1 − e^{ε' − L(x)})
#
# where L = Σ ±ε_i is the privacy loss of independent coins, + with probability e^{ε_i}/(1 +
# e^{ε_i}). The exact sum has 2^m terms. Here every ε_i is first rounded up to a multiple of h,
# which weakens the guarantee of each mechanism and so keeps the result valid; the loss then lives
# on a lattice, and its law is found by convolution, exactly except for double precision.

STEPS = 20_000
"""Σε_i is divided into at least so many steps h, so that rounding adds less than m·Σε_i/20,000."""

# Shrinks Δ by more than double precision can be off by.
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
    """Return (steps + 1,) the probability that the loss is Σε_i − 2jh, by j."""
    law = np.zeros(sum(sizes) + 1)
    law[0], reach = 1.0, 0
    for size in sorted(sizes):
        lost = 1 / (1 + math.exp(min(size * step, 700.0)))
        moved = law[: reach + 1] * lost
        law[: reach + 1] *= 1 - lost
        law[size : size + reach + 1] += moved
        reach += size
    return law
