"""Searches for the smallest k, ε, δ and lower bound on seeds, and the most units, that fit.

The least total (least_total.py) falls with k and with δ and rises with the number of units, so each
is found by bracketing between a value that fits and one that does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from scipy.optimize import brentq

from understudy.privacy.accounting.best_t import total_epsilon_at
from understudy.privacy.accounting.integer_search import crossing
from understudy.privacy.accounting.optimal import largest_epsilon, spare_delta
from understudy.privacy.accounting.unit import Unit
from understudy.privacy.budget import Budget
from understudy.privacy.planning.least_total import NO_SETTING, allowed_tail, least_total
from understudy.privacy.plausibility.coin import SMALLEST_EPSILON0
from understudy.privacy.plausibility.threshold import LARGEST_K

# The logarithm that stands for a total of 0.
_NOTHING = 1e-300
# Relative precision of a first look, and how far above the target a total is too large for sure.
_ROUGHLY = 1e-4
_PLAIN = 1e-2


@dataclass(frozen=True)
class Found:
    """A k that fits, with the t and ε0 of the smallest total."""

    k: float
    t: int
    epsilon0: float


NOWHERE = Found(math.inf, 0, math.nan)


@lru_cache(maxsize=1024)
def smallest_k_for(kind: Unit, count: int, target: Budget) -> Found:
    """Return the smallest whole k with which `count` units stay within the target.

    Args:
        kind: a unit whose k and ε0 are ignored.
        count: m.
        target: ε and δ of the total, both positive.

    Returns:
        `NOWHERE` where no k up to `LARGEST_K` does.
    """
    _, k = crossing(
        lambda k: _over(kind, count, target, k), 2, LARGEST_K, _guess(kind, count, target)
    )
    if k > LARGEST_K:
        return NOWHERE
    setting = least_total(kind, count, target.delta, k)
    return Found(k, setting.t, setting.epsilon0)


def most_units_at(kind: Unit, target: Budget, k: int, most: int, *, percent: float = 0) -> int:
    """Return the largest number of units, up to `most`, that fit at this k; 0 for none.

    Args:
        percent: how far under the largest is close enough.
    """

    def under(count: int) -> float:
        return math.nextafter(-_over(kind, count, target, k), math.inf)

    return crossing(under, 1, most, 1, within=percent / 100)[0]


def least_seeds(kind: Unit, count: int, target: Budget, most: int) -> int | None:
    """Return a lower bound on the seeds, at most a hundredth above the smallest, at which a k fits
    that is no larger; None above `most`."""
    if most < 2:
        return None

    def over(seeds: int) -> float:
        certain = replace(kind, seeds_at_least=seeds)
        return _over(certain, count, target, min(seeds, LARGEST_K), 1e-6)

    _, seeds = crossing(over, 2, most, _guess(kind, count, target), within=0.01)
    return seeds if seeds <= most else None


def least_epsilon(
    kind: Unit, count: int, delta: float, k: int, most: float, precision: float = 1e-10
) -> float | None:
    """Return the smallest total ε that this k reaches, to a relative precision; None above
    `most`."""
    total = least_total(kind, count, delta, k, precision).total
    return total if total <= most else None


def least_delta(kind: Unit, count: int, epsilon: float, k: int, most: float) -> float | None:
    """Return a δ that this k reaches, at most a hundredth above the smallest; None above `most`."""

    def over(log_delta: float) -> float:
        return _over(kind, count, Budget(epsilon, math.exp(log_delta)), k, 1e-6)

    low, high = math.log(count * kind.finest_delta), math.log(most)
    if low >= high or over(high) > 0:
        return None
    if over(low) <= 0:
        return math.exp(low)
    return math.exp(float(brentq(over, low, high, xtol=0.004)) + 0.005)


def rounded_unit(
    kind: Unit, count: int, target: Budget, k: int, *, hair: float = 0.0
) -> Unit | None:
    """Return a unit at this k, with an ε0 of few digits, that stays within the target; None where
    there is none.

    Args:
        hair: the share by which it may exceed the target's ε.
    """
    setting = least_total(kind, count, target.delta, k)
    if setting is NO_SETTING:
        return None
    for digits in range(3, 17):
        for epsilon0 in _rounded(setting.epsilon0, digits):
            unit = replace(kind, k=k, epsilon0=epsilon0)
            total = total_epsilon_at(unit, setting.t, count, target.delta)
            if total <= target.epsilon * (1 + hair):
                return unit
    return None


def _rounded(value: float, digits: int) -> list[float]:
    """Return the value in so many digits, and a step to either side."""
    nearest = float(f"{value:.{digits}g}")
    step = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    options = [float(f"{nearest + turn * step:.{digits}g}") for turn in (0, -1, 1)]
    return [option for option in options if option >= SMALLEST_EPSILON0]


def _over(kind: Unit, count: int, target: Budget, k: int, precision: float = 1e-10) -> float:
    """Return the logarithm of the least total over the target ε; roughly, where its sign is
    plain."""
    for within in (_ROUGHLY, precision):
        total = least_total(kind, count, target.delta, k, within).total
        over = math.log(max(total, _NOTHING) / target.epsilon)
        # A total found roughly is never under the least one.
        if over <= 0 or over > _PLAIN:
            break
    return over


def _guess(kind: Unit, count: int, target: Budget) -> int:
    """Return an estimate of the smallest k: with half of δ for the units' own and a constant a =
    ε0·(k − t), at the best t."""
    each = target.delta / (2 * count)
    epsilon = largest_epsilon(target.epsilon, count, spare_delta(each, count, target.delta))
    drop = max(1.0, -math.log(min(0.5, allowed_tail(kind, each))))
    return math.ceil(min(LARGEST_K, (math.sqrt(kind.similarity) + math.sqrt(drop)) ** 2 / epsilon))
