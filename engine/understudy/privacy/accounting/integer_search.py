"""Searches over the integers: for a minimum, for a sign change, for the first true."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

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
