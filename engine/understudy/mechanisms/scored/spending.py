"""Settings that keep to an ε: attempts and tests that one total allows.

The parts of a run see disjoint records, so the larger of the two is what it costs: attempts up to
the ε of the proposer add nothing. At a k, the planner finds the noise on k with which most attempts
fit. How many of them pass depends on the records, and is not foreseen here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.privacy.accounting.guarantee import record_delta
from understudy.privacy.accounting.unit_counts import MISS_SHARE, seeds_from_records
from understudy.privacy.budget import Budget
from understudy.privacy.planning.planner import most_units, smallest_k
from understudy.privacy.planning.question import SEEDLESS, Question
from understudy.privacy.planning.search import for_a_record
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.table.schema import Schema

_WHOLE: Final = "a whole table by seedbased synthesis, which tests no row"


def list_budgeted(plan: MechanismPlan) -> tuple[str, ...]:
    """Return the names of the settings that follow; see `understudy.mechanisms.spending`."""
    return ("epsilon", "test.k", "test.epsilon0", "seeds_at_least")


def spend(plan: MechanismPlan, schema: Schema, epsilon: float) -> Mapping[str, Any]:
    """Return the settings that keep to an ε: that of the proposer, the smallest k with which as
    many attempts do, with its noise, and the seeds that are certain where it is publicly known how
    many records there are.

    Raises:
        Refusal: no k does.
    """
    assert isinstance(plan, ScoredPlan)
    each = for_a_record(Budget(epsilon, plan.delta), plan.records_per_person)
    if each is None:
        raise Refusal(
            f"With {plan.records_per_person:,} records of one person, nothing keeps to "
            f"δ = {plan.delta:g}.",
            "Choose a larger δ, or say that one person has fewer.",
            field="delta",
        )
    aside = MISS_SHARE * each.delta
    seeds = plan.seeds_at_least
    if plan.public_records is not None:
        seeds = max(1, seeds_from_records(plan.public_records, plan.seeds, aside))
    gamma = plan.test.gamma if isinstance(plan.test, PlausibleDeniability) else 4.0
    question = Question(
        epsilon=each.epsilon,
        delta=each.delta - aside,
        count=plan.attempts,
        kind=plan.test.kind,
        gamma=gamma,
        seeds_at_least=seeds,
    )
    try:
        found = smallest_k(question)
    except Refusal as refusal:
        remedy = refusal.remedy.replace(SEEDLESS, _WHOLE)
        raise Refusal(refusal.problem, remedy, field=refusal.field) from None
    return {
        "epsilon": each.epsilon,
        "test.k": found.k,
        "test.epsilon0": found.epsilon0,
        "seeds_at_least": seeds,
    }


LADDER: Final = (50, 100, 200, 500, 1_000, 2_000, 5_000, 8_000, 20_000, 50_000)
"""What is tried of k where nobody says."""


@dataclass(frozen=True)
class Affordable:
    """The most attempts at a k.

    Attributes:
        k: how many plausible seeds a candidate needs.
        plan: the plan with that k, the noise on it, and so many attempts.
    """

    k: int
    plan: ScoredPlan

    @property
    def attempts(self) -> int:
        """How many there are."""
        return self.plan.attempts

    @property
    def epsilon0(self) -> float:
        """1/ε0 is the scale of the noise on k."""
        assert self.plan.test.epsilon0 is not None
        return self.plan.test.epsilon0


def affordable(plan: ScoredPlan, k: int) -> Affordable:
    """Return the most attempts at this k, with the test of the plan and as many seeds as are
    certain.

    Args:
        plan: its test, ε, δ, and what is publicly known count; not its attempts.
        k: how many plausible seeds a candidate needs.

    Raises:
        Refusal: not one attempt fits.
    """

    def total_at(delta: float) -> Budget:
        return Budget(plan.epsilon, delta)

    delta = record_delta(total_at, plan.records_per_person, plan.delta)
    seeds = _seeds(plan, delta)
    gamma = plan.test.gamma if isinstance(plan.test, PlausibleDeniability) else None
    question = Question(
        epsilon=plan.epsilon,
        delta=(1 - MISS_SHARE) * delta,
        count=1,
        kind=plan.test.kind,
        gamma=4.0 if gamma is None else gamma,
        seeds_at_least=seeds,
    )
    found = most_units(question, k)
    changed = {"test": found.test, "attempts": found.account.count, "seeds_at_least": seeds}
    return Affordable(k, plan.model_copy(update=changed))


def ladder(plan: ScoredPlan, steps: tuple[int, ...] = LADDER) -> tuple[Affordable, ...]:
    """Return the most attempts at each k at which one fits.

    Raises:
        Refusal: none fits at any.
    """
    found, last = [], None
    for k in steps:
        try:
            found.append(affordable(plan, k))
        except Refusal as refusal:
            last = refusal
    if not found and last is not None:
        raise last
    return tuple(found)


def _seeds(plan: ScoredPlan, delta: float) -> int:
    """Return the seeds that are certain: as many as the plan counts on, or as follow from how many
    records are publicly known, whichever are more."""
    if plan.public_records is None:
        return plan.seeds_at_least
    known = seeds_from_records(plan.public_records, plan.seeds, MISS_SHARE * delta)
    return max(known, plan.seeds_at_least)
