"""Runs as a page or a command sees them: real worker processes, watched from disk."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import pickle
import signal
from pathlib import Path

import numpy as np
import pytest

from engine.evaluation.figures import Figures
from engine.models.omega import Omega
from engine.privacy.deniability import plausible_deniability_test
from engine.refusal import Refusal
from engine.runs import worker
from engine.runs.control import home, runs, start, wait
from engine.runs.folder import Progress, RunFolder
from engine.runs.work import Cancelled, Job, work
from engine.synthesis.plan import Plan
from engine.table.encoding import encode
from engine.table.reading import read_table
from engine.table.records import Records
from sample_data import census

SCHEMA = census.schema()


@pytest.fixture(scope="module")
def records() -> Records:
    return Records(SCHEMA, census.simulate(5_000, 1))


def plan(**settings: object) -> Plan:
    chosen = {
        "test": plausible_deniability_test(50, 4.0, 1.0),
        "omega": Omega(low=8, high=11),
        "attempts": 2_000,
    }
    return Plan.of(SCHEMA, **{**chosen, **settings})


def test_a_run_leaves_a_table_in_its_domain_and_a_statement_of_it(
    records: Records, tmp_path: Path
) -> None:
    folder = start(Job(records, plan()), tmp_path)
    ended = wait(folder)
    assert ended.state == "finished", ended.message
    assert ended.done == 2_000
    assert sorted(path.name for path in folder.release.iterdir()) == [
        "guarantee.json",
        "synthetic.csv",
    ]
    again = encode(read_table(folder.table), SCHEMA)
    assert len(again) == ended.passed > 0
    told = json.loads(folder.guarantee.read_text(encoding="utf-8"))
    assert told["table"]["rows"] == ended.passed
    assert told["table"]["sha256"] == hashlib.sha256(folder.table.read_bytes()).hexdigest()
    assert told["guarantee"]["private"] is True
    assert "stain" not in told
    figures = Figures.load(folder.internal)
    assert figures is not None
    assert [each.name for each in figures.compared][:2] == ["other real records", "marginals"]
    assert runs(tmp_path) == (folder,)


def test_the_run_is_debited_before_it_starts_and_whatever_becomes_of_it(
    records: Records, tmp_path: Path
) -> None:
    folder = start(Job(records, plan(attempts=10**8)), tmp_path)
    assert folder.spend()["epsilon"] > 0
    folder.cancel()
    ended = wait(folder)
    assert ended.state == "cancelled"
    assert not folder.release.exists()
    assert not (folder.path / "release.partial").exists()
    assert folder.spend()["epsilon"] > 0
    assert runs(tmp_path) == (folder,)


def test_a_killed_worker_leaves_no_half_release(records: Records, tmp_path: Path) -> None:
    folder = start(Job(records, plan(attempts=10**9)), tmp_path)
    while (now := folder.progress()).state != "attempting":
        assert not now.ended, now.message
    os.killpg(now.process, signal.SIGKILL)
    ended = wait(folder)
    assert ended.state == "failed"
    assert "budget counts as spent" in ended.message
    assert not folder.release.exists()


def test_a_fixed_seed_repeats_the_table_and_stains_it(records: Records, tmp_path: Path) -> None:
    folders = [start(Job(records, plan(), seed=7), tmp_path) for _ in range(2)]
    assert [wait(folder).state for folder in folders] == ["finished", "finished"]
    assert folders[0].table.read_bytes() == folders[1].table.read_bytes()
    told = json.loads(folders[0].guarantee.read_text(encoding="utf-8"))
    assert "NOT PRIVATE" in told["stain"]
    assert folders[0].spend()["stained"] is True


def test_a_rehearsal_scores_and_releases_nothing(records: Records, tmp_path: Path) -> None:
    folder = start(Job(records, plan(), purpose="rehearsal"), tmp_path)
    assert wait(folder).state == "finished"
    assert not folder.release.exists()
    assert folder.spend()["epsilon"] is None
    figures = Figures.load(folder.internal)
    assert figures is not None
    assert {str(sample.omega) for sample in figures.samples} == {"8-11", "11", "10", "9"}
    assert 0 < figures.samples[0].pass_rate(plan().test) < 1


def test_a_table_smaller_than_counted_on_is_refused_before_anything_is_spent(
    records: Records, tmp_path: Path
) -> None:
    with pytest.raises(Refusal) as refused:
        start(Job(records, plan(seeds_at_least=1_500)), tmp_path)
    assert refused.value.field == "seeds_at_least"
    assert runs(tmp_path) == ()


def test_a_seedless_run_asks_nothing_of_the_number_of_records(
    records: Records, tmp_path: Path
) -> None:
    for count in (5, 0):
        seedless = plan(omega=Omega(low=11, high=11), attempts=50)
        folder = start(Job(records.take(np.arange(count)), seedless), tmp_path)
        ended = wait(folder)
        assert (ended.state, ended.passed) == ("finished", 50), ended.message


def test_nobody_else_may_look_into_a_run(records: Records, tmp_path: Path) -> None:
    folder = start(Job(records, plan()), tmp_path / "home")
    assert wait(folder).state == "finished"
    assert folder.path.stat().st_mode & 0o077 == 0


def test_no_number_of_records_is_in_the_release(records: Records, tmp_path: Path) -> None:
    """n = 4,881 stands nowhere in the plan, so nowhere may it stand in the release."""
    some = records.take(np.arange(4_881))
    folder = start(Job(some, plan()), tmp_path)
    assert wait(folder).state == "finished"
    assert "4881" not in folder.guarantee.read_text(encoding="utf-8").replace(",", "")


def test_a_place_that_cannot_be_used_is_refused_before_anything_is_spent(
    records: Records, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(Refusal) as refused:
        start(Job(records, plan()), tmp_path / "file")
    assert refused.value.field == "out"


def test_a_full_disk_ends_the_run_in_words(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = RunFolder(tmp_path)
    folder.report(Progress("starting", 2_000))
    monkeypatch.setattr("engine.runs.work.write_csv", full)
    monkeypatch.setattr("sys.argv", ["worker", str(tmp_path)])
    job = io.TextIOWrapper(io.BytesIO(pickle.dumps(Job(records, plan()))))
    monkeypatch.setattr("sys.stdin", job)
    assert worker.main() == 1
    assert folder.progress().state == "failed"
    assert "disk is full" in folder.progress().message
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_an_unforeseen_error_is_told_without_its_text(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("cell value 4711")

    folder = RunFolder(tmp_path)
    folder.report(Progress("starting", 2_000))
    monkeypatch.setattr("engine.runs.work.learn", broken)
    monkeypatch.setattr("sys.argv", ["worker", str(tmp_path)])
    job = io.TextIOWrapper(io.BytesIO(pickle.dumps(Job(records, plan()))))
    monkeypatch.setattr("sys.stdin", job)
    assert worker.main() == 1
    assert "RuntimeError" in folder.progress().message
    assert "4711" not in folder.progress().message


def test_a_run_that_never_got_a_process_has_failed(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.report(Progress("starting", 10))
    assert folder.progress().state == "starting"
    stale = json.loads((tmp_path / "progress.json").read_text(encoding="utf-8"))
    stale["updated"] -= 3_600
    (tmp_path / "progress.json").write_text(json.dumps(stale), encoding="utf-8")
    assert folder.progress().state == "failed"


def test_a_cancelled_run_stops_between_two_steps(records: Records, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.cancel()
    with pytest.raises(Cancelled):
        work(Job(records, plan()), folder, os.getpid())


def test_an_unreadable_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal):
        RunFolder(tmp_path / "none").progress()
    (tmp_path / "progress.json").write_text("{", encoding="utf-8")
    with pytest.raises(Refusal):
        RunFolder(tmp_path).progress()


def test_time_left_is_attempts_left_over_pace() -> None:
    assert Progress("attempting", 100, done=40, pace=20.0).seconds_left == 3.0
    assert Progress("attempting", 100).seconds_left is None


def test_home_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path))
    assert home() == tmp_path
    assert runs(tmp_path / "nowhere") == ()
