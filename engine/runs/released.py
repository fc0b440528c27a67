"""The released table on its way into a file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from engine.synthesis.stain import stained, stained_schema
from engine.table.encoding import write_csv
from engine.table.records import Records
from engine.table.schema import Schema


class ReleasedTable:
    """A file of CSV that grows by batches of records, and the hash of what went into it.

    Args:
        schema: the columns of the records.
        write: what takes the bytes.
        marked: whether the table bears the column that says it is not private.

    Attributes:
        rows: how many records it has.

    Raises:
        Refusal: it is to be marked, and that column does not fit.
    """

    def __init__(self, schema: Schema, write: Callable[[bytes], object], *, marked: bool) -> None:
        self.rows = 0
        self._schema = schema
        self._marked = stained_schema(schema) if marked else None
        self._write = write
        self._hash = hashlib.sha256()
        self._put(np.zeros((0, len(schema)), np.uint16), header=True)

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
        self._write(data)
        return len(data)

    @property
    def sha256(self) -> str:
        """The hash of everything that was written."""
        return self._hash.hexdigest()
