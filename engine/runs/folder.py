"""A run on disk: the only thing a page, a command and the process that works share.

plan.json, schema.json    what was decided
run.json                  when, what for, and whether with a fixed seed
progress.json             how far it is, replaced whole each time
cancel                    put there to stop it
internal/                 figures computed from confidential records; never exported
release/                  synthetic.csv and guarantee.json; there only when finished

What a run cost stands in the ledger, and nowhere here.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from engine.refusal import Refusal

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
ABOUT = "run.json"
ENDED: frozenset[State] = frozenset({"finished", "cancelled", "failed"})
_STARTING_TAKES = 30.0


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes:
        state: what it is doing, or how it ended.
        attempts, done: how many attempts were planned, and made.
        passed: how many candidates passed so far. Internal until the run has finished.
        started, updated: seconds since the epoch.
        pace: attempts per second while attempting.
        process: the worker's process id.
        message: for a run that failed, what went wrong and what to do.
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
class About:
    """What a run is, for a list of runs.

    Attributes:
        at: when it was started, in UTC, as ISO 8601.
        purpose: what for.
        stained: whether a fixed seed was used.
    """

    at: str
    purpose: str
    stained: bool


@dataclass(frozen=True)
class RunFolder:
    """The places of one run."""

    path: Path

    @property
    def identity(self) -> str:
        """The run's name."""
        return self.path.name

    @property
    def release(self) -> Path:
        """Where the released files appear, at once, when the run has finished."""
        return self.path / "release"

    @property
    def table(self) -> Path:
        """The synthetic table."""
        return self.release / "synthetic.csv"

    @property
    def guarantee(self) -> Path:
        """The statement of the guarantee."""
        return self.release / "guarantee.json"

    @property
    def internal(self) -> Path:
        """Figures for the custodian's eyes."""
        return self.path / "internal"

    @property
    def cancelling(self) -> bool:
        """Whether somebody asked for the run to stop."""
        return (self.path / "cancel").exists()

    def cancel(self) -> None:
        """Ask the run to stop; it does so between two chunks and releases nothing."""
        (self.path / "cancel").touch()

    def read_text(self, name: str) -> str:
        """A small text file of the run, such as "plan.json"."""
        return (self.path / name).read_text(encoding="utf-8")

    def write_text(self, name: str, text: str) -> None:
        """Replace a small text file whole: a reader sees the old one or the new one."""
        replace_text(self.path / name, text)

    def progress(self) -> Progress:
        """How far the run is. A worker that vanished without a word counts as failed.

        Raises:
            Refusal: there is no such run.
        """
        progress = self.reported()
        if progress.ended or _under_way(progress):
            return progress
        # It may have put down its end between the first look and finding its process gone.
        progress = self.reported()
        if progress.ended:
            return progress
        if self.release.exists():
            return replace(
                progress, state="finished", message="The run ended before all figures were made."
            )
        return replace(
            progress,
            state="failed",
            message="The process that did this run is gone. Its budget counts as spent; "
            "nothing was released. Start a new run to try again.",
        )

    def reported(self) -> Progress:
        """How far the run said it was, whether or not it still is at all.

        Raises:
            Refusal: there is no such run.
        """
        try:
            return Progress(**json.loads(self.read_text("progress.json")))
        except (OSError, ValueError, TypeError):
            raise self._unreadable() from None

    def report(self, progress: Progress) -> Progress:
        """Write down how far the run is."""
        stamped = replace(progress, updated=time.time())
        self.write_text("progress.json", json.dumps(asdict(stamped)))
        return stamped

    def about(self) -> About:
        """What the run is.

        Raises:
            Refusal: there is no such run.
        """
        try:
            return About(**json.loads(self.read_text(ABOUT)))
        except (OSError, ValueError, TypeError):
            raise self._unreadable() from None

    def artefacts(self) -> dict[str, str] | None:
        """SHA-256, in hex, of each released file by its name; None where there is no release, or
        its table is not the one that its statement is about."""
        try:
            found = {path.name: _sha256(path) for path in sorted(self.release.iterdir())}
            stated = json.loads(self.guarantee.read_text(encoding="utf-8"))["table"]["sha256"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return found if found.get(self.table.name) == stated else None

    def _unreadable(self) -> Refusal:
        return Refusal(
            f"The run “{self.identity}” cannot be read.",
            "Choose another run, or start a new one.",
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def replace_text(path: Path, text: str) -> None:
    """Write a file by rename."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)  # noqa: PTH105 (atomic by contract, which is what matters here)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _under_way(progress: Progress) -> bool:
    """Whether the worker lives, or was asked for a moment ago and has no number yet."""
    if progress.process:
        return _alive(progress.process)
    return time.time() - progress.updated < _STARTING_TAKES


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _zombie(process)


def _zombie(process: int) -> bool:
    """A child that ended but was not waited for still answers a signal."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] == "Z"
