"""Work watched through a folder: what counts as alive, and what is written whole. Runs as a page
or a command sees them, watched from disk; in real worker processes wherever that makes a
difference.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import pickle
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.engine.runs.asked import CENSUS_SCHEMA as SCHEMA
from tests.engine.runs.asked import census_plan as plan
from tests.support import holding, started, until
from understudy.core.debug import traceback_file, traceback_sentence
from understudy.core.files import replace_text
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.models.omega import Omega
from understudy.runs import process, worker
from understudy.runs.control import home_ledger, list_runs, start, wait
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunFolder, TableForm
from understudy.runs.resources import Resources
from understudy.runs.work import Job, work
from understudy.runs.work_folder import Progress, WorkCancelled
from understudy.table.encoding import encode
from understudy.table.records import Records
from understudy.table.sources.reading import read_table


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


def test_a_process_that_lives_is_at_work(folder: RunFolder) -> None:
    told = folder.report(Progress("attempting", 10, process=os.getpid()))
    assert folder.progress() == told
    assert told.born


def test_a_later_process_of_the_same_number_is_another(folder: RunFolder) -> None:
    told = folder.report(Progress("attempting", 10, process=os.getpid()))
    folder.report(replace(told, born="1"))
    assert folder.progress().state == "failed"


def test_where_nothing_tells_processes_apart_the_number_does(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a system without /proc, and for a folder written before it was looked at."""
    monkeypatch.setattr("understudy.runs.work_folder._standing", lambda _: ("", ""))
    told = folder.report(Progress("attempting", 10, process=os.getpid()))
    assert told.born == ""
    assert folder.progress().state == "attempting"
    monkeypatch.undo()
    assert folder.progress().state == "attempting"


def test_a_child_that_nobody_waited_for_is_gone(folder: RunFolder) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    folder.report(Progress("attempting", 10, process=child.pid))
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert folder.progress().state == "failed"
    child.wait()
    assert folder.progress().state == "failed"


