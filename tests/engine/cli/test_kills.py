"""The command line, the process of its run, or both, killed at any step: what was paid for is
handed over by `--resume`, once, and whole."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import numpy as np
import pytest

import understudy
from tests.support import category_schema
from understudy.cli import main
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased import attempts, executors
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.runs import control, release, worker
from understudy.runs.control import home_ledger
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunFolder
from understudy.runs.handover import Handovers
from understudy.runs.work import Job
from understudy.runs.worker import DebitedFolder

Who = Literal["command", "worker"]
Dead = Literal["command", "worker", "both"]
_ENGINE = Path(understudy.__file__).parent
_BOTH = {_ENGINE / "core" / "files.py", *(_ENGINE / "ledger").glob("*.py")}
_STEPS: dict[Who, set[str]] = {
    "command": {
        str(path)
        for path in (
            *_BOTH,
            *(_ENGINE / "cli" / f"{name}.py" for name in ("releasing", "place", "synthesize")),
            *(_ENGINE / "runs" / f"{name}.py" for name in ("control", "handover", "unfinished")),
        )
    },
    "worker": {
        str(path)
        for path in (
            *_BOTH,
            _ENGINE / "privacy" / "tape.py",
            *(
                _ENGINE / "runs" / f"{name}.py"
                for name in ("work", "worker", "unfinished", "releasing", "released_csv", "ending")
            ),
        )
    },
}


@pytest.fixture(autouse=True)
def done_here(in_this_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few attempts, and a checkpoint after each."""
    monkeypatch.setattr(attempts, "BATCH", 16)
    monkeypatch.setattr(executors, "BATCHES", 1)
    monkeypatch.setattr(release, "_CHECKPOINT_EVERY", 0.0)
    monkeypatch.setattr(release, "_CHECKPOINTS_TAKE", 1e9)
    monkeypatch.setattr(release, "_REPORT_EVERY", 1e9)
    monkeypatch.setattr("understudy.cli.runs._LOOK_EVERY", 0.001)


@dataclass(frozen=True)
class World:
    """A table, and a place for its release."""

    place: Path

    @property
    def table(self) -> Path:
        return self.place / "table.csv"

    @property
    def out(self) -> Path:
        return self.place / "releases" / "out"

    @property
    def command(self) -> list[str]:
        return [
            *("synthesize", str(self.table), "--schema", str(self.place / "schema.json")),
            *("--plan", str(self.place / "plan.json"), "--out", str(self.out)),
            *("--new-people", "--quiet"),
        ]

    @classmethod
    def made(cls, place: Path, *, there: bool) -> World:
        """300 records, 60 attempts.

        Args:
            place: an empty folder.
            there: whether the folder of the release is there already, with something else in it.
        """
        world = cls(place)
        schema = category_schema(3, 4, 2)
        rng = np.random.default_rng(5)
        rows = np.column_stack([rng.integers(0, size, 300) for size in (3, 4, 2)]).tolist()
        lines = ["c0,c1,c2", *(",".join(f"v{code}" for code in row) for row in rows)]
        world.table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        declared = schema.declare_public()
        declared.save(place / "schema.json")
        plan = Plan.of(
            declared,
            omega=Omega(low=3, high=3),
            attempts=60,
            seeds_at_least=30,
            public_records=300,
            delta=1e-6,
            model=ModelPlan(kind="marginals"),
        )
        (place / "plan.json").write_text(plan.to_json(), encoding="utf-8")
        world.out.parent.mkdir()
        if there:
            world.out.mkdir()
            (world.out / "letter.txt").write_text("dear board", encoding="utf-8")
        return world


class _Steps:
    """Counts the lines of some files that this process goes through, and acts before one."""

    def __init__(self, who: Who, at: int, act: Callable[[], object]) -> None:
        self.count = 0
        self._files, self._at, self._act = _STEPS[who], at, act

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        if event == "line":
            if self.count == self._at:
                self._act()
            self.count += 1
        return self


def _killing(dead: Dead, command: int, worker_: int) -> None:
    """Kill by their ids; the one that does it last."""
    victims = {"command": [command], "worker": [worker_], "both": [worker_, command]}[dead]
    for each in sorted(victims, key=lambda each: each == os.getpid()):
        if each:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)


@contextmanager
def _forking(who: Who, at: int, dead: Dead, counts: int, open_until_gone: int) -> Iterator[None]:
    """Runs get a process of their own, which is forked off and holds nothing of the command but
    the lock that it is handed; steps of the command or of the run's process are counted."""
    command, running = os.getpid(), [0]

    def stepping(of: Who) -> _Steps | None:
        def act() -> None:
            _killing(dead, command, os.getpid() if of == "worker" else running[0])

        return _Steps(of, at, act) if of == who else None

    def told(steps: _Steps | None) -> None:
        if steps is not None:
            sys.settrace(None)
            os.write(counts, f"{steps.count}\n".encode())

    def launch(
        _: str,
        places: list[Path],
        job: Job,
        folder: RunFolder,
        locks: list[int] = [],  # noqa: B006
    ) -> None:
        pid = os.fork()
        if pid:
            running[0] = pid
            folder.report(replace(folder.progress(), process=pid))
            return
        sys.settrace(None)
        os.setsid()
        for number in range(3, 256):
            if number not in (*locks, counts, open_until_gone):
                with suppress(OSError):
                    os.close(number)
        steps = stepping("worker")
        sys.settrace(steps)
        worker.do_job(job, DebitedFolder(places[0], Ledger(places[1])))
        told(steps)
        os._exit(0)

    with pytest.MonkeyPatch.context() as hooks:
        hooks.setattr(control, "launch", launch)
        steps = stepping("command")
        sys.settrace(steps)
        try:
            yield
        finally:
            told(steps)
            sys.settrace(None)


