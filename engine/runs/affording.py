"""What a budget still holds where it does not hold a run: plans that take less."""

from __future__ import annotations

from engine.ledger.book import Balance
from engine.mechanisms.mechanism import Cheaper
from engine.mechanisms.plan import MechanismPlan
from engine.mechanisms.registry import mechanism_of
from engine.privacy.accounting.guarantee import Guarantee
from engine.runs.debit import spend_of
from engine.table.schema import Schema


def within(plan: MechanismPlan, schema: Schema, before: Balance) -> tuple[Cheaper, ...]:
    """The plans nearest to one that a budget does not hold, each of which it does hold.

    Args:
        plan: what was asked for.
        schema: the columns.
        before: what was spent on the dataset so far, and its budget.
    """
    budget = before.dataset.budget

    def holds(guarantee: Guarantee) -> bool:
        spend = spend_of(guarantee)
        return budget is None or (spend is not None and before.adding(spend).fits(budget))

    return mechanism_of(plan).cheaper(plan, schema, holds)
