from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.cli.new_run import FIELDS, plan_of
from understudy.cli.options import Settings, every_field
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, Group, Option, Table, Words
from understudy.mechanisms.kinds import OrNone, Text, Whole
from understudy.mechanisms.seedbased.plan import Plan
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
    "model": "marginals",
    "estimate": "sampled",
    "shares": "0.4,0.3,0.2,0.1",
    "sampling": 0.02,
    "records": 7_000,
    "outside": ["AGEP=clip"],
    "set": ["noisy_tables=true"],
}


@pytest.fixture(scope="module")
def schema(census_schema: Path) -> Schema:
    return Schema.load(census_schema)


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
        "--plan", tmp_path / "plan.json", option, typed[0] if isinstance(typed, list) else typed,
    )  # fmt: skip
    assert ended.refusal.startswith(f"{option} cannot be given together with --plan.")


def test_what_is_typed_becomes_a_plan(schema: Schema) -> None:
    given = {"k": 60, "records": 7_000, "outside": ["AGEP=clip"], "model": "marginals"}
    plan = plan_of(Settings(given, (FIELDS,)), schema)
    assert (plan.test.k, plan.public_records, plan.model.kind) == (60, 7_000, "marginals")
    assert dict(plan.policies) == {"AGEP": "clip"}
    assert plan_of(Settings(tables=(FIELDS,)), schema) == Plan.of(schema)
    assert Settings(tables=(FIELDS,)).options == ()


def test_zero_is_a_setting_too() -> None:
    assert Settings({"k": 0, "gamma": 0.0}, (FIELDS,)).options == ("--k", "--gamma")


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


def a_field(name: str, kind: Any, help_: str) -> Field:
    words = Words(label=name, meaning="It counts.")
    return Field(name, words, kind, Group("All", "All"), option=Option(help_))


def test_an_option_that_two_mechanisms_have_stands_once() -> None:
    one = Table((a_field("bins", Whole(), "How many."), a_field("depth", Whole(), "How deep.")))
    other = Table((a_field("bins", Whole(), "How many bins."), a_field("size", Whole(), "Size.")))
    assert [each.name for each in every_field((one, other))] == ["bins", "depth", "size"]
    with pytest.raises(AssertionError, match="--bins is read in two ways"):
        every_field((one, Table((a_field("bins", Text(), "Which."),))))


def test_an_option_of_another_mechanism_is_refused() -> None:
    one, other = Table((a_field("bins", Whole(), "How many."),)), Table(())
    given = Settings({"bins": 3}, (one, other))
    assert given.of(one) == {"bins": 3}
    with pytest.raises(Refusal, match="--bins cannot be given for this kind of plan"):
        given.of(other)
