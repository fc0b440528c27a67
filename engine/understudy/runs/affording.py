"""Cheaper plans, for a run that would exceed the budget."""

from __future__ import annotations

from understudy.ledger.book import Balance
from understudy.mechanisms.mechanism import CheaperPlan
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import mechanism_of
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.runs.debit import spend_of
from understudy.table.schema import Schema


def within(plan: MechanismPlan, schema: Schema, before: Balance) -> tuple[CheaperPlan, ...]:
    """Return the plans nearest to one that exceeds the budget of a dataset, each of which does not.

    Args:
        plan: the one that exceeds it.
        schema: the columns.
        before: what was spent on the dataset so far, and its budget.
    """
    budget = before.dataset.budget

    def holds(guarantee: Guarantee) -> bool:
        spend = spend_of(guarantee)
        return budget is None or (spend is not None and before.adding(spend).fits(budget))

    return mechanism_of(plan).cheaper(plan, schema, holds)
