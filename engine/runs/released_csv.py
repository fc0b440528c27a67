"""The released table as CSV: one file, which grows."""

from __future__ import annotations

import hashlib
from typing import IO

import numpy as np
import numpy.typing as npt

from engine.runs.released import Written, to_disk
from engine.synthesis.stain import stained, stained_schema
from engine.table.encoding import write_csv
from engine.table.records import Records
from engine.table.schema import Schema

_BLOCK = 1 << 20


class ReleasedCsv:
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
        self, schema: Schema, file: IO[bytes], *, marked: bool, written: Written | None = None
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
        return Written(self.rows, self._size, self._hash.hexdigest())

    def settle(self) -> tuple[Written, ...]:
        """As `GrowingTable` says."""
        to_disk(self._file)
        return (self.written,)

    def finish(self) -> str:
        """As `GrowingTable` says."""
        to_disk(self._file)
        return self._hash.hexdigest()
