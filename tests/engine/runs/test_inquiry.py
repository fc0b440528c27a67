"""Inquiries as a page or a command sees them: real processes, watched from disk."""

from __future__ import annotations

import errno
import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.runs.asked import Counting, Endless, Failing, finished, seedless, split_of, table
from tests.engine.runs.interrupting import copied
from tests.support import until
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Evidence
from understudy.privacy.budget import Budget
from understudy.runs import inquirer
from understudy.runs.control import home_ledger, wait
from understudy.runs.evidence import load_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import Inquiry, InquiryFolder, TellProgress, ask, find_inquiry
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress

HOW = (
    "forked",
    pytest.param(
        "anew",
        marks=pytest.mark.thorough(
            "test_an_inquiry_finds_out_and_touches_neither_release_nor_ledger"
        ),
    ),
)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A release with figures, of `table()`."""
    return finished(Job(table(), seedless()), tmp_path_factory.mktemp("original") / "run")


@pytest.fixture
def run(original: RunFolder, tmp_path: Path) -> RunFolder:
    """A copy of it to be changed at will."""
    return copied(original, tmp_path / "run")


def counted(folder: InquiryFolder) -> dict[str, Any]:
    found = json.loads((folder.result / "counts.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def here(inquiry: Inquiry, run: RunFolder) -> InquiryFolder:
    """Do an inquiry in this process."""
    folder = InquiryFolder(run.internal / inquiry.name)
    folder.path.mkdir(exist_ok=True)
    folder.report(Progress("starting", 1))
    inquirer.do_inquiry(inquiry, table(), run, folder)
    return folder


def at_work(folder: InquiryFolder) -> Progress:
    """How far it is, once it is waiting."""

    def waiting() -> bool:
        now = folder.progress()
        assert not now.ended, now
        return now.message == "waiting"

    until(waiting)
    return folder.progress()


def released(run: RunFolder) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files(run.release)}


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("how", HOW)
def test_an_inquiry_finds_out_and_touches_neither_release_nor_ledger(
    run: RunFolder, how: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(how)
    home_ledger().identify(table(), "census")
    home_ledger().budget("census", Budget(3.0, 1e-9))
    ledger, release = home_ledger().path.read_bytes(), released(run)
    others = set(files(run.path))
    folder = ask(Counting(), table(), run)
    ended = wait(folder)
    assert (ended.state, ended.done, ended.attempts, ended.message) == ("finished", 2, 2, "")
    evidence = load_evidence(run, table())
    split = split_of(evidence)
    assert counted(folder)["counts"] == [len(split.seeds), len(split.held_out)]
    assert counted(folder)["released"] == 200
    assert released(run) == release
    assert home_ledger().path.read_bytes() == ledger
    new = set(files(run.path)) - others
    assert {path.relative_to(folder.path).parts[0] for path in new} == {
        "asked",
        "lock",
        "progress.json",
        "result-1",
    }
    assert not any(table().codes.tobytes() in path.read_bytes() for path in new)
    assert find_inquiry(run, Counting) == folder


def test_nothing_was_asked_yet(run: RunFolder) -> None:
    assert find_inquiry(run, Counting) is None
    folder = InquiryFolder(run.internal / "counting")
    assert not folder.result.exists()
    assert folder.question == ""
    with pytest.raises(Refusal):
        folder.progress()


def test_what_asks_the_same_while_it_is_under_way_gets_that(run: RunFolder) -> None:
    first = ask(Endless(looks=False), table(), run)
    process = at_work(first).process
    again = ask(Endless(looks=False), table(), run)
    assert again == first
    assert again.progress().process == process
    with pytest.raises(Refusal, match="under way"):
        ask(Endless(looks=True), table(), run)
    with pytest.raises(Refusal, match="under way"):
        ask(Counting(), table(), run)
    assert first.progress().process == process
    os.killpg(process, signal.SIGKILL)
    assert wait(first).state == "failed"


def test_two_who_ask_at_once_start_one_process(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[Any] = []
    ready = threading.Barrier(2)

    def launch(_: str, __: Any, job: Any, folder: InquiryFolder) -> None:
        launched.append(job)
        folder.report(Progress("starting", 1, process=os.getpid()))

    def ask_with_others() -> None:
        ready.wait()
        ask(Counting(), table(), run)

    monkeypatch.setattr("understudy.runs.inquiry.launch", launch)
    threads = [threading.Thread(target=ask_with_others) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(launched) == 1


def test_the_old_result_stays_until_the_new_one_is_whole(
    run: RunFolder, request: pytest.FixtureRequest
) -> None:
    first = here(Counting("first"), run)
    assert counted(first)["note"] == "first"
    under_way = ask(Endless(looks=True), table(), run)
    at_work(under_way)
    assert counted(under_way)["note"] == "first"
    under_way.cancel()
    ended = wait(under_way)
    assert (ended.state, ended.message) == ("cancelled", "")
    assert counted(under_way)["note"] == "first"
    request.getfixturevalue("in_this_process")
    later = ask(Counting("later"), table(), run)
    assert wait(later).state == "finished"
    assert sorted(path.name for path in later.path.glob("result-*")) == ["result-1", "result-2"]
    assert counted(later)["note"] == "later"
    assert not later.cancelling


def test_what_is_found_so_far_has_a_place_until_it_is_whole(tmp_path: Path) -> None:
    folder = InquiryFolder(tmp_path)
    assert folder.so_far is None
    with folder.new_result() as partial:
        (partial / "one").touch()
        assert folder.so_far == partial
        assert not folder.result.exists()
    assert folder.so_far is None
    assert (folder.result / "one").exists()


def test_an_inquiry_stops_when_asked_also_in_the_middle_of_a_step(run: RunFolder) -> None:
    folder = ask(Endless(looks=False), table(), run)
    at_work(folder)
    folder.cancel()
    assert wait(folder).state == "cancelled"
    assert not folder.result.exists()
    assert not list(folder.path.glob(".partial*"))


def test_nothing_looks_any_more_once_an_inquiry_is_over(run: RunFolder) -> None:
    before = signal.getsignal(signal.SIGALRM)
    here(Counting(), run)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_a_killed_inquiry_has_failed_and_can_be_asked_again(
    run: RunFolder, request: pytest.FixtureRequest
) -> None:
    release = released(run)
    here(Counting("before"), run)
    folder = ask(Endless(looks=False), table(), run)
    os.killpg(at_work(folder).process, signal.SIGKILL)
    ended = wait(folder)
    assert ended.state == "failed"
    assert "Ask again" in ended.message
    assert counted(folder)["note"] == "before"
    assert released(run) == release
    request.getfixturevalue("in_this_process")
    again = ask(Counting("after"), table(), run)
    assert wait(again).state == "finished"
    assert counted(again)["note"] == "after"
    assert not list(folder.path.glob(".partial*"))


@pytest.mark.parametrize(
    ("how", "said", "unforeseen"),
    [
        ("refusal", "It cannot be counted. Count something else.", False),
        ("memory", "The inquiry needs more memory than it may have.", False),
        ("disk", "The disk that holds", False),
        ("fault", "The inquiry met an unforeseen RuntimeError (asked.py, line", True),
    ],
)
def test_whatever_goes_wrong_is_told_in_words(
    run: RunFolder, how: str, said: str, unforeseen: bool
) -> None:
    folder = here(Failing(how), run)
    ended = folder.progress()
    assert (ended.state, ended.unforeseen) == ("failed", unforeseen)
    assert ended.message.startswith(said)
    assert "4711" not in ended.message
    assert "run" not in ended.message.lower().split()
    assert not folder.result.exists()
    assert not list(folder.path.glob(".partial*"))


def test_a_disk_too_full_for_the_last_word_is_no_fault(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = InquiryFolder(run.internal / "counting")
    folder.path.mkdir()
    folder.report(Progress("starting", 1))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(InquiryFolder, "report", full)
    assert inquirer.do_inquiry(Counting(), table(), run, folder) == 1


def test_another_table_is_refused_before_there_is_a_process(run: RunFolder) -> None:
    with pytest.raises(Refusal, match="not the table"):
        ask(Counting(), table(seed=6), run)
    assert find_inquiry(run, Counting) is None


def test_a_run_without_evidence_is_refused(tmp_path: Path) -> None:
    older = finished(Job(table(), seedless(), figures=False), tmp_path / "older")
    with pytest.raises(Refusal, match="older"):
        ask(Counting(), table(), older)
    assert not older.internal.exists()


def test_no_process_is_told_in_words_and_found_failed(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr("understudy.runs.process.subprocess.Popen", refused)
    with pytest.raises(Refusal, match="cannot be started"):
        ask(Counting(), table(), run)
    folder = find_inquiry(run, Counting)
    assert folder is not None
    assert folder.progress().state == "failed"


def test_a_place_that_cannot_be_written_is_told_in_words(run: RunFolder) -> None:
    (run.internal / "counting").write_text("in the way", encoding="utf-8")
    with pytest.raises(Refusal, match="cannot be started"):
        ask(Counting(), table(), run)


class _Steps:
    """An inquiry in this process that tells what it is told to."""

    name = "counting"

    def __init__(self, steps: list[tuple[int, str, int | None]], folder: InquiryFolder) -> None:
        self.seen: list[tuple[str, int, int, str]] = []
        self._steps, self._folder = steps, folder

    def work(self, evidence: Evidence, folder: Path, told: TellProgress) -> None:
        for done, at, of in self._steps:
            told(done, at, of)
            now = self._folder.progress()
            self.seen.append((now.state, now.done, now.attempts, now.message))


def test_progress_is_put_down_step_by_step(run: RunFolder) -> None:
    folder = InquiryFolder(run.internal / "counting")
    steps = _Steps([(0, "one", 3), (1, "two", None), (2, "three", 4)], folder)
    here(steps, run)  # type: ignore[arg-type]
    assert steps.seen == [
        ("evaluating", 0, 3, "one"),
        ("evaluating", 1, 3, "two"),
        ("evaluating", 2, 4, "three"),
    ]
    assert folder.progress().done == 4


def test_results_are_counted_past_nine(run: RunFolder) -> None:
    for number in range(12):
        folder = here(Counting(str(number)), run)
    assert counted(folder)["note"] == "11"
    assert np.all([path.is_dir() for path in folder.path.glob("result-*")])
