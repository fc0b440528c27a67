"""The released table as CSV: a file that grows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO

import numpy as np
import numpy.typing as npt

from understudy.runs.growing import GrowingFile
from understudy.runs.released import Written, codes_of_csv
from understudy.runs.within_cells import WithinCells
from understudy.table.encoding import csv_blocks
from understudy.table.records import Records
from understudy.table.seed_mark import marked_schema, stain_records


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
                yield from codes_of_csv(lines, self._cells.schema, self.rows)
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
