"""What is typed reaches the plan, or is refused at its field."""

from __future__ import annotations

import math
from typing import Any

import pytest

from understudy.core.refusal import Refusal
from understudy.mechanisms.kinds import OrNone
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.plan_from_options import plan_of
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.marks import Marks
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.samples.census import SCHEMA
from understudy.table.schema import Schema

TYPED: dict[str, Any] = {
    "test": "plausible-deniability",
    "k": 60,
    "gamma": 3.0,
    "epsilon0": OrNone(0.5),
    "protocol": "releases",
    "pass_floor": 0.25,
    "records_per_person": 4,
    "omega": "4-9",
    "reading": "hidden",
    "attempts": 700,
    "delta": 1e-8,
    "t": 17,
    "seeds_at_least": 2000,
    "model_epsilon": OrNone(None),
    "kind": "marginals",
    "estimate": "sampled",
    "shares": "0.4,0.3,0.2,0.1",
    "sampling": 0.02,
    "public_records": 7_000,
    "policies": ["AGEP=clip"],
    "target": "WAGP",
    "survive": ["SEX", "AGEP"],
    "together": [["SCHL", "OCCP"]],
    "others": ["chosen_by_looking=true"],
}


@pytest.fixture(scope="module")
def schema() -> Schema:
    return Schema.load(SCHEMA)


def test_every_setting_reaches_the_plan(schema: Schema) -> None:
    assert {*TYPED, "target_epsilon"} == {each.name for each in FIELDS.options}
    plan = plan_of(TYPED, schema)
    assert plan.test == PlausibleDeniability(k=60, gamma=3.0, epsilon0=0.5)
    assert (plan.protocol, plan.pass_floor, plan.records_per_person) == ("releases", 0.25, 4)
    assert plan.omega == Omega(low=4, high=9)
    assert (plan.attempts, plan.delta, plan.t, plan.seeds_at_least) == (700, 1e-8, 17, 2000)
    assert plan.model.epsilon is None
    assert (plan.model.kind, plan.model.estimate) == ("marginals", "sampled")
    assert plan.shares.each == (0.4, 0.3, 0.2, 0.1)
    assert plan.sampling == 0.02
    assert plan.public_records == 7_000
    assert dict(plan.policies) == {"AGEP": "clip"}
    assert plan.marks == Marks(target="WAGP", columns=("SEX", "AGEP"), together=(("SCHL", "OCCP"),))
    assert plan.chosen_by_looking


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("attempts=5", "Use --attempts."),
        ("test.k=5", "Use --test."),
        ("domain=x", "follows from the schema"),
        ("heat=1", "not a setting that exists"),
        ("noisy_tables", "is no setting"),
        ("noisy_tables=often", "true or false"),
    ],
)
def test_only_a_setting_without_an_option_is_set_by_name(
    schema: Schema, typed: str, said: str
) -> None:
    with pytest.raises(Refusal) as refused:
        plan_of({"others": [typed]}, schema)
    assert said in f"{refused.value.problem} {refused.value.remedy}"


def test_nothing_typed_is_the_usual_plan(schema: Schema) -> None:
    assert plan_of({}, schema) == Plan.of(schema)


def test_a_reading_without_a_range_keeps_the_usual_range(schema: Schema) -> None:
    plan = plan_of({"reading": "announced"}, schema)
    assert plan.omega == Plan.of(schema).omega.model_copy(update={"reading": "announced"})


def test_noise_can_be_left_out_of_the_test(schema: Schema) -> None:
    assert plan_of({"epsilon0": OrNone(None)}, schema).test.epsilon0 is None


def test_the_second_test(schema: Schema) -> None:
    plan = plan_of({"test": "relative-sensitivity", "k": 70}, schema)
    assert plan.test == RelativeSensitivity(k=70, epsilon0=1.0)
    with pytest.raises(Refusal, match="has no γ") as refused:
        plan_of({"test": "relative-sensitivity", "gamma": 4.0}, schema)
    assert refused.value.field == "gamma"


def test_a_plan_for_what_may_be_spent(schema: Schema) -> None:
    typed = {
        "target_epsilon": 0.5,
        "test": "relative-sensitivity",
        "omega": "9",
        "attempts": 50,
        "seeds_at_least": 2000,
    }
    plan = plan_of(typed, schema)
    assert promise(plan, schema).total.epsilon <= 0.5 * (1 + 1e-9)
    assert plan.model.epsilon == 0.5


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"k": 5}, "--k cannot be given together with --target-epsilon"),
        ({"epsilon0": OrNone(1.0), "t": 3}, "--epsilon0, --t cannot be given"),
        ({"model_epsilon": OrNone(2.0)}, "more than one record may cost"),
        ({"seeds_at_least": 60}, "60 seeds are certain"),
        ({"target_epsilon": 0.0}, "has to lie above 0"),
        ({"target_epsilon": math.nan}, "has to lie above 0"),
    ],
)
def test_what_does_not_go_with_a_target(schema: Schema, typed: dict[str, Any], said: str) -> None:
    usual = {"target_epsilon": 0.5, "omega": "9", "attempts": 50, "seeds_at_least": 2000}
    with pytest.raises(Refusal, match=said):
        plan_of({**usual, **typed}, schema)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"shares": "0.5,0.5"}, "four numbers"),
        ({"shares": "a,b,c,d"}, "four numbers"),
        ({"shares": "0.5,0.2,0.2,0.2"}, "sum to 1"),
        ({"policies": ["AGEP"]}, "COLUMN=POLICY"),
        ({"policies": ["AGEP=drop"]}, "refuse, missing, clip"),
        ({"policies": ["NOBODY=clip"]}, "no column “NOBODY”"),
        ({"omega": "5-12"}, "ω reaches 12"),
        ({"omega": "11-5"}, "ω cannot be read"),
        ({"omega": "-1"}, "ω cannot be read"),
        ({"omega": "some"}, "ω cannot be read"),
        ({"protocol": "releases"}, "needs a pass floor"),
        ({"pass_floor": 0.5}, "belongs to the protocol"),
        ({"reading": "announced", "protocol": "releases", "pass_floor": 0.5}, "nobody may know"),
    ],
)
def test_refusals(schema: Schema, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        plan_of(settings, schema)
    assert FIELDS.about(refused.value.field) in {*settings, "pass_floor"}


def test_a_target_out_of_reach_is_refused_under_the_name_of_its_option(schema: Schema) -> None:
    for target in (0.0, 0.01):
        with pytest.raises(Refusal) as refused:
            plan_of(
                {
                    "target_epsilon": target,
                    "test": "relative-sensitivity",
                    "omega": "9",
                    "attempts": 5_000,
                },
                schema,
            )
        assert refused.value.field == "target_epsilon"
