"""The plan of scored candidates that a custodian begins with."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.mechanisms.outputs import ResumePoint
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.mechanisms.scored.mechanism import MECHANISM
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.workers import Workers
from understudy.privacy.randomness import Secret
from understudy.table.records import Records


@pytest.mark.parametrize("columns", [(3, 4), (72, 4, 3), (80, 8, 24, 5, 25, 18, 5, 2, 100, 8, 2)])
def test_it_costs_about_one_and_a_good_part_of_its_candidates_passes(
    columns: tuple[int, ...],
) -> None:
    schema = category_schema(*columns)
    plan = opening_plan("scored", schema)
    assert isinstance(plan, ScoredPlan)
    made = plan_run(plan.model_copy(update={"public_records": 12_000}), schema)
    assert 1 <= made.guarantee.total.epsilon < 1.2
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, each, 12_000) for each in columns])
    records, secret = Records(schema, codes.astype(np.uint16)), Secret.fixed(5)
    begun = MECHANISM.begin(made, records, secret, None)
    chunks = MECHANISM.release(made, records, begun, secret, Workers(), ResumePoint())
    assert sum(len(each.content) for each in chunks) > plan.attempts / 5


@pytest.mark.parametrize("proposer", ["projection", "latent-noise"])
def test_another_proposer_is_not_given_the_numbers_of_the_first(proposer: str) -> None:
    schema = category_schema(*[2] * 6)
    plan = opening_plan("scored", schema, {"proposer": proposer, "numbers": {"directions": 2}})
    assert isinstance(plan, ScoredPlan)
    assert plan.numbers == {"directions": 2}
    plan_run(plan, schema)
    assert opening_plan("scored", schema, {"proposer": proposer}).as_dict()["numbers"] == {}
    again = opening_plan("scored", schema, {"proposer": "redrawn", "epsilon": 2.0})
    assert again.as_dict()["numbers"] == opening_plan("scored", schema).as_dict()["numbers"] != {}
