"""Several tables, numbers that a method drew, and figures alone go through every door."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.cli.conftest import Ended
from tests.engine.runs.interrupting import killed_and_gone_on
from tests.installed_mechanism.installing import several_outputs
from tests.installed_mechanism.several_outputs import SeveralOutputs, SeveralPlan
from tests.support import holding, within_cells
from understudy.mechanisms.outputs import Chunk
from understudy.mechanisms.statement import bind_release, released_of
from understudy.runs.control import home_ledger
from understudy.runs.evidence import MOST_TABLES, load_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.table_file import read_first_records
from understudy.runs.work import Job, work
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.encoding import to_csv_bytes
from understudy.table.records import Records
from understudy.table.schema import Schema

Understudy = Callable[..., Ended]
SCHEMA = Schema(
    columns=(
        Column(name="ward", domain=Categories(values=("A", "B", "=C"))),
        Column(
            name="weight",
            domain=Continuous(minimum=30, maximum=150, precision="0.5", step=7, unit="kg"),
        ),
        Column(name="sex", domain=Categories(values=("m", "f"))),
    )
).declare_public("A form.")


def people(rows: int = 300) -> Records:
    rng = np.random.default_rng(5)
    codes = np.column_stack([rng.integers(0, each, rows) for each in SCHEMA.cardinalities])
    return within_cells(SCHEMA).records(codes.astype(np.uint16), 0)


@pytest.fixture(autouse=True)
def installed(
    in_this_process: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """As if the package were installed; work is done in this process."""
    with several_outputs(tmp_path_factory, monkeypatch):
        yield


def plan(**settings: Any) -> SeveralPlan:
    return SeveralPlan(domain=SCHEMA.fingerprint, column="ward", rows=120, **settings)


@pytest.fixture
def made(understudy: Understudy, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """A run of a plan, from its file, kept; what the command says of it."""

    def run(*options: object, **settings: Any) -> dict[str, Any]:
        (tmp_path / "people.csv").write_bytes(to_csv_bytes(people()).replace(b"'=", b"="))
        (tmp_path / "schema.json").write_text(SCHEMA.to_json(), encoding="utf-8")
        (tmp_path / "plan.json").write_text(plan(**settings).to_json(), encoding="utf-8")
        done = understudy(
            "synthesize", tmp_path / "people.csv", "--schema", tmp_path / "schema.json",
            "--plan", tmp_path / "plan.json", "--out", tmp_path / "out", "--new-people", "--keep",
            "--json", *options,
        )  # fmt: skip
        assert done.status == 0, done.err
        found: dict[str, Any] = done.json
        return found

    return run


def packet_of(understudy: Understudy, run: str) -> Path:
    done = understudy("packet", run, "--title", "Wards", "--no-pdf", "--json")
    assert done.status == 0, done.err
    return Path(done.json["packet"])


def test_several_tables_and_figures_from_the_plan_to_a_verified_packet(
    understudy: Understudy, made: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    done = made()
    names = {"drawn-1", "drawn-2", "drawn-3", "totals", "counts"}
    files = {*(f"{name}.csv" for name in names - {"counts"}), "counts.json", "guarantee.json"}
    assert {each.name for each in (tmp_path / "out").iterdir()} == files
    assert done["table"] is None
    assert set(done["outputs"]) == set(done["files"]["outputs"]) == names
    assert done["outputs"]["drawn-2"]["rows"] == 120
    assert done["outputs"]["totals"]["columns"] == ["ward", "n"]
    assert set(home_ledger().book().runs[done["run"]].artefacts) == files

    packet = packet_of(understudy, done["run"])
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out
    there = {each.name for each in packet.iterdir()}
    assert {"drawn-3.csv", "drawn-3.parquet", "totals-dictionary.csv", "outputs.json"} <= there
    assert "synthetic.csv" not in there
    assert "drawn-1-dictionary.csv" not in there
    ledger = json.loads((packet / "ledger.json").read_text())
    assert ledger["released_sha256"] == bind_release({
        each.output: each.sha256 for each in released_of(done)
    })  # fmt: skip
    package = json.loads((packet / "datapackage.json").read_text())
    assert len(package["resources"]) == 2 * 4 + 1
    totals = next(each for each in package["resources"] if each["name"] == "totals")
    assert [each["name"] for each in totals["schema"]["fields"]] == ["ward", "n"]
    report = (packet / "report.html").read_text()
    assert "drawn by the method itself" in report
    assert "drawn evenly" not in report
    assert "4 synthetic tables and 1 set of figures" in report


def test_figures_alone_from_the_plan_to_a_verified_packet(
    understudy: Understudy, made: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    done = made(tables=0, totals=False)
    assert {each.name for each in (tmp_path / "out").iterdir()} == {"counts.json", "guarantee.json"}
    packet = packet_of(understudy, done["run"])
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out
    assert not [*packet.glob("*.parquet")]
    assert "No table was released" in (packet / "report.html").read_text()


def test_a_demonstration_of_figures_says_so_everywhere(
    understudy: Understudy, made: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    done = made("--demo-seed", 7, tables=0, totals=False)
    assert (
        "NOT PRIVATE" in json.loads((tmp_path / "out" / "counts.json").read_text())["not_private"]
    )
    packet = packet_of(understudy, done["run"])
    assert (packet / "demonstration-outputs.json").exists()
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out


@pytest.mark.parametrize(
    "harm",
    [
        lambda packet: (packet / "drawn-2.csv").unlink(),
        lambda packet: (packet / "drawn-4.csv").write_bytes((packet / "drawn-2.csv").read_bytes()),
        lambda packet: (packet / "totals-values.csv").write_text("column,value,label,bucket\n"),
        lambda packet: (packet / "drawn-1.csv").write_bytes((packet / "drawn-2.csv").read_bytes()),
        lambda packet: (packet / "drawn-1.parquet").write_bytes(b""),
    ],
)
def test_a_packet_of_several_tables_that_was_changed_does_not_pass(
    harm: Callable[[Path], object],
    understudy: Understudy,
    made: Callable[..., dict[str, Any]],
) -> None:
    packet = packet_of(understudy, made(tables=2)["run"])
    harm(packet)
    assert understudy("verify", packet).status == 1


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("after", [0, 2, 4, 6, 7])
def test_a_run_of_several_outputs_that_was_killed_comes_to_the_same(
    after: int, form: Any, tmp_path: Path
) -> None:
    job = Job(people(), plan(tables=2), seed=3, figures=False)
    job = replace(job, resources=replace(job.resources, form=form))
    run = killed_and_gone_on(job, after, tmp_path)
    assert len([*run.release.iterdir()]) == 5
    read = [read_first_records(run.table_of(f"drawn-{turn}"), SCHEMA, 10**6) for turn in (1, 2)]
    assert [len(each) for each in read] == [120, 120]
    weights = [each.numbers for each in read]
    assert weights[0] is not None
    assert not np.array_equal(weights[0], weights[1])


def test_a_chunk_that_is_not_what_its_output_says_ends_the_run_with_nothing_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = SeveralOutputs.release

    def release(self: SeveralOutputs, *arguments: Any) -> Iterator[Chunk]:
        for chunk in real(self, *arguments):
            content = chunk.content
            yield replace(chunk, content=content.codes if isinstance(content, Records) else content)

    monkeypatch.setattr(SeveralOutputs, "release", release)
    job = Job(people(), plan(), seed=3, figures=False)
    run = holding(job, RunFolder(tmp_path / "run"))
    with pytest.raises(ValueError, match="drawn-1"):
        work(job, run, os.getpid())
    assert not run.release.exists()


def test_no_figure_takes_the_place_of_what_says_that_it_is_a_demonstration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = SeveralOutputs.release

    def release(self: SeveralOutputs, *arguments: Any) -> Iterator[Chunk]:
        for chunk in real(self, *arguments):
            own = chunk.content if isinstance(chunk.content, Mapping) else None
            yield chunk if own is None else replace(chunk, content={**own, "not_private": ""})

    monkeypatch.setattr(SeveralOutputs, "release", release)
    job = Job(people(), plan(tables=0, totals=False), seed=3, figures=False)
    run = holding(job, RunFolder(tmp_path / "run"))
    work(job, run, os.getpid())
    said = json.loads((run.release / "counts.json").read_text())
    assert "NOT PRIVATE" in said["not_private"]
    assert next(iter(said)) == "not_private"


@pytest.mark.thorough(
    "test_of_many_tables_the_first_are_looked_at_and_figures_alone_are_not_measured"
)
def test_every_table_of_a_run_is_measured_and_what_is_not_is_said(
    understudy: Understudy, made: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    run = made()["run"]
    asked = ("evaluate", run, "--table", tmp_path / "people.csv", "--repeats", 1)
    done = understudy(*asked, "--json")
    assert done.status == 0, done.err
    names = [each["name"] for each in done.json["tables"]]
    assert names == ["other real records", "marginals", "released", "drawn-2", "drawn-3"]
    distance = next(each for each in done.json["measures"] if each["key"] == "total-variation")
    assert set(distance["by_subject"]) == set(names)
    (totals,) = done.json["others"]
    assert (totals["name"], totals["records"]) == ("totals", 3)
    # Another remark comes first where the coins of the split held out few people.
    (left,) = (each for each in done.json["remarks"] if "“totals”" in each)
    assert "“totals”, 3 records of other columns" in left
    assert "too few to measure" in left


def test_of_many_tables_the_first_are_looked_at_and_figures_alone_are_not_measured(
    understudy: Understudy, made: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    job = Job(people(), plan(tables=7, figures=False), seed=3, figures=True)
    run = holding(job, RunFolder(tmp_path / "run"))
    run.write_text("plan.json", job.plan.to_json())
    run.write_text("schema.json", SCHEMA.to_json())
    work(job, run, os.getpid())
    found = load_evidence(run, people())
    assert list(found.tables) == [f"drawn-{turn}" for turn in range(1, MOST_TABLES + 1)]
    figures = made(tables=0, totals=False)["run"]
    refused = understudy("evaluate", figures, "--table", tmp_path / "people.csv").refusal
    assert "released no table with columns of the confidential one" in refused
