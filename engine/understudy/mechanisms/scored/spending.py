"""What follows from what may be spent on a person: the test that its attempts can pay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.privacy.accounting.unit_counts import MISS_SHARE, seeds_known
from understudy.privacy.budget import Budget
from understudy.privacy.planning.planner import smallest_k
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
        seeds = max(1, seeds_known(plan.public_records, plan.seeds, aside))
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
