from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.cli.conftest import Ended
from understudy.mechanisms.registry import plan_from_json
from understudy.mechanisms.scored.plan import ScoredPlan

Understudy = Callable[..., Ended]
SMALL = ("--set", "attempts=10", "--set", "delta=1e-4", "--set", "test.k=60")


def test_the_methods_are_listed(understudy: Understudy) -> None:
    listed = understudy("method").out
    assert "Seedbased synthesis" in listed
    assert "for models of your own" in " ".join(listed.split())
    names = [each["name"] for each in understudy("method", "--json").json["methods"]]
    assert names == [
        "imputation",
        "latent",
        "plausible-traces",
        "pmse",
        "scored",
        "seedbased",
        "traces",
    ]


def test_with_a_schema_those_that_suit_it_stand_first_and_say_why(
    understudy: Understudy, census_schema: Path
) -> None:
    listed = understudy("method", "--schema", census_schema).out
    assert listed.startswith("seedbased: Seedbased synthesis")
    assert "For this schema (best): Its calibrated model" in " ".join(listed.split())
    first, *others = understudy("method", "--schema", census_schema, "--json").json["methods"]
    assert (first["name"], first["suits"]) == ("seedbased", "best")
    assert first["because"].endswith(".")
    assert any("suits" not in each for each in others)


def test_a_plan_is_made_and_says_what_it_promises(
    understudy: Understudy, census_schema: Path, tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    asked = ("method", "scored", "--schema", census_schema, *SMALL)
    kind = ("--set", "test.kind=plausible-deniability", "--set", "test.gamma=4")
    eps0 = ("--set", "test.epsilon0=1.0")
    done = understudy(*asked, *kind, *eps0, "--save-plan", path, "--json")
    assert done.status == 0, done.err
    plan = plan_from_json(path.read_text(encoding="utf-8"))
    assert isinstance(plan, ScoredPlan)
    assert (plan.attempts, plan.test.k) == (10, 60)
    assert done.json["plan"] == json.loads(path.read_text(encoding="utf-8"))
    assert done.json["guarantee"]["neighbours"] == "tables"
    said = understudy(*asked, *kind, *eps0)
    assert "Records, publicly known" in said.out
    assert "added or removed" in said.out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("scored",), "Missing option"),
        (("sorcery", "--schema", "SCHEMA"), "“sorcery”, which is not installed"),
        (("scored", "--schema", "SCHEMA", "--set", "attempts"), "is no setting"),
        (("scored", "--schema", "SCHEMA", "--set", "attempts=none"), "attempts"),
        (("scored", "--schema", "SCHEMA", "--set", "heat=1"), "not a setting that exists"),
        (("scored", "--schema", "SCHEMA", "--set", "test=1", "--set", "test.k=2"), "by itself"),
    ],
)
def test_what_cannot_be_used_is_refused(
    typed: tuple[str, ...], said: str, understudy: Understudy, census_schema: Path
) -> None:
    arguments = [str(census_schema) if each == "SCHEMA" else each for each in typed]
    assert said in understudy("method", *arguments).refusal
