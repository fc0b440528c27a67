"""Optimal composition of equal guarantees (Kairouz, Oh and Viswanath 2015, Theorem 3.3).

m mechanisms that are (ε, δ)-differentially private each, chosen adaptively, are together
(ε', 1 − (1 − δ)^m (1 − Δ(ε')))-differentially private, and no smaller figure holds for all such
mechanisms:

    Δ(ε') = Σ_{ℓ : (m−2ℓ)ε > ε'}  C(m, ℓ) (e^{(m−ℓ)ε} − e^{ε'+ℓε}) / (1 + e^ε)^m
          = Σ_{ℓ : (m−2ℓ)ε > ε'}  b(ℓ) · (1 − e^{ε' − (m−2ℓ)ε}),      b(ℓ) = Bin(m, 1/(1+e^ε)){ℓ}.

In the second form nothing overflows. With B(L) = Σ_{ℓ≤L} b(ℓ),

    G(L) = Σ_{ℓ≤L} b(ℓ)(1 − e^{−2(L−ℓ)ε}) = e^{−2ε}·G(L−1) + (1 − e^{−2ε})·B(L−1)
    F(L) = Σ_{ℓ≤L} b(ℓ)·e^{−2(L−ℓ)ε}      = e^{−2ε}·F(L−1) + b(L)

are sums of positive terms, so nothing cancels in them, and for 0 ≤ x ≤ 2ε

    Δ((m−2L)ε − x) = G(L) + (1 − e^{−x})·F(L)

so that the ε' for a given Δ is found without iterating. Only the ℓ within a few standard deviations
of the mean weigh anything: the work grows with √m.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq
from scipy.special import xlogy

from understudy.core.arrays import FloatArray
from understudy.privacy.accounting.concentrated import approximate_dp
from understudy.privacy.accounting.decay import decaying_sums

MOST_EXACT = 100_000_000
"""For more mechanisms than this, a bound by zCDP replaces the exact sum."""

_LEAST = 1e-60
"""A Δ under this is not worth spending."""

# Δ is reduced by more than the error of double precision and of the terms left out.
_ROUNDING = 1 - 1e-9
_LOG_LEFT_OUT = -25.0


def any_failure(delta: float, times: int) -> float:
    """1 − (1 − δ)^m: the chance that any of m mechanisms falls outside its ε."""
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
    """ln b(ℓ) for 0 < ℓ < m, by Loader's saddle-point expansion (2000), which keeps its precision
    for any m."""
    rest, other = times - place, 1 / (1 + math.exp(-epsilon))
    correction = _stirling(times) - _stirling(place) - _stirling(rest)
    deviance = _deviance(place, times * math.exp(-epsilon) * other) + _deviance(rest, times * other)
    return correction - deviance + 0.5 * math.log(times / (2 * math.pi * place * rest))


def _stirling(n: int) -> float:
    """ln n! less Stirling's formula for it."""
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
