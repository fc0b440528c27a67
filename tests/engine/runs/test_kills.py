"""Runs killed at any moment: the ledger stays whole, and a release is there whole or not at all."""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import understudy
from tests.support import category_schema, declared, new_people
from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Dataset
from understudy.ledger.events import ENDED, Debited
from understudy.ledger.ledger import Debit, Ledger
from understudy.mechanisms.seedbased import attempts, executors
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.privacy import tape
from understudy.privacy.budget import Budget
from understudy.runs import control, release, worker
from understudy.runs.control import list_runs, start
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunFolder
from understudy.runs.resumption import resume
from understudy.runs.work import Job, work
from understudy.runs.work_folder import Progress
from understudy.runs.worker import DebitedFolder
from understudy.table.records import Records

_FORK = multiprocessing.get_context("fork")
_ENGINE = Path(understudy.__file__).parent
_TRACED = {
    str(_ENGINE / "core" / "files.py"),
    *(str(path) for path in (_ENGINE / "ledger").glob("*.py")),
    *(
        str(_ENGINE / "runs" / f"{name}.py")
        for name in ("control", "debit", "folder", "resumption", "work_folder", "worker")
    ),
}
_GOING_ON = {
    str(_ENGINE / "runs" / f"{name}.py") for name in ("release", "checkpoint", "table_file", "work")
} | {str(_ENGINE / "privacy" / "tape.py")}


def test_every_file_that_is_traced_is_there() -> None:
    assert all(Path(each).is_file() for each in _TRACED | _GOING_ON)


@pytest.fixture(scope="module")
def job() -> Job:
    """A small release: 300 records, 60 attempts, no figures."""
    schema = category_schema(3, 4, 2)
    rng = np.random.default_rng(5)
    codes = np.column_stack([rng.integers(0, size, 300) for size in (3, 4, 2)])
    plan = Plan.of(schema, omega=Omega(low=3, high=3), attempts=60, seeds_at_least=30, delta=1e-6)
    return Job(Records(schema, codes.astype(np.uint16)), plan, figures=False)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger whose budget holds every run of this test."""
    ledger = Ledger(tmp_path / "home" / "ledger.sqlite")
    ledger.budget("census", Budget(10_000.0, 0.5))
    return ledger


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are done where they are started."""

    def launch(job: Job, folder: RunFolder, ledger: Ledger, lock: int) -> None:
        worker.do_job(job, DebitedFolder(folder.path, ledger))

    monkeypatch.setattr(control, "_launch", launch)


def _run(job: Job, place: Path, ledger: Ledger, tell: Callable[[str], object]) -> None:
    """Start a run and do it; tell its name as soon as it is debited."""
    debit = Ledger.debit

    def debit_and_tell(ledger: Ledger, asked: Debit) -> Balance:
        balance = debit(ledger, asked)
        tell(asked.run)
        return balance

    dataset = new_people(job.records, "census", ledger=ledger)
    with pytest.MonkeyPatch.context() as told:
        told.setattr(Ledger, "debit", debit_and_tell)
        start(declared(job), place, dataset=dataset, ledger=ledger)


def _killed(
    run: Callable[[Connection], None], delay: float | None = None
) -> tuple[str | None, int]:
    """Run in a process of its own, kill it after some seconds unless it has ended by then.

    Returns:
        The name of the run, if it said that it was debited; and how the process ended.
    """
    hear, tell = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=run, args=(tell,))
    process.start()
    tell.close()
    process.join(delay)
    process.kill()
    process.join()
    said = None
    with hear, suppress(EOFError):
        said = hear.recv()
    assert process.exitcode is not None
    return said, process.exitcode


def _consistent(
    place: Path, ledger: Ledger, debited: set[str], seen: frozenset[str] = frozenset()
) -> frozenset[str]:
    """What holds whenever everybody is gone; returns the runs there are.

    Args:
        place, ledger: where the runs are, and where they are debited.
        debited: the runs that said they were.
        seen: runs that ended and were looked at before.
    """
    book = reconcile(ledger)
    assert book.unended == ()
    assert ledger.underway.runs() == ()
    assert debited <= set(book.runs)
    assert sum(balance.runs for balance in book.balances) == len(book.runs)
    folders = {folder.identity: folder for folder in list_runs(place)}
    assert set(folders) <= set(book.runs)
    for name, run in book.runs.items():
        assert run.state in ENDED
        if name in seen:
            continue
        folder = folders.get(name, RunFolder(place / name))
        assert (run.state == "released") == folder.release.exists()
        if folder.release.exists():
            assert run.artefacts == folder.artefacts()
    return frozenset(book.runs)


