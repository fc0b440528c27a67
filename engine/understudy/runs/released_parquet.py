"""The released table as Parquet.

A file of Parquet cannot be gone on with once it was cut off, as what it holds stands at its end. So
the table grows as codes with their numbers, and is written when it is whole; row group by row
group, so that memory does not grow with it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.runs.growing import GrowingFile
from understudy.runs.released import Written
from understudy.runs.within_cells import WithinCells
from understudy.table.records import Records, as_arrow
from understudy.table.schema import Schema
from understudy.table.seed_mark import marked_schema, stain_records

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
        form = self._shown(0).schema
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
                yield self._shown(rows)

    def _parts(self) -> Iterator[int]:
        """Yield how many records are read at once, until all are."""
        most = max(1, _VALUES // len(self._cells.schema))
        for first in range(0, self.rows, most):
            yield min(most, self.rows - first)

    def _next(self, rows: int) -> npt.NDArray[np.void]:
        """Return the next so many records of the file."""
        return np.frombuffer(self._codes.read(rows * self._row.itemsize), self._row)

    def _shown(self, rows: int) -> pa.Table:
        """Return the same, as they are released."""
        found = self._next(rows)
        numbers = found["numbers"] if self._cells.schema.continuous else None
        records = Records(self._cells.schema, found["codes"], numbers)
        return as_arrow(records if self._marked is None else stain_records(records, self._marked))


def _row(schema: Schema) -> np.dtype[np.void]:
    """Return how a record stands in the file that a table grows in."""
    kind = np.min_scalar_type(int(schema.cardinalities.max()) - 1)
    codes = ("codes", kind, (len(schema),))
    numbers = ("numbers", np.dtype("<f8"), (len(schema.continuous),))
    return np.dtype([codes, numbers] if schema.continuous else [codes])


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
