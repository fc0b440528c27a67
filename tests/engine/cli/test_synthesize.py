"""A table in, a release out, and what becomes of a run that comes to none."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.cli.conftest import ROWS, SMALL, everything
from understudy.mechanisms.seedbased.plan import Plan
from understudy.table.schema import Schema

ROOT = Path(__file__).resolve().parents[3]


def _process(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "understudy.cli",
            "synthesize",
            "--new-people",
            *map(str, arguments),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def test_a_table_in_a_release_out(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ended = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", out, *SMALL, "--demo-seed", 1, "--json",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    assert everything(tmp_path) == {"out", "out/synthetic.csv", "out/guarantee.json"}
    assert "reading the table" in ended.err

    schema = Schema.load(census_schema)
    with (out / "synthetic.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [*schema.names, "not_private"]
    assert len(rows) > 50
    *columns, marks = zip(*rows, strict=True)
    for column, values in zip(schema.columns, columns, strict=True):
        assert set(values) <= set(column.texts)
    assert set(marks) == {"demonstration: fixed random seed"}

    text = (out / "guarantee.json").read_text(encoding="utf-8")
    statement = json.loads(text)
    assert statement["guarantee"]["strength"] == "none"
    assert statement["table"]["rows"] == len(rows)
    assert statement["table"]["columns"] == header
    content = (out / "synthetic.csv").read_bytes()
    assert statement["table"]["sha256"] == hashlib.sha256(content).hexdigest()
    files = {"table": str(out / "synthetic.csv"), "guarantee": str(out / "guarantee.json")}
    assert json.loads(ended.out) == {"files": files, **statement}
    _holds_nothing_internal(statement)


def _holds_nothing_internal(statement: dict[str, Any]) -> None:
    """No count of records, no pass rate, no time, and no place on this computer."""
    leaves = list(_leaves(statement))
    assert ROWS not in leaves
    words = [each for each in leaves if isinstance(each, str)]
    tokens = {token for each in words for token in re.findall(r"[\d.,]*\d", each)}
    assert not {str(ROWS), f"{ROWS:,}"} & tokens
    assert statement["table"]["rows"] / 3000 not in leaves
    assert statement["table"]["rows"] / ROWS not in leaves
    assert not any("/" in each and Path(each).exists() for each in words)
    assert set(statement) == {
        "guarantee", "stain", "table", "plan", "declared_public", "made_by",
    }  # fmt: skip


def test_the_same_plan_from_a_file(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan, common = tmp_path / "plan.json", ("--schema", census_schema, "--demo-seed", 5)
    first = understudy(
        "synthesize", "--new-people",
        census, *common, *SMALL, "--omega", "7-11", "--reading", "announced",
        "--save-plan", plan, "--out", tmp_path / "first", "--quiet",
    )  # fmt: skip
    assert (first.status, first.err) == (0, "")
    assert "NOT PRIVATE" in first.out
    assert "ε =" not in first.out
    read = Plan.from_json(plan.read_text(encoding="utf-8"))
    assert str(read.omega) == "7-11"
    again = understudy(
        "synthesize",
        "--new-people",
        census,
        *common,
        "--plan",
        plan,
        "--out",
        tmp_path / "again",
        "--quiet",
    )
    assert again.status == 0
    for name in ("synthetic.csv", "guarantee.json"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_a_private_run_states_its_guarantee(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    ended = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--omega", "11",
        *SMALL, "--quiet",
    )  # fmt: skip
    statement = json.loads((tmp_path / "out" / "guarantee.json").read_text(encoding="utf-8"))
    assert statement["guarantee"]["strength"] == "moderate"
    assert statement["guarantee"]["epsilon"] <= 1
    assert "ε = 1, δ = 1e-06" in ended.out
    assert "not_private" not in (tmp_path / "out" / "synthetic.csv").read_text(encoding="utf-8")


def test_exactly_as_many_records_as_were_asked_for(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    statement = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--k", 40,
        "--test", "relative-sensitivity", "--protocol", "releases", "--attempts", 123,
        "--pass-floor", 0.05, "--records", 1500, "--seeds-at-least", 300, "--delta", 1e-6,
        "--quiet", "--json",
    ).json  # fmt: skip
    text = (tmp_path / "out" / "synthetic.csv").read_text(encoding="utf-8")
    assert statement["table"]["rows"] == text.count("\n") - 1 == 123
    assert statement["guarantee"]["protocol"] == "releases"
    assert any("0.05 of all attempts" in each for each in statement["guarantee"]["assumes"])


def test_a_run_that_falls_under_its_pass_floor_releases_nothing(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    refusal = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--omega", 2,
        "--k", 250, "--protocol", "releases", "--attempts", 500, "--pass-floor", 0.9,
        "--records", 1500, "--seeds-at-least", 300, "--delta", 1e-6, "--quiet",
    ).refusal  # fmt: skip
    assert "Fewer candidates pass the test than the pass floor" in refusal
    assert "declare a lower pass floor" in refusal
    assert "budget counts as spent" in refusal
    assert not any(letter.isdigit() for letter in refusal)
    assert everything(tmp_path) == set()


def test_what_may_be_spent_is_enough_to_plan(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    statement = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--quiet",
        "--test", "relative-sensitivity", "--target-epsilon", 2, "--attempts", 20,
        "--records", 1500, "--seeds-at-least", 300, "--delta", 1e-6, "--save-plan", plan, "--json",
    ).json  # fmt: skip
    assert statement["guarantee"]["epsilon"] <= 2 * (1 + 1e-9)
    assert statement["guarantee"]["delta"] <= 1e-6
    saved = Plan.from_json(plan.read_text(encoding="utf-8"))
    assert saved.test.kind == "relative-sensitivity"
    assert saved.test.k > 20


def test_a_release_of_nothing_says_so(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    ended = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--quiet",
        "--omega", 1, "--k", 300, "--attempts", 200, "--delta", 1e-6,
        "--records", 1500, "--seeds-at-least", 300,
    )  # fmt: skip
    assert ended.status == 0
    assert ", 0 records\n" in ended.out
    assert "No candidate passed" in ended.out
    assert (tmp_path / "out" / "synthetic.csv").read_text(encoding="utf-8").count("\n") == 1


@pytest.mark.thorough("engine/cli/test_watching.py::test_an_interruption_cancels_the_run")
def test_an_interrupted_run_leaves_nothing(
    census: Path, census_schema: Path, tmp_path: Path
) -> None:
    run = _process(
        census, "--schema", census_schema, "--out", tmp_path / "a" / "out",
        "--k", 40, "--records", 1500, "--seeds-at-least", 300, "--attempts", 5_000_000,
        "--delta", 1e-4,
    )  # fmt: skip
    assert run.stderr is not None
    for line in run.stderr:
        if line.startswith("making candidates"):
            break
    run.send_signal(signal.SIGINT)
    _, rest = run.communicate()
    assert run.returncode == 130, rest
    assert rest.splitlines()[-1] == "understudy: Cancelled. Nothing was released."
    assert "Traceback" not in rest
    assert everything(tmp_path) == set()
