"""Which tables a plan is run on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.mechanism import MECHANISM
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.marks import Marks
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.table.split import Shares

SCHEMA = category_schema(3, 4, 2, 5)


@pytest.mark.parametrize(
    "test",
    [PlausibleDeniability(k=70, gamma=3.0, epsilon0=None), RelativeSensitivity(k=9, epsilon0=0.5)],
)
def test_a_plan_survives_its_file(test: PrivacyTest) -> None:
    plan = Plan.of(
        SCHEMA,
        test=test,
        omega=Omega(low=2, high=3),
        protocol="releases",
        pass_floor=0.1,
        records_per_person=3,
        attempts=1234,
        delta=1e-7,
        seeds_at_least=500,
        t=7,
        model=ModelPlan(kind="marginals", epsilon=None, estimate="sampled"),
        shares=Shares(seeds=0.4, structure=0.3, parameters=0.2, held_out=0.1),
        sampling=0.05,
        policies={"c1": "missing"},
    )
    assert Plan.from_json(plan.to_json()) == plan


OLD = """{
  "domain": "DOMAIN",
  "test": {"kind": "plausible-deniability", "k": 60, "gamma": 3.0, "epsilon0": 0.5},
  "omega": {"low": 3, "high": 4, "reading": "hidden"},
  "attempts": 700,
  "delta": 1e-08,
  "seeds_at_least": 2000,
  "t": null,
  "model": {"kind": "network", "epsilon": 1.0, "estimate": "mean"},
  "shares": {"seeds": 0.3, "structure": 0.3, "parameters": 0.3, "held_out": 0.1},
  "sampling": null,
  "policies": {}
}"""


@pytest.mark.parametrize("test", ['"kind": "plausible-deniability", ', ""])
def test_a_file_from_before_there_were_two_tests_and_protocols_is_read(test: str) -> None:
    text = OLD.replace("DOMAIN", SCHEMA.fingerprint)
    plan = Plan.from_json(text.replace('"kind": "plausible-deniability", ', test))
    plan.check(SCHEMA)
    assert plan.test == PlausibleDeniability(k=60, gamma=3.0, epsilon0=0.5)
    assert (plan.protocol, plan.pass_floor, plan.records_per_person) == ("attempts", None, 1)


def test_the_default_resamples_all_or_all_but_one() -> None:
    assert Plan.of(SCHEMA).omega == Omega(low=3, high=4)


def test_a_change_is_checked_and_leaves_the_rest() -> None:
    plan = Plan.of(SCHEMA, attempts=77)
    changed = plan.change(SCHEMA, omega=Omega(low=1, high=1))
    assert changed.attempts == 77
    assert changed.omega.low == 1
    with pytest.raises(Refusal):
        plan.change(SCHEMA, omega=Omega(low=1, high=5))


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"attempts": 0}, "attempts"),
        ({"attempts": -3}, "attempts"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"seeds_at_least": 0}, "seeds_at_least"),
        ({"t": 0}, "t"),
        ({"sampling": 0.0}, "sampling"),
        ({"sampling": 1.5}, "sampling"),
        ({"model": {"epsilon": 0.0}}, "model.epsilon"),
        ({"model": {"epsilon": -1.0}}, "model.epsilon"),
        ({"test": {"k": 0, "gamma": 4.0, "epsilon0": 1.0}}, "test.k"),
        ({"test": {"k": 5, "gamma": 1.0, "epsilon0": 1.0}}, "test.gamma"),
        ({"test": {"k": 5, "gamma": 4.0, "epsilon0": 0.0}}, "test.epsilon0"),
        ({"test": {"k": 5, "gamma": 4.0}}, "test.epsilon0"),
        ({"test": {"kind": "relative-sensitivity", "k": 0, "epsilon0": 1.0}}, "test.k"),
        (
            {"test": {"kind": "relative-sensitivity", "k": 5, "gamma": 2.0, "epsilon0": 1.0}},
            "test.gamma",
        ),
        ({"test": {"kind": "guesswork", "k": 5}}, "test"),
        ({"test": 3}, "test"),
        ({"protocol": "published"}, "protocol"),
        ({"protocol": "releases"}, "pass_floor"),
        ({"protocol": "releases", "pass_floor": 0.0}, "pass_floor"),
        ({"protocol": "releases", "pass_floor": 1.5}, "pass_floor"),
        ({"pass_floor": 0.5}, "pass_floor"),
        ({"records_per_person": 0}, "records_per_person"),
        ({"records_per_person": 1001}, "records_per_person"),
        (
            {
                "protocol": "releases",
                "pass_floor": 0.5,
                "omega": Omega(low=2, high=3, reading="announced"),
            },
            "omega.reading",
        ),
        ({"omega": Omega(low=1, high=9)}, "omega"),
        ({"policies": {"c0": "guess"}}, "policies.c0"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_what_is_out_of_range_is_refused_at_its_field(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        Plan.of(SCHEMA, **settings)
    assert refused.value.field == field
    assert refused.value.problem.endswith(".")
    assert refused.value.remedy


def dealt(seeds: float, structure: float, parameters: float) -> Shares:
    held_out = 1 - seeds - structure - parameters
    return Shares(seeds=seeds, structure=structure, parameters=parameters, held_out=held_out)


SEEDLESS = Omega(low=4, high=4)


@pytest.mark.parametrize(
    ("kind", "omega", "shares", "field"),
    [
        ("calibrated", Omega(low=3, high=4), dealt(0, 0.4, 0.4), "shares.seeds"),
        ("calibrated", SEEDLESS, dealt(0.8, 0, 0), "shares.parameters"),
        ("network", SEEDLESS, dealt(0.4, 0, 0.4), "shares.structure"),
        ("network", SEEDLESS, dealt(0.4, 0.4, 0), "shares.parameters"),
        ("marginals", SEEDLESS, dealt(0.4, 0.4, 0), "shares.parameters"),
    ],
)
def test_a_part_that_is_needed_gets_a_share(
    kind: str, omega: Omega, shares: Shares, field: str
) -> None:
    with pytest.raises(Refusal, match=f"No record goes to the {field.removeprefix('shares.')}"):
        Plan.of(SCHEMA, model={"kind": kind}, omega=omega, shares=shares)
    # Whatever the model, the usual shares will do.
    Plan.of(SCHEMA, model={"kind": kind}, omega=omega)


@pytest.mark.parametrize(
    ("kind", "shares"),
    [
        ("calibrated", dealt(0, 0, 1)),
        ("calibrated", dealt(0, 1, 0)),
        ("network", dealt(0, 0.5, 0.5)),
        ("marginals", dealt(0, 0, 0.9)),
    ],
)
def test_a_part_that_nothing_is_made_from_may_be_empty(kind: str, shares: Shares) -> None:
    plan = Plan.of(SCHEMA, model={"kind": kind}, omega=SEEDLESS, shares=shares)
    assert promise(plan, SCHEMA).learning


def test_only_a_posterior_can_be_drawn_from() -> None:
    with pytest.raises(Refusal) as refused:
        Plan.of(SCHEMA, model={"estimate": "sampled"})
    assert refused.value.field == "model.estimate"
    Plan.of(SCHEMA, model={"kind": "network", "estimate": "sampled"})


def test_a_seedless_plan_needs_no_pass_floor() -> None:
    plan = Plan.of(SCHEMA, protocol="releases", omega=Omega(low=4, high=4))
    assert plan.seed_attempts(SCHEMA) == 0
    with pytest.raises(Refusal, match="pass floor"):
        plan.change(SCHEMA, omega=Omega(low=3, high=3))


def test_what_omega_and_the_protocol_have_to_do_with_one_another_is_said() -> None:
    with pytest.raises(Refusal) as refused:
        Plan.of(
            SCHEMA,
            protocol="releases",
            pass_floor=0.5,
            omega=Omega(low=2, high=3, reading="announced"),
        )
    assert "announced over a range" in refused.value.problem
    assert "hidden" in refused.value.remedy


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"domain": 3}'])
def test_a_file_that_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(Refusal):
        Plan.from_json(text)


def test_a_plan_for_another_schema_is_refused() -> None:
    plan = Plan.of(SCHEMA)
    with pytest.raises(Refusal, match="another schema"):
        plan.check(category_schema(3, 4, 2, 6))
    with pytest.raises(Refusal, match="another schema"):
        promise(plan, category_schema(3, 4, 2))


def test_the_file_holds_settings_only() -> None:
    beside = {"acceptance", "noisy_tables"} & set(Plan.model_fields)
    every = set(Plan.model_fields) - beside
    assert set(json.loads(Plan.of(SCHEMA).to_json())) == every - {"marks"}
    marked = Plan.of(SCHEMA, marks=Marks(target=SCHEMA.names[0]))
    assert set(json.loads(marked.to_json())) == every


def refused(records: int, **settings: Any) -> str | None:
    """The setting that a table of so many records does not fit."""
    try:
        MECHANISM.check_records(plan_run(Plan.of(SCHEMA, **settings), SCHEMA), records)
    except Refusal as refusal:
        return refusal.field
    return None


def test_a_table_has_the_records_that_are_counted_on_and_those_that_are_said() -> None:
    needed = promise(Plan.of(SCHEMA), SCHEMA).records_at_least
    assert needed is not None
    assert refused(needed) is None
    assert refused(needed - 1) == "seeds_at_least"
    assert refused(needed, public_records=needed) is None
    assert refused(needed, public_records=needed + 1) == "public_records"
    assert refused(needed - 1, public_records=needed + 1) == "seeds_at_least"
    assert refused(needed + 1, public_records=needed + 1) is None


@pytest.mark.parametrize("t", [None, 29])
def test_the_part_of_the_attempts_says_how_many_they_are_and_at_which_t(t: int | None) -> None:
    made = plan_run(Plan.of(SCHEMA, attempts=7, t=t), SCHEMA).guarantee
    part = next(each for each in made.parts if each.of == "attempts")
    assert part.native["N"] == 7
    seeds = promise(Plan.of(SCHEMA, attempts=7, t=t), SCHEMA).seeds
    assert seeds is not None
    assert part.native["t"] == (t or seeds.t)
