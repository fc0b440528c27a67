"""Plans that keep to a total ε, and what would fit where nothing does."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.support import category_schema
from understudy.acceptance.statistics import AcceptanceTest, ShareOf
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.mechanisms.seedbased.target import ways_out, within
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import privacy_test

SCHEMA = category_schema(3, 4, 2, 5)
SECOND = privacy_test("relative-sensitivity", 50, 1.0)
TESTED = AcceptanceTest(epsilon=0.3, statistics=(ShareOf(column="c0", values=("v0",)),))


def planned(epsilon: float, **settings: Any) -> tuple[Plan, Promise]:
    usual = {"test": SECOND, "attempts": 50, "seeds_at_least": 20_000}
    plan = within(Plan.of(SCHEMA, **{**usual, **settings}), SCHEMA, epsilon).plan
    return plan, promise(plan, SCHEMA)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"test": privacy_test("plausible-deniability", 50, 1.0, 2.0)},
        {"omega": Omega(low=3, high=3), "test": privacy_test("plausible-deniability", 50, 1.0)},
        {"protocol": "releases", "pass_floor": 0.05},
        {"records_per_person": 3},
        {"records_per_person": 2, "protocol": "releases", "pass_floor": 0.3},
        {"sampling": 0.1},
        {"sampling": 0.2, "records_per_person": 2},
    ],
)
@pytest.mark.parametrize("epsilon", [0.7, 3.0])
def test_the_plan_stays_within_the_target_and_uses_it(
    settings: dict[str, Any], epsilon: float
) -> None:
    plan, made = planned(epsilon, **settings)
    assert made.seeds is not None
    assert 0.97 * epsilon <= made.total.epsilon <= epsilon * (1 + 1e-9)
    assert made.total.delta <= plan.delta
    assert made.record.epsilon <= made.seeds.total.epsilon * 1.01
    assert _total(plan, plan.test.k * 9 // 10) > made.total.epsilon


def _total(plan: Plan, k: int) -> float:
    """The total ε with another k; infinite where the plan's δ cannot be met."""
    test = type(plan.test).read({**plan.test.model_dump(), "k": k})
    try:
        return promise(plan.change(SCHEMA, test=test), SCHEMA).total.epsilon
    except Refusal:
        return math.inf


def test_what_was_chosen_besides_the_test_is_kept() -> None:
    plan, _ = planned(1.0, t=3, test=privacy_test("plausible-deniability", 50, 1.0, 2.5))
    assert plan.t is None
    assert plan.test.similarity == 2.5
    assert (plan.attempts, plan.seeds_at_least) == (50, 20_000)


def test_the_model_is_lowered_to_what_one_record_may_cost() -> None:
    for epsilon, settings in ((0.5, {}), (0.6, {"records_per_person": 3})):
        plan, _ = planned(epsilon, **settings)
        record = epsilon / plan.records_per_person
        # Nine records in ten are looked at.
        assert plan.model.epsilon == pytest.approx(math.log((math.exp(record) - 0.1) / 0.9))
    assert planned(3.0, model=ModelPlan(epsilon=0.3))[0].model.epsilon == 0.3


def test_a_seedless_plan_needs_no_search() -> None:
    plan, made = planned(0.5, omega=Omega(low=4, high=4))
    assert plan.test == SECOND
    assert made.total.epsilon == pytest.approx(0.5)
    tested = planned(0.5, omega=Omega(low=4, high=4), acceptance=TESTED)[1]
    assert tested.total.epsilon == pytest.approx(0.5)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, 2_000.0, float("nan")])
def test_a_target_that_is_none_is_refused(epsilon: float) -> None:
    with pytest.raises(Refusal) as refused:
        planned(epsilon)
    assert refused.value.field == "epsilon"


def test_what_does_not_fit_is_refused_with_what_would() -> None:
    with pytest.raises(Refusal) as refused:
        planned(0.1, attempts=100_000)
    assert refused.value.field == "epsilon"
    assert "attempts" in refused.value.remedy


@pytest.mark.parametrize("epsilon", [17.2, 20.0])
@pytest.mark.parametrize("protocol", ["attempts", "releases"])
def test_few_attempts_of_people_with_many_records_stay_within_it_too(
    epsilon: float, protocol: str
) -> None:
    """Where t is small, ε moves in steps and the δ for one record may settle a step lower."""
    for delta in (8.35e-12, 1e-12):
        _, made = planned(
            epsilon,
            omega=Omega(low=3, high=3),
            attempts=7,
            records_per_person=5,
            seeds_at_least=1_000,
            delta=delta,
            protocol=protocol,
            pass_floor=0.2 if protocol == "releases" else None,
        )
        assert made.total.epsilon <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"records_per_person": 2},
        {"protocol": "releases", "pass_floor": 0.3},
        {"test": privacy_test("plausible-deniability", 50, 1.0, 4.0)},
    ],
)
def test_each_way_out_of_what_does_not_fit_leads_out(settings: dict[str, Any]) -> None:
    """Told for the whole: for all records of a person, and with what is set aside of δ."""
    usual = {"test": SECOND, "attempts": 1_500, "seeds_at_least": 4_400}
    plan, epsilon = Plan.of(SCHEMA, **{**usual, **settings}), 1.0
    with pytest.raises(Refusal) as refused:
        within(plan, SCHEMA, epsilon)
    found = ways_out(plan, SCHEMA, epsilon)
    assert {"count", "seeds_at_least"} <= {each.change for each in found}
    for each in found:
        assert each.said in refused.value.remedy
        changed, target = plan, epsilon
        match each.change:
            case "count":
                changed = plan.change(SCHEMA, attempts=each.value)
            case "epsilon":
                target = float(each.value)
            case "kind":
                changed = plan.change(SCHEMA, test=SECOND)
            case name:
                changed = plan.change(SCHEMA, **{name: each.value})
        assert promise(within(changed, SCHEMA, target).plan, SCHEMA).total.epsilon <= target * (
            1 + 1e-9
        )


def test_fewer_attempts_that_look_at_a_seed_are_no_number_of_attempts() -> None:
    announced = Omega(low=3, high=4, reading="announced")
    plan = Plan.of(SCHEMA, test=SECOND, omega=announced, attempts=9_000, seeds_at_least=4_400)
    assert "count" not in {each.change for each in ways_out(plan, SCHEMA, 1.0)}
