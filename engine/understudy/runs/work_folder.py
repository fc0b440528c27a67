"""Work of another process, watched through a folder, and how it came to nothing.

progress.json             how far it is, replaced whole each time
cancel                    put there to stop it
full                      put there where the disk was too full to write how it ended"""

from __future__ import annotations

import json
import math
import os
import time
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from understudy.core.files import replace_text
from understudy.core.refusal import Refusal

State = Literal[
    "starting",
    "splitting",
    "learning",
    "attempting",
    "evaluating",
    "finished",
    "cancelled",
    "failed",
]
ENDED: frozenset[State] = frozenset({"finished", "cancelled", "failed"})
_STARTING_TAKES = 30.0
_NO_PROCESS = 1 << 31


class WorkCancelled(Exception):
    """Somebody asked for the work to stop."""


@dataclass(frozen=True)
class Progress:
    """How far some work is: a run, or an inquiry into one.

    Attributes:
        state: what it is doing, or how it ended.
        attempts, done: how many attempts were planned, and made; of an inquiry, the steps.
        passed: how many candidates passed so far. Internal until the run has finished.
        started, updated: seconds since the epoch.
        pace: attempts per second while attempting.
        process: the worker's process id.
        born: what tells that process from a later one of the same id; "" where nothing does.
        message: what an inquiry, or a run that learns, is at; once something failed, what went
            wrong and what to do.
        unforeseen: whether it failed by a fault of the program.
    """

    state: State
    attempts: int
    done: int = 0
    passed: int = 0
    started: float = 0.0
    updated: float = 0.0
    pace: float = 0.0
    process: int = 0
    born: str = ""
    message: str = ""
    unforeseen: bool = False

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ENDED

    @property
    def seconds_left(self) -> float | None:
        """Expected seconds of attempts left; None before the pace is known."""
        return (self.attempts - self.done) / self.pace if self.pace > 0 else None


@dataclass(frozen=True)
class Watched(ABC):
    """The folder of some work. Whoever may read it may watch."""

    path: Path

    @abstractmethod
    def report_vanished(self, progress: Progress) -> Progress:
        """Return how work ended whose process died without a report; `progress` is its last."""

    @abstractmethod
    def unreadable(self) -> Refusal:
        """Return the refusal of a folder without such work."""

    @property
    def cancelling(self) -> bool:
        """Whether somebody asked for the work to stop."""
        return self._cancel.exists()

    def cancel(self) -> None:
        """Ask the work to stop; it does so as soon as it can, and leaves nothing half done."""
        self._cancel.touch()

    @property
    def _cancel(self) -> Path:
        return self.path / "cancel"

    def read_text(self, name: str) -> str:
        """Return a small text file of the folder, such as "plan.json"."""
        return (self.path / name).read_text(encoding="utf-8")

    def write_text(self, name: str, text: str) -> None:
        """Replace a small text file whole: a reader sees the old one or the new one."""
        replace_text(self.path / name, text)

    def progress(self) -> Progress:
        """Return how far the work is. A process that vanished without a word counts as failed.

        Raises:
            Refusal: there is no such work.
        """
        progress = self.read_progress()
        if progress.ended or _under_way(progress):
            return progress
        # It may have put down its end between the first look and finding its process gone.
        progress = self.read_progress()
        return progress if progress.ended else self.report_vanished(progress)

    def read_progress(self) -> Progress:
        """Return the last progress that the work wrote, whether or not its process still runs.

        Raises:
            Refusal: there is no such work.
        """
        try:
            found = Progress(**json.loads(self.read_text("progress.json")))
            if not _is_sound(found):
                raise ValueError
            return found
        except (OSError, ValueError, TypeError):
            raise self.unreadable() from None

    def report(self, progress: Progress) -> Progress:
        """Write down how far the work is."""
        born = progress.born or _born(progress.process)
        stamped = replace(progress, updated=time.time(), born=born)
        self.write_text("progress.json", json.dumps(asdict(stamped)))
        return stamped


def _is_sound(progress: Progress) -> bool:
    """Return whether it can be what a run wrote. A negative number of a process means many
    processes."""
    counts = (progress.attempts, progress.done, progress.passed, progress.process)
    figures = (progress.started, progress.updated, progress.pace)
    return (
        progress.state in get_args(State)
        and all(type(each) is int and each >= 0 for each in counts)
        and progress.process < _NO_PROCESS
        and all(type(each) in (int, float) and math.isfinite(each) for each in figures)
        and all(type(each) is str for each in (progress.born, progress.message))
    )


def _under_way(progress: Progress) -> bool:
    """Return whether the process lives, or was asked for a moment ago and has no number yet."""
    if progress.process:
        return _alive(progress.process, progress.born)
    # Either way: the clock may have been set back since.
    return abs(time.time() - progress.updated) < _STARTING_TAKES


def _alive(process: int, born: str) -> bool:
    """Return whether a process lives. Its id may by now be that of another."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    # A child that ended but was not waited for still answers a signal.
    state, since = _standing(process)
    return state != "Z" and (not born or not since or born == since)


def _born(process: int) -> str:
    return _standing(process)[1] if process else ""


def _standing(process: int) -> tuple[str, str]:
    """Return the state of a process and when it was started, in ticks since the machine was; ""
    each where the system does not say."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return "", ""
    fields = status.rpartition(")")[2].split()
    return fields[0], fields[19]


class RunFailed(Exception):
    """A run, or an evaluation of one, that ended without a result.

    Attributes:
        state: “failed” or “cancelled”.
        problem: a sentence on what went wrong. Never a confidential value.
        remedy: a sentence on what to do about it.
        unforeseen: whether it was a fault of the program.
    """

    def __init__(
        self, state: State, problem: str, remedy: str = "", *, unforeseen: bool = False
    ) -> None:
        super().__init__(f"{problem} {remedy}".rstrip())
        self.state = state
        self.problem = problem
        self.remedy = remedy
        self.unforeseen = unforeseen


def describe_failure(ended: Progress) -> RunFailed:
    """Return the error for work that failed or was cancelled."""
    if ended.state == "cancelled":
        return RunFailed("cancelled", "Cancelled. Nothing was released.")
    problem, _, remedy = ended.message.partition(". ")
    problem = f"{problem.rstrip('.')}."
    return RunFailed("failed", problem, remedy, unforeseen=ended.unforeseen)
