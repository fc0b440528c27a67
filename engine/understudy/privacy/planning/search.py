"""Searches for the smallest total ε of a number of units, for the smallest k, ε, δ and number of
seeds, and for the most units, that fit a budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from scipy.optimize import brentq, minimize_scalar

from understudy.privacy.accounting.accountant import MOST_UNITS
from understudy.privacy.accounting.composition import largest_epsilon, spare_delta, total_epsilon
from understudy.privacy.accounting.unit import Unit, total_epsilon_at
from understudy.privacy.accounting.unit_counts import crossing
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.threshold import (
    FINEST_DELTA,
    LARGEST_K,
    SMALLEST_EPSILON0,
    TABLE_ROUNDING,
)

# The smallest total ε of a number of units at a given k, over every t, ε0 and split of δ.
#
# Let the units' own δ take a share s of the target δ, so that each has s·δ/m and the composition
# the rest. That sets the tail of the noise that an attempt may leave, and with it ε0 for every t;
# the best t makes ε = ε0 + ln(1 + g/t) smallest, a sum of two convex functions. What is left is one
# search over s, of a unimodal total, and its end s = 1.

# Shares are searched on a logarithmic scale of s/(1 − s).
_LOG_ODDS = (-12.0, 16.0)
_NEWTON = 4


@dataclass(frozen=True)
class _Setting:
    """The total ε of a number of units, and the t and ε0 that reach it."""

    total: float
    t: int
    epsilon0: float


NO_SETTING = _Setting(math.inf, 0, math.nan)


@lru_cache(maxsize=1 << 14)
def least_total(kind: Unit, count: int, delta: float, k: int, precision: float = 1e-10) -> _Setting:
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


def _at_share(kind: Unit, count: int, delta: float, k: int, share: float) -> _Setting:
    """Return the smallest total with this share of δ for the units' own."""
    each = share * delta / count
    tail = allowed_tail(kind, each)
    if tail < FINEST_DELTA:
        return NO_SETTING
    t, epsilon0 = _best(kind, k, -math.log(tail - TABLE_ROUNDING))
    epsilon = epsilon0 + math.log1p(kind.similarity / t)
    return _Setting(total_epsilon(epsilon, count, spare_delta(each, count, delta)), t, epsilon0)


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
    """Return ε0 with C·e^{−ε0(k−t)} = e^−`log_tail`, where k − t is the distance; never less than a
    coin is built for."""
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


# Searches for the smallest k, ε, δ and lower bound on seeds, and the most units, that fit.
#
# The least total (least_total.py) falls with k and with δ and rises with the number of units, so
# each is found by bracketing between a value that fits and one that does not.

# The logarithm that stands for a total of 0.
_NOTHING = 1e-300
# Relative precision of a first look, and how far above the target a total is too large for sure.
_ROUGHLY = 1e-4
_PLAIN = 1e-2


@dataclass(frozen=True)
class FoundTest:
    """A k that fits, with the t and ε0 of the smallest total."""

    k: float
    t: int
    epsilon0: float


NOWHERE = FoundTest(math.inf, 0, math.nan)


@lru_cache(maxsize=1024)
def smallest_k_for(kind: Unit, count: int, target: Budget) -> FoundTest:
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
    return FoundTest(k, setting.t, setting.epsilon0)


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


def reachable_epsilon(
    kind: Unit, count: int, delta: float, k: int, most: float, precision: float = 1e-10
) -> float | None:
    """Return the smallest total ε that this k reaches, to a relative precision; None above
    `most`."""
    total = least_total(kind, count, delta, k, precision).total
    return total if total <= most else None


def reachable_delta(kind: Unit, count: int, epsilon: float, k: int, most: float) -> float | None:
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
        for epsilon0 in _round_about(setting.epsilon0, digits):
            unit = replace(kind, k=k, epsilon0=epsilon0)
            total = total_epsilon_at(unit, setting.t, count, target.delta)
            if total <= target.epsilon * (1 + hair):
                return unit
    return None


def _round_about(value: float, digits: int) -> list[float]:
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


# What candidates that are tested against seeds can come to at most, for whole people.
#
# However good a model is, a candidate has no more plausible seeds than there are seeds. So k is at
# most their number, and the least that one attempt costs at that k is a floor under every plan. It
# is sought over every t, ε0 and division of δ, for a similarity g of 1, which relative sensitivity
# has and the γ of plausible deniability comes near, and Laplace noise, whose constant C = ½ is the
# smaller.
#
# A person with g records pays (g·ε, g·e^((g−1)ε)·δ) of the (ε, δ) of one record, so one record is
# left (E/g, D/g·e^(−(g−1)E/g)) of a person's (E, D).

FEWEST = 2
"""The smallest k of a test."""

_LARGEST = 1_000.0
_LEAST = 1e-6
_LOG_FINEST = math.log(1e-300)


@dataclass(frozen=True)
class Reach:
    """Seeds that are certain, and whose they are.

    Attributes:
        seeds: how many there are for certain.
        records_per_person: the most records of one person, g.
        delta: what may be added for one person.
    """

    seeds: int
    records_per_person: int
    delta: float

    def least_epsilon(self) -> float:
        """Return the smallest ε for one person that a single attempt comes to; infinite where none
        does up to 1,000."""
        if self.seeds < FEWEST:
            return math.inf

        def over(log_epsilon: float) -> float:
            epsilon = math.exp(log_epsilon)
            asked = for_a_record(Budget(epsilon, self.delta), self.records_per_person)
            if asked is None:
                return math.inf
            total = least_total(_unit(self.seeds), 1, asked.delta, self.seeds).total
            return total * self.records_per_person / epsilon - 1

        low, high = math.log(_LEAST), math.log(_LARGEST)
        if over(high) > 0:
            # A larger ε leaves less δ for a record; a smaller one may still do.
            high = next((each for each in _falling(high) if over(each) <= 0), math.nan)
            if math.isnan(high):
                return math.inf
        if over(low) <= 0:
            return _LEAST
        return math.exp(float(brentq(over, low, high, xtol=1e-6)))

    def most_attempts(self, epsilon: float, k: int) -> int:
        """Return how many attempts a person's ε pays for at most at this k, which no more seeds can
        be needed than there are; 0 for none."""
        asked = for_a_record(Budget(epsilon, self.delta), self.records_per_person)
        if asked is None or not FEWEST <= k <= self.seeds:
            return 0
        return most_units_at(_unit(self.seeds), asked, k, MOST_UNITS, percent=1)


def seeds_for_one(epsilon: float, delta: float, records_per_person: int) -> int | None:
    """Return how many seeds one attempt needs at least for a person's (ε, δ); None above 10⁹."""
    asked = for_a_record(Budget(epsilon, delta), records_per_person)
    return None if asked is None else least_seeds(_unit(FEWEST), 1, asked, 10**9)


def for_a_record(person: Budget, records: int) -> Budget | None:
    """Return what is left for each of so many records of a person who may lose so much; None where
    δ is too small to be told from 0."""
    each = person.epsilon / records
    log_delta = math.log(person.delta / records) - (records - 1) * each
    return None if log_delta < _LOG_FINEST else Budget(each, math.exp(log_delta))


def _falling(high: float) -> tuple[float, ...]:
    return tuple(high - step / 4 for step in range(1, 60))


def _unit(seeds: int) -> Unit:
    """Return an attempt of the least cost, with placeholders for k and ε0."""
    return Unit(k=FEWEST, epsilon0=1.0, similarity=1.0, noise="laplace", seeds_at_least=seeds)
