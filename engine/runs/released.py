"""The released table on its way into its file, in whichever form it is wanted."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from engine.runs.forms import TABLE
from engine.table.column import Column
from engine.table.encoding import RELEASED, as_written
from engine.table.formula_safety import escape_formula
from engine.table.raw import RawTable
from engine.table.records import Records
from engine.table.schema import Schema
from engine.table.sources.reading import read_table


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

    def add(self, codes: npt.NDArray[np.uint16]) -> None:
        """Put some records in."""
        ...

    def settle(self) -> Written:
        """Have what is in it so far survive a power failure, and say how far its file is, from
        which it can be gone on with."""
        ...

    def finish(self) -> str:
        """Have it stand whole at its place, and return the SHA-256 of its file, in hex."""
        ...


def first_records(path: Path, schema: Schema, most: int) -> Records:
    """The first records of a table that was released, without its mark.

    Args:
        path: the file.
        schema: the columns of the records.
        most: how many at most.

    Raises:
        OSError: it cannot be read.
        KeyError: it holds a value that is not in the schema.
    """
    read = _from_parquet if path.name == TABLE["parquet"] else _from_csv
    rows = read(path, schema, most)
    return Records(schema, np.array(rows, dtype=np.uint16).reshape(-1, len(schema)))


def read_released(path: Path) -> RawTable:
    """A table that was released, its mark included, as texts.

    Raises:
        Refusal: it cannot be read.
    """
    raw = read_table(path, RELEASED)
    return as_written(raw) if raw.reading.kind == "csv" else raw


def _from_csv(path: Path, schema: Schema, most: int) -> list[list[int]]:
    codes_of = [_codes(column, escape_formula) for column in schema.columns]
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        next(lines)
        return [
            [codes[text] for codes, text in zip(codes_of, line, strict=False)]
            for line in islice(lines, most)
        ]


def _from_parquet(path: Path, schema: Schema, most: int) -> npt.NDArray[np.uint16]:
    codes = np.zeros((0, len(schema)), dtype=np.uint16)
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(max(1, most), columns=list(schema.names)):
            columns = [
                _coded(column, batch.column(place)) for place, column in enumerate(schema.columns)
            ]
            codes = np.concatenate([codes, np.column_stack(columns)])
            if len(codes) >= most:
                break
    return codes[:most]


def _coded(column: Column, values: pa.Array) -> npt.NDArray[np.uint16]:
    """(n,) codes of a column that `as_arrow` made; missing is null there."""
    codes_of = _codes(column)
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
    each = [codes_of[str(value)] for value in encoded.dictionary.to_pylist()]
    missing = 0 if column.missing_code is None else column.missing_code
    if encoded.null_count and column.missing_code is None:
        raise KeyError(column.name)
    places = encoded.indices.fill_null(len(each)).to_numpy(zero_copy_only=False)
    return np.asarray(np.array([*each, missing], dtype=np.uint16)[places])


def _codes(column: Column, shown: Callable[[str], str] = str) -> Mapping[str, int]:
    """Text as it stands in a file → code."""
    return {shown(text): code for code, text in enumerate(column.texts)}
