"""The outputs of a run, from the first part or from where it was killed, to its release."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from understudy.core.files import hash_file, make_private, replace_text, sync_folder
from understudy.mechanisms.mechanism import PlannedRun, State
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.mechanisms.statement import STAIN_OF_FIGURES, ReleasedFile, statement
from understudy.privacy.randomness import Secret
from understudy.runs.checkpoint import Position, erase, read_position, save_position
from understudy.runs.folder import RunFolder, TableForm
from understudy.runs.table_file import (
    GrowingTable,
    ReleasedCsv,
    ReleasedParquet,
    WithinCells,
    Written,
)
from understudy.runs.work_folder import Progress, WorkCancelled
from understudy.table.records import Records
from understudy.table.seed_mark import COLUMN
from understudy.table.sources.streamed_table import StreamedTable

_REPORT_EVERY = 0.2
_CHECKPOINT_EVERY = 1.0
_CHECKPOINTS_TAKE = 0.02
"""The most that checkpoints may take of a run's time, on a disk that is slow."""

Tables = Mapping[str, GrowingTable]
"""The tables of a release in the making, by the names of their outputs."""


@dataclass(frozen=True, eq=False)
class Releasing:
    """A run about to make its outputs, or to go on with them.

    Attributes:
        decided: what is run.
        records: the confidential table.
        state: what was drawn and learned.
        secret: what its random numbers follow from.
        folder: where the run is.
        form: the kind of file that tables are released in.
        workers: what may be used.
    """

    decided: PlannedRun
    records: Records | StreamedTable
    state: State
    secret: Secret
    folder: RunFolder
    form: TableForm
    workers: Workers

    def publish(self, progress: Progress) -> Progress:
        """Make every output, and publish them and the statement together.

        Raises:
            Cancelled: the run was cancelled.
            FellShort: there is less than the plan says.
            OSError: a file could not be written. What is written stays, to go on from.
        """
        make_private(self.folder.partial)
        with ExitStack() as stack:
            tables, start = self._so_far(
                {
                    each.name: stack.enter_context(self._open_file(each))
                    for each in self.decided.tables
                }
            )
            progress = self._make(tables, start, replace(progress, done=start.done))
            released = [self._finish_output(each, tables) for each in self.decided.outputs]
        said = statement(
            self.decided, released, stained=self.secret.seeded, as_csv=self.form == "csv"
        )
        text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
        replace_text(self.folder.partial / self.folder.guarantee.name, text)
        self._clear()
        sync_folder(self.folder.partial)
        self.folder.partial.rename(self.folder.release)
        sync_folder(self.folder.path)
        erase(self.folder)
        return progress

    def _place(self, output: Output) -> Path:
        """Return where the file of an output stands in the end, in the folder that becomes the
        release."""
        ending = self.form if output.kind == "table" else "json"
        return self.folder.partial / f"{output.name}.{ending}"

    @contextmanager
    def _open_file(self, output: Output) -> Iterator[BinaryIO]:
        """Provide the file that a table grows in."""
        path = self._place(output)
        if self.form == "parquet":
            path = self.folder.unfinished / f"{output.name}.codes"
        path.touch(mode=0o600)
        with path.open("r+b") as file:
            yield file

    def _so_far(self, files: Mapping[str, BinaryIO]) -> tuple[Tables, Position]:
        """Return the tables as far as they are, and where the run goes on.

        Where the files do not hold what was put down last, the outputs are made again from the
        first, and come out as before.
        """
        found = read_position(self.folder)
        fits = found is not None and found.written.keys() == files.keys()
        if found is not None and fits and self._figures_stand(found.figures):
            with suppress(ValueError):
                return self._open_tables(files, found.written), found
        for file in files.values():
            file.seek(0)
            file.truncate()
        return self._open_tables(files, {}), Position()

    def _figures_stand(self, figures: Mapping[str, str]) -> bool:
        """Return whether the files of figures that were made hold what was put down, by their
        hashes."""
        places = {each.name: self._place(each) for each in self.decided.outputs}
        return all(
            name in places and places[name].is_file() and hash_file(places[name]) == sha256
            for name, sha256 in figures.items()
        )

    def _open_tables(self, files: Mapping[str, BinaryIO], written: Mapping[str, Written]) -> Tables:
        """Return the tables that stand there by now.

        Raises:
            ValueError: something else stands there.
        """
        return {
            each.name: self._table(number, each, files[each.name], written.get(each.name))
            for number, each in enumerate(self.decided.tables)
        }

    def _table(
        self, number: int, output: Output, file: BinaryIO, written: Written | None
    ) -> GrowingTable:
        assert output.schema is not None
        cells = WithinCells(output.schema, self.secret, number)
        marked = self.secret.seeded
        if self.form == "parquet":
            path = self._place(output)
            return ReleasedParquet(cells, path, file, marked=marked, written=written)
        return ReleasedCsv(cells, file, marked=marked, written=written)

    def _make(self, tables: Tables, start: Position, progress: Progress) -> Progress:
        """Make part after part, and put each where it belongs."""
        progress = replace(progress, state="attempting")
        told = _Told(self.folder, progress, tables)
        checkpoints = _Checkpoints(self.folder, tables)
        figures = dict(start.figures)
        reached = ResumePoint(
            start.at,
            {name: each.rows for name, each in tables.items()},
            {name: table.codes() for name, table in tables.items()},
        )
        stop_if_asked(self.folder)
        making = self.decided.mechanism.release(
            self.decided, self.records, self.state, self.secret, self.workers, reached
        )
        with closing(making) as chunks:
            for chunk in chunks:
                self._put(chunk, tables, figures)
                told.how_far(chunk.done)
                checkpoints.put(chunk, figures)
                stop_if_asked(self.folder)
        return told.progress

    def _put(self, chunk: Chunk, tables: Tables, figures: dict[str, str]) -> None:
        """Put a part of an output where it belongs; the hash of figures is kept among `figures`.

        Raises:
            KeyError, ValueError: it is none of this output.
        """
        output = self.decided.output(chunk.output)
        output.check(chunk.content)
        if isinstance(chunk.content, Mapping):
            mark = {COLUMN: STAIN_OF_FIGURES} if self.secret.seeded else {}
            place = self._place(output)
            # The mark stands first, and no figure of that name takes its place.
            replace_text(place, figures_text({**mark, **chunk.content, **mark}))
            figures[output.name] = hash_file(place)
        else:
            tables[chunk.output].add(chunk.content)

    def _finish_output(self, output: Output, tables: Tables) -> ReleasedFile:
        """Return an output that is whole.

        Raises:
            ValueError: the method has not made it.
        """
        if output.kind == "table":
            table = tables[output.name]
            return ReleasedFile(output.name, table.finish(), table.rows)
        path = self._place(output)
        if not path.exists():
            raise ValueError(f"the output {output.name} was not made")
        return ReleasedFile(output.name, hash_file(path))

    def _clear(self) -> None:
        """Take away what a kill left of a file that was to be written whole."""
        whole = {self._place(each) for each in self.decided.outputs}
        for other in self.folder.partial.iterdir():
            if other not in whole and other.name != self.folder.guarantee.name:
                other.unlink()


