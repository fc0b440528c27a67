"""How many records a table must have for enough of them to become seeds.

Each record becomes a seed by its own coin, so the number of seeds is random. A public lower
bound on the *records* gives one on the seeds except with a small probability, which is added to δ.
"""

from __future__ import annotations

import math

from scipy.special import betainc

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.integer_search import first_true

MOST_KNOWN = 10**18
"""The largest lower bound on records or seeds that is accepted; no table has as many."""

MISS_SHARE = 0.1
"""The share of δ that pays for fewer seeds than assumed."""


def chance_of_fewer(seeds: int, records: int, share: float) -> float:
    """Pr{Bin(records, share) < seeds}, as the regularised incomplete beta function, whose
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


def seeds_known(records: int, share: float, miss: float) -> int:
    """Return the largest number of seeds that so many records give, except with probability `miss`;
    0 where not even one is that certain.

    Args:
        records: at least 1.
        share, miss: as of `records_needed`.
    """
    return (
        first_true(lambda seeds: chance_of_fewer(seeds, records, share) > miss, 1, records + 1) - 1
    )
