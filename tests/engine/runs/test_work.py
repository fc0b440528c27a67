"""The run itself, in this process: what each protocol releases, and what it keeps to itself. The
bytes that a seeded run of the sample census releases, kept from one change to the next.
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import pytest

from tests.engine.runs.asked import finished
from tests.golden import check_golden
from tests.support import category_schema, holding
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased import attempts, executors
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan, RunProtocol
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, privacy_test
from understudy.privacy.randomness import Secret
from understudy.runs.folder import RunFolder, TableForm
from understudy.runs.resources import Resources
from understudy.runs.work import Job, work
from understudy.runs.work_folder import Progress, WorkCancelled
from understudy.samples import census
from understudy.table.encoding import encode_public
from understudy.table.records import Records
from understudy.table.sources.reading import read_table

SCHEMA = census.schema()
SMALL = category_schema(7, 5)


@pytest.fixture(scope="module")
def records() -> Records:
    return Records(SCHEMA, census.simulate(5_000, 1))


def hidden(**settings: Any) -> Plan:
    usual: dict[str, Any] = {
        "test": privacy_test("relative-sensitivity", 50, 1.0),
        "protocol": "releases",
        "pass_floor": 0.05,
        "attempts": 321,
    }
    return Plan.of(SCHEMA, **{**usual, **settings})


def done(job: Job, place: Path) -> tuple[RunFolder, Progress]:
    place.mkdir()
    folder = RunFolder(place)
    return folder, work(job, holding(job, folder), os.getpid())


def test_exactly_as_many_records_as_planned(records: Records, tmp_path: Path) -> None:
    folder, ended = done(Job(records, hidden(), figures=False), tmp_path / "run")
    with folder.table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 321 + 1
    assert (ended.state, ended.attempts, ended.done, ended.passed) == ("finished", 321, 321, 321)


def test_nothing_in_the_statement_depends_on_what_the_attempts_did(
    records: Records, tmp_path: Path
) -> None:
    """Two runs on different records that need different numbers of attempts say the same."""
    said = []
    for name, rows in (("one", slice(None)), ("other", slice(0, 4_500))):
        job = Job(records.take(np.arange(5_000)[rows]), hidden(), figures=False)
        folder, _ = done(job, tmp_path / name)
        said.append(json.loads(folder.guarantee.read_text(encoding="utf-8")))
    assert said[0]["table"].pop("sha256") != said[1]["table"].pop("sha256")
    assert said[0] == said[1]


def test_a_run_that_falls_under_its_floor_releases_nothing(
    records: Records, tmp_path: Path
) -> None:
    plan = hidden(omega=Omega(low=2, high=2), pass_floor=0.99)
    (tmp_path / "run").mkdir()
    folder = RunFolder(tmp_path / "run")
    job = Job(records, plan, figures=False)
    holding(job, folder)
    with pytest.raises(Refusal, match="pass floor"):
        work(job, folder, os.getpid())
    assert not folder.release.exists()
    assert not (folder.path / "release.partial").exists()


def _numbered(every: int, calls: list[tuple[int, int]]) -> Any:
    """A stand-in for `release`: every so manieth attempt passes, and says which it was."""

    def made(_: Any, __: Any, first: int, count: int, ___: Any) -> npt.NDArray[np.uint16]:
        calls.append((first, count))
        passed = [place for place in range(first, first + count) if place % every == 0]
        return np.array([[place // 5 % 7, place % 5] for place in passed], np.uint16).reshape(-1, 2)

    return made


def _counted(
    plan: Plan, every: int, place: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[RunFolder, list[tuple[int, int]]]:
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(attempts, "BATCH", 32)
    monkeypatch.setattr(executors, "BATCHES", 1)
    monkeypatch.setattr(attempts, "release", _numbered(every, calls))
    codes = np.tile(np.array([[0, 0], [1, 1], [6, 4]], np.uint16), (3_000, 1))
    place.mkdir()
    folder = RunFolder(place)
    try:
        one = Resources(cores=1)
        job = Job(Records(SMALL, codes), plan, figures=False, resources=one)
        work(job, holding(job, folder), os.getpid())
    except Refusal:
        assert not folder.release.exists()
    return folder, calls


def test_the_first_records_that_pass_are_the_released_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan.of(SMALL, protocol="releases", pass_floor=0.2, attempts=50)
    folder, calls = _counted(plan, 3, tmp_path / "run", monkeypatch)
    # One is made while the one before is written, and one more waits.
    assert calls == [(32 * number, 32) for number in range(len(calls))]
    assert 5 <= len(calls) <= 7
    expected = [f"v{place // 5 % 7},v{place % 5}" for place in range(0, 150, 3)]
    assert folder.table.read_text(encoding="utf-8").splitlines()[1:] == expected


def test_no_more_attempts_than_promised_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan.of(SMALL, protocol="releases", pass_floor=0.2, attempts=50)
    most = promise(plan, SMALL).attempts_at_most
    folder, calls = _counted(plan, 10**9, tmp_path / "run", monkeypatch)
    assert sum(count for _, count in calls) == most
    assert [first for first, _ in calls] == list(range(0, most or 0, 32))
    assert not folder.release.exists()


def test_a_private_run_never_uses_a_fixed_seed(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fixed(_: int) -> Secret:
        raise AssertionError("a private run asked for repeatable random numbers")

    monkeypatch.setattr(Secret, "fixed", fixed)
    seedless = Plan.of(SCHEMA, omega=Omega(low=11, high=11), attempts=20)
    tables = [
        done(Job(records, seedless, figures=False), tmp_path / name)[0].table.read_bytes()
        for name in ("one", "other")
    ]
    assert tables[0] != tables[1]
    with pytest.raises(AssertionError):
        done(Job(records, seedless, seed=1, figures=False), tmp_path / "fixed")


def test_a_demonstration_says_so_in_every_record(records: Records, tmp_path: Path) -> None:
    seedless = Plan.of(SCHEMA, omega=Omega(low=11, high=11), attempts=20)
    folder, _ = done(Job(records, seedless, seed=1, figures=False), tmp_path / "run")
    header, *rows = folder.table.read_text(encoding="utf-8").splitlines()
    assert header.endswith(",not_private")
    assert len(rows) == 20
    assert all(row.endswith(",demonstration: fixed random seed") for row in rows)
    assert "NOT PRIVATE" in json.loads(folder.guarantee.read_text(encoding="utf-8"))["stain"]


def test_a_run_says_which_step_of_learning_it_is_at(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, str]] = []
    report = RunFolder.report

    def heard(folder: RunFolder, progress: Progress) -> Progress:
        said.append((progress.state, progress.message))
        return report(folder, progress)

    monkeypatch.setattr(RunFolder, "report", heard)
    plan = hidden(model=ModelPlan(kind="calibrated", epsilon=50.0))
    _, ended = done(Job(records, plan, figures=False), tmp_path / "run")
    steps = [step for state, step in said if state == "learning"]
    assert steps[:2] == ["", "Counting every column by itself"]
    assert steps[-1] == "Keeping what fits the noisy tables best"
    assert ended.message == ""
    assert {step for state, step in said if state != "learning"} == {""}


def test_a_run_is_stopped_between_two_steps_of_learning(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = iter(range(100))

    def cancels(folder: RunFolder) -> bool:
        return next(steps) == 1

    monkeypatch.setattr(RunFolder, "cancelling", property(cancels))
    plan = hidden(model=ModelPlan(kind="calibrated"))
    with pytest.raises(WorkCancelled):
        done(Job(records, plan, figures=False), tmp_path / "run")
    assert not (tmp_path / "run" / "release").exists()
    assert next(steps) == 2


SEED = 7
GOLDEN: Final = Path(__file__).with_name("golden")
"""The released CSV of each model under each protocol, and one as Parquet. Whoever changes one says
in the commit why the same secret, plan and records come to another table. Another kind of processor
may round otherwise, and then another table is no fault."""


@pytest.fixture(scope="module")
def census_head(tmp_path_factory: pytest.TempPathFactory) -> Records:
    """The first 3,000 people of the shipped census."""
    short = tmp_path_factory.mktemp("golden") / "census.csv"
    with census.TABLE.open("rb") as lines:
        short.write_bytes(b"".join(next(lines) for _ in range(3_001)))
    return encode_public(read_table(short), census.schema())


def released(records: Records, kind: ModelKind, protocol: RunProtocol, form: TableForm) -> Job:
    """A seeded run whose attempts look at seeds."""
    plan = Plan.of(
        records.schema,
        model=ModelPlan(kind=kind),
        protocol=protocol,
        test=PlausibleDeniability(k=30, gamma=4.0, epsilon0=1.0),
        omega=Omega(low=9, high=11),
        attempts=400,
        pass_floor=0.01 if protocol == "releases" else None,
        seeds_at_least=500,
        public_records=2_900,
    )
    return Job(records, plan, seed=SEED, figures=False, resources=Resources(form=form))


@pytest.mark.parametrize("kind", ["calibrated", "network", "marginals"])
@pytest.mark.parametrize("protocol", ["attempts", "releases"])
def test_a_seeded_run_of_the_sample_releases_the_same_bytes(
    census_head: Records, tmp_path: Path, kind: ModelKind, protocol: RunProtocol
) -> None:
    run = finished(released(census_head, kind, protocol, "csv"), tmp_path / "run")
    check_golden(GOLDEN / f"{kind}-{protocol}.csv", run.table.read_bytes().decode())


def test_the_same_run_as_parquet_holds_the_same_values(
    census_head: Records, tmp_path: Path
) -> None:
    """What is in the file, and not how a version of the library packs it."""
    run = finished(released(census_head, "marginals", "attempts", "parquet"), tmp_path / "run")
    table = pq.read_table(run.table)
    rows = (json.dumps(row, default=str, sort_keys=True) for row in table.to_pylist())
    check_golden(GOLDEN / "parquet.txt", "\n".join([str(table.schema), *rows]) + "\n")
