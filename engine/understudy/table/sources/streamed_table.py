"""A Parquet table read piece by piece, as often as needed, and never held whole in memory.

The first reading checks every value against the schema and the policies. Later
ones only turn values into codes, of the columns that are asked for. Each takes memory for a few
pieces, whatever the number of records.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.derivations.derivation import Values
from understudy.table.fit import (
    Fit,
    Fitter,
    Policy,
    check_decided,
    check_policies,
    check_present,
)
from understudy.table.records import Records
from understudy.table.rules.repair import (
    RecordsView,
    find_repair,
    needed_places,
    refuse_all_broken,
)
from understudy.table.schema import Schema
from understudy.table.sources.arrow_texts import OLD_MOMENTS, plain_values, texts_of
from understudy.table.sources.header import check_rows, checked_names
from understudy.table.sources.parquet_file import check_types, unreadable_parquet
from understudy.table.sources.source import FileSnapshot, open_source

PIECE = 1 << 18
"""How many records are read at once."""

_BUFFER = 1 << 16
"""Bytes of each column read at once, however large the file's own groups of rows are."""

_MOST_GROUPS = 16
"""Of groups of rows that are read by one reader."""

_CLOSE = 1 << 12
"""Whole numbers that span fewer values are looked up by what they are, without a search."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Piece:
    """Some records that follow one another.

    Attributes:
        start: how many there are before.
        columns: the codes of each column that was asked for, by its place in the schema.
        numbers: where they were asked for too, the numbers of the measured ones of these, by
            their place in the schema.
    """

    start: int
    columns: Mapping[int, CodeArray]
    numbers: Mapping[int, FloatArray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True, eq=False)
class StreamedTable:
    """A Parquet file seen through a schema. Confidential; it holds no value.

    Attributes:
        path: the file.
        schema: what each column may contain.
        policies: what becomes of values outside their domain, where it is not “refuse”.
        rows: how many records there are, those left aside that break a rule and are left out.
        unchanging: the same file, as it stood when it was opened.
    """

    path: Path
    schema: Schema
    policies: Mapping[str, Policy]
    rows: int
    unchanging: FileSnapshot = field(repr=False)

    @classmethod
    def open(
        cls,
        path: Path,
        schema: Schema,
        policies: Mapping[str, Policy] | None = None,
        *,
        limit_bytes: int = sys.maxsize,
    ) -> StreamedTable:
        """Open a file and look at every value of the schema's columns once.

        Args:
            path: the file.
            schema: what each column may contain; other columns are not read.
            policies: as of `encoding.encode`.
            limit_bytes: the largest file accepted, in bytes.

        Raises:
            Refusal: it is no Parquet file or damaged, or as of `reading.read_table` and
                `encoding.encode`; or it was changed meanwhile; or its records belong to people.
        """
        if schema.people is not None:
            raise Refusal(
                "The schema says whose the records are, and a table that is read piece by piece is "
                "never held whole to find the first records of each person.",
                "Read the table whole: leave out --streamed. Where it does not fit into memory, "
                f"keep the first {schema.people.records_at_most:,} records of each person in the "
                "file itself, take the people out of the schema, and set the records per person "
                f"to {schema.people.records_at_most:,}.",
                field="people",
            )
        if schema.recodings:
            table = cls.open(path, schema.of_file, policies, limit_bytes=limit_bytes)
            return replace(table, schema=schema)
        file_then = _parquet_at(path, limit_bytes)
        settled = dict(policies or {})
        check_policies(settled, schema)
        path = file_then.path
        table = cls(path, schema, settled, 0, file_then)
        with table._file() as file:
            names = checked_names(file.schema_arrow.names, path.name)
            check_present(names, schema.names)
            seen = [file.schema_arrow.field(names.index(each)) for each in schema.names]
            check_types(pa.schema(seen), schema.names)
            rows = file.metadata.num_rows
        check_rows(rows, path.name)
        table = cls(path, schema, settled, rows, file_then)
        table._check_values()
        if not schema.rules:
            return table
        rows = sum(len(piece) for piece in table.pieces(needed_places(schema)[:1]))
        if not rows:
            raise refuse_all_broken()
        return cls(path, schema, settled, rows, file_then)

    def __len__(self) -> int:
        return self.rows

    def pieces(
        self, places: Sequence[int] | None = None, *, numbers: bool = False
    ) -> Iterator[Piece]:
        """Return the records from first to last, some columns of them or all.

        One piece is read while the one before is used.

        Args:
            places: of the columns.
            numbers: whether the numbers of measured columns are wanted beside their codes.

        Raises:
            Refusal: the file is not what it was, or cannot be read.
        """
        places = range(len(self.schema)) if places is None else places
        if self.schema.recodings:
            return self._recode_pieces(places, numbers)
        needed = dict.fromkeys((*places, *needed_places(self.schema)))
        readers = {place: _Reader(self.schema.columns[place], self) for place in needed}
        return prefetch(self._pieces(readers, places, numbers))

    def _recode_pieces(self, places: Sequence[int], numbers: bool) -> Iterator[Piece]:
        """Yield some columns of the records, those that are distances from what the file has."""
        schema, of_file = self.schema, self.schema.of_file
        own = {schema.index(each.distance): each for each in schema.recodings}
        anchors = {place: of_file.index(each.after) for place, each in own.items()}
        needed = dict.fromkeys(
            each for place in places for each in (place, anchors.get(place, place))
        )

        def read(piece: Piece, place: int) -> Values:
            codes, held = piece.columns[place], piece.numbers.get(place)
            return Values.of_codes(of_file.columns[place], codes, held)

        for piece in replace(self, schema=of_file).pieces(tuple(needed), numbers=True):
            columns, found = dict(piece.columns), dict(piece.numbers)
            for place in own.keys() & set(places):
                start, end = read(piece, anchors[place]), read(piece, place)
                codes, held = own[place].encode(start, end, schema.columns[place])
                columns[place] = codes.astype(np.uint16)
                found.pop(place, None)
                if held is not None:
                    found[place] = held
            kept = {place: found[place] for place in sorted(found) if numbers and place in places}
            yield Piece(piece.start, {place: columns[place] for place in places}, kept)

    def records(self) -> Iterator[Records]:
        """Yield all of the records, piece by piece.

        Raises:
            Refusal: as of `pieces`.
        """
        for piece in self.pieces(numbers=True):
            codes = np.column_stack(list(piece.columns.values()))
            numbers = np.column_stack(list(piece.numbers.values())) if piece.numbers else None
            yield Records(self.schema, codes, numbers)

    def stored_schema(self) -> pa.Schema:
        """Return all columns of the file, as they stand in it.

        Raises:
            Refusal: as of `pieces`.
        """
        with self._file() as file:
            return file.schema_arrow

    def stored_batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield columns of the file by their names in it, whether or not the schema has them.

        Raises:
            Refusal: as of `pieces`.
        """
        with self._file() as file:
            for groups in _together(file.metadata):
                for batch in file.iter_batches(PIECE, groups, columns=list(names)):
                    self.unchanging.check()
                    yield batch

    def _pieces(
        self, readers: Mapping[int, _Reader], places: Sequence[int], numbers: bool
    ) -> Iterator[Piece]:
        start = 0
        measured = set(self.schema.measured_places)
        ruled = measured.intersection(needed_places(self.schema))
        wanted = measured.intersection(places) if numbers else set[int]()
        for batch in self._batches(list(readers)):
            codes = {place: reader.codes(batch[place]) for place, reader in readers.items()}
            found = {place: readers[place].numbers() for place in sorted(ruled | wanted)}
            piece = self._repair_piece(Piece(start, codes, found), places, sorted(wanted))
            if len(piece):
                yield piece
            start += len(piece)

    def _repair_piece(self, piece: Piece, places: Sequence[int], numbers: Sequence[int]) -> Piece:
        """Return some columns of a piece, with records that break rules repaired as these say."""
        columns = {place: piece.columns[place] for place in places}
        measured = {place: piece.numbers[place] for place in numbers}
        if not self.schema.rules:
            return Piece(piece.start, columns, measured)
        repair = find_repair(self.schema, RecordsView(piece.columns, piece.numbers))
        columns = {
            place: repair.codes.get(place, codes)[repair.kept] for place, codes in columns.items()
        }
        measured = {
            place: np.where(
                self.schema.columns[place].is_missing(columns[place]), np.nan, each[repair.kept]
            )
            for place, each in measured.items()
        }
        return Piece(piece.start, columns, measured)

    def _check_values(self) -> None:
        """Check that the policies cover every value, over the whole file."""
        readers = [_Reader(column, self) for column in self.schema.columns]
        totals = [np.zeros(0, dtype=np.int64)] * len(readers)
        for batch in prefetch(self._batches(range(len(readers)))):
            for place, reader in enumerate(readers):
                found = reader.reasons(batch[place])
                totals[place] = found + totals[place] if len(totals[place]) else found
        for column, reasons in zip(self.schema.columns, totals, strict=True):
            check_decided(column, reasons, self._policy(column))

    def _policy(self, column: Column) -> Policy:
        return self.policies.get(column.name, "refuse")

    def _batches(self, places: Sequence[int]) -> Iterator[Mapping[int, pa.Array]]:
        """Yield the columns of the schema with these places, a piece of the file at a time."""
        with self._file() as file:
            stored = file.schema_arrow.names
            by_name = dict(zip((name.strip() for name in stored), stored, strict=True))
            wanted = {place: by_name[self.schema.names[place]] for place in places}
            for groups in _together(file.metadata):
                for batch in file.iter_batches(PIECE, groups, columns=list(wanted.values())):
                    self.unchanging.check()
                    # A name also stands for columns whose name goes on after it with a full stop.
                    yield {
                        place: batch.column(batch.schema.get_field_index(name))
                        for place, name in wanted.items()
                    }

    @contextmanager
    def _file(self) -> Iterator[pq.ParquetFile]:
        """Provide the file, opened; it has to be the same before, after and whenever it was read
        from.

        Raises:
            Refusal: it is not, or it cannot be read.
        """
        self.unchanging.check()
        try:
            whole = pq.read_schema(self.path)
            texts = [each.name for each in whole if _is_text(each.type)]
            with pq.ParquetFile(
                self.path,
                read_dictionary=texts,
                buffer_size=_BUFFER,
                coerce_int96_timestamp_unit=OLD_MOMENTS,
            ) as file:
                yield file
        except MemoryError:
            raise
        except (pa.ArrowException, OSError):
            self.unchanging.check()
            raise unreadable_parquet(self.path.name) from None
        self.unchanging.check()


