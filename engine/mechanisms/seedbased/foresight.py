"""How far off a plan's model will be by noise and chance alone, before anything is spent.

Public numbers only: the schema, the budget, the shares, and how many records the table is publicly
known to have.
"""

from __future__ import annotations

import numpy as np

from engine.mechanisms.seedbased.learning import promised_budget
from engine.mechanisms.seedbased.plan import ModelKind, Plan
from engine.mechanisms.seedbased.promise import Promise
from engine.models.bayesnet.parameters import ParameterLearner
from engine.models.bayesnet.structure import StructureLearner
from engine.models.calibrated.expected import expected, seconds
from engine.models.calibrated.learner import CalibratedLearner
from engine.models.predicted import Predicted, distance_by_noise, predicted
from engine.privacy.accounting.composition import parallel
from engine.privacy.budget import Budget
from engine.table.schema import Schema
from engine.table.split import Shares


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
    return of_kind(plan.model.kind, schema, promised_budget(plan, made), plan.shares, records, rows)


def of_kind(
    kind: ModelKind, schema: Schema, budget: Budget, shares: Shares, records: int, rows: int
) -> Predicted | None:
    """The same for any kind of model under this budget for one record."""
    counted = records * shares.parameters
    match kind:
        case "calibrated":
            learner = CalibratedLearner.within(schema, budget)
            return expected(learner, _learned_from(records, shares), rows)
        case "network":
            return _network(schema, budget, max(1.0, counted), rows)
        case "marginals":
            return _marginals(schema, budget, max(1.0, counted), rows)
    return None


def as_published(schema: Schema, budget: Budget) -> Budget:
    """What the noise of the published network costs by the formula it was published with, where
    it keeps to this budget by ours."""
    return parallel(
        StructureLearner.within(schema, budget).published_cost,
        ParameterLearner.within(schema, budget).published_cost,
    )


def learning_time(
    plan: Plan, schema: Schema, made: Promise, found: Predicted, records: int
) -> float:
    """About how many seconds a plan's model and rows take on one core of a usual machine."""
    if plan.model.kind != "calibrated":
        return 1.0
    learner = CalibratedLearner.within(schema, promised_budget(plan, made))
    return seconds(learner, found, _learned_from(records, plan.shares), plan.attempts)


def _learned_from(records: int, shares: Shares) -> float:
    return max(1.0, records * (shares.structure + shares.parameters))


def _marginals(schema: Schema, budget: Budget, records: float, rows: int) -> Predicted:
    """Every column by itself; every pair is left to nothing."""
    sizes = schema.cardinalities
    deviation = np.array(ParameterLearner.within(schema, budget).deviation)
    return predicted(sizes, distance_by_noise(sizes.astype(float), deviation, records), {}, rows)


def _network(schema: Schema, budget: Budget, records: float, rows: int) -> Predicted:
    """As if every column had one parent, the one of the fewest buckets, and it were the right one:
    what the noisy entropies make of that choice is not foreseen."""
    sizes = schema.cardinalities
    buckets = np.array([column.bucket_count for column in schema.columns])
    parent = int(buckets.argmin())
    deviation = ParameterLearner.within(schema, budget).deviation
    cells = np.where(np.arange(len(sizes)) == parent, 1, buckets[parent])
    single = distance_by_noise(sizes.astype(float), deviation * np.sqrt(cells), records)
    families = distance_by_noise((sizes * cells).astype(float), np.array(deviation), records)
    pairs = {
        (min(child, parent), max(child, parent)): float(families[child])
        for child in range(len(sizes))
        if child != parent
    }
    return predicted(sizes, single, pairs, rows)
