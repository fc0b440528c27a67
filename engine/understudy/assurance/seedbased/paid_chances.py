"""Failure probabilities included in δ: that a run stops early, and that a table has too few seeds.

Both are binomial tails, summed in integers here.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from understudy.assurance.finding import GUARANTEE, NOTHING, Check, Effort, Measured
from understudy.privacy.accounting.unit_counts import attempts_needed, records_needed

_PART = "Chances that are paid for"
_SHARES = (Fraction(1, 100), Fraction(3, 10), Fraction(9, 10))
_CHANCES = (0.1, 1e-6, 1e-15)


def checks() -> tuple[Check, ...]:
    """Return the hard stop, and the public lower bound on the seeds."""
    return (
        Check(
            _PART,
            "a run that stops short",
            "Pr{Bin(A, c) < m} ≤ β for the A that a run of m records may make, c its pass floor",
            GUARANTEE,
            _stops,
        ),
        Check(
            _PART,
            "a table with too few seeds",
            "Pr{Bin(T, p) < n} ≤ the chance paid for, p the share of records that become seeds",
            GUARANTEE,
            _seeds,
        ),
    )


def binomial_below(least: int, trials: int, share: Fraction) -> float:
    """Pr{Bin(trials, share) < least}, exact except for the last division."""
    hit, miss = share.numerator, share.denominator - share.numerator
    ways = sum(math.comb(trials, n) * hit**n * miss ** (trials - n) for n in range(least))
    return float(Fraction(ways, share.denominator**trials))


def _stops(_: Effort) -> Measured:
    total = NOTHING
    for records, floor, beta in product((1, 2, 7, 30), _SHARES, _CHANCES):
        attempts = attempts_needed(records, float(floor), math.log(beta))
        found = binomial_below(records, attempts, floor) / beta
        total |= Measured(1, found, f"m = {records}, c = {floor}, β = {beta:g}")
    return total


def _seeds(_: Effort) -> Measured:
    total = NOTHING
    for seeds, share, miss in product((1, 5, 40), _SHARES, _CHANCES):
        records = records_needed(seeds, float(share), miss)
        found = binomial_below(seeds, records, share) / miss
        total |= Measured(1, found, f"n = {seeds}, p = {share}, a chance of {miss:g}")
    return total
