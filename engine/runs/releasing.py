"""The attempts of a run, from its first or from where it was killed, to its release."""

from __future__ import annotations

import json
import time
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from engine.core.files import make_private, replace_text, sync_folder
from engine.mechanisms.seedbased.attempts import Decision
from engine.mechanisms.seedbased.chunks import Chunks, Executor
from engine.mechanisms.seedbased.learning import synthesizer
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import promise
from engine.mechanisms.seedbased.statement import statement
from engine.models.streamed import StreamedRows
from engine.runs.folder import RunFolder
from engine.runs.forms import TABLE, TableForm
from engine.runs.goal import Goal
from engine.runs.released import GrowingTable, Written
from engine.runs.released_csv import ReleasedCsv
from engine.runs.released_parquet import ReleasedParquet
from engine.runs.unfinished import Begun, Reached, forget, reach, reached
from engine.runs.watched import Cancelled, Progress
from engine.table.records import Records

_REPORT_EVERY = 0.2
_CHECKPOINT_EVERY = 1.0
_CHECKPOINTS_TAKE = 0.02
"""The most that checkpoints may take of a run's time, on a disk that is slow."""


@dataclass(frozen=True, eq=False)
class Releasing:
    """A run about to make its attempts, or to go on with them.

    Attributes:
        plan: what is run.
        seeds: the records that candidates are made from.
        begun: what was drawn and learned.
        folder: where the run is.
        form: the kind of file that the table is released in.
        executor: where the attempts are made.
    """

    plan: Plan
    seeds: Records | StreamedRows
    begun: Begun
    folder: RunFolder
    form: TableForm
    executor: Executor

    def publish(self, progress: Progress) -> Progress:
        """Make every attempt, write what passes, and publish table and statement together.

        Raises:
            Cancelled: the run was cancelled.
            Refusal: under “releases”, too few candidates pass.
            OSError: a file could not be written. What is written stays, to go on from.
        """
        make_private(self.folder.partial)
        path = self._growing
        path.touch(mode=0o600)
        with path.open("r+b") as file:
            table, tried = self._so_far(file)
            progress = self._attempts(table, tried, progress)
            sha256 = table.finish()
        said = statement(
            self.plan,
            self.seeds.schema,
            released=table.rows,
            sha256=sha256,
            stained=self.begun.secret.seeded,
            as_csv=self.form == "csv",
        )
        text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
        replace_text(self.folder.partial / self.folder.guarantee.name, text)
        for other in self.folder.partial.iterdir():
            # What a kill left of a file that was to be written whole.
            if other.name not in (TABLE[self.form], self.folder.guarantee.name):
                other.unlink()
        self.folder.partial.rename(self.folder.release)
        sync_folder(self.folder.path)
        forget(self.folder)
        return progress

    def _so_far(self, file: BinaryIO) -> tuple[GrowingTable, int]:
        """The table as far as it is, and how many attempts it took.

        Where its files do not hold what was put down last, the attempts are made again from the
        first, and come out as before.
        """
        at = reached(self.folder)
        if at is not None:
            with suppress(ValueError):
                return self._grown(file, at.written), at.tried
        file.seek(0)
        file.truncate()
        return self._grown(file, None), 0

    @property
    def _growing(self) -> Path:
        """The file that the table grows in."""
        if self.form == "parquet":
            return self.folder.unfinished / "codes"
        return self.folder.partial / TABLE[self.form]

    def _grown(self, file: BinaryIO, written: Written | None) -> GrowingTable:
        """The table that stands there by now.

        Raises:
            ValueError: something else stands there.
        """
        schema, marked = self.seeds.schema, self.begun.secret.seeded
        if self.form == "parquet":
            path = self.folder.partial / TABLE[self.form]
            return ReleasedParquet(schema, path, file, marked=marked, written=written)
        return ReleasedCsv(schema, file, marked=marked, written=written)

    def _attempts(self, table: GrowingTable, tried: int, progress: Progress) -> Progress:
        """Make attempts until the plan's goal is reached. Progress counts what the plan counts."""
        promised = promise(self.plan, self.seeds.schema)
        goal = Goal.of(self.plan, promised)
        chunks = Chunks(
            synthesizer(self.plan, self.begun.network, self.seeds),
            Decision(self.plan.test, promised.pass_cap),
            self.begun.secret,
            goal.attempts,
        )
        progress = replace(progress, state="attempting")
        told = _Told(self.folder, progress, goal, tried, table.rows)
        checkpoints = _Checkpoints(self.folder, table)
        with closing(self.executor.released(chunks, tried)) as released:
            while not goal.reached(tried, table.rows):
                stop_if_asked(self.folder)
                span, codes = next(released)
                table.add(goal.cut(codes, table.rows))
                tried = span.first + span.count
                told.how_far(tried, table.rows)
                checkpoints.put(tried)
        goal.check(table.rows)
        return told.progress


def stop_if_asked(folder: RunFolder) -> None:
    """Stop here, if that is asked for.

    Raises:
        Cancelled: it is.
    """
    if folder.cancelling:
        raise Cancelled


class _Told:
    """Tells how far the attempts are, now and then. The pace is that since they went on."""

    def __init__(
        self, folder: RunFolder, progress: Progress, goal: Goal, tried: int, passed: int
    ) -> None:
        self._folder = folder
        self._counts_records = goal.records is not None
        self._from = self._done(tried, passed)
        self._begun = self._last = time.monotonic()
        self.progress = folder.report(replace(progress, done=self._from, passed=passed))

    def how_far(self, tried: int, passed: int) -> None:
        now, done = time.monotonic(), self._done(tried, passed)
        pace = (done - self._from) / (now - self._begun)
        self.progress = replace(self.progress, done=done, passed=passed, pace=pace)
        if now - self._last > _REPORT_EVERY:
            self.progress, self._last = self._folder.report(self.progress), now

    def _done(self, tried: int, passed: int) -> int:
        return passed if self._counts_records else tried


class _Checkpoints:
    """Puts down now and then how far the table is, once that much of it is on the disk."""

    def __init__(self, folder: RunFolder, table: GrowingTable) -> None:
        self._folder, self._table = folder, table
        self._due = time.monotonic() + _CHECKPOINT_EVERY

    def put(self, tried: int) -> None:
        begun = time.monotonic()
        if begun < self._due:
            return
        reach(self._folder, Reached(tried, self._table.settle()))
        now = time.monotonic()
        self._due = now + max(_CHECKPOINT_EVERY, (now - begun) / _CHECKPOINTS_TAKE)
