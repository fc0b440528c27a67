"""The t of the theorem that makes a composition's ε smallest.

t appears in the proof only, so any value is valid. A larger t gives a smaller ε and a larger δ. At
a target δ for m units only t up to a largest one fit, and the best is there or a little below,
where part of the target is left for the composition.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from understudy.privacy.accounting.integer_search import argmin, crossing
from understudy.privacy.accounting.optimal import spare_delta, total_epsilon
from understudy.privacy.accounting.unit import Unit

# Where m·δ_t is under e^−38 of the target, subtracting it in floating point changes nothing.
_NEGLIGIBLE = 38
_FURTHEST = 1 << 62


def delta_at(unit: Unit, t: int) -> float:
    """δ of one unit at t."""
    return float(unit.delta(np.array(t)))


def epsilon_at(unit: Unit, t: int) -> float:
    """ε of one unit at t."""
    return float(unit.epsilon(np.array(t)))


def meets(unit: Unit, t: int, count: int, delta: float) -> bool:
    """Return whether m units at this t stay within the target δ."""
    return count * delta_at(unit, t) <= delta


def total_epsilon_at(unit: Unit, t: int, count: int, delta: float) -> float:
    """Return the total ε of m units at this t under optimal composition; infinite past the
    target."""
    each = delta_at(unit, t)
    if count * each > delta:
        return math.inf
    return total_epsilon(epsilon_at(unit, t), count, spare_delta(each, count, delta))


def last_t(unit: Unit, count: int, delta: float) -> int:
    """Return the largest t < k that meets the target; 0 if none does."""
    if unit.k < 2 or not meets(unit, 1, count, delta):
        return 0
    low, high = 1, unit.k
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if meets(unit, middle, count, delta) else (low, middle)
    return low


def best_t(unit: Unit, count: int, delta: float) -> int:
    """Return the t with the smallest total ε; 0 if none meets the target."""
    last = last_t(unit, count, delta)
    if last == 0:
        return 0
    earliest = max(1, last - math.ceil(_NEGLIGIBLE / unit.epsilon0))
    return argmin(lambda t: total_epsilon_at(unit, t, count, delta), earliest, last)


def smallest_k(unit: Unit, t: int, count: int, delta: float) -> int | None:
    """Return the smallest k at which this t meets the target; None where no k does."""

    def misses(above: int) -> float:
        return 0.0 if meets(replace(unit, k=t + above), t, count, delta) else math.inf

    _, above = crossing(misses, 1, _FURTHEST, 1)
    return t + above if above <= _FURTHEST else None
