"""How far off a plan's model will be by noise and chance alone, before anything is spent.

Public numbers only: the schema, the budget, the shares, and how many records the table is publicly
known to have.
"""

from __future__ import annotations

from engine.mechanisms.seedbased.learning import promised_terms
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import Promise
from engine.models.bayesnet.as_learner import PublishedNetwork
from engine.models.predicted import Predicted
from engine.privacy.budget import Budget
from engine.table.schema import Schema


def foreseen(
    plan: Plan, schema: Schema, made: Promise, records: int, rows: int
) -> Predicted | None:
    """What noise and chance will set apart in the records that a plan's model draws.

    Args:
        plan: the settings.
        schema: what it was made for.
        made: what it promises.
        records: how many records the table has.
        rows: how many records are drawn.

    Returns:
        None for a model of another's, of which nothing is known beforehand.
    """
    return plan.model.learner.foreseen(promised_terms(plan, schema, made), records, rows)


def as_published(schema: Schema, budget: Budget) -> Budget:
    """What the noise of the published network costs by the formula it was published with, where
    it keeps to this budget by ours."""
    return PublishedNetwork().published_cost(schema, budget)


def learning_time(
    plan: Plan, schema: Schema, made: Promise, found: Predicted, records: int
) -> float:
    """About how many seconds a plan's model and rows take on one core of a usual machine."""
    terms = promised_terms(plan, schema, made)
    return plan.model.learner.seconds(terms, records, found, plan.attempts)
