"""Counts that follow from public numbers: the records that become seeds, and the attempts after
which a run stops; with the searches over integers that find them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import betainc

from understudy.core.refusal import Refusal

# Searches over the integers: for a minimum, for a sign change, for the first true.

_GALLOP = 8


def argmin(value: Callable[[int], float], low: int, high: int) -> int:
    """Return the minimiser of a unimodal function on `low` … `high`, by Fibonacci search."""
    known = cache(lambda place: value(place) if place <= high else math.inf)
    short, long = 1, 2
    while long < high - low + 2:
        short, long = long, short + long
    before = low - 1
    while long > 2:
        if known(before + long - short) > known(before + short):
            before += long - short
        short, long = long - short, short
    return before + 1


def first_true(enough: Callable[[int], bool], low: int, likely: int) -> int:
    """Return the smallest integer from `low` on at which a predicate is true, by doubling and
    bisection.

    Args:
        enough: false up to some number and true from there on.
        low: the first candidate.
        likely: where to look first, `low` or more.
    """
    before, high = low - 1, likely
    while not enough(high):
        before, high = high, 2 * high
    while high - before > 1:
        middle = (before + high) // 2
        before, high = (before, middle) if enough(middle) else (middle, high)
    return high


def crossing(
    over: Callable[[int], float], low: int, high: int, near: int, *, within: float = 0.0
) -> tuple[int, int]:
    """Return the two neighbouring integers between which a falling function becomes 0 or negative.

    Args:
        over: falls, roughly linearly in the logarithm of its argument; need not be finite.
        low, high: 1 ≤ low ≤ high; `over` is asked for nothing beyond.
        near: where to look first.
        within: how far apart the two may be, as a share of the smaller.

    Returns:
        The last number at which it is above 0, low − 1 if there is none; and the first at which it
        is not, high + 1 if there is none.
    """
    known = cache(over)
    left, right = _gallop(known, min(max(near, low), high), low, high)
    while right - left > max(1, within * left):
        place = _between(left, right, known(left), known(right))
        left, right = _gallop(known, place, left + 1, right - 1)
    return left, right


def _gallop(known: Callable[[int], float], place: int, low: int, high: int) -> tuple[int, int]:
    """Return two numbers that bracket the sign change, by growing steps from `place`; one beyond
    `low` or `high` where it is not inside."""
    step = 1
    if known(place) > 0:
        while place < high and known(following := min(place + step, high)) > 0:
            place, step = following, _GALLOP * step
        return (place, following) if place < high else (high, high + 1)
    while place > low and known(following := max(place - step, low)) <= 0:
        place, step = following, _GALLOP * step
    return (following, place) if place > low else (low - 1, low)


def _between(left: int, right: int, over_left: float, over_right: float) -> int:
    """Return where the line through two ends passes zero, on a logarithmic scale; the middle where
    an end is infinite."""
    share = 0.5
    if math.isfinite(over_left) and math.isfinite(over_right):
        share = over_left / (over_left - over_right)
    low, high = math.log(left), math.log(right)
    return min(max(round(math.exp(low + share * (high - low))), left + 1), right - 1)


# How many records a table must have for enough of them to become seeds.
#
# Each record becomes a seed by its own coin, so the number of seeds is random. A public lower bound
# on the *records* gives one on the seeds except with a small probability, which is added to δ.

MOST_KNOWN = 10**18
"""The largest lower bound on records or seeds that is accepted; no table has as many."""

MISS_SHARE = 0.1
"""The share of δ that pays for fewer seeds than assumed."""


def chance_of_fewer(seeds: int, records: int, share: float) -> float:
    """Return Pr{Bin(records, share) < seeds}, as the regularised incomplete beta function, whose
    arguments are real: no count is too large for it.

    Args:
        seeds: at least 1.
        records: the number of coins.
        share: the probability of each, in (0, 1].
    """
    if records < seeds:
        return 1.0
    if share == 1:
        return 0.0
    return float(betainc(records - seeds + 1.0, float(seeds), 1 - share))


def records_needed(seeds_at_least: int, share: float, miss: float) -> int:
    """Return the smallest number of records that gives that many seeds, except with probability
    `miss`.

    The smallest T with Pr{Bin(T, share) < seeds_at_least} ≤ miss; with more records the chance
    only shrinks.

    Args:
        seeds_at_least: the number of seeds that is assumed, at least 1.
        share: the probability with which a record becomes a seed, in (0, 1].
        miss: the probability that δ pays for, in (0, 1).

    Raises:
        Refusal: more than `MOST_KNOWN`.
    """
    if seeds_at_least / MOST_KNOWN > share:
        raise Refusal(
            f"No table has so many records that {seeds_at_least:,} of them become seeds where the "
            f"chance of each is {share:.3g}.",
            "Give the seeds a larger share, or count on fewer of them.",
            field="seeds_at_least",
        )

    def enough(records: int) -> bool:
        return chance_of_fewer(seeds_at_least, records, share) <= miss

    likely = max(seeds_at_least, math.ceil(seeds_at_least / share))
    return first_true(enough, seeds_at_least, likely)


def seeds_from_records(records: int, share: float, miss: float) -> int:
    """Return the largest number of seeds that so many records give, except with probability `miss`;
    0 where not even one is that certain.

    Args:
        records: at least 1.
        share, miss: as of `records_needed`.
    """
    return (
        first_true(lambda seeds: chance_of_fewer(seeds, records, share) > miss, 1, records + 1) - 1
    )


# The limit on attempts at which a run that needs a fixed number of records stops.
#
# A run of m slots with at most A attempts behaves like the run without a limit, except that it
# releases nothing where that would take more than A attempts. Where at least a share c of the
# attempts pass, this happens with probability at most β = Pr{Bin(A, c) < m}, under either of two
# neighbours, and a guarantee (ε, δ) of the m slots becomes (ε, δ + (1 + e^ε)·β). So A is chosen
# beforehand, from public numbers, such that (1 + e^ε)·β fits into a share of δ.

STOP_SHARE = 0.1
"""The share of δ that pays for stopping a run although its pass floor holds."""

_ROUNDING = 2.0**-48


def log_chance(epsilon: float, paid: float) -> float:
    """Return ln β for the β that costs `paid` of δ beside a guarantee of this ε: (1 + e^ε)·β =
    paid."""
    return math.log(paid) - epsilon - math.log1p(math.exp(-epsilon))


def attempts_needed(records: int, pass_floor: float, log_chance: float) -> int:
    """Return the smallest A that gives so many records, except with probability e^`log_chance` at
    most.

    The smallest A with Pr{Bin(A, c) < m} ≤ β; the probability falls with A and with c.

    Args:
        records: m, at least 1.
        pass_floor: c, in (0, 1].
        log_chance: ln β, below 0; β itself may be far too small for a float.
    """
    if pass_floor == 1:
        return records

    def enough(attempts: int) -> bool:
        return log_too_few(records, attempts, pass_floor) <= log_chance

    return first_true(enough, records, max(records, math.ceil(records / pass_floor)))


def log_too_few(records: int, attempts: int, chance: float) -> float:
    """Return ln Pr{Bin(attempts, chance) < records}, rounded up; 0 where that is likelier than
    not."""
    most = records - 1
    if attempts <= most or most >= attempts * chance:
        return 0.0
    rest = attempts - most
    large = math.lgamma(attempts + 1)
    log_last = large - math.lgamma(most + 1) - math.lgamma(rest + 1)
    log_last += most * math.log(chance) + rest * math.log1p(-chance)
    # Each lgamma and each product is right to a few parts in 2^50 of the largest of them.
    return min(0.0, log_last + math.log(_terms(most, rest, chance)) + _ROUNDING * (large + rest))


def _terms(most: int, rest: int, chance: float) -> float:
    """Return Pr{X ≤ most} over Pr{X = most}: 1 + r_1 + r_1·r_2 + … with falling ratios r.

    Ten standard deviations further down, what is left is lost in the rounding.
    """
    widest = min(most, (most + rest) / 2)
    spread = math.sqrt(widest * (most + rest - widest) / (most + rest))
    places = np.arange(min(most, int(10 * spread) + 100), dtype=np.float64)
    ratios = (most - places) / (rest + places + 1) * ((1 - chance) / chance)
    return 1.0 + float(np.cumprod(ratios).sum())
