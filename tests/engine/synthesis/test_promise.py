from __future__ import annotations

import math
from typing import Any

import pytest

from engine.models.omega import Omega
from engine.privacy.deniability import plausible_deniability_test
from engine.refusal import Refusal
from engine.synthesis.plan import ModelPlan, Plan
from engine.synthesis.promise import Promise, promise
from tests.support import category_schema

SCHEMA = category_schema(3, 4, 2, 5)


def promised(**settings: Any) -> Promise:
    return promise(Plan.of(SCHEMA, **settings), SCHEMA)


def test_the_total_is_the_largest_part() -> None:
    made = promised(attempts=1)
    assert made.seeds is not None
    parts = [made.seeds.total, made.structure, made.parameters]
    assert made.total.epsilon == max(part.epsilon for part in parts)
    assert made.seeds.total.delta <= 0.9e-9
    assert max(part.delta for part in parts) <= made.total.delta <= 1e-9


def test_a_seedless_plan_costs_the_seeds_nothing_at_any_size() -> None:
    for attempts in (1, 10**9):
        made = promised(omega=Omega(low=4, high=4), attempts=attempts)
        assert made.seeds is None
        assert made.pass_cap == 0
        assert made.published_record is None
        assert made.total.epsilon == pytest.approx(1.0)


def test_an_announced_range_composes_only_the_attempts_that_look_at_a_seed() -> None:
    announced = promised(omega=Omega(low=2, high=4, reading="announced"), attempts=300)
    hidden = promised(omega=Omega(low=2, high=4), attempts=300)
    assert announced.seeds is not None
    assert hidden.seeds is not None
    assert announced.seeds.attempts == 200
    assert hidden.seeds.attempts == 300


def test_gamma_counts_as_one_only_where_plausible_seeds_are_equally_likely() -> None:
    """At t = 29, ε0 = 1: 1 + ln(1 + 1/29) against 1 + ln(1 + 4/29)."""
    fixed = promised(omega=Omega(low=3, high=3), attempts=1, t=29)
    hidden = promised(omega=Omega(low=2, high=3), attempts=1, t=29)
    assert fixed.seeds is not None
    assert hidden.seeds is not None
    assert fixed.seeds.attempt.budget.epsilon == pytest.approx(1 + math.log(1 + 1 / 29))
    assert hidden.seeds.attempt.budget.epsilon == pytest.approx(1 + math.log(1 + 4 / 29))
    for made in (fixed, hidden):
        assert made.published_record is not None
        assert made.published_record.epsilon == pytest.approx(1 + math.log(1 + 4 / 29))


@pytest.mark.parametrize(
    "settings",
    [
        {"model": ModelPlan(epsilon=None)},
        {"test": plausible_deniability_test(50, 4.0, None)},
    ],
)
def test_what_has_no_noise_promises_nothing(settings: dict[str, Any]) -> None:
    assert not promised(**settings).total.bounded


def test_sampling_shrinks_the_total_and_only_that() -> None:
    plain, sampled = promised(attempts=1), promised(attempts=1, sampling=0.1)
    assert sampled.total.epsilon == pytest.approx(math.log1p(0.1 * math.expm1(plain.total.epsilon)))
    assert sampled.structure == plain.structure


def test_the_marginals_ask_nothing_of_the_structure_records() -> None:
    assert promised(model=ModelPlan(kind="marginals")).structure.epsilon == 0


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"t": 50}, "t"),
        ({"seeds_at_least": 40}, "k"),
        ({"delta": 0.01, "seeds_at_least": 100}, "delta"),
        ({"delta": 1e-30}, "delta"),
        ({"delta": 0.5, "omega": Omega(low=4, high=4)}, "delta"),
    ],
)
def test_what_cannot_be_kept_is_refused(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        promised(**settings)
    assert refused.value.field == field


def test_what_must_be_known_of_the_table_is_more_than_of_the_seeds() -> None:
    made = promised(seeds_at_least=1_000)
    assert made.records_at_least is not None
    assert 1_000 / 0.3 < made.records_at_least < 5_000
    assert promised(omega=Omega(low=4, high=4)).records_at_least is None


@pytest.mark.parametrize("epsilon", [1e-4, 1000.0])
@pytest.mark.parametrize("delta", [1e-30, 9e-4])
def test_the_ends_of_the_ranges_are_answered(epsilon: float, delta: float) -> None:
    made = promised(
        model=ModelPlan(epsilon=epsilon), delta=delta, omega=Omega(low=4, high=4), attempts=1
    )
    assert made.total.epsilon <= epsilon * (1 + 1e-9)