@pytest.mark.parametrize(
    "kills",
    [
        20,
        pytest.param(
            200,
            marks=pytest.mark.thorough(
                "test_kills_at_any_moment_leave_a_consistent_ledger_and_no_partial_release"
            ),
        ),
    ],
)
def test_kills_at_any_moment_leave_a_consistent_ledger_and_no_partial_release(
    job: Job, ledger: Ledger, tmp_path: Path, kills: int
) -> None:
    place, chance = tmp_path / "runs", random.Random(20)

    def run(told: Connection) -> None:
        _run(job, place, ledger, told.send)

    # What is loaded once is loaded here, so that the processes spend their time on the run.
    _run(job, place, ledger, str)
    began = time.monotonic()
    assert _killed(run)[1] == 0
    whole = time.monotonic() - began
    debited, seen, killed = set[str](), frozenset[str](), Counter[bool]()
    while killed.total() < kills or killed[True] < kills // 4:
        said, code = _killed(run, chance.uniform(0.0, 1.25 * whole))
        debited |= set() if said is None else {said}
        seen = _consistent(place, ledger, debited, seen)
        if code == 0:
            # The machine may have less to do than before, or more.
            whole *= 0.9
        else:
            assert code == -signal.SIGKILL
            killed[said is not None] += 1
            whole *= 1.02 if said is None else 1.0
    assert _consistent(place, ledger, debited) == seen
    states = Counter(run.state for run in ledger.book().runs.values())
    assert states["abandoned"] >= kills // 20
    assert states["released"] > 1


_NEXT = Debit(
    "next",
    Dataset("d-1", "census"),
    Debited(purpose="release", plan={}, protocol="attempts", count=1, record=Budget(0.1, 1e-9)),
)


class _Lines:
    """Does something before each line of some files.

    Args:
        act: what, given the file and the line.
        files: which; those of the ledger, and of how a run starts and ends, if left out.
    """

    def __init__(
        self, act: Callable[[str, int], None], files: Collection[str] = frozenset(_TRACED)
    ) -> None:
        self._act, self._files = act, files

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        if event == "line":
            self._act(frame.f_code.co_filename, frame.f_lineno)
        return self

    def __enter__(self) -> None:
        sys.settrace(self)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)


def _brief(job: Job, folder: RunFolder, process: int) -> Progress:
    """A run that only releases something."""
    progress = folder.report(Progress("attempting", 60, process=process))
    half = folder.path / "release.partial"
    half.mkdir()
    (half / "synthetic.csv").write_bytes(b"a,b\n1,2\n")
    stated = {"table": {"sha256": hashlib.sha256(b"a,b\n1,2\n").hexdigest()}}
    (half / "guarantee.json").write_text(json.dumps(stated), encoding="utf-8")
    half.rename(folder.release)
    return folder.report(replace(progress, state="finished"))


class _States:
    """The first line that finds the disk in a state which no line before left it in. A kill undoes
    nothing and lifts every lock, so what it leaves is the disk, and what the process had told.

    Attributes:
        found: the number of each such line, and the line.
        told: what the process told by then.
    """

    def __init__(self, place: Path) -> None:
        self.found: list[tuple[int, tuple[str, int]]] = []
        self.told: list[str] = []
        self._place, self._lines, self._last = place, 0, None

    def __call__(self, file: str, line: int) -> None:
        state = self._state()
        if state != self._last:
            self.found.append((self._lines, (file, line)))
        self._lines, self._last = self._lines + 1, state

    def _state(self) -> object:
        held = hashlib.blake2b()
        for folder, _, names in sorted(os.walk(self._place)):
            held.update(folder.encode())
            for name in sorted(names):
                held.update(name.encode() + b"\0" + Path(folder, name).read_bytes())
        return held.digest(), len(self.told)


def _kill_before(chosen: int) -> Callable[[str, int], None]:
    """Kills this process before the line of a number."""
    numbers = itertools.count()

    def act(_: str, __: int) -> None:
        if next(numbers) == chosen:
            os.kill(os.getpid(), signal.SIGKILL)

    return act


def _started(
    job: Job, files: Collection[str], place: Path, act: Callable[[str, int], None], tell: Any
) -> None:
    """Start a run, and do something before each line of some files."""
    place.mkdir()
    with _Lines(act, files):
        _run(job, place / "runs", Ledger(place / "home" / "ledger.sqlite"), tell)


