"""What candidates that are tested against seeds can come to at most, for whole people.

However good a model is, a candidate has no more plausible seeds than there are seeds. So k is at
most their number, and the least that one attempt costs at that k is a floor under every plan. It is
sought over every t, ε0 and division of δ, for a similarity g of 1, which relative sensitivity has
and the γ of plausible deniability comes near, and Laplace noise, whose constant C = ½ is the
smaller.

A person with g records pays (g·ε, g·e^((g−1)ε)·δ) of the (ε, δ) of one record, so one record is
left (E/g, D/g·e^(−(g−1)E/g)) of a person's (E, D).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.optimize import brentq

from understudy.privacy.accounting.checks import MOST_UNITS
from understudy.privacy.accounting.unit import Unit
from understudy.privacy.budget import Budget
from understudy.privacy.planning.least_total import least_total
from understudy.privacy.planning.search import least_seeds, most_units_at

FEWEST = 2
"""The smallest k of a test."""

_LARGEST = 1_000.0
_LEAST = 1e-6
_LOG_FINEST = math.log(1e-300)


@dataclass(frozen=True)
class Reach:
    """Seeds that are certain, and whose they are.

    Attributes:
        seeds: how many there are for certain.
        records_per_person: the most records of one person, g.
        delta: what may be added for one person.
    """

    seeds: int
    records_per_person: int
    delta: float

    def least_epsilon(self) -> float:
        """Return the smallest ε for one person that a single attempt comes to; infinite where none
        does up to 1,000."""
        if self.seeds < FEWEST:
            return math.inf

        def over(log_epsilon: float) -> float:
            epsilon = math.exp(log_epsilon)
            asked = for_a_record(Budget(epsilon, self.delta), self.records_per_person)
            if asked is None:
                return math.inf
            total = least_total(_unit(self.seeds), 1, asked.delta, self.seeds).total
            return total * self.records_per_person / epsilon - 1

        low, high = math.log(_LEAST), math.log(_LARGEST)
        if over(high) > 0:
            # A larger ε leaves less δ for a record; a smaller one may still do.
            high = next((each for each in _falling(high) if over(each) <= 0), math.nan)
            if math.isnan(high):
                return math.inf
        if over(low) <= 0:
            return _LEAST
        return math.exp(float(brentq(over, low, high, xtol=1e-6)))

    def most_attempts(self, epsilon: float, k: int) -> int:
        """Return how many attempts a person's ε pays for at most at this k, which no more seeds can
        be needed than there are; 0 for none."""
        asked = for_a_record(Budget(epsilon, self.delta), self.records_per_person)
        if asked is None or not FEWEST <= k <= self.seeds:
            return 0
        return most_units_at(_unit(self.seeds), asked, k, MOST_UNITS, percent=1)


def seeds_for_one(epsilon: float, delta: float, records_per_person: int) -> int | None:
    """Return how many seeds one attempt needs at least for a person's (ε, δ); None above 10⁹."""
    asked = for_a_record(Budget(epsilon, delta), records_per_person)
    return None if asked is None else least_seeds(_unit(FEWEST), 1, asked, 10**9)


def for_a_record(person: Budget, records: int) -> Budget | None:
    """Return what is left for each of so many records of a person who may lose so much; None where
    δ is too small to be told from 0."""
    each = person.epsilon / records
    log_delta = math.log(person.delta / records) - (records - 1) * each
    return None if log_delta < _LOG_FINEST else Budget(each, math.exp(log_delta))


def _falling(high: float) -> tuple[float, ...]:
    return tuple(high - step / 4 for step in range(1, 60))


def _unit(seeds: int) -> Unit:
    """Return an attempt of the least cost, with placeholders for k and ε0."""
    return Unit(k=FEWEST, epsilon0=1.0, similarity=1.0, noise="laplace", seeds_at_least=seeds)
