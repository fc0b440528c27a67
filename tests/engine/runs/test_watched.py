"""Work watched through a folder: what counts as alive, and what is written whole."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from understudy.core.files import replace_text
from understudy.core.refusal import Refusal
from understudy.runs.folder import RunFolder
from understudy.runs.watched import Progress


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
    monkeypatch.setattr("understudy.runs.watched._standing", lambda _: ("", ""))
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

    monkeypatch.setattr("understudy.runs.watched._under_way", ends)
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