def test_an_end_that_comes_between_two_looks_is_seen(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.report(Progress("attempting", 10, process=2**22 + 1))

    def ends(_: Progress) -> bool:
        folder.report(Progress("finished", 10, done=10))
        return False

    monkeypatch.setattr("understudy.runs.work_folder._under_way", ends)
    assert folder.progress().state == "finished"


def test_progress_written_before_it_knew_of_births_is_read(folder: RunFolder) -> None:
    told = folder.report(Progress("finished", 10))
    said = json.loads((folder.path / "progress.json").read_text(encoding="utf-8"))
    del said["born"]
    (folder.path / "progress.json").write_text(json.dumps(said), encoding="utf-8")
    assert folder.progress() == told


@pytest.mark.parametrize(
    "edited",
    [
        {"done": "x"},
        {"done": True},
        {"attempts": -1},
        {"process": -1},
        {"process": 2**70},
        {"process": 1.5},
        {"pace": float("nan")},
        {"updated": None},
        {"message": 3},
        {"state": "paused"},
    ],
)
def test_progress_that_no_run_wrote_is_refused(
    folder: RunFolder, edited: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("it is no number of a process"))
    folder.report(Progress("finished", 10))
    said = json.loads((folder.path / "progress.json").read_text(encoding="utf-8"))
    said |= {"state": "attempting", **edited}
    (folder.path / "progress.json").write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(Refusal, match="cannot be read"):
        folder.progress()


def test_a_start_is_not_waited_for_where_the_clock_was_set_back(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.report(Progress("starting", 10))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    assert folder.progress().state == "failed"


def test_a_file_that_cannot_be_replaced_stays_and_leaves_nothing_beside_it(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.path / "plan.json"
    replace_text(path, "old")

    def refused(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OSError, match="broken"):
        replace_text(path, "new")
    assert [each.name for each in folder.path.iterdir()] == ["plan.json"]
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.usefixtures("anew")
def test_a_run_leaves_a_table_in_its_domain_and_a_statement_of_it(
    records: Records, tmp_path: Path
) -> None:
    folder = started(Job(records, plan()), tmp_path)
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
    assert told["guarantee"]["strength"] == "very weak"
    assert "stain" not in told
    figures = RunFigures.load(folder.internal)
    assert figures is not None
    assert [each.name for each in figures.compared][:2] == ["other real records", "marginals"]
    assert list_runs(tmp_path) == (folder,)
    run = home_ledger().book().runs[folder.identity]
    assert run.state == "released"
    assert run.artefacts == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.release.iterdir()
    }
    assert home_ledger().underway.runs() == ()


def test_a_killed_worker_leaves_no_half_release(records: Records, tmp_path: Path) -> None:
    folder = started(Job(records, plan(attempts=10**9)), tmp_path)

    def attempting() -> bool:
        now = folder.progress()
        assert not now.ended, now.message
        return now.state == "attempting"

    until(attempting)
    assert reconcile(home_ledger()).runs[folder.identity].state == "running"
    os.killpg(folder.progress().process, signal.SIGKILL)
    ended = wait(folder)
    assert ended.state == "failed"
    assert "spends nothing further" in ended.message
    assert not folder.release.exists()
    # The first of its threads is gone; its lock is lifted with the last.
    until(lambda: reconcile(home_ledger()).runs[folder.identity].state != "running")
    book = home_ledger().book()
    assert book.runs[folder.identity].state == "abandoned"
    assert book.balances[0].runs == 1


@pytest.mark.usefixtures("in_this_process")
def test_a_fixed_seed_repeats_the_table_and_stains_it(records: Records, tmp_path: Path) -> None:
    folders = [started(Job(records, plan(), seed=7), tmp_path) for _ in range(2)]
    assert [wait(folder).state for folder in folders] == ["finished", "finished"]
    assert folders[0].table.read_bytes() == folders[1].table.read_bytes()
    told = json.loads(folders[0].guarantee.read_text(encoding="utf-8"))
    assert "NOT PRIVATE" in told["stain"]
    assert folders[0].about().stained is True
    (balance,) = home_ledger().book().balances
    assert (balance.runs, balance.unpromised) == (2, 2)


@pytest.mark.usefixtures("in_this_process")
def test_a_rehearsal_scores_and_releases_nothing(records: Records, tmp_path: Path) -> None:
    folder = start(Job(records, plan(), purpose="rehearsal"), tmp_path)
    assert wait(folder).state == "finished"
    assert not folder.release.exists()
    assert folder.about().purpose == "rehearsal"
    assert home_ledger().book().events == 0
    figures = RunFigures.load(folder.internal)
    assert figures is not None
    assert {str(sample.omega) for sample in figures.samples} == {"8-11", "11", "10", "9"}
    assert 0 < figures.samples[0].pass_rate(plan().test) < 1


@pytest.mark.usefixtures("in_this_process")
def test_a_seedless_run_asks_nothing_of_the_number_of_records(
    records: Records, tmp_path: Path
) -> None:
    for count in (5, 0):
        seedless = plan(omega=Omega(low=11, high=11), attempts=50)
        folder = started(Job(records.take(np.arange(count)), seedless), tmp_path)
        ended = wait(folder)
        assert (ended.state, ended.passed) == ("finished", 50), ended.message


@pytest.mark.usefixtures("in_this_process")
def test_nobody_else_may_look_into_a_run(records: Records, tmp_path: Path) -> None:
    folder = started(Job(records, plan()), tmp_path / "home")
    assert wait(folder).state == "finished"
    assert folder.path.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_home_that_stood_open_is_closed_and_so_is_the_release(
    records: Records, form: TableForm, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    before = os.umask(0o022)
    try:
        folder = started(Job(records, plan(), resources=Resources(form=form)), home)
        assert wait(folder).state == "finished"
    finally:
        os.umask(before)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.release.stat().st_mode) == 0o700
    found = {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.release.iterdir()}
    assert found == {f"synthetic.{form}": 0o600, "guarantee.json": 0o600}


@pytest.mark.usefixtures("in_this_process")
def test_no_number_of_records_is_in_the_release(records: Records, tmp_path: Path) -> None:
    """n = 4,881 stands nowhere in the plan, so nowhere may it stand in the release."""
    some = records.take(np.arange(4_881))
    folder = started(Job(some, plan()), tmp_path)
    assert wait(folder).state == "finished"
    assert "4881" not in folder.guarantee.read_text(encoding="utf-8").replace(",", "")


def test_a_full_disk_ends_the_run_in_words(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = holding(Job(records, plan()), RunFolder(tmp_path))
    folder.report(Progress("starting", 2_000))
    monkeypatch.setattr("understudy.runs.table_file.csv_blocks", full)
    monkeypatch.setattr("sys.argv", ["worker", str(tmp_path)])
    job = io.TextIOWrapper(io.BytesIO(pickle.dumps(Job(records, plan()))))
    monkeypatch.setattr("sys.stdin", job)
    assert worker.main() == 1
    assert folder.progress().state == "failed"
    assert folder.progress().message == (
        f"The disk that holds {tmp_path} is full. Free some space and resume the run, which "
        "spends nothing further."
    )
    assert not folder.release.exists()


@pytest.mark.parametrize("debug", ["0", "1"])
def test_an_unforeseen_error_is_told_without_its_text(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, debug: str
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEBUG", debug)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("cell value 4711")

    folder = holding(Job(records, plan()), RunFolder(tmp_path))
    folder.report(Progress("starting", 2_000))
    monkeypatch.setattr("understudy.mechanisms.seedbased.mechanism.learn", broken)
    monkeypatch.setattr("sys.argv", ["worker", str(tmp_path)])
    job = io.TextIOWrapper(io.BytesIO(pickle.dumps(Job(records, plan()))))
    monkeypatch.setattr("sys.stdin", job)
    assert worker.main() == 1
    assert "RuntimeError" in folder.progress().message
    assert "4711" not in folder.progress().message
    assert traceback_sentence() in folder.progress().message
    assert traceback_file().exists() == (debug == "1")


@pytest.mark.parametrize(("debug", "stream"), [("0", subprocess.DEVNULL), ("1", None)])
def test_tracebacks_of_a_process_reach_the_terminal_if_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, debug: str, stream: int | None
) -> None:
    class Never(Exception):
        pass

    def popen(*_: object, stderr: int | None, **__: object) -> None:
        assert stderr == stream
        raise Never

    monkeypatch.setenv("UNDERSTUDY_DEBUG", debug)
    monkeypatch.setattr(process, "subprocess", SimpleNamespace(**vars(subprocess)))
    monkeypatch.setattr(process.subprocess, "Popen", popen)
    with pytest.raises(Never):
        process.launch("understudy.runs.worker", [], None, RunFolder(tmp_path))


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
    job = Job(records, plan())
    holding(job, folder)
    with pytest.raises(WorkCancelled):
        work(job, folder, os.getpid())


def test_an_unreadable_run_is_refused(tmp_path: Path) -> None:
    for look in (RunFolder.progress, RunFolder.read_progress, RunFolder.about):
        with pytest.raises(Refusal):
            look(RunFolder(tmp_path / "none"))
    (tmp_path / "progress.json").write_text("{", encoding="utf-8")
    with pytest.raises(Refusal):
        RunFolder(tmp_path).progress()


def test_time_left_is_attempts_left_over_pace() -> None:
    assert Progress("attempting", 100, done=40, pace=20.0).seconds_left == 3.0
    assert Progress("attempting", 100).seconds_left is None
