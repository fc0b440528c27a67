"""How long learning the model and drawing the rows takes, from public numbers alone."""

from __future__ import annotations

from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.seedbased.foresight import learning_time
from understudy.mechanisms.seedbased.learning import promised_terms
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.relating import known_records


def seconds(decided: PlannedRun[Plan]) -> float | None:
    """Return about how many seconds a plan takes; None for a model of another's, of which nothing
    is known beforehand."""
    plan, made = decided.plan, decided.guarantee.account_as(Promise)
    terms = promised_terms(plan, decided.schema, made)
    records = known_records(plan, made, None)
    found = plan.model.learner.foreseen(terms, records, plan.attempts)
    return None if found is None else learning_time(plan, decided.schema, made, found, records)
