"""The limit on attempts at which a run that needs a fixed number of records stops.

A run of m slots with at most A attempts behaves like the run without a limit, except that it
releases nothing where that would take more than A attempts. Where at least a share c of the
attempts pass, this happens with probability at most β = Pr{Bin(A, c) < m}, under either of two
neighbours, and a guarantee (ε, δ) of the m slots becomes (ε, δ + (1 + e^ε)·β). So A is chosen
beforehand, from public numbers, such that (1 + e^ε)·β fits into a share of δ.
"""

from __future__ import annotations

import math

import numpy as np

from understudy.privacy.accounting.integer_search import first_true

STOP_SHARE = 0.1
"""The share of δ that pays for stopping a run although its pass floor holds."""

_ROUNDING = 2.0**-48


def log_chance(epsilon: float, paid: float) -> float:
    """ln β for the β that costs `paid` of δ beside a guarantee of this ε: (1 + e^ε)·β = paid."""
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
    """ln Pr{Bin(attempts, chance) < records}, rounded up; 0 where that is likelier than not."""
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
    """Pr{X ≤ most} over Pr{X = most}: 1 + r_1 + r_1·r_2 + … with falling ratios r.

    Ten standard deviations further down, what is left is lost in the rounding.
    """
    widest = min(most, (most + rest) / 2)
    spread = math.sqrt(widest * (most + rest - widest) / (most + rest))
    places = np.arange(min(most, int(10 * spread) + 100), dtype=np.float64)
    ratios = (most - places) / (rest + places + 1) * ((1 - chance) / chance)
    return 1.0 + float(np.cumprod(ratios).sum())
