from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.support import category_schema
from understudy.acceptance.statistics import AcceptanceTest, ShareOf
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import Promise, learning_chances, promise
from understudy.models.omega import Omega
from understudy.privacy.accounting.account_words import as_data
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.guarantee import group_privacy
from understudy.privacy.accounting.unit_counts import chance_of_fewer, log_too_few
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import privacy_test

SCHEMA = category_schema(3, 4, 2, 5)


def promised(**settings: Any) -> Promise:
    return promise(Plan.of(SCHEMA, **settings), SCHEMA)


def dealt(*parts: tuple[float, float]) -> float:
    """The ε of which e^ε is the mean over parts, each with its chance and its ε; the others cost
    nothing."""
    return math.log(1 + math.fsum(chance * math.expm1(epsilon) for chance, epsilon in parts))


def test_the_total_is_a_mean_of_the_parts() -> None:
    made = promised(attempts=1)
    assert made.seeds is not None
    (model,) = made.learning.values()
    parts = [made.seeds.total, model]
    assert made.total == made.record
    of_parts = dealt((0.3, made.seeds.total.epsilon), (0.6, model.epsilon))
    assert made.total.epsilon == pytest.approx(of_parts, rel=1e-12)
    assert made.seeds.total.delta <= 0.9e-9 * (1 + 1e-12)
    assert max(part.delta for part in parts) <= made.total.delta <= 1e-9


def test_the_seeds_part_is_the_account_of_the_plan() -> None:
    made = promised(
        test=privacy_test("relative-sensitivity", 700, 0.1), attempts=40, omega=Omega(low=2, high=4)
    )
    ours = account(
        privacy_test("relative-sensitivity", 700, 0.1), 40, (1 - 0.1) * 1e-9, seeds_at_least=1_000
    )
    assert made.seeds is not None
    assert as_data(made.seeds) == as_data(ours)
    assert made.total.epsilon == pytest.approx(dealt((0.3, ours.total.epsilon), (0.6, 1.0)))
    assert ours.total.delta < made.total.delta <= 1e-9


def test_a_seedless_plan_costs_the_seeds_nothing_at_any_size() -> None:
    for attempts in (1, 10**9):
        made = promised(omega=Omega(low=4, high=4), attempts=attempts)
        assert made.seeds is None
        assert made.pass_cap == 0
        assert made.published_record is None
        assert made.total.epsilon == pytest.approx(dealt((0.6, 1.0)))


def test_an_announced_range_composes_only_the_attempts_that_look_at_a_seed() -> None:
    announced = promised(omega=Omega(low=2, high=4, reading="announced"), attempts=300)
    hidden = promised(omega=Omega(low=2, high=4), attempts=300)
    assert announced.seeds is not None
    assert hidden.seeds is not None
    assert announced.seeds.count == 200
    assert hidden.seeds.count == 300


def test_gamma_counts_as_one_only_where_plausible_seeds_are_equally_likely() -> None:
    """At t = 29, ε0 = 1: 1 + ln(1 + 1/29) against 1 + ln(1 + 4/29)."""
    fixed = promised(omega=Omega(low=3, high=3), attempts=1, t=29)
    hidden = promised(omega=Omega(low=2, high=3), attempts=1, t=29)
    assert fixed.seeds is not None
    assert hidden.seeds is not None
    assert fixed.seeds.attempt.epsilon == pytest.approx(1 + math.log(1 + 1 / 29))
    assert hidden.seeds.attempt.epsilon == pytest.approx(1 + math.log(1 + 4 / 29))
    for made in (fixed, hidden):
        assert made.published_record is not None
        assert made.published_record.cost.epsilon == pytest.approx(1 + math.log(1 + 4 / 29))


@pytest.mark.parametrize("attempts", [1, 100, 20_000])
@pytest.mark.parametrize("low", [2, 3])
def test_the_published_figure_of_one_record_is_of_no_other(attempts: int, low: int) -> None:
    """Neither the number of attempts nor the t that their total is best at changes it."""
    made = promised(omega=Omega(low=low, high=3), attempts=attempts)
    assert made.seeds is not None
    assert made.published_record is not None
    assert made.published_record.t == 29
    assert made.published_record.cost.epsilon == pytest.approx(1.1292, abs=5e-5)


@pytest.mark.parametrize(
    "settings",
    [
        {"model": ModelPlan(epsilon=None)},
        {"test": privacy_test("plausible-deniability", 50, None)},
        {"test": privacy_test("relative-sensitivity", 50, None)},
    ],
)
def test_what_has_no_noise_promises_nothing(settings: dict[str, Any]) -> None:
    assert not promised(**settings).total.bounded
    assert promised(**settings, sampling=0.1).population is None


