"""A run on disk: the only thing a page, a command and the process that works share.

plan.json, schema.json    what was decided
run.json                  when, what for, and whether with a fixed seed
progress.json, cancel     how far it is, and what stops it; see work_folder.py
internal/                 computed from confidential records; never exported
release.partial/          what passed so far, and what the run goes on from after a crash; see
internal/unfinished/      unfinished.py. Gone once the run has ended for good
release/                  the outputs, such as synthetic.csv or .parquet, and guarantee.json;
                          there only when finished

Until the run is debited, its folder has a hidden name. A process that finds a hidden folder of a
debited run gives it its name; see control.py and ending.py.

What a run cost is in the ledger, and nowhere here.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from understudy.core.files import hash_file, refuse_full_disk
from understudy.core.refusal import Refusal
from understudy.runs.work_folder import Progress, Watched

TableForm = Literal["csv", "parquet"]

TABLE: Final[Mapping[TableForm, str]] = {"csv": "synthetic.csv", "parquet": "synthetic.parquet"}
"""What the file of the synthetic table is called."""

ABOUT = "run.json"

UNREADABLE = (OSError, ValueError, KeyError, IndexError, TypeError, zipfile.BadZipFile, EOFError)
"""What reading a file of a run may raise that somebody damaged."""

_HIDDEN = "."
_GONE = (
    "The process that did this run is gone. Its budget counts as spent; nothing was released. "
    "Start a new run to try again, which is a new spend."
)
_INTERRUPTED = (
    "The process that did this run is gone. Nothing was released, and what it had done is kept: "
    "resume it, which spends nothing further."
)

RecordsOf = Literal["confidential", "simulated", "public", "synthetic"]
"""What a run works on: the confidential table, or in a rehearsal one that stands in for it:
simulated, public, or released by an earlier run."""


@dataclass(frozen=True)
class RunAbout:
    """What a run is, for a list of runs.

    Attributes:
        at: when it was started, in UTC, as ISO 8601.
        purpose: what for.
        stained: whether a fixed seed was used.
        records_of: what its records are.
        named: the table that stands in for the confidential one, as its file or run is called.
        form: the kind of file that the table is released in.
    """

    at: str
    purpose: str
    stained: bool
    records_of: RecordsOf = "confidential"
    named: str = ""
    form: TableForm = "csv"


@dataclass(frozen=True)
class RunFolder(Watched):
    """The places of one run."""

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
        """The synthetic table, where the run releases one of that name."""
        return self.table_of(Path(TABLE["csv"]).stem)

    def table_of(self, output: str) -> Path:
        """Return the file of a released table, by the name of its output."""
        parquet = self.release / f"{output}.parquet"
        return parquet if parquet.exists() else self.release / f"{output}.csv"

    @property
    def guarantee(self) -> Path:
        """The statement of the guarantee."""
        return self.release / "guarantee.json"

    @property
    def internal(self) -> Path:
        """Figures for the custodian's eyes."""
        return self.path / "internal"

    @property
    def partial(self) -> Path:
        """The outputs as far as they are made, until they are the release."""
        return self.path / "release.partial"

    @property
    def unfinished(self) -> Path:
        """What the run goes on from after a crash; there until it has ended for good."""
        return self.internal / "unfinished"

    @property
    def hidden(self) -> RunFolder:
        """Where the folder is until its run is debited."""
        return RunFolder(self.path.with_name(f"{_HIDDEN}{self.identity}"))

    @property
    def learned(self) -> Path:
        """What was learned, there once it was."""
        return self.unfinished / "learned.npz"

    @property
    def alone(self) -> Path:
        """There as soon as a third-party model learns, which draws for itself."""
        return self.unfinished / "alone"

    @property
    def can_go_on(self) -> bool:
        """Whether the run, if its process is gone, left what it can go on from."""
        if self.release.exists() or self.cancelling or not self.unfinished.exists():
            return False
        return self.learned.exists() or not self.alone.exists()

    @property
    def full(self) -> Path:
        """There once the run's disk was too full to write down that it is."""
        return self.path / "full"

    def report_vanished(self, progress: Progress) -> Progress:
        """Return how a run ended whose process died without a report."""
        if self.release.exists():
            return replace(
                progress, state="finished", message="The run ended before all figures were made."
            )
        if self.full.exists():
            go_on = "resume the run, which spends nothing further"
            again = "start a new run, which is a new spend"
            said = refuse_full_disk(self.path, go_on if self.can_go_on else again)
            return replace(progress, state="failed", message=str(said))
        return replace(progress, state="failed", message=_INTERRUPTED if self.can_go_on else _GONE)

    def about(self) -> RunAbout:
        """Return what the run is.

        Raises:
            Refusal: there is no such run.
        """
        try:
            return RunAbout(**json.loads(self.read_text(ABOUT)))
        except (OSError, ValueError, TypeError):
            raise self.unreadable() from None

    def artefacts(self) -> dict[str, str] | None:
        """SHA-256, in hex, of each released file by its name; None where there is no release, or
        a file is not the one that the statement is about."""
        try:
            found = {path.name: hash_file(path) for path in sorted(self.release.iterdir())}
            stated = _read_hashes(json.loads(self.guarantee.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        there = {Path(name).stem: sha256 for name, sha256 in found.items()}
        return found if stated.items() <= there.items() else None

    @contextmanager
    def intact(self) -> Iterator[None]:
        """While its internal files are read.

        Raises:
            Refusal: somebody damaged them; or whatever the reading itself refuses.
        """
        try:
            yield
        except Refusal:
            raise
        except UNREADABLE:
            raise self.refuse_damaged() from None

    def refuse_damaged(self) -> Refusal:
        """Return the refusal of a run whose files can no longer be read."""
        return Refusal(
            f"The internal files of the run “{self.identity}” are damaged.",
            "Choose another run, or start a new one.",
        )

    def unreadable(self) -> Refusal:
        """Return the refusal of a folder without a run."""
        return Refusal(
            f"The run “{self.identity}” cannot be read.",
            "Choose another run, or start a new one.",
        )


def _read_hashes(said: dict[str, Any]) -> dict[str, str]:
    """Return the hash of each file that a statement is about, by the name of its output."""
    table = {} if said["table"] is None else {Path(TABLE["csv"]).stem: said["table"]["sha256"]}
    return table | {name: each["sha256"] for name, each in said.get("outputs", {}).items()}
