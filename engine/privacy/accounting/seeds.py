"""How many records a table must have for enough of them to become seeds.

Each record becomes a seed by its own coin, so the number of seeds is random. A public lower
bound on the *records* gives one on the seeds, but for a small chance, which δ pays for.
"""

from __future__ import annotations

from scipy.special import bdtr

MISS_SHARE = 0.1
"""The share of δ set aside for there being fewer seeds than counted on."""


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
        return float(bdtr(seeds_at_least - 1, records, share)) <= miss

    low, high = seeds_at_least - 1, max(seeds_at_least, 2)
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
