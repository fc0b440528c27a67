"""Searching whole numbers: for a minimum, for a zero, and for the first that is enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

_GALLOP = 8


def lowest(value: Callable[[int], float], low: int, high: int) -> int:
    """Where a function that falls and then rises is smallest, from `low` to `high`.

    By Fibonacci sections, each of which asks for one new value.
    """
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


def first(enough: Callable[[int], bool], low: int, likely: int) -> int:
    """The smallest number from `low` on that is enough, by doubling and bisection.

    Args:
        enough: false up to some number and true from there on.
        low: the first number that counts.
        likely: where to look first, `low` or more.
    """
    before, high = low - 1, likely
    while not enough(high):
        before, high = high, 2 * high
    while high - before > 1:
        middle = (before + high) // 2
        before, high = (before, middle) if enough(middle) else (middle, high)
    return high


def ends(
    over: Callable[[int], float], low: int, high: int, near: int, *, within: float = 0.0
) -> tuple[int, int]:
    """Two neighbouring numbers that a function falls to 0 or less between.

    Args:
        over: falls, roughly linearly in the logarithm of its argument; need not be finite.
        low, high: 1 ≤ low ≤ high; `over` is asked for nothing beyond.
        near: where to look first.
        within: how far apart they may be after all, as a share of the smaller.

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
    """Two numbers that the fall ends between, going from `place` in ever longer steps; the one
    beyond `low` or `high` if it ends there."""
    step = 1
    if known(place) > 0:
        while place < high and known(following := min(place + step, high)) > 0:
            place, step = following, _GALLOP * step
        return (place, following) if place < high else (high, high + 1)
    while place > low and known(following := max(place - step, low)) <= 0:
        place, step = following, _GALLOP * step
    return (following, place) if place > low else (low - 1, low)


def _between(left: int, right: int, over_left: float, over_right: float) -> int:
    """Where the line through two ends passes zero, on a logarithmic scale; half way where an end
    has no height."""
    share = 0.5
    if math.isfinite(over_left) and math.isfinite(over_right):
        share = over_left / (over_left - over_right)
    low, high = math.log(left), math.log(right)
    return min(max(round(math.exp(low + share * (high - low))), left + 1), right - 1)
