"""Confidence intervals of a difference of two proportions, by Newcombe from Wilson scores.

Newcombe (1998), Statistics in Medicine 17: 873–890 for shares of two groups, 2635–2650 for two
shares of one group. Unlike the normal interval they are valid where a proportion is 0 or 1.
"""

from __future__ import annotations

import math

from scipy import special

from understudy.evaluation.finding import LEVEL, Interval

_QUANTILE = float(special.ndtri((1 + LEVEL) / 2))


def wilson(successes: int, trials: int) -> Interval:
    """Wilson's score interval of a proportion; [0, 1] for no trials."""
    if trials == 0:
        return Interval(0.0, 1.0)
    share, z = successes / trials, _QUANTILE**2 / trials
    middle = (share + z / 2) / (1 + z)
    reach = _QUANTILE * math.sqrt((share * (1 - share) + z / 4) / trials) / (1 + z)
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach))


def two_groups(successes: int, trials: int, others: int, other_trials: int) -> Interval:
    """Return where the share of one group less that of another lies (Newcombe's method 10)."""
    if not trials or not other_trials:
        return Interval(-1.0, 1.0)
    return _combined((successes, trials), (others, other_trials), 0.0)


def one_group(both: int, first: int, second: int, neither: int) -> Interval:
    """Return where the share with one property less the share with another lies (method 10 for
    pairs).

    Args:
        both: how many have both properties.
        first, second: how many have this one only.
        neither: how many have none.
    """
    trials = both + first + second + neither
    if not trials:
        return Interval(-1.0, 1.0)
    return _combined(
        (both + first, trials), (both + second, trials), _correlation(both, first, second, neither)
    )


def _combined(one: tuple[int, int], other: tuple[int, int], correlation: float) -> Interval:
    here, there = one[0] / one[1], other[0] / other[1]
    a, b = wilson(*one), wilson(*other)
    down = _length(here - a.low, b.high - there, correlation)
    up = _length(a.high - here, there - b.low, correlation)
    return Interval(max(-1.0, here - there - down), min(1.0, here - there + up))


def _length(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one**2 - 2 * correlation * one * other + other**2))


def _correlation(both: int, first: int, second: int, neither: int) -> float:
    """φ with the continuity correction of the method where it is positive."""
    trials = both + first + second + neither
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    product = both * neither - first * second
    if margins == 0:
        return 0.0
    return (max(0.0, product - trials / 2) if product > 0 else product) / math.sqrt(margins)
