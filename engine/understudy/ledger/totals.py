"""How runs of different kinds add up.

Each run assigns the same records afresh to its parts, so nothing is disjoint between two runs:
their guarantees are composed. Somebody who has read one release may choose the settings of the
next by it, and how many there will be. The plain sum holds all the same (Rogers, Roth, Ullman and
Vadhan 2016); optimal composition does not, as it is proved for figures fixed beforehand. So the
plain sum is what counts against a budget.

Figures for unlike neighbours are not added: a figure between tables in which records are added or
removed is turned into one between tables in which they are replaced, where one of the runs has no
other (`understudy.privacy.accounting.guarantee`), and never the other way.

Totals are between tables. Where all runs claim that the table is a secret sample, there is a
figure between populations beside it. A secret sample is the same sample in all runs, so they are
composed first and the whole is amplified once. Adding up amplified figures would understate it:
two runs that tell ε-privately whether somebody is in the sample come to ln(1 + p(e^{2ε} − 1))
together, more than 2·ln(1 + p(e^ε − 1)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from understudy.privacy.accounting.composition import (
    amplified_by_sampling,
    optimal_mixed,
    plain_sum,
)
from understudy.privacy.accounting.guarantee import common, convert_budget, group_privacy
from understudy.privacy.budget import Budget, Neighbours


@dataclass(frozen=True)
class Spend:
    """What one run adds to a total.

    Attributes:
        record: the (ε, δ) of the whole run between tables that differ by one record.
        records_per_person: g, the most records that one person may have.
        sampling: p, the chance with which each member of a population got into the table, where
            the table is a secret sample; None where that is not claimed.
        neighbours: how the tables differ that `record` is about.
        whole_people: whether `record` is about all records of a person together already, however
            many they are.
    """

    record: Budget
    records_per_person: int = 1
    sampling: float | None = None
    neighbours: Neighbours = Neighbours.TABLES
    whole_people: bool = False


def find_neighbours(spends: Sequence[Spend]) -> Neighbours:
    """Return how the tables differ that a total of runs is about."""
    return common({spend.neighbours for spend in spends})


def add_up(spends: Sequence[Spend], wanted: Neighbours | None = None) -> Budget:
    """Return what runs on the same records come to between tables that differ by the records of one
    person, however their settings were chosen.

    Args:
        spends: one for each run; none at all cost nothing.
        wanted: how those tables differ; the `find_neighbours` of the runs if left out.

    Returns:
        The plain sum. Unbounded where so many records of one person leave nothing promised, or a
        run promises nothing between such tables.
    """
    return plain_sum(share_total(spends, wanted or find_neighbours(spends)))


def can_add_up(spends: Sequence[Spend], allowed: Neighbours) -> bool:
    """Return whether every run promises something between such tables."""
    return all(convert_budget(each.record, each.neighbours, allowed) is not None for each in spends)


def add_up_population(spends: Sequence[Spend]) -> Budget | None:
    """Return what the same runs come to between populations that differ by one member; None where
    one of them does not claim a secret sample, or nothing is promised."""
    whole, chance = add_up(spends), _chance(spends)
    if find_neighbours(spends) is not Neighbours.TABLES:
        return None
    return None if chance is None or not whole.bounded else amplified_by_sampling(whole, chance)


def compose_fixed(spends: Sequence[Spend], delta: float) -> Budget:
    """Return what the same runs would come to at a total δ, had all their settings, and their
    number, been fixed before the first: the smaller of the plain sum and optimal composition.

    Unbounded where no ε holds at that δ.
    """
    whole = optimal_mixed(
        share_total(spends, find_neighbours(spends)), min(delta, math.nextafter(1.0, 0.0))
    )
    return Budget(whole.epsilon, min(whole.delta, delta)) if whole.bounded else whole


def total_alone(spend: Spend) -> Budget:
    """Return what one run promises by itself."""
    return add_up([spend])


def fits_budget(
    spends: Sequence[Spend], budget: Budget, allowed: Neighbours = Neighbours.TABLES
) -> bool:
    """Return whether runs on the same records stay within a budget, for one person.

    Args:
        spends: one for each run.
        budget: what is allowed.
        allowed: between which tables it is allowed. Runs that promise nothing between those do
            not stay within it.
    """
    whole = add_up(spends, allowed)
    return whole.bounded and whole.epsilon <= budget.epsilon and whole.delta <= budget.delta


def share_total(spends: Sequence[Spend], wanted: Neighbours) -> list[Budget]:
    """Return what each run adds to the total: its figure between the tables that the total is
    about, for all the records that one person may have in any of the runs.

    Args:
        spends: one for each run.
        wanted: the neighbours that are asked about.
    """
    most = max((spend.records_per_person for spend in spends), default=1)

    def of(spend: Spend) -> Budget:
        found = convert_budget(spend.record, spend.neighbours, wanted) or Budget.unbounded()
        return found if spend.whole_people else group_privacy(found, most)

    return [of(spend) for spend in spends]


def _chance(spends: Sequence[Spend]) -> float | None:
    """Return the largest p of those that the runs claim; None where one of them claims none."""
    claimed = [spend.sampling for spend in spends]
    known = [each for each in claimed if each is not None]
    return max(known) if claimed and len(known) == len(claimed) else None