def _commanded(world: World, who: Who, at: int, dead: Dead) -> tuple[int, int]:
    """Give the command in a process of its own, and have some killed before a step of one.

    Returns:
        How the command ended, and how many steps there were; 0 where they were cut short.
    """
    heard, counts = os.pipe()
    gone, open_until_gone = os.pipe()
    pid = os.fork()
    if not pid:
        status = 99
        null = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):
            os.dup2(null, number)
        with _forking(who, at, dead, counts, open_until_gone):
            status = main(world.command)
        os._exit(status)
    os.close(counts)
    os.close(open_until_gone)
    _, ended = os.waitpid(pid, 0)
    # Until the run's process is gone too, however.
    assert os.read(gone, 1) == b""
    said = os.read(heard, 100).decode().split()
    os.close(heard)
    os.close(gone)
    return ended, int(said[0]) if said else 0


def _half(world: World) -> bool:
    """Whether one of the two files stands without the other."""
    return (world.out / "synthetic.csv").exists() != (world.out / "guarantee.json").exists()


def _handed_over(world: World) -> bool:
    return (world.out / "synthetic.csv").exists() and (world.out / "guarantee.json").exists()


def _check(world: World, *, there: bool) -> str:
    """What holds whatever was killed; returns what had to be done."""
    ledger = home_ledger()
    assert there or not _half(world)
    book = reconcile(ledger)
    assert not _half(world)
    done = "handed over"
    if not book.runs:
        # It was not paid for, and nothing is left of it.
        assert not _handed_over(world)
        done = "not paid"
    else:
        (run,) = book.runs.values()
        if not _handed_over(world):
            done = "finished" if run.state == "released" else "interrupted"
            table = [] if done == "finished" else [str(world.table)]
            again = ["synthesize", *table, "--resume", run.id, "--out", str(world.out), "--quiet"]
            assert main(again) == 0
        (run,) = reconcile(ledger).runs.values()
        assert run.state == "released"
        assert ledger.book().balances[0].runs == 1
        for name, sha256 in run.artefacts.items():
            assert hashlib.sha256((world.out / name).read_bytes()).hexdigest() == sha256
        stated = json.loads((world.out / "guarantee.json").read_text(encoding="utf-8"))
        assert stated["table"]["sha256"] == run.artefacts["synthetic.csv"]
    assert Handovers(ledger).waiting() == ()
    assert ledger.underway.runs() == ()
    left = {path.name for path in world.out.parent.iterdir()}
    assert left == ({"out"} if there or done != "not paid" else set())
    assert list(world.place.rglob("secret")) == []
    if there:
        assert (world.out / "letter.txt").read_text(encoding="utf-8") == "dear board"
    return done


def _moments(most: int, many: int) -> Iterator[int]:
    """So many moments, evenly over so many steps."""
    yield from (round(each) for each in np.linspace(0, most - 1, many))


@pytest.mark.parametrize(
    "kills",
    [
        12,
        pytest.param(
            200, marks=pytest.mark.thorough("test_whatever_is_killed_is_handed_over_once_and_whole")
        ),
    ],
)
def test_whatever_is_killed_is_handed_over_once_and_whole(
    kills: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whose: list[Who] = ["command", "worker"]
    which: list[Dead] = ["command", "worker", "both"]
    numbers = itertools.count()

    def world(*, there: bool) -> World:
        place = tmp_path / f"{next(numbers)}"
        place.mkdir()
        monkeypatch.setenv("UNDERSTUDY_HOME", str(place / "home"))
        return World.made(place, there=there)

    steps = {}
    for who in whose:
        whole = world(there=False)
        ended, steps[who] = _commanded(whole, who, -1, "both")
        assert ended == 0
        assert steps[who] > 100
        assert _check(whole, there=False) == "handed over"
    done, killed = Counter[str](), Counter[Dead]()
    pairs = list(itertools.product(whose, which))
    each = -(-kills // len(pairs))
    for who, dead in pairs:
        for number, at in enumerate(_moments(steps[who], each)):
            there = number % 2 == 1
            one = world(there=there)
            _commanded(one, who, at, dead)
            killed[dead] += 1
            done[_check(one, there=there)] += 1
    assert killed.total() >= kills
    assert min(done["finished"], done["interrupted"]) >= kills // 12
