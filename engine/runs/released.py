"""The released table on its way into a file."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from engine.synthesis.stain import stained, stained_schema
from engine.table.encoding import write_csv
from engine.table.records import Records
from engine.table.schema import Column, Schema

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Written:
    """How much of a table is in its file.

    Attributes:
        rows: how many records.
        size: how many bytes.
        sha256: hash of those bytes, in hex.
    """

    rows: int
    size: int
    sha256: str


class ReleasedTable:
    """A file of CSV that grows by batches of records, and the hash of what went into it.

    Args:
        schema: the columns of the records.
        file: what takes the bytes; to go on with a table, open for reading and writing.
        marked: whether the table bears the column that says it is not private.
        written: what the file holds of the table already; what follows in it is cut off. None
            begins a table.

    Attributes:
        rows: how many records it has.

    Raises:
        Refusal: it is to be marked, and that column does not fit.
        ValueError: the file does not hold what was written.
    """

    def __init__(
        self, schema: Schema, file: BinaryIO, *, marked: bool, written: Written | None = None
    ) -> None:
        self._schema = schema
        self._marked = stained_schema(schema) if marked else None
        self._file = file
        self._hash = hashlib.sha256()
        self._size = 0
        self.rows = 0
        if written is None:
            self._put(np.zeros((0, len(schema)), np.uint16), header=True)
        else:
            self._go_on(written)

    def _go_on(self, written: Written) -> None:
        while self._size < written.size:
            block = self._file.read(min(_BLOCK, written.size - self._size))
            if not block:
                break
            self._hash.update(block)
            self._size += len(block)
        if self.written != Written(0, written.size, written.sha256):
            raise ValueError("the file does not hold what was written")
        self._file.seek(written.size)
        self._file.truncate()
        self.rows = written.rows

    def add(self, codes: npt.NDArray[np.uint16]) -> None:
        """Write some records."""
        self._put(codes, header=False)
        self.rows += len(codes)

    def _put(self, codes: npt.NDArray[np.uint16], *, header: bool) -> None:
        records = Records(self._schema, codes)
        shown = records if self._marked is None else stained(records, self._marked)
        write_csv(shown, self, header=header)

    def write(self, data: bytes) -> int:
        """Take what the writer of CSV makes."""
        self._hash.update(data)
        self._file.write(data)
        self._size += len(data)
        return len(data)

    @property
    def written(self) -> Written:
        """What is in the file by now."""
        return Written(self.rows, self._size, self.sha256)

    @property
    def sha256(self) -> str:
        """The hash of everything that was written."""
        return self._hash.hexdigest()


def first_records(path: Path, schema: Schema, most: int) -> Records:
    """The first records of a table that `ReleasedTable` wrote, without its mark.

    Args:
        path: the file.
        schema: the columns of the records.
        most: how many at most.

    Raises:
        OSError: it cannot be read.
        KeyError: it holds a value that is not in the schema.
    """
    codes_of = [_codes(column) for column in schema.columns]
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        next(lines)
        rows = [
            [codes[text] for codes, text in zip(codes_of, line, strict=False)]
            for line in islice(lines, most)
        ]
    return Records(schema, np.array(rows, dtype=np.uint16).reshape(-1, len(schema)))


def _codes(column: Column) -> Mapping[str, int]:
    return {text: code for code, text in enumerate(column.texts)}
