from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.cli.settings import Settings, every
from engine.core.refusal import Refusal
from engine.mechanisms.fields import Field, Group, Option, OrNone, Table, Text, Whole, Words
from engine.mechanisms.seedbased.fields.table import FIELDS
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import promise
from engine.models.omega import Omega
from engine.privacy.plausibility.deniability import PlausibleDeniability
from engine.privacy.plausibility.relative import RelativeSensitivity
from engine.table.schema import Schema

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
    "model": "marginals",
    "estimate": "sampled",
    "shares": "0.4,0.3,0.2,0.1",
    "sampling": 0.02,
    "records": 7_000,
    "outside": ["AGEP=clip"],
}


@pytest.fixture(scope="module")
def schema(census_schema: Path) -> Schema:
    return Schema.load(census_schema)


def test_every_setting_reaches_the_plan(schema: Schema) -> None:
    assert {*TYPED, "target_epsilon"} == {each.parameter for each in FIELDS.options}
    plan = Settings(TYPED).plan(schema)
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


def test_nothing_typed_is_the_usual_plan(schema: Schema) -> None:
    assert Settings().plan(schema) == Plan.of(schema)
    assert Settings().options == ()


def test_a_reading_without_a_range_keeps_the_usual_range(schema: Schema) -> None:
    plan = Settings({"reading": "announced"}).plan(schema)
    assert plan.omega == Plan.of(schema).omega.model_copy(update={"reading": "announced"})


def test_noise_can_be_left_out_of_the_test(schema: Schema) -> None:
    assert Settings({"epsilon0": OrNone(None)}).plan(schema).test.epsilon0 is None


def test_the_second_test(schema: Schema) -> None:
    plan = Settings({"test": "relative-sensitivity", "k": 70}).plan(schema)
    assert plan.test == RelativeSensitivity(k=70, epsilon0=1.0)
    with pytest.raises(Refusal, match="has no γ") as refused:
        Settings({"test": "relative-sensitivity", "gamma": 4.0}).plan(schema)
    assert refused.value.field == "gamma"


def test_a_plan_for_what_may_be_spent(schema: Schema) -> None:
    typed = Settings(
        {
            "target_epsilon": 0.5,
            "test": "relative-sensitivity",
            "omega": "9",
            "attempts": 50,
            "seeds_at_least": 2000,
        }
    )
    plan = typed.plan(schema)
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
        Settings({**usual, **typed}).plan(schema)


@pytest.mark.parametrize("name", [*TYPED, "target_epsilon"])
def test_no_setting_goes_with_a_plan_file(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path, name: str
) -> None:
    typed = {**TYPED, "target_epsilon": 0.5}[name]
    if isinstance(typed, OrNone):
        typed = "none" if typed.value is None else typed.value
    option = "--" + name.replace("_", "-")
    ended = understudy(
        "synthesize", "--new-people", census, "--schema", census_schema, "--out", tmp_path / "out",
        "--plan", tmp_path / "plan.json", option, typed[0] if name == "outside" else typed,
    )  # fmt: skip
    assert ended.refusal.startswith(f"{option} cannot be given together with --plan.")


def test_zero_is_a_setting_too() -> None:
    assert Settings({"k": 0, "gamma": 0.0}).options == ("--k", "--gamma")


def test_help_states_the_defaults_of_a_plan(understudy: Callable[..., Any], schema: Schema) -> None:
    said = " ".join(understudy("synthesize", "--help").out.split())
    plan = Plan.of(schema)
    for option, value in {
        "k": plan.test.k,
        "gamma": plan.test.gamma,
        "epsilon0": plan.test.epsilon0,
        "attempts": plan.attempts,
        "delta": plan.delta,
        "model-epsilon": plan.model.epsilon,
        "model": plan.model.kind,
        "estimate": plan.model.estimate,
        "reading": plan.omega.reading,
        "test": plan.test.kind,
        "protocol": plan.protocol,
        "records-per-person": plan.records_per_person,
    }.items():
        stated = re.search(rf"--{option} [^-].*?\(default:? ([^):;]+)[);]", said)
        assert stated is not None
        assert stated[1] == (value if isinstance(value, str) else f"{value:g}".replace("e-0", "e-"))
    assert "synthesize and propose: as many as follow from the records" in said
    assert ",".join(f"{share:g}" for share in plan.shares.each) in said


def test_account_has_the_defaults_of_a_plan(understudy: Callable[..., Any], schema: Schema) -> None:
    figures, plan = understudy("account", "--json").json, Plan.of(schema)
    assert figures["test"]["k"] == plan.test.k
    assert figures["test"]["gamma"] == plan.test.gamma
    assert figures["test"]["epsilon0"] == plan.test.epsilon0
    assert figures["test"]["name"] == plan.test.kind
    assert figures["protocol"] == plan.protocol
    assert figures["target_delta"] == plan.delta


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"shares": "0.5,0.5"}, "four numbers"),
        ({"shares": "a,b,c,d"}, "four numbers"),
        ({"shares": "0.5,0.2,0.2,0.2"}, "sum to 1"),
        ({"outside": ["AGEP"]}, "COLUMN=POLICY"),
        ({"outside": ["AGEP=drop"]}, "refuse, missing, clip"),
        ({"outside": ["NOBODY=clip"]}, "no column “NOBODY”"),
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
        Settings(settings).plan(schema)
    about = FIELDS.about(refused.value.field)
    assert about is not None
    assert FIELDS[about].parameter in {*settings, "pass_floor"}


def test_a_target_out_of_reach_is_refused_under_the_name_of_its_option(schema: Schema) -> None:
    for target in (0.0, 0.01):
        with pytest.raises(Refusal) as refused:
            Settings(
                {
                    "target_epsilon": target,
                    "test": "relative-sensitivity",
                    "omega": "9",
                    "attempts": 5_000,
                }
            ).plan(schema)
        assert refused.value.field == "target_epsilon"


def a_field(name: str, kind: Any, help_: str) -> Field:
    words = Words(label=name, meaning="It counts.")
    return Field(name, words, kind, Group("All", "All"), option=Option(help_))


def test_an_option_that_two_mechanisms_have_stands_once() -> None:
    one = Table((a_field("bins", Whole(), "How many."), a_field("depth", Whole(), "How deep.")))
    other = Table((a_field("bins", Whole(), "How many bins."), a_field("size", Whole(), "Size.")))
    assert [each.name for each in every((one, other))] == ["bins", "depth", "size"]
    with pytest.raises(AssertionError, match="--bins is read in two ways"):
        every((one, Table((a_field("bins", Text(), "Which."),))))


def test_an_option_of_another_mechanism_is_refused() -> None:
    one, other = Table((a_field("bins", Whole(), "How many."),)), Table(())
    given = Settings({"bins": 3}, (one, other))
    assert given.of(one) == {"bins": 3}
    with pytest.raises(Refusal, match="--bins cannot be given for this kind of plan"):
        given.of(other)
