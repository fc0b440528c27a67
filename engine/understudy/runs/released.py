"""A released table while it is written, and as it is read again, in either kind of file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol, TextIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.core.arrays import FloatArray
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.encoding import RELEASED, as_written
from understudy.table.formula_safety import escape_formula
from understudy.table.raw import RawTable
from understudy.table.records import Records
from understudy.table.schema import Schema
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


def first_records(path: Path, schema: Schema, most: int) -> Records:
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
    columns = read(path, schema, most)
    codes = np.column_stack([each.codes for each in columns])
    numbers = [each.numbers for each in columns if each.numbers is not None]
    return Records(schema, codes, np.column_stack(numbers) if numbers else None)


def read_released(path: Path) -> RawTable:
    """Return a table that was released, its mark included, as texts.

    Raises:
        Refusal: it cannot be read.
    """
    raw = read_table(path, RELEASED)
    return as_written(raw) if raw.reading.kind == "csv" else raw


@dataclass(frozen=True, eq=False)
class _Read:
    """One column of a released table: its codes, and its numbers if it is continuous."""

    codes: npt.NDArray[np.uint16]
    numbers: FloatArray | None = None


def _from_csv(path: Path, schema: Schema, most: int) -> list[_Read]:
    with path.open(encoding="utf-8", newline="") as file:
        parts = [_of_rows(schema, ()), *_parts(file, schema, most)]
    return [_together(each) for each in zip(*parts, strict=True)]


def codes_of_csv(file: TextIO, schema: Schema, most: int) -> Iterator[npt.NDArray[np.uint16]]:
    """Yield the codes of the first records of a table in CSV, (rows, m), part after part.

    Args:
        file: the table from its first line on, opened without a change of line ends.
        schema: the columns of the records.
        most: how many records at most.

    Raises:
        KeyError: it holds a value that is not in the schema.
    """
    for part in _parts(file, schema, most):
        yield np.column_stack([each.codes for each in part])


def _parts(file: TextIO, schema: Schema, most: int) -> Iterator[list[_Read]]:
    lines = csv.reader(file)
    next(lines)
    while most > 0 and (rows := list(islice(lines, min(most, _ROWS)))):
        yield _of_rows(schema, rows)
        most -= len(rows)


def _of_rows(schema: Schema, rows: Sequence[Sequence[str]]) -> list[_Read]:
    return [
        _of_texts(column, [row[place] for row in rows])
        for place, column in enumerate(schema.columns)
    ]


def _together(parts: Sequence[_Read]) -> _Read:
    numbers = [each.numbers for each in parts if each.numbers is not None]
    codes = np.concatenate([each.codes for each in parts])
    return _Read(codes, np.concatenate(numbers) if numbers else None)


def _of_texts(column: Column, texts: Sequence[str]) -> _Read:
    """Return a column from its texts as they stand in CSV."""
    codes_of = {escape_formula(text): code for code, text in enumerate(column.texts)}
    if not column.continuous:
        return _Read(np.array([codes_of[text] for text in texts], dtype=np.uint16))
    missing = [escape_formula(text) for text in column.listed_texts]
    parse = range_of(column.domain).parse
    found = [np.nan if text in missing else parse(text) for text in texts]
    if None in found:
        raise KeyError(column.name)
    return _measured(column, np.array(found, dtype=np.float64))


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
        _coded(column, chunked.combine_chunks())
        for column, chunked in zip(schema.columns, found.columns, strict=True)
    ]


def _coded(column: Column, values: pa.Array) -> _Read:
    """Return a column that `as_arrow` made; missing is null there."""
    if values.null_count and column.missing_code is None:
        raise KeyError(column.name)
    if column.continuous:
        return _measured(column, range_of(column.domain).numbers_of_arrow(values))
    codes_of = {text: code for code, text in enumerate(column.texts)}
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    each = [codes_of[str(value)] for value in encoded.dictionary.to_pylist()]
    missing = 0 if column.missing_code is None else column.missing_code
    places = encoded.indices.fill_null(len(each)).to_numpy(zero_copy_only=False)
    return _Read(np.array([*each, missing], dtype=np.uint16)[places])


def _measured(column: Column, numbers: FloatArray) -> _Read:
    """Return a continuous column from its numbers, not a number where one is missing.

    Raises:
        KeyError: one is not among those that the column may hold.
    """
    lattice, missing = range_of(column.domain).lattice, np.isnan(numbers)
    present = numbers[~missing]
    if not lattice.holds(present).all() or (missing.any() and not column.missing):
        raise KeyError(column.name)
    codes = np.full(len(numbers), column.domain.size, dtype=np.uint16)
    codes[~missing] = lattice.cells_of(lattice.places(present))
    return _Read(codes, numbers)
