"""The smallest total ε of a number of units at a given k, over every t, ε0 and split of δ.

Let the units' own δ take a share s of the target δ, so that each has s·δ/m and the composition
the rest. That sets the tail of the noise that an attempt may leave, and with it ε0 for every t; the
best t makes ε = ε0 + ln(1 + g/t) smallest, a sum of two convex functions. What is left is one
search over s, of a unimodal total, and its end s = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from scipy.optimize import minimize_scalar

from understudy.privacy.accounting.optimal import spare_delta, total_epsilon
from understudy.privacy.accounting.unit import Unit
from understudy.privacy.plausibility.coin import FINEST_DELTA, SMALLEST_EPSILON0, TABLE_ROUNDING

# Shares are searched on a logarithmic scale of s/(1 − s).
_LOG_ODDS = (-12.0, 16.0)
_NEWTON = 4


@dataclass(frozen=True)
class Setting:
    """The total ε of a number of units, and the t and ε0 that reach it."""

    total: float
    t: int
    epsilon0: float


NO_SETTING = Setting(math.inf, 0, math.nan)


@lru_cache(maxsize=1 << 14)
def least_total(kind: Unit, count: int, delta: float, k: int, precision: float = 1e-10) -> Setting:
    """Return the smallest total ε of `count` units at this k.

    Args:
        kind: a unit whose k and ε0 are ignored.
        count: m.
        delta: the target.
        k: at least 2.
        precision: how far from the smallest is close enough, relatively.

    Returns:
        `NO_SETTING` where the units alone exceed δ whatever the noise.
    """
    summed = _at_share(kind, count, delta, k, 1.0)
    low = max(_LOG_ODDS[0], _least_log_odds(kind, count, delta))
    if summed is NO_SETTING or low >= _LOG_ODDS[1]:
        return summed
    found = [summed]

    def total(log_odds: float) -> float:
        found.append(_at_share(kind, count, delta, k, 1 / (1 + math.exp(-log_odds))))
        return found[-1].total

    # The total is flat at its minimum: an error of x in the argument moves it by less than x².
    minimize_scalar(
        total,
        bounds=(low, _LOG_ODDS[1]),
        method="bounded",
        options={"xatol": math.sqrt(precision)},
    )
    return min(found, key=lambda each: each.total)


def allowed_tail(kind: Unit, each: float) -> float:
    """Return the δ of an attempt, before the division by n + 1, that a unit's δ allows."""
    attempt = each if kind.pass_floor is None else kind.pass_floor * each / (1 + each)
    return attempt * ((kind.seeds_at_least or 0) + 1)


def _at_share(kind: Unit, count: int, delta: float, k: int, share: float) -> Setting:
    """Return the smallest total with this share of δ for the units' own."""
    each = share * delta / count
    tail = allowed_tail(kind, each)
    if tail < FINEST_DELTA:
        return NO_SETTING
    t, epsilon0 = _best(kind, k, -math.log(tail - TABLE_ROUNDING))
    epsilon = epsilon0 + math.log1p(kind.similarity / t)
    return Setting(total_epsilon(epsilon, count, spare_delta(each, count, delta)), t, epsilon0)


def _least_log_odds(kind: Unit, count: int, delta: float) -> float:
    """Return the log odds of the share at which a unit has the finest δ that is ever stated."""
    share = count * kind.finest_delta / delta * (1 + 1e-9)
    return math.log(share / (1 - share)) if share < 1 else math.inf


def _best(kind: Unit, k: int, log_tail: float) -> tuple[int, float]:
    """Return the t, and the ε0 it takes, with the smallest ε for a tail of e^−`log_tail`."""

    def epsilon(t: int) -> float:
        return _epsilon0(kind, k - t, log_tail) + math.log1p(kind.similarity / t)

    t = _near(kind, k, log_tail)
    for step in (-1, 1):
        while 1 <= t + step < k and epsilon(t + step) < epsilon(t):
            t += step
    return t, _epsilon0(kind, k - t, log_tail)


def _near(kind: Unit, k: int, log_tail: float) -> int:
    """Return a t close to the best: where the derivative of a/(k − t) + ln(1 + g/t) is 0, with a
    constant a = ε0·(k − t); or the first with the least ε0 there is, if that comes later."""
    t = 1
    for _ in range(3):
        epsilon0 = _epsilon0(kind, k - t, log_tail)
        drop = epsilon0 * (k - t)
        root = math.sqrt(drop * (drop + 4 * k + 4 * k * k / kind.similarity))
        t = min(max(1, round(2 * k * k / (drop + 2 * k + root))), k - 1)
    if epsilon0 > SMALLEST_EPSILON0:
        return t
    clipped = math.floor(k - (log_tail - math.log(2)) / SMALLEST_EPSILON0)
    return min(max(t, clipped), k - 1)


def _epsilon0(kind: Unit, distance: int, log_tail: float) -> float:
    """ε0 with C·e^{−ε0(k−t)} = e^−`log_tail`, where k − t is the distance; never less than a coin
    is built for."""
    if kind.noise == "laplace":
        return max(SMALLEST_EPSILON0, (log_tail - math.log(2)) / distance)
    # ε0·distance + ln(1 + e^−ε0) is convex and grows, so that Newton's steps fall to the root.
    epsilon0 = log_tail / distance
    for _ in range(_NEWTON):
        decay = math.exp(-epsilon0)
        over = epsilon0 * distance + math.log1p(decay) - log_tail
        epsilon0 -= over / (distance - decay / (1 + decay))
        if epsilon0 <= SMALLEST_EPSILON0:
            return SMALLEST_EPSILON0
    return epsilon0