def test_sampling_speaks_of_the_population_and_changes_nothing_else() -> None:
    plain, sampled = promised(attempts=1), promised(attempts=1, sampling=0.1)
    assert plain.population is None
    assert sampled.population is not None
    epsilon = math.log1p(0.1 * math.expm1(plain.total.epsilon))
    assert sampled.population.epsilon == pytest.approx(epsilon)
    assert replace(sampled, population=None) == plain


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("calibrated", ["model"]),
        ("network", ["structure", "parameters"]),
        ("marginals", ["parameters"]),
    ],
)
def test_each_model_pays_for_what_it_looks_at_and_no_more(kind: str, parts: list[str]) -> None:
    made = promised(model={"kind": kind, "epsilon": 0.7}, omega=Omega(low=4, high=4))
    assert list(made.learning) == parts
    for part in made.learning.values():
        assert 0.6 < part.epsilon <= 0.7 * (1 + 1e-9)
    looked_at = {"model": 0.6, "structure": 0.3, "parameters": 0.3}
    costs = ((looked_at[part], cost.epsilon) for part, cost in made.learning.items())
    assert made.total.epsilon == pytest.approx(dealt(*costs), rel=1e-12)


def test_only_the_published_models_have_a_published_cost() -> None:
    """By the published formula noise of the same spread costs more."""
    assert promised(model=ModelPlan(kind="calibrated")).published_model is None
    made = promised(model=ModelPlan(kind="network"))
    assert made.published_model is not None
    assert made.published_model.corrected.epsilon > 1.0


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


@pytest.mark.parametrize("delta", [1e-6, 1e-9])
def test_a_tenth_of_the_delta_pays_for_too_few_seeds_and_no_more(delta: float) -> None:
    made = promised(delta=delta)
    least = made.records_at_least
    assert least is not None
    assert (
        chance_of_fewer(1_000, least, 0.3) <= 0.1 * delta < chance_of_fewer(1_000, least - 1, 0.3)
    )


@pytest.mark.parametrize("epsilon", [0.3, 8.0])
def test_a_held_out_record_pays_for_the_acceptance_test(epsilon: float) -> None:
    test = AcceptanceTest(epsilon=epsilon, statistics=(ShareOf(column="c0", values=("v0",)),))
    made = promised(acceptance=test, attempts=1)
    assert made.acceptance == Budget(epsilon)
    assert made.seeds is not None
    of_parts = dealt((0.3, made.seeds.total.epsilon), (0.6, 1.0), (0.1, epsilon))
    assert made.record.epsilon == pytest.approx(of_parts, rel=1e-12)


@pytest.mark.parametrize("records", [2, 4])
def test_several_records_get_all_of_the_delta_where_seeds_cost_most(records: int) -> None:
    """The δ for one record is found at the ε of that very δ: no more than the plan's comes of it,
    and no less."""
    made = promised(
        records_per_person=records,
        attempts=100,
        test=privacy_test("relative-sensitivity", 900, 0.1),
        model=ModelPlan(epsilon=0.1),
    )
    assert made.seeds is not None
    of_parts = dealt((0.3, made.seeds.total.epsilon), (0.6, 0.1))
    assert made.record.epsilon == pytest.approx(of_parts, rel=1e-12)
    assert made.seeds.total.epsilon > 0.2
    assert made.total.delta == pytest.approx(1e-9, rel=1e-6)
    assert made.total.delta <= 1e-9


def test_a_model_without_noise_leaves_the_seeds_as_they_are() -> None:
    noisy, plain = (
        promised(
            model=ModelPlan(epsilon=epsilon),
            records_per_person=2,
            attempts=20,
            test=privacy_test("relative-sensitivity", 900, 0.1),
        )
        for epsilon in (0.01, None)
    )
    assert noisy.seeds is not None
    assert plain.seeds is not None
    assert plain.seeds.total.epsilon == pytest.approx(noisy.seeds.total.epsilon, rel=1e-6)


RELEASES: dict[str, Any] = {"protocol": "releases", "pass_floor": 0.1, "attempts": 300}


