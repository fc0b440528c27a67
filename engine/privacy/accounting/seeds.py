"""How many records a table must have for enough of them to become seeds.

Each record becomes a seed by its own coin, so the number of seeds is random. A public lower
bound on the *records* gives one on the seeds, but for a small chance, which δ pays for.
"""

from __future__ import annotations

import math

from scipy.special import betainc

MOST_KNOWN = 10**18
"""The largest number of records or seeds that can be known of a table; none has as many."""

MISS_SHARE = 0.1
"""The share of δ set aside for there being fewer seeds than counted on."""


def fewer(seeds: int, records: int, share: float) -> float:
    """Pr{Bin(records, share) < seeds}, as the regularised incomplete beta function, whose
    arguments are real: no count is too large for it.

    Args:
        seeds: at least 1.
        records: how many coins are thrown.
        share: the chance of each, in (0, 1].
    """
    if records < seeds:
        return 1.0
    if share == 1:
        return 0.0
    return float(betainc(records - seeds + 1.0, float(seeds), 1 - share))


def records_needed(seeds_at_least: int, share: float, miss: float) -> int:
    """The smallest number of records that gives that many seeds, but for a chance of `miss`.

    The smallest T with Pr{Bin(T, share) < seeds_at_least} ≤ miss; with more records the chance
    only shrinks.

    Args:
        seeds_at_least: the number of seeds that is counted on, at least 1.
        share: the probability with which a record becomes a seed, in (0, 1].
        miss: the chance that is paid for, in (0, 1).
    """

    def enough(records: int) -> bool:
        return fewer(seeds_at_least, records, share) <= miss

    low, high = seeds_at_least - 1, max(seeds_at_least, math.ceil(seeds_at_least / share))
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def seeds_known(records: int, share: float, miss: float) -> int:
    """The largest number of seeds that so many records give, but for a chance of `miss`; 0 where
    not even one is that sure.

    Args:
        records: at least 1.
        share, miss: as of `records_needed`.
    """
    low, high = 0, records + 1
    while high - low > 1:
        middle = (low + high) // 2
        enough = fewer(middle, records, share) <= miss
        low, high = (middle, high) if enough else (low, middle)
    return low
