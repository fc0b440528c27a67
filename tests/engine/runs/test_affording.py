"""What a budget still holds: each plan offered fits, and a little more of it would not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.runs.asked import SCHEMA, seedless
from understudy.ledger.book import Balance, Dataset
from understudy.ledger.totals import Spend
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.runs.debit import debit_of, within

SEEDBASED = seedless(
    omega=Omega(low=2, high=2),
    test=privacy_test("relative-sensitivity", 400, 0.1),
    attempts=300,
    seeds_at_least=1_000,
)


def balance(epsilon: float, *spent: float, delta: float = 1e-3) -> Balance:
    dataset = Dataset("d-1", "people", budget=Budget(epsilon, delta))
    return Balance(dataset, tuple(Spend(Budget(each, 1e-9)) for each in spent))


def fits(plan: Plan, before: Balance) -> bool:
    spend = debit_of(plan_run(plan, SCHEMA)).spend
    budget = before.dataset.budget
    return spend is not None and budget is not None and before.adding(spend).fits(budget)


@pytest.mark.parametrize("protocol", ["attempts", "releases"])
def test_the_most_attempts_that_fit_are_offered(protocol: str) -> None:
    floor: dict[str, Any] = {"pass_floor": 0.2} if protocol == "releases" else {}
    plan = SEEDBASED.change(SCHEMA, protocol=protocol, **floor)
    before = balance(2.5, 0.4)
    assert not fits(plan, before)
    fewer, _ = within(plan, SCHEMA, before)
    assert 1 < fewer.plan.attempts < 300
    assert fits(fewer.plan, before)
    more = plan.change(SCHEMA, attempts=fewer.plan.attempts + 1)
    assert not fits(more, before)
    counted = "attempts" if protocol == "attempts" else "records"
    assert fewer.said == f"{fewer.plan.attempts:,} {counted} in place of 300"


def test_without_seeds_what_is_left_goes_into_the_model() -> None:
    before = balance(0.5)
    (only,) = within(SEEDBASED, SCHEMA, before)
    assert only.plan.seed_attempts(SCHEMA) == 0
    assert only.plan.model.epsilon is not None
    assert 0.3 < only.plan.model.epsilon <= 0.5
    assert fits(only.plan, before)
    assert only.plan.attempts == 300


def test_a_seedless_plan_is_offered_more_noise() -> None:
    (only,) = within(seedless(), SCHEMA, balance(1.0, 0.4))
    assert only.plan.omega == seedless().omega
    assert fits(only.plan, balance(1.0, 0.4))


@pytest.mark.parametrize(
    "before", [balance(1.0, 1.0), balance(1.0, 0.9999), balance(5.0, 0.1, delta=1.5e-9)]
)
def test_where_nothing_is_left_nothing_is_offered(before: Balance) -> None:
    assert within(SEEDBASED, SCHEMA, before) == ()


def test_several_records_per_person_and_a_sample_are_counted() -> None:
    plan = SEEDBASED.change(SCHEMA, records_per_person=2, sampling=0.5)
    for found in within(plan, SCHEMA, balance(2.0)):
        assert fits(found.plan, balance(2.0))
        assert (found.plan.records_per_person, found.plan.sampling) == (2, 0.5)