def figures_text(figures: Mapping[str, Any]) -> str:
    """Return figures as the text of the file that they are released in. JSON has no word for a
    number that is infinite or none at all: it stands as null."""
    return json.dumps(_in_json(figures), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _in_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _in_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_in_json(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def stop_if_asked(folder: RunFolder) -> None:
    """Stop here, if that is asked for.

    Raises:
        Cancelled: it is.
    """
    if folder.cancelling:
        raise WorkCancelled


class _Told:
    """Tells how far the outputs are, now and then. The pace is that since they went on."""

    def __init__(self, folder: RunFolder, progress: Progress, tables: Tables) -> None:
        self._folder, self._tables = folder, tables
        self._from = progress.done
        self._begun = self._last = time.monotonic()
        self.progress = folder.report(replace(progress, passed=self._passed))

    @property
    def _passed(self) -> int:
        """How many records there are."""
        return sum(each.rows for each in self._tables.values())

    def how_far(self, done: int) -> None:
        now = time.monotonic()
        pace = (done - self._from) / (now - self._begun)
        self.progress = replace(self.progress, done=done, passed=self._passed, pace=pace)
        if now - self._last > _REPORT_EVERY:
            self.progress, self._last = self._folder.report(self.progress), now


class _Checkpoints:
    """Puts down now and then how far the run is, once that much of its tables is on the disk."""

    def __init__(self, folder: RunFolder, tables: Tables) -> None:
        self._folder, self._tables = folder, tables
        self._due = time.monotonic() + _CHECKPOINT_EVERY

    def put(self, chunk: Chunk, figures: Mapping[str, str]) -> None:
        begun = time.monotonic()
        if begun < self._due:
            return
        written = {name: each.settle() for name, each in self._tables.items()}
        save_position(self._folder, Position(chunk.reached, chunk.done, written, figures))
        now = time.monotonic()
        self._due = now + max(_CHECKPOINT_EVERY, (now - begun) / _CHECKPOINTS_TAKE)