def _states(job: Job, files: Collection[str], place: Path) -> list[tuple[int, tuple[str, int]]]:
    """Where to kill a run, for the disk to be in every state that it goes through."""
    states = _States(place)
    _started(job, files, place, states, states.told.append)
    return states.found


def _killed_before(
    job: Job, files: Collection[str], place: Path, chosen: int
) -> tuple[str | None, int]:
    """Kill a run before a line; see `_killed`."""

    def run(told: Connection) -> None:
        _started(job, files, place, _kill_before(chosen), told.send)

    return _killed(run)


@pytest.mark.thorough("test_kills_at_any_moment_leave_a_consistent_ledger_and_no_partial_release")
def test_a_kill_at_any_line_leaves_a_consistent_ledger_and_no_partial_release(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "work", _brief)
    states = Counter[str]()
    for chosen, _ in _states(job, _TRACED, tmp_path / "whole"):
        place = tmp_path / f"{chosen}"
        said, code = _killed_before(job, _TRACED, place, chosen)
        assert code == -signal.SIGKILL
        ledger = Ledger(place / "home" / "ledger.sqlite")
        _consistent(place / "runs", ledger, set() if said is None else {said})
        key = ledger.path.with_suffix(".key")
        assert not key.exists() or len(key.read_bytes()) == 32
        runs_before = ledger.book().runs
        states.update(run.state for run in runs_before.values())
        assert ledger.debit(_NEXT).runs == len(runs_before) + 1
    assert set(states) == {"abandoned", "released"}
    assert states.total() > 10


def test_a_run_killed_at_any_line_of_its_work_goes_on_to_the_same_release(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "BATCH", 16)
    monkeypatch.setattr(executors, "BATCHES", 1)
    monkeypatch.setattr(release, "_CHECKPOINT_EVERY", 0.0)
    monkeypatch.setattr(release, "_CHECKPOINTS_TAKE", 1e9)
    # How long a batch takes must not decide how many lines a run has.
    monkeypatch.setattr(release, "_REPORT_EVERY", 1e9)
    monkeypatch.setattr(tape, "_SETTLE_EVERY", 1e9)
    # Nor may what was learned: these marginals are kept in as many lines whatever they are.
    schema = job.records.schema
    job = replace(job, plan=job.plan.change(schema, model=ModelPlan(kind="marginals")))
    found = _states(job, _GOING_ON, tmp_path / "whole")
    resumed = Counter[bool]()
    # Where a line leaves the disk as in an earlier batch, the first will do.
    for chosen in {line: chosen for chosen, line in reversed(found)}.values():
        place = tmp_path / f"{chosen}"
        said, code = _killed_before(job, _GOING_ON, place, chosen)
        assert code == -signal.SIGKILL
        ledger = Ledger(place / "home" / "ledger.sqlite")
        if said is None:
            # It had not been paid for, and nothing of it is left.
            assert reconcile(ledger).runs == {}
            assert not (place / "runs").exists() or list((place / "runs").iterdir()) == []
            continue
        (folder,) = list_runs(place / "runs")
        learned = folder.learned.exists()
        if folder.can_go_on:
            resumed[learned] += 1
            expected = _from_the_first_attempt(job, folder, place / "again") if learned else None
            resume(folder, job.records, ledger=ledger)
            assert expected in (None, folder.table.read_bytes())
        else:
            # What it was to go on from is gone only once its release is there.
            assert folder.release.exists()
            with pytest.raises(Refusal, match="it has finished"):
                resume(folder, job.records, ledger=ledger)
        book = _consistent(place / "runs", ledger, {said})
        assert [run.state for run in ledger.book().runs.values()] == ["released"]
        assert book == {said}
        assert ledger.book().balances[0].runs == 1
        assert not folder.unfinished.exists()
        assert not folder.partial.exists()
    assert min(resumed[True], resumed[False]) > 3


def _from_the_first_attempt(job: Job, folder: RunFolder, place: Path) -> bytes:
    """What a run comes to of which nothing is left but what it learned and its secret."""
    other = RunFolder(Path(shutil.copytree(folder.path, place)))
    shutil.rmtree(other.partial, ignore_errors=True)
    (other.unfinished / "reached.json").unlink(missing_ok=True)
    work(replace(job, resumed=True), other, os.getpid())
    return other.table.read_bytes()
