from __future__ import annotations

from typing import Any

from tests.support import category_schema
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.scope import formulas
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import privacy_test

SCHEMA = category_schema(3, 4, 2, 5)


def written(**settings: Any) -> dict[str, str]:
    plan = Plan.of(SCHEMA, **settings)
    return {each["of"]: each["text"] for each in formulas(plan, promise(plan, SCHEMA))}


def test_the_numbers_of_the_plan_are_put_in() -> None:
    told = written(attempts=1, t=29)
    assert list(told) == [
        "one attempt",
        "composition",
        "pass cap",
        "the whole release, for one record",
    ]
    assert told["one attempt"].startswith("ε = ε0 + ln(1 + γ/t) = 1 + ln(1 + 4/29) = 1.13;")
    assert "½·e^(−ε0·(k − t)) / (n + 1)" in told["one attempt"]
    assert told["one attempt"].endswith("k = 50, t = 29, n = 1,000")
    assert "N = 1 attempt," in told["composition"]
    assert told["the whole release, for one record"].endswith("seeds 1.13; model 1")


def test_each_part_that_learning_has_is_named() -> None:
    """The published network asks two sets of records; at ε = 0.5 the seeds' ε is the largest."""
    told = written(attempts=1, t=29, model=ModelPlan(kind="network", epsilon=0.5))
    assert told["the whole release, for one record"] == (
        "ε = 1.13, as the parts see different records: seeds 1.13; structure 0.5; parameters 0.5"
    )


def test_gamma_is_written_where_it_counts() -> None:
    assert "γ" not in written(attempts=1, omega=Omega(low=3, high=3))["one attempt"]
    second = written(attempts=1, test=privacy_test("relative-sensitivity", 50, 1.0))["one attempt"]
    assert "γ" not in second
    assert "1/(1 + e^(−ε0))" in second


def test_a_slot_a_stop_a_person_and_a_sample_are_written_where_there_is_one() -> None:
    told = written(
        protocol="releases",
        pass_floor=0.1,
        attempts=5,
        records_per_person=2,
        sampling=0.5,
        test=privacy_test("relative-sensitivity", 300, 0.3),
    )
    assert "pass cap" not in told
    assert "c = 0.1" in told["one released record"]
    assert "N = 5 records" in told["composition"]
    assert "m = 5, c = 0.1" in told["stopping"]
    assert "g = 2" in told["a person"]
    assert "p = 0.5, between populations, from" in told["the population"]


def test_nothing_is_written_about_nothing() -> None:
    assert written(model=ModelPlan(epsilon=None)) == {}
    assert list(written(omega=Omega(low=4, high=4))) == ["the whole release, for one record"]
