from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import category_schema
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.samples.census import SCHEMA
from understudy.table.schema import Schema

KNOWN = ("propose", "--schema", SCHEMA, "--records", 60_000)


def test_both_plans_keep_to_what_may_be_spent(understudy: Callable[..., Any]) -> None:
    told = understudy(*KNOWN, "--epsilon", 2, "--rows", 5_000, "--attempts", 300, "--json").json
    schema = Schema.load(SCHEMA)
    for name, count in (("table", 5_000), ("alike", 300)):
        plan = Plan.model_validate(told[name]["plan"])
        assert plan.attempts == count
        total = promise(plan, schema).total
        assert told[name]["total"] == {"epsilon": total.epsilon, "delta": total.delta}
        assert total.epsilon <= 2
        assert len(told[name]["why"]) == 2
    assert told["purpose"] == "table"


def test_every_column_and_pair_is_predicted(understudy: Callable[..., Any]) -> None:
    told = understudy(*KNOWN, "--json").json["table"]["predicted"]
    names = Schema.load(SCHEMA).names
    assert list(told["columns"]) == list(names)
    assert len(told["pairs"]) == len(names) * (len(names) - 1) // 2
    counted = [each for each in told["pairs"] if each["distance"] is not None]
    assert len(counted) == told["pairs_counted"] > 0
    lines = understudy(*KNOWN).out
    assert "A whole table (proposed)" in lines
    assert all(f"  {name} " in lines for name in names)
    assert lines.count(" × ") == told["pairs_counted"]


@pytest.mark.parametrize("purpose", ["table", "alike"])
def test_the_saved_plan_is_the_proposed_one(
    purpose: str, understudy: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    given = (*KNOWN, "--purpose", purpose, "--save-plan", path)
    told = understudy(*given, "--json").json
    saved = Plan.from_json(path.read_text(encoding="utf-8"))
    assert saved.as_dict() == told[purpose]["plan"]
    assert understudy(*given).status == 0
    other = understudy(*given, "--epsilon", 3)
    assert "--save-plan" in other.refusal
    assert Plan.from_json(path.read_text(encoding="utf-8")) == saved


def test_without_the_number_of_records_there_is_a_plan_and_no_prediction(
    understudy: Callable[..., Any],
) -> None:
    told = understudy("propose", "--schema", SCHEMA, "--json").json
    assert told["table"]["predicted"] is None
    assert "how many records" in told["alike"]["refused"]
    lines = understudy("propose", "--schema", SCHEMA).out
    assert "Predicted" not in lines
    assert "Say how many records" in " ".join(lines.split())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--epsilon", -1), "--epsilon: "),
        (("--epsilon", 0.001, "--purpose", "alike"), "out of reach"),
        (("--kept", 40, "--purpose", "alike"), "More columns are to be copied"),
        (("--records", -5), "--records: The number of records is -5. Enter 1 or more."),
        (("--rows", 0), "--rows: The number of rows is 0. Enter 1 or more."),
        (("--attempts", 0), "--attempts: "),
        (("--purpose", "other"), "is not table or alike"),
    ],
)
def test_what_cannot_be_proposed_is_refused(
    given: tuple[Any, ...], said: str, understudy: Callable[..., Any]
) -> None:
    assert said in understudy(*KNOWN, *given).refusal


def test_a_column_that_will_be_unrelated_is_named_before_anything_is_spent(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "schema.json"
    category_schema(900, 8, 5, 12, 4).declare_public().save(path)
    given = ("propose", "--schema", path, "--records", 10_000)
    told = understudy(*given, "--json").json["table"]
    if told["plan"]["model"]["kind"] == "marginals":
        pytest.fail("the example has to be one in which columns are related")
    assert told["unrelated"] == ["c0"]
    said = " ".join(understudy(*given).out.split())
    assert "“c0” will be unrelated to every other column" in said


def test_what_must_survive_is_foreseen_and_saved(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    marked = ("--target", "WAGP", "--together", "SCHL,OCCP; AGEP,MAR,RELP")
    told = understudy(*KNOWN, *marked, "--save-plan", path, "--json").json["table"]["marked"]
    assert [each["columns"] for each in told[:2]] == [["AGEP", "MAR", "RELP"], ["SCHL", "OCCP"]]
    assert all(each["possible"] and each["distance"] > 0 for each in told[:2])
    assert len(told) == 2 + 10
    saved = Plan.from_json(path.read_text(encoding="utf-8")).marks
    assert saved.together == (("SCHL", "OCCP"), ("AGEP", "MAR", "RELP"))
    refusal = understudy(*KNOWN, "--must-survive", "NOBODY").refusal
    assert "“NOBODY” is marked to survive" in refusal
