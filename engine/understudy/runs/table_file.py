"""A released table while it is written, and as it is read again, in CSV or Parquet.

The numbers of measured columns are drawn evenly within their released cells (`WithinCells`), if
the method did not draw them itself. A record is a row of codes, and the code of a continuous
column stands for an interval, its cell. The number is drawn after the privacy test, from the
released codes and the run's own secret alone: whatever is guaranteed of the codes is guaranteed
of the numbers. It is drawn evenly, and not put in the middle of the cell, so that the numbers
spread over the range as the model has them, with no heap at the middle of each cell. Days are drawn
by the pattern of weekdays that the schema declares, if it does: a public pattern, which tells
nothing of any record.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Protocol, TextIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.core.arrays import CodeArray, FloatArray, IntArray, WordArray
from understudy.privacy.randomness import Secret, Use
from understudy.table.column import Column
from understudy.table.domain import measured_of, range_of
from understudy.table.encoding import RELEASED, as_written, csv_blocks, escape_text
from understudy.table.raw import RawTable
from understudy.table.records import (
    Records,
    arrow_values,
    as_arrow,
    missing_numbers,
    typed_column,
)
from understudy.table.rules.cell_numbers import CellNumbers
from understudy.table.schema import Schema
from understudy.table.seed_mark import marked_schema, stain_records
from understudy.table.sources.reading import read_table

_ROWS = 1 << 16
"""Of CSV, how many are held as texts at once."""


@dataclass(frozen=True)
class Written:
    """How much of a table is in a file.

    Attributes:
        rows: how many records.
        size: how many bytes.
        sha256: hash of those bytes, in hex.
    """

    rows: int
    size: int
    sha256: str


class GrowingTable(Protocol):
    """A table that grows by batches of records."""

    @property
    def rows(self) -> int:
        """How many records it has."""
        ...

    def add(self, codes: npt.NDArray[np.uint16] | Records) -> None:
        """Put some records in: by their codes, or with numbers that were drawn already."""
        ...

    def codes(self) -> Iterator[npt.NDArray[np.uint16]]:
        """Return the codes of its records so far, (rows, m) in schema order, part after part; to be
        read to the end before any are added."""
        ...

    def settle(self) -> Written:
        """Have what is in it so far survive a power failure, and say how far its file is, from
        which it can be gone on with."""
        ...

    def finish(self) -> str:
        """Complete the file, and return its SHA-256 in hex."""
        ...


def read_first_records(path: Path, schema: Schema, most: int) -> Records:
    """Return the first records of a table that was released, without its mark.

    Args:
        path: the file.
        schema: the columns of the records.
        most: how many at most.

    Raises:
        OSError: it cannot be read.
        KeyError: it holds a value that is not in the schema.
    """
    read = _from_parquet if path.suffix == ".parquet" else _from_csv
    return _gather(read(path, schema.of_file, most), schema)


def read_released(path: Path) -> RawTable:
    """Return a table that was released, its mark included, as texts.

    Raises:
        Refusal: it cannot be read.
    """
    raw = read_table(path, RELEASED)
    return as_written(raw) if raw.reading.kind == "csv" else raw


@dataclass(frozen=True, eq=False)
class _Read:
    """One column of a released table: its codes, and its numbers if it is measured."""

    codes: npt.NDArray[np.uint16]
    numbers: FloatArray | None = None


def _gather(columns: Sequence[_Read], schema: Schema) -> Records:
    """Return the records of the columns that a file has.

    Raises:
        KeyError: a column cannot be modelled as the schema says.
    """
    codes = np.column_stack([each.codes for each in columns])
    numbers = [each.numbers for each in columns if each.numbers is not None]
    held = np.column_stack(numbers) if numbers else None
    return Records(schema.of_file, codes, held).recode(schema)


def _from_csv(path: Path, schema: Schema, most: int) -> list[_Read]:
    with path.open(encoding="utf-8", newline="") as file:
        parts = [_of_rows(schema, ()), *_parts(file, schema, most)]
    return [_together(each) for each in zip(*parts, strict=True)]


def read_csv_codes(file: TextIO, schema: Schema, most: int) -> Iterator[npt.NDArray[np.uint16]]:
    """Yield the codes of the first records of a table in CSV, (rows, m), part after part.

    Args:
        file: the table from its first line on, opened without a change of line ends.
        schema: the columns of the records.
        most: how many records at most.

    Raises:
        KeyError: it holds a value that is not in the schema.
    """
    for part in _parts(file, schema.of_file, most):
        yield _gather(part, schema).codes


def _parts(file: TextIO, schema: Schema, most: int) -> Iterator[list[_Read]]:
    lines = csv.reader(file)
    next(lines)
    while most > 0 and (rows := list(islice(lines, min(most, _ROWS)))):
        yield _of_rows(schema, rows)
        most -= len(rows)


def _of_rows(schema: Schema, rows: Sequence[Sequence[str]]) -> list[_Read]:
    return [
        _of_texts(column, [row[place] for row in rows])
        for place, column in zip(schema.released_places, schema.columns, strict=True)
    ]


def _together(parts: Sequence[_Read]) -> _Read:
    numbers = [each.numbers for each in parts if each.numbers is not None]
    codes = np.concatenate([each.codes for each in parts])
    return _Read(codes, np.concatenate(numbers) if numbers else None)


def _of_texts(column: Column, texts: Sequence[str]) -> _Read:
    """Return a column from its texts as they stand in CSV."""
    codes_of = {escape_text(column, text): code for code, text in enumerate(column.texts)}
    if not column.measured:
        return _Read(np.array([codes_of[text] for text in texts], dtype=np.uint16))
    missing = {escape_text(column, text): at for at, text in enumerate(column.missing_texts)}
    parse = range_of(column.domain).value_of
    found = [np.nan if text in missing else parse(text) for text in texts]
    if None in found:
        raise KeyError(column.name)
    which = np.array([missing.get(text, 0) for text in texts], dtype=np.int64)
    return _read_numbers(column, np.array(found, dtype=np.float64), which)


def _from_parquet(path: Path, schema: Schema, most: int) -> list[_Read]:
    with pq.ParquetFile(path) as file:
        batches, rows = [], 0
        for batch in file.iter_batches(max(1, most), columns=list(schema.names)):
            batches.append(batch)
            rows += len(batch)
            if rows >= most:
                break
        there = file.schema_arrow
    kept = pa.schema([there.field(name) for name in schema.names])
    found = pa.Table.from_batches(batches, kept).slice(0, most).unify_dictionaries()
    return [
        _read_codes(column, chunked.combine_chunks())
        for column, chunked in zip(schema.columns, found.columns, strict=True)
    ]


def _read_codes(column: Column, values: pa.Array) -> _Read:
    """Return a column that `as_arrow` made."""
    if values.null_count and not column.missing:
        raise KeyError(column.name)
    if column.missing_count > 1 or (column.measured and column.domain.held_as_texts):
        return _read_several_missing(column, values)
    if column.measured:
        return _read_numbers(column, range_of(column.domain).numbers_of_arrow(values))
    codes_of = {text: code for code, text in enumerate(column.domain.typed.texts)}
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    each = [codes_of[str(value)] for value in encoded.dictionary.to_pylist()]
    missing = column.domain.size if column.missing else 0
    places = encoded.indices.fill_null(len(each)).to_numpy(zero_copy_only=False)
    return _Read(np.array([*each, missing], dtype=np.uint16)[places])


def _read_several_missing(column: Column, values: pa.Array) -> _Read:
    """Return a column with several codes for missing that `as_arrow` made.

    Raises:
        KeyError: a value is none of the column.
    """
    if not column.measured:
        code_of = {value: code for code, value in enumerate(arrow_values(column).to_pylist())}
        codes = [code_of[value] for value in values.to_pylist()]
        return _Read(np.array(codes, dtype=np.uint16))
    instead = missing_numbers(column)
    if instead is None:
        typed = typed_column(column)
        return _of_texts(typed, [escape_text(typed, text or "") for text in values.to_pylist()])
    numbers = range_of(column.domain).numbers_of_arrow(values)
    which = np.zeros(len(numbers), dtype=np.int64)
    gone = np.isnan(numbers)
    for place, number in enumerate(instead):
        is_code = np.isnan(numbers) if np.isnan(number) else numbers == number
        which[is_code] = place
        gone |= is_code
    return _read_numbers(column, np.where(gone, np.nan, numbers), which)


def _read_numbers(column: Column, numbers: FloatArray, which: IntArray | None = None) -> _Read:
    """Return a measured column from its numbers, not a number where one is missing.

    Args:
        column: it.
        numbers: (n,) of each record.
        which: (n,) the code for missing, counted from 0, where a number is missing; the first, if
            left out.

    Raises:
        KeyError: one is not among those that the column may hold.
    """
    lattice, missing = range_of(column.domain).lattice, np.isnan(numbers)
    present = numbers[~missing]
    if not lattice.holds(present).all() or (missing.any() and not column.missing):
        raise KeyError(column.name)
    codes = np.full(len(numbers), column.domain.size, dtype=np.uint16)
    if which is not None:
        codes[missing] += which[missing].astype(np.uint16)
    codes[~missing] = lattice.cells_of(lattice.places(present))
    return _Read(codes, numbers)


_BLOCK = 1 << 20


class GrowingFile:
    """A file to which records are added at its end.

    Args:
        file: what takes the bytes; to go on with it, open for reading and writing.
        written: what it holds already; what follows is cut off. None for a file that is empty.

    Attributes:
        rows: how many records it holds. Whoever writes some counts them.
        size: how many bytes.

    Raises:
        ValueError: the file does not hold what was written.
    """

    def __init__(self, file: IO[bytes], written: Written | None) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.rows, self.size = 0, 0
        if written is not None:
            self._go_on(written)

    def _go_on(self, written: Written) -> None:
        while self.size < written.size:
            block = self._file.read(min(_BLOCK, written.size - self.size))
            if not block:
                break
            self._hash.update(block)
            self.size += len(block)
        if (self.size, self.sha256) != (written.size, written.sha256):
            raise ValueError("the file does not hold what was written")
        self._file.seek(written.size)
        self._file.truncate()
        self.rows = written.rows

    def write(self, data: bytes) -> int:
        """Put some bytes at the end."""
        self._hash.update(data)
        self._file.write(data)
        self.size += len(data)
        return len(data)

    @contextmanager
    def read_again(self) -> Iterator[IO[bytes]]:
        """Provide the file from its beginning on; whatever is written afterwards stands at its
        end."""
        self._file.seek(0)
        try:
            yield self._file
        finally:
            self._file.seek(self.size)

    def settle(self) -> None:
        """Make sure that what is in it survives a power failure (fsync).

        Raises:
            OSError: it might not.
        """
        self._file.flush()
        os.fsync(self._file.fileno())

    @property
    def sha256(self) -> str:
        """Hash of everything in it, in hex."""
        return self._hash.hexdigest()

    @property
    def written(self) -> Written:
        """What is in it by now."""
        return Written(self.rows, self.size, self.sha256)


_CELLS = 1 << 20
"""How many numbers are drawn at once."""
_MOST_TURNS = 1 << 10
"""More than how often numbers are drawn again."""


@dataclass(frozen=True)
class WithinCells:
    """Turns released codes into released records.

    Attributes:
        schema: their columns.
        number: of the table among those of the run; each has a stream of its own.
        secret: of the run. Every number has a word of its own in the stream of the run's numbers,
            by its place in the table, so that a run that goes on after a kill draws what it would
            have drawn.
    """

    schema: Schema
    secret: Secret = field(repr=False)
    number: int = 0

    def records(self, codes: npt.NDArray[np.uint16] | Records, first: int) -> Records:
        """Return records with their numbers; without a measured column, the codes are all there is.

        Args:
            codes: (n, columns) what is released; or records with their numbers, which stay.
            first: how many records of the table stand before them.
        """
        if isinstance(codes, Records):
            return codes
        if not self.schema.measured_places:
            return Records(self.schema, codes)
        numbers = np.empty((len(codes), len(self.schema.measured_places)))
        codes = codes.copy() if self.schema.kept_rules else codes
        turn = max(1, _CELLS // numbers.shape[1])
        for start in range(0, len(codes), turn):
            some = slice(start, min(start + turn, len(codes)))
            codes[some], numbers[some] = self._draw_numbers(codes[some], first + start)
        return Records(self.schema, codes, numbers)

    def _draw_numbers(self, codes: CodeArray, first: int) -> tuple[CodeArray, FloatArray]:
        """Return the codes of some records and (n, measured columns) numbers for them, not a number
        where one is missing.

        The codes are those that are released, except where rules leave no numbers in the cells
        (see `CellNumbers`).
        """
        measured = self.schema.measured_places

        def words(turn: int) -> WordArray:
            use: Use = "numbers again" if turn else "numbers"
            number = self.number * _MOST_TURNS + turn if turn else self.number
            source = self.secret.source(use, number, position=first * len(measured))
            return source.words(len(codes) * len(measured)).reshape(-1, len(measured))

        chosen, places = self._under_rules.choose(codes, words)
        numbers = []
        for place in measured:
            column = self.schema.columns[place]
            drawn = range_of(column.domain).lattice.numbers(places[place])
            numbers.append(np.where(column.is_missing(chosen[:, place]), np.nan, drawn))
        return chosen, np.column_stack(numbers)

    @cached_property
    def _under_rules(self) -> CellNumbers:
        return CellNumbers(self.schema, self._draw_places)

    def _draw_places(self, codes: CodeArray, words: WordArray) -> dict[int, IntArray]:
        """Return the place of each number in its column, as the column draws it in its cell."""
        found = {}
        for turn, place in enumerate(self.schema.measured_places):
            column = self.schema.columns[place]
            cells = np.where(column.is_missing(codes[:, place]), 0, codes[:, place])
            drawn = measured_of(column.domain).draw_places(cells.astype(np.int64), words[:, turn])
            found[place] = drawn
        return found


class ReleasedCsv:
    """A file of CSV that grows by batches of records; see `GrowingTable`.

    Args:
        cells: what makes records of codes.
        file: what takes the bytes; to go on with a table, open for reading and writing.
        marked: whether the table bears the column that says it is not private.
        written: what the file holds of the table already; what follows in it is cut off. None
            begins a table.

    Raises:
        Refusal: it is to be marked, and that column does not fit.
        ValueError: the file does not hold what was written.
    """

    def __init__(
        self, cells: WithinCells, file: IO[bytes], *, marked: bool, written: Written | None = None
    ) -> None:
        self._cells = cells
        self._marked = marked_schema(cells.schema) if marked else None
        self._file = GrowingFile(file, written)
        if written is None:
            self._put(np.zeros((0, len(cells.schema)), np.uint16), header=True)

    @property
    def rows(self) -> int:
        """How many records it has."""
        return self._file.rows

    def add(self, codes: npt.NDArray[np.uint16] | Records) -> None:
        """Write some records."""
        self._put(codes, header=False)
        self._file.rows += len(codes)

    def _put(self, codes: npt.NDArray[np.uint16] | Records, *, header: bool) -> None:
        records = self._cells.records(codes, self.rows)
        shown = records if self._marked is None else stain_records(records, self._marked)
        for block in csv_blocks(shown, header=header):
            self._file.write(block)

    def codes(self) -> Iterator[npt.NDArray[np.uint16]]:
        """As `GrowingTable` says."""
        with self._file.read_again() as file:
            lines = io.TextIOWrapper(file, encoding="utf-8", newline="")
            try:
                yield from read_csv_codes(lines, self._cells.schema, self.rows)
            finally:
                lines.detach()

    def settle(self) -> Written:
        """Have what is in it survive a power failure, and say how far it is."""
        self._file.settle()
        return self._file.written

    def finish(self) -> str:
        """As `GrowingTable` says: it stands there already."""
        self._file.settle()
        return self._file.sha256


_VALUES = 1 << 23
"""Values in a row group."""
_COMPRESSION = "zstd"


class ReleasedParquet:
    """A Parquet file, see `as_arrow` for its types, and what it grows as; see `GrowingTable`.

    Args:
        cells: what makes records of codes.
        path: where the table stands at the end.
        file: what takes codes and numbers until then; open for reading and writing.
        marked: whether the table bears the column that says it is not private.
        written: what that file holds already; what follows in it is cut off. None begins
            a table.

    Raises:
        Refusal: it is to be marked, and that column does not fit.
        ValueError: the file does not hold what was written.
    """

    def __init__(
        self,
        cells: WithinCells,
        path: Path,
        file: IO[bytes],
        *,
        marked: bool,
        written: Written | None = None,
    ) -> None:
        self._cells, self._path = cells, path
        self._marked = marked_schema(cells.schema) if marked else None
        self._row = _row(cells.schema)
        self._codes, self._file = file, GrowingFile(file, written)

    @property
    def rows(self) -> int:
        """How many records it has."""
        return self._file.rows

    def add(self, codes: npt.NDArray[np.uint16] | Records) -> None:
        """Put some records in."""
        records = self._cells.records(codes, self.rows)
        rows = np.empty(len(records), self._row)
        rows["codes"] = records.codes
        if records.numbers is not None:
            rows["numbers"] = records.numbers
        self._file.write(rows.tobytes())
        self._file.rows += len(records)

    def codes(self) -> Iterator[npt.NDArray[np.uint16]]:
        """As `GrowingTable` says."""
        with self._file.read_again():
            for rows in self._parts():
                yield self._next(rows)["codes"].astype(np.uint16)

    def settle(self) -> Written:
        """Have what is in it survive a power failure, and say how far it is."""
        self._file.settle()
        return self._file.written

    def finish(self) -> str:
        """As `GrowingTable` says. The codes stay; it can be done again."""
        self._file.settle()
        self._path.touch(mode=0o600)
        form = self._show_rows(0).schema
        with self._path.open("wb") as file:
            hashing = _Hashing(file)
            with (
                pa.PythonFile(hashing, mode="w") as sink,
                pq.ParquetWriter(sink, form, compression=_COMPRESSION) as writer,
            ):
                for group in self._groups():
                    writer.write_table(group)
            file.flush()
            os.fsync(file.fileno())
        return hashing.sha256

    def _groups(self) -> Iterator[pa.Table]:
        with self._file.read_again():
            for rows in self._parts():
                yield self._show_rows(rows)

    def _parts(self) -> Iterator[int]:
        """Yield how many records are read at once, until all are."""
        most = max(1, _VALUES // len(self._cells.schema))
        for first in range(0, self.rows, most):
            yield min(most, self.rows - first)

    def _next(self, rows: int) -> npt.NDArray[np.void]:
        """Return the next so many records of the file."""
        return np.frombuffer(self._codes.read(rows * self._row.itemsize), self._row)

    def _show_rows(self, rows: int) -> pa.Table:
        """Return the same, as they are released."""
        found = self._next(rows)
        numbers = found["numbers"] if self._cells.schema.measured_places else None
        records = Records(self._cells.schema, found["codes"], numbers)
        return as_arrow(records if self._marked is None else stain_records(records, self._marked))


def _row(schema: Schema) -> np.dtype[np.void]:
    """Return how a record stands in the file that a table grows in."""
    kind = np.min_scalar_type(int(schema.cardinalities.max()) - 1)
    codes = ("codes", kind, (len(schema),))
    numbers = ("numbers", np.dtype("<f8"), (len(schema.measured_places),))
    return np.dtype([codes, numbers] if schema.measured_places else [codes])


class _Hashing:
    """A file that is written from its beginning to its end, and the hash of what went into it."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self._file.write(data)
        return len(data)

    def tell(self) -> int:
        return self._file.tell()

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        """The file stays open: it has still to go to the disk."""

    @property
    def sha256(self) -> str:
        """In hex."""
        return self._hash.hexdigest()
