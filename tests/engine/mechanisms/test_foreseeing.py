"""What methods foresee of the quality of their tables."""

from __future__ import annotations

import pytest

from tests.support import category_schema
from understudy.evaluation.excess import Stakes
from understudy.evaluation.fitness import fitness
from understudy.mechanisms.expected_utility import foreseen_stakes
from understudy.mechanisms.registry import mechanism_of, method_named, plan_run
from understudy.mechanisms.seedbased.plan import ModelPlan
from understudy.mechanisms.seedbased.proposal import Wanted, whole_table

SCHEMA = category_schema(8, 5, 528)


def whole(records: int | None) -> Stakes | None:
    plan = whole_table(SCHEMA, Wanted(records=records, rows=2_000)).plan
    plan = plan.change(SCHEMA, model=ModelPlan(epsilon=1.0))
    return foreseen_stakes(plan_run(plan, SCHEMA))


def test_a_seedbased_plan_foresees_it_and_names_columns_that_will_be_unrelated() -> None:
    found = whole(3_000)
    assert found is not None
    assert not found.is_measured
    assert found.unrelated == (2,)
    (first, *_) = fitness(found, ["Age", "Sex", "Diagnosis"]).unfit
    assert "“Diagnosis” goes with any other column" in first.what


def test_more_records_bring_it_nearer() -> None:
    few, many = whole(3_000), whole(300_000)
    assert few is not None
    assert many is not None
    assert (many.off < few.off).all()


def test_where_the_number_of_records_is_no_public_knowledge_nothing_is_foreseen() -> None:
    assert whole(None) is None


@pytest.mark.parametrize("kind", ["pmse", "latent"])
def test_a_method_that_foresees_nothing_says_nothing(kind: str) -> None:
    schema = category_schema(2, 2)
    plan = method_named(kind).default_plan(schema)
    assert foreseen_stakes(plan_run(plan, schema)) is None
    assert mechanism_of(plan).kind == kind