@pytest.mark.parametrize("records", [1, 3])
def test_a_run_that_hides_its_attempts_pays_for_stopping(records: int) -> None:
    """If the slots are (ε, δ′), the run that gives up with chance β is (ε, δ′ + (1 + e^ε)·β)."""
    made = promised(
        **RELEASES,
        records_per_person=records,
        test=privacy_test("relative-sensitivity", 900, 0.1),
        delta=1e-6,
    )
    assert made.seeds is not None
    assert made.attempts_at_most is not None
    assert made.pass_cap == 0
    assert made.seeds.protocol == "releases"
    log_beta = log_too_few(300, made.attempts_at_most, 0.1)
    stopping = math.exp(log_beta) * (1 + math.exp(made.seeds.total.epsilon))
    miss = 0.1 * made.record_delta
    assert stopping <= 0.1 * made.record_delta
    assert made.seeds.total.delta + stopping + miss <= made.record.delta * (1 + 1e-9)
    assert made.record.delta <= made.record_delta * (1 + 1e-9)
    one_less = log_too_few(300, made.attempts_at_most - 1, 0.1)
    assert math.exp(one_less) * (1 + math.exp(made.seeds.total.epsilon)) > 0.1 * made.record_delta


def test_a_slot_is_dearer_than_an_attempt_and_a_lower_floor_dearer_still() -> None:
    """δ/(c − δ) in place of δ."""
    omega = Omega(low=3, high=3)
    attempts = promised(attempts=300, omega=omega, t=20)
    tenth = promised(**RELEASES, omega=omega, t=20)
    half = promised(**{**RELEASES, "pass_floor": 0.5}, omega=omega, t=20)
    assert attempts.seeds is not None
    assert tenth.seeds is not None
    assert half.seeds is not None
    assert attempts.seeds.each.delta < half.seeds.each.delta < tenth.seeds.each.delta
    assert tenth.attempts_at_most is not None
    assert half.attempts_at_most is not None
    assert tenth.attempts_at_most > half.attempts_at_most > 300
    assert attempts.attempts_at_most is None


@pytest.mark.parametrize("floor", [None, 0.1])
def test_a_seedless_run_that_hides_its_attempts_needs_no_stop(floor: float | None) -> None:
    made = promised(protocol="releases", omega=Omega(low=4, high=4), pass_floor=floor)
    assert made.attempts_at_most is None
    assert made.records_at_least is None


def test_a_run_without_noise_stops_somewhere_too() -> None:
    made = promised(**RELEASES, test=privacy_test("plausible-deniability", 50, None))
    assert made.attempts_at_most is not None
    assert not made.total.bounded


@pytest.mark.parametrize("records", [2, 3, 10])
def test_several_records_of_one_person(records: int) -> None:
    """(gε, g·e^{(g−1)ε}·δ) of the whole release for one record, within the plan's δ."""
    made = promised(
        records_per_person=records,
        attempts=1,
        test=privacy_test("relative-sensitivity", 300, 0.3),
        model=ModelPlan(epsilon=0.5),
    )
    one = promised(
        attempts=1,
        test=privacy_test("relative-sensitivity", 300, 0.3),
        model=ModelPlan(epsilon=0.5),
    )
    assert made.total == group_privacy(made.record, records)
    assert made.total.epsilon == pytest.approx(records * made.record.epsilon)
    assert 0.3e-9 < made.total.delta <= 1e-9
    assert made.record_delta < one.record_delta == 1e-9
    assert made.record.epsilon >= one.record.epsilon
    for part in made.learning.values():
        assert part.epsilon <= 0.5 * (1 + 1e-9)
        assert part.delta <= made.record_delta


def test_a_person_is_counted_before_the_sample_is() -> None:
    plain = promised(attempts=1, records_per_person=3)
    sampled = promised(attempts=1, records_per_person=3, sampling=0.1)
    assert sampled.record == plain.record
    assert sampled.total == plain.total
    assert sampled.population is not None
    epsilon = math.log1p(0.1 * math.expm1(plain.total.epsilon))
    assert sampled.population.epsilon == pytest.approx(epsilon)
    assert sampled.population.delta == pytest.approx(0.1 * plain.total.delta)


def test_too_many_records_per_person_are_refused_in_words() -> None:
    with pytest.raises(Refusal) as refused:
        promised(records_per_person=8, attempts=100)
    assert refused.value.field == "records_per_person"
    assert "8 records per person" in refused.value.problem


@pytest.mark.parametrize("epsilon", [1e-4, 1000.0])
@pytest.mark.parametrize("delta", [1e-30, 9e-4])
def test_the_ends_of_the_ranges_are_answered(epsilon: float, delta: float) -> None:
    made = promised(
        model=ModelPlan(epsilon=epsilon), delta=delta, omega=Omega(low=4, high=4), attempts=1
    )
    assert made.total.epsilon <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["calibrated", "network", "marginals"])
def test_noisy_tables_count_the_records_that_pay_for_them(kind: str) -> None:
    """What intervals take for the chance of a record to be counted is that of the part."""
    plan = Plan.of(SCHEMA, model={"kind": kind, "epsilon": 1.0})
    *_, counting = promise(plan, SCHEMA).learning
    assert plan.counted_share == pytest.approx(learning_chances(plan)[counting])
