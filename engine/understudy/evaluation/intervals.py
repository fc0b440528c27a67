"""Confidence intervals of measures at `LEVEL`: exact for counts, Newcombe's for differences of two
proportions, by jackknife for the rest.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.proportion import exact_interval
from understudy.evaluation.measure import LEVEL, Interval

# Confidence intervals of measures at `LEVEL`: exact for counts, by jackknife for the rest.

BLOCKS = 20
"""The number of blocks of `block_jackknife`."""


def clopper_pearson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Return the exact interval of a probability from counts (Clopper and Pearson 1934).

    It covers at least `level` whatever the probability is; [0, 1] for no trials.
    """
    return Interval(*exact_interval(successes, trials, level))


def advantage(successes: int, trials: int) -> Interval:
    """Return the interval of an advantage 2|a − ½|, from how many of `trials` guesses were right.

    The low end is 0 where guessing (a = ½) is not ruled out.
    """
    right = clopper_pearson(successes, trials)
    ends = sorted((2 * abs(right.low - 0.5), 2 * abs(right.high - 0.5)))
    return Interval(0.0 if right.low <= 0.5 <= right.high else ends[0], ends[1])


def block_jackknife(value: float, without: FloatArray) -> Interval:
    """Return the interval of a statistic, from its values with one block of the records left out.

    se² = (B − 1)/B Σ(θ_b − θ̄)², and the normal quantile on either side of `value`. It covers
    the sampling of records, not the bias from their number.

    Args:
        value: the statistic of all the records.
        without: (B,) the statistic without each block, B at least 2. Blocks must be of nearly
            equal size and dealt at random.
    """
    blocks = len(without)
    error = math.sqrt((blocks - 1) / blocks * float(np.square(without - without.mean()).sum()))
    return normal(value, error)


def half_samples(value: float, halves: FloatArray) -> Interval:
    """Return the interval of an unstable statistic, from its values on random halves of the
    records.

    The delete-half jackknife (Shao and Wu 1989): half the records vary about the whole as much
    as the whole about what it was drawn from, so se is the standard deviation of `halves`. It is
    for statistics that a few records can change much, such as a tree's splits, of which the block
    jackknife overstates the spread threefold.

    Args:
        value: the statistic of all the records.
        halves: at least two values, each of a half drawn at random without replacement.
    """
    return normal(value, float(halves.std(ddof=1)))


def normal(value: float, error: float) -> Interval:
    """Return the interval of a value with this standard error, as of a normal distribution."""
    reach = float(special.ndtri((1 + LEVEL) / 2)) * error
    return Interval(value - reach, value + reach)


def mean(values: FloatArray) -> Interval:
    """Return the interval of the mean of independent values, at least 2, by Student's t."""
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    reach = float(special.stdtrit(len(values) - 1, (1 + LEVEL) / 2)) * error
    return Interval(float(values.mean()) - reach, float(values.mean()) + reach)


def cut_to_range(interval: Interval, low: float, high: float) -> Interval:
    """Return the interval, cut to the range of its measure."""
    return Interval(min(max(interval.low, low), high), min(max(interval.high, low), high))


def hull(one: Interval, other: Interval) -> Interval:
    """Return the smallest interval that holds both."""
    return Interval(min(one.low, other.low), max(one.high, other.high))


def deal(count: int, random: np.random.Generator, blocks: int = BLOCKS) -> IntArray:
    """Return (count,) a random block for each record, the blocks as equal in size as possible."""
    return random.permutation(np.arange(count, dtype=np.int64) % blocks)


# Confidence intervals of a difference of two proportions, by Newcombe from Wilson scores.
#
# Newcombe (1998), Statistics in Medicine 17: 873–890 for shares of two groups, 2635–2650 for two
# shares of one group. Unlike the normal interval they are valid where a proportion is 0 or 1.

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
    return _combine_intervals((successes, trials), (others, other_trials), 0.0)


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
    return _combine_intervals(
        (both + first, trials), (both + second, trials), _correlation(both, first, second, neither)
    )


def _combine_intervals(
    one: tuple[int, int], other: tuple[int, int], correlation: float
) -> Interval:
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
