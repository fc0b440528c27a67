"""Inquiries: work on the internal figures of a run that has ended, in a process of its own.

An inquiry is debited nowhere and releases nothing. It is handed values and an empty folder under
the run's internal figures, and never the run's own folder.

    internal/NAME/progress.json, cancel    how far it is, and what stops it; see work_folder.py
    internal/NAME/asked                    what was asked
    internal/NAME/.partial-X               what is found so far
    internal/NAME/result-1                 what came out; there when whole

The evaluation of a run is one: every measure, on the run's own table.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

from understudy.core.files import make_private
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import OtherTable, evaluate, other_table
from understudy.evaluation.measure import FEWEST, Measure, Study
from understudy.evaluation.measures.prediction import check_target
from understudy.evaluation.registry import predicts_a_column
from understudy.mechanisms.mechanism import STAGES, EvaluationRequest, Evidence, PlannedRun
from understudy.privacy.randomness import RandomSource
from understudy.runs.evidence import check_table, find_comparable_table, read_planned_run
from understudy.runs.folder import RunFolder
from understudy.runs.process import WorkKind, describe_disk_trouble, launch
from understudy.runs.work_folder import Progress, Watched
from understudy.table.records import Records
from understudy.table.schema import Schema

KIND = WorkKind("inquiry", "ask again", "Close other programs, or use a table of fewer records.")
_RESULT, _PARTIAL = "result-", ".partial-"


class TellProgress(Protocol):
    """The function that an inquiry calls between its steps, to report its progress."""

    def __call__(self, done: int, at: str, of: int | None = None) -> None:
        """Tell how far it is.

        Args:
            done: how many steps are done.
            at: what it does next, to a reader.
            of: how many steps there are in all; as last told if left out.

        Raises:
            Cancelled: somebody asked for the inquiry to stop.
        """


class Inquiry(Protocol):
    """A question about a run: a frozen dataclass; two are equal if their `repr` is."""

    name: ClassVar[str]
    """The name of its folder, such as "evaluation"."""

    def work(self, evidence: Evidence[Any], folder: Path, told: TellProgress) -> None:
        """Answer the question.

        Args:
            evidence: what to work on.
            folder: an empty folder to write the result into. It appears under its name when
                `work` has returned, and not at all where it did not.
            told: to be called between steps.

        Raises:
            Refusal: this run does not allow an answer.
        """


@dataclass(frozen=True)
class InquiryFolder(Watched):
    """The places of one inquiry. While it works, `Progress.message` says at what."""

    @property
    def result(self) -> Path:
        """Where its last whole result is; no such folder before the first. It stays there until
        it is asked again and for as long as that takes."""
        found = [(_number(path), path) for path in self.path.glob(f"{_RESULT}*")]
        return max(found)[1] if found else self.path / f"{_RESULT}0"

    @property
    def so_far(self) -> Path | None:
        """Where what is found is put while it works, of which a part may be there already; None
        where it does not work."""
        return max(self.path.glob(f"{_PARTIAL}*"), default=None, key=_time_of_change)

    @contextmanager
    def new_result(self) -> Iterator[Path]:
        """Provide an empty folder, which becomes the result at the end, or is gone on an error.

        Raises:
            OSError: it cannot be made.
        """
        partial = Path(tempfile.mkdtemp(prefix=_PARTIAL, dir=self.path))
        try:
            yield partial
            partial.rename(self.path / f"{_RESULT}{_number(self.result) + 1}")
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    @property
    def question(self) -> str:
        """What was asked last, in the words of the program."""
        try:
            return self.read_text("asked")
        except OSError:
            return ""

    def report_vanished(self, progress: Progress) -> Progress:
        """Return how an inquiry ended whose process is gone."""
        return replace(
            progress,
            state="failed",
            message="The process that looked into this is gone. Nothing was released or spent. "
            "Ask again.",
        )

    def unreadable(self) -> Refusal:
        """Return the refusal of a folder without an inquiry."""
        return Refusal(f"There is no {self.path.name} of this run.", "Ask for it first.")


def ask(inquiry: Inquiry, records: Records, run: RunFolder) -> InquiryFolder:
    """Start an inquiry in a process of its own, and return at once.

    If an equal one is under way, its folder is returned. The result of an earlier one stays until
    the new one is complete.

    Args:
        inquiry: what to find out.
        records: the table that the run was made from.
        run: what about; it must have ended.

    Raises:
        Refusal: the run left no evidence, or this is not its table; another inquiry of this kind
            is under way; or no process or file could be made.
    """
    check_table(run, records)
    folder = InquiryFolder(run.internal / inquiry.name)
    try:
        with _alone(folder):
            if _under_way(folder, inquiry):
                return folder
            _clear(folder)
            folder.write_text("asked", repr(inquiry))
            folder.report(Progress("starting", 1, started=time.time()))
            launch("understudy.runs.inquirer", [run.path, folder.path], (inquiry, records), folder)
    except OSError as error:
        said = describe_disk_trouble(error, KIND, folder.path)
        refusal = Refusal(f"The {inquiry.name} cannot be started.", said)
        with suppress(OSError, Refusal):
            now = folder.read_progress()
            if not now.ended:
                folder.report(replace(now, state="failed", message=str(refusal)))
        raise refusal from None
    return folder


def find_inquiry(run: RunFolder, kind: type[Inquiry]) -> InquiryFolder | None:
    """Return the last inquiry of this kind into a run; None if there was none."""
    folder = InquiryFolder(run.internal / kind.name)
    return folder if (folder.path / "progress.json").exists() else None


@contextmanager
def _alone(folder: InquiryFolder) -> Iterator[None]:
    """While nobody else starts an inquiry in this folder."""
    make_private(folder.path)
    handle = os.open(folder.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _under_way(folder: InquiryFolder, inquiry: Inquiry) -> bool:
    """Return whether this very thing is being found out.

    Raises:
        Refusal: something else is.
    """
    try:
        ended = folder.progress().ended
    except Refusal:
        return False
    if not ended and folder.question != repr(inquiry):
        raise Refusal(
            f"Another {inquiry.name} of this run is under way.", "Wait for it, or cancel it first."
        )
    return not ended


def _time_of_change(folder: Path) -> float:
    """Return when it was changed last; 0 where it is gone by now."""
    with suppress(OSError):
        return folder.stat().st_mtime
    return 0.0


def _number(result: Path) -> int:
    text = result.name.removeprefix(_RESULT)
    return int(text) if text.isdecimal() else 0


def _clear(folder: InquiryFolder) -> None:
    """Take away what is left of earlier attempts, except for the last whole result."""
    (folder.path / "cancel").unlink(missing_ok=True)
    last = folder.result
    for pattern in (f"{_PARTIAL}*", f"{_RESULT}*"):
        for path in folder.path.glob(pattern):
            if path != last:
                shutil.rmtree(path, ignore_errors=True)


MOST: Final = 10_000
REPEATS: Final = 4
_MOST_REPEATS = 20
_FEW_VALUES = range(2, 21)


@dataclass(frozen=True)
class EvaluationOf:
    """Everything measured of one run; the result is an `Evaluation`.

    Attributes:
        target: the column to predict, by name; "" where no measure of the run's method predicts
            one.
        repeats: how many times what is random is repeated for an interval, 1 … 20.
        most: how many records, or people, of each table to look at; at least `FEWEST`.
        only: the keys of the measures to take; all where it is empty.

    Raises:
        Refusal: a number is out of range.
    """

    name: ClassVar[str] = "evaluation"

    target: str
    repeats: int = REPEATS
    most: int = MOST
    only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.repeats <= _MOST_REPEATS:
            raise Refusal(
                f"{self.repeats} is no number of repeats.",
                f"Choose 1 to {_MOST_REPEATS}; {REPEATS} is usual.",
                field="repeats",
            )
        if self.most < FEWEST:
            raise Refusal(
                f"{self.most} records are too few to measure.",
                f"Look at {FEWEST} or more of each table; {MOST:,} is usual.",
                field="most",
            )

    def work(self, evidence: Evidence, folder: Path, told: TellProgress) -> None:
        """Make the tables, take every measure, and save what is found as soon as it is known.

        Raises:
            Refusal: the target is no column, or too few records were held out or are left to
                compare.
        """
        asked = self._select_measures(evidence)
        if predicts_column(evidence.decided):
            check_target(evidence.decided.measured_schema, self.target)
        steps, stages = STAGES + len(asked), count()
        wanted = EvaluationRequest(self.target, self.repeats, self.most)
        study = evidence.decided.mechanism.study(
            evidence, wanted, RandomSource.secure(), lambda at: told(next(stages), at, steps)
        ).complete()
        found = evaluate(
            study,
            asked,
            lambda done, at: told(STAGES + done, at, steps),
            known=lambda so_far: so_far.save(folder),
        )
        others = _others(evidence, study) if isinstance(study, Study) else ()
        unseen = len(evidence.decided.tables) - len(evidence.tables) if evidence.tables else 0
        replace(found, others=others, unseen=unseen).save(folder)

    def _select_measures(self, evidence: Evidence) -> tuple[Measure[Any], ...]:
        decided = evidence.decided
        every = decided.mechanism.measures(decided)
        unknown = set(self.only) - {each.about.key for each in every}
        if unknown:
            raise Refusal(
                f"There is no measure “{min(unknown)}”.",
                "Choose from: " + ", ".join(each.about.key for each in every) + ".",
                field="only",
            )
        return tuple(each for each in every if not self.only or each.about.key in self.only)


def _others(evidence: Evidence, study: Study) -> tuple[OtherTable, ...]:
    """Return the released tables of other columns, as far as they can be measured."""
    return tuple(
        other_table(name, table.complete(), study)
        for name, table in evidence.tables.items()
        if name not in evidence.alike
    )


def predicts_column(decided: PlannedRun) -> bool:
    """Return whether an evaluation of a run predicts a column, which has to be chosen."""
    return predicts_a_column(decided.mechanism.measures(decided))


def suggest_target(schema: Schema) -> str:
    """Return the column to predict where nobody chose one: the last with 2 to 20 values, as the
    answer to a question usually stands last; the last of all where none has."""
    few = [each.name for each in schema.columns if each.cardinality in _FEW_VALUES]
    return few[-1] if few else schema.names[-1]


def make_evaluation(run: RunFolder, target: str | None, repeats: int = REPEATS) -> EvaluationOf:
    """Return the evaluation of a run.

    Args:
        run: one that has released something.
        target: the column to predict; None for the suggested one.
        repeats: as of `EvaluationOf`.

    Raises:
        Refusal: the run has nothing to measure, or the column cannot be predicted.
    """
    made = read_planned_run(run)
    if predicts_column(made):
        find_comparable_table(run)
        column = suggest_target(made.compared) if target is None else target
        check_target(made.measured_schema, column)
        return EvaluationOf(column, repeats=repeats)
    if target is not None:
        raise Refusal(
            "The measures of this run predict no column.", "Leave the target out.", field="target"
        )
    return EvaluationOf("", repeats=repeats)
