"""A method of another package goes through every door without any file here knowing its name."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import EntryPoints, distributions
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.engine.cli.conftest import Ended
from tests.engine.runs.interrupting import killed_and_gone_on
from tests.installed_mechanism.noisy_histogram import HistogramPlan
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.registry import measures
from understudy.ledger.ledger import Ledger
from understudy.mechanisms import defaults, registry
from understudy.privacy.budget import Budget, Neighbours
from understudy.runs import process
from understudy.runs.control import home_ledger
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress
from understudy.table.records import Records
from understudy.table.schema import Schema

ROOT = Path(__file__).resolve().parents[3]
Understudy = Callable[..., Ended]
pytestmark = pytest.mark.usefixtures("installed")


@pytest.fixture
def plan(census_schema: Path, tmp_path: Path) -> Path:
    """A plan file for the sample census."""
    schema = Schema.load(census_schema)
    made = HistogramPlan(domain=schema.fingerprint, column="SEX", rows=120)
    path = tmp_path / "plan.json"
    path.write_text(made.to_json(), encoding="utf-8")
    return path


@pytest.fixture
def distances_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods without measures of their own are measured without classifiers, which take long to
    train and are no different for a method of another package."""
    every = measures()
    monkeypatch.setattr(
        defaults,
        "measures",
        lambda **_: tuple(each for each in every if each.about.group == "distances"),
    )


@pytest.mark.usefixtures("distances_only")
def test_from_the_plan_file_to_a_verified_packet(
    understudy: Understudy, plan: Path, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = understudy(
        "synthesize", census, "--schema", census_schema, "--plan", plan, "--out", out,
        "--new-people", "--keep", "--json",
    )  # fmt: skip
    assert done.status == 0, done.err
    assert {each.name for each in out.iterdir()} == {
        "synthetic.csv", "histogram.json", "guarantee.json",
    }  # fmt: skip
    assert done.json["guarantee"]["neighbours"] == "replacements"
    assert done.json["table"]["rows"] == 120
    assert "not this program's promise" in done.json["guarantee"]["assumes"][-1]
    assert set(json.loads((out / "histogram.json").read_text())["counts"]) == set(
        Schema.load(census_schema).columns[Schema.load(census_schema).names.index("SEX")].texts
    )
    run = done.json["run"]
    (spent,) = home_ledger().book().balances
    assert (spent.neighbours, spent.spent) == (Neighbours.REPLACEMENTS, Budget(1.0))

    measured = understudy("evaluate", run, "--table", census, "--json", "--repeats", 1)
    assert measured.status == 0, measured.err
    assert any(each["by_subject"] for each in measured.json["measures"])

    packet = understudy("packet", run, "--title", "Counts", "--no-pdf", "--json").json["packet"]
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out
    figures = Path(packet) / "outputs.json"
    figures.write_text(figures.read_text().replace('"column": "SEX"', '"column": "AGE"'))
    assert understudy("verify", packet).status == 1


def test_a_process_of_a_run_is_told_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the environment, which it inherits, and which nothing has its interpreter leave out."""
    asked: list[tuple[Sequence[str], dict[str, Any]]] = []

    class Popen:
        pid, stdin = 4711, io.BytesIO()

        def __init__(self, command: Sequence[str], **how: Any) -> None:
            asked.append((command, how))

        def wait(self) -> None:
            """It has ended."""

    monkeypatch.setattr(process, "subprocess", SimpleNamespace(Popen=Popen, PIPE=-1, DEVNULL=-3))
    folder: Any = SimpleNamespace(
        path=tmp_path, progress=lambda: Progress("starting", 1), report=lambda _: None
    )
    process.launch("understudy.runs.worker", [tmp_path], "job", folder)
    (((interpreter, option, *_), how),) = asked
    assert (interpreter, option) == (sys.executable, "-m")
    environment = how.get("env") or os.environ
    found = EntryPoints(
        point
        for place in environment["PYTHONPATH"].split(os.pathsep)
        for each in distributions(path=[place])
        for point in each.entry_points
    )
    assert found.select(group=registry.GROUP).names == {"noisy-histogram"}


@pytest.mark.thorough("test_a_process_of_a_run_is_told_where_it_lies")
def test_processes_that_are_started_find_it_too(
    understudy: Understudy, plan: Path, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    def command(*arguments: object) -> dict[str, Any]:
        whole = [sys.executable, "-m", "understudy.cli", *map(str, arguments), "--json"]
        done = subprocess.run(whole, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    out = tmp_path / "out"
    asked = ("--schema", census_schema, "--plan", plan, "--out", out, "--new-people", "--keep")
    run = command("synthesize", census, *asked)["run"]
    packet = understudy("packet", run, "--title", "Counts", "--no-pdf", "--json").json["packet"]
    checks = understudy("verify", packet, "--json").json["checks"]
    assert all(each["state"] == "passed" for each in checks)


def test_a_budget_between_other_tables_does_not_hold_it(
    understudy: Understudy, plan: Path, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    """What is promised between tables of one size says nothing about other tables."""
    home_ledger().budget("census", Budget(10.0, 1e-6))
    asked = ("synthesize", census, "--schema", census_schema, "--plan", plan, "--new-people")
    refused = understudy(*asked, "--out", tmp_path / "out").refusal
    assert "cannot be turned into the other" in refused
    assert "--neighbours replacements" in refused
    assert not home_ledger().book().runs
    wide = ("ledger", "budget", "census", "--epsilon", 3, "--delta", "1e-6")
    raised = understudy(*wide, "--neighbours", "replacements")
    assert "of the same number of records" in raised.out
    assert understudy(*asked, "--out", tmp_path / "out").status == 0
    assert "of the same number of records" in understudy("ledger", "--dataset", "census").out


def records() -> Records:
    codes = np.random.default_rng(5).integers(0, 3, (300, 2)).astype(np.uint16)
    return Records(category_schema(3, 4), codes)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("after", [1, 2, 4])
def test_a_run_that_was_killed_comes_to_the_same_outputs(
    after: int, form: Any, tmp_path: Path
) -> None:
    schema = records().schema
    plan = HistogramPlan(domain=schema.fingerprint, column="c1", rows=230)
    job = Job(records(), plan, seed=3, figures=False)
    job = replace(job, resources=replace(job.resources, form=form))
    run = killed_and_gone_on(job, after, tmp_path)
    assert len([*run.release.iterdir()]) == 3


def test_a_plan_for_a_method_that_is_not_there_is_refused() -> None:
    with pytest.raises(Refusal, match="“sorcery”, which is not installed"):
        registry.plan_from_json('{"mechanism": "sorcery", "domain": "x"}')


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"mechanism": {}}', "NaN"])
def test_what_is_no_plan_is_refused_in_words(text: str) -> None:
    with pytest.raises(Refusal):
        registry.plan_from_json(text)


def test_no_other_file_knows_its_name() -> None:
    for folder in ("engine", "dashboard"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8").casefold()
            assert "noisy_histogram" not in text
            assert "noisy-histogram" not in text


def test_a_ledger_reads_what_was_debited(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.budget("people", Budget(1.0, 1e-9), Neighbours.REPLACEMENTS)
    (found,) = ledger.book().datasets.values()
    assert found.neighbours is Neighbours.REPLACEMENTS