class _Reader:
    """Turns the values of one column into codes; what different values come to is kept for as long
    as the same ones go on."""

    def __init__(self, column: Column, table: StreamedTable) -> None:
        self._policy = table._policy(column)
        self._fitter = Fitter(column, typed=True)
        self._values: pa.Array | None = None
        self._span: tuple[int, int] | None = None
        self._fit: Fit
        self._codes: CodeArray
        self._last: IntArray

    def codes(self, column: pa.Array) -> CodeArray:
        """Return (n,) the code of each record."""
        self._last = self._places(column)
        return np.take(self._codes, self._last, mode="clip")

    def numbers(self) -> FloatArray:
        """Return (n,) the number of each record that codes were asked of last, in a measured
        column."""
        return self._fit.numbers(self._policy)[self._last]

    def reasons(self, column: pa.Array) -> IntArray:
        """Return (reasons,) the records by reason."""
        places = self._places(column)
        counts = np.bincount(places, minlength=len(self._codes))
        return self._fit.reasons(counts.astype(np.int64))

    def _places(self, column: pa.Array) -> IntArray:
        """Return (n,) the place of each record's text among those that were fitted."""
        values, places = self._encode_different(column)
        if self._values is None or not values.equals(self._values):
            self._fit = self._fitter.fit([*texts_of(values), ""])
            self._codes, self._values = self._fit.codes(self._policy), values
        found: IntArray = places.fill_null(len(values)).to_numpy()
        return found

    def _encode_different(self, column: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Different values, and the place of each record's among them; whole numbers that lie
        close together are counted off from the least."""
        span = self._find_span(column)
        if span is not None:
            least, most = self._span = span
            return pa.array(np.arange(least, most + 1)), pc.subtract(column.cast(pa.int64()), least)
        kept = pa.types.is_dictionary(column.type)
        encoded = column if kept else plain_values(column).dictionary_encode()
        return encoded.dictionary, encoded.indices

    def _find_span(self, column: pa.Array) -> tuple[int, int] | None:
        """Return the least and the largest so far, of whole numbers that lie close together."""
        if not pa.types.is_integer(column.type) or column.type == pa.uint64():
            return None
        ends = pc.min_max(column).as_py()
        if ends["min"] is None:
            return None
        known = self._span or (ends["min"], ends["max"])
        least, most = min(known[0], ends["min"]), max(known[1], ends["max"])
        return (least, most) if most - least < _CLOSE else None


def in_pieces(table: Records | StreamedTable) -> Iterator[Records]:
    """Yield all records of a table, some at a time, whether or not it is in memory.

    Raises:
        Refusal: as of `StreamedTable.pieces`.
    """
    if isinstance(table, StreamedTable):
        yield from table.records()
    else:
        yield table


def _together(file: pq.FileMetaData) -> Iterator[list[int]]:
    """Yield the file's groups of rows, small ones several at a time; what a reader takes for each
    it keeps to its end."""
    together: list[int] = []
    rows = 0
    for group in range(file.num_row_groups):
        together.append(group)
        rows += file.row_group(group).num_rows
        if rows >= PIECE or len(together) == _MOST_GROUPS:
            yield together
            together, rows = [], 0
    if together:
        yield together


def _is_text(kind: pa.DataType) -> bool:
    """Return whether it can be read as a dictionary, so that texts are looked at once and not by
    row."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _parquet_at(path: Path, limit: int) -> FileSnapshot:
    """Return a Parquet file.

    Raises:
        Refusal: it is none, or as of `source.open_source`.
    """
    source = open_source(path, None, limit)
    if source.kind != "parquet":
        raise Refusal(
            f"{source.name} is not a Parquet file; no other is read piece by piece.",
            "Save the table as Parquet.",
            field="table",
        )
    assert source.file is not None
    return source.file


def prefetch(items: Iterator[T]) -> Iterator[T]:
    """Yield the same, the next one made in another thread while one is used."""
    with ThreadPoolExecutor(1) as aside:
        coming = aside.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = aside.submit(next, items, None)
            yield item
