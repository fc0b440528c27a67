"""Splitting many lines at once with pyarrow.

pyarrow agrees with `Dialect` on a line that is a record with one cell for each column: a quotation
mark counts only at the beginning of a cell, and text after the closing one is part of the cell. It
can only fail by running on into the next line, by seeing a line end where there is none, or by
missing one. So where it finds as many records as there are lines, each record is one line.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pyarrow import csv

from understudy.core.arrays import BoolArray
from understudy.table.declared_reading import Reading
from understudy.table.sources.csv.dialect import Dialect
from understudy.table.sources.csv.lines import SIGN

BYTES = pa.dictionary(pa.int32(), pa.binary())
_BLOCK = 1 << 23
_BACK = 1 << 16
_COUNTED = 1 << 18
"""Bytes counted at once, few enough for a core's cache."""


def split_lines_at_once(buffer: pa.Buffer, reading: Reading, width: int) -> pa.Table:
    """Return the cells of some lines as bytes, each column in one chunk; empty lines are not
    records.

    Raises:
        ArrowException: a line has another number of cells, or runs on.
    """
    names = [str(place) for place in range(width)]
    return csv.read_csv(
        pa.BufferReader(buffer),
        read_options=csv.ReadOptions(column_names=names, block_size=_BLOCK),
        parse_options=csv.ParseOptions(
            delimiter=reading.separator, quote_char=reading.quote or False
        ),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, BYTES), strings_can_be_null=False
        ),
    ).combine_chunks()


def all_regular(data: memoryview, reading: Reading, width: int) -> pa.Table | None:
    """Return all records of a file at once, where every line of it is one; None otherwise.

    Args:
        data: the lines in UTF-8, the names left out.
        reading: how they are read.
        width: how many columns there are.
    """
    signs = Dialect(reading)
    lines = _records_if_lines(data, signs)
    if lines is None or not _ends_well(data, signs, width):
        return None
    try:
        table = split_lines_at_once(pa.py_buffer(data), reading, width)
    except pa.ArrowException:
        return None
    return table if table.num_rows == lines else None


def _records_if_lines(data: memoryview, signs: Dialect) -> int | None:
    """Return the number of lines that are not empty; None where pyarrow may see other line ends, or
    may drop a byte order mark."""
    if not len(data) or bytes(data[: len(SIGN)]) == SIGN:
        return None
    found = 0
    for start in range(0, len(data), _COUNTED):
        block = _Block(data, start, signs)
        if block.has_stray:
            return None
        found += block.lines
    return found + (data[len(data) - 1] != signs.end[0])


class _Block:
    """Bytes of a file, with the two before them."""

    def __init__(self, data: memoryview, start: int, signs: Dialect) -> None:
        first = max(start - 2, 0)
        last = min(start + _COUNTED + 1, len(data))
        self._bytes = np.frombuffer(data[first:last], np.uint8)
        self._signs = signs
        self._begins = first == 0
        self._own = slice(start - first, start - first + _COUNTED)
        self._ends = self._is(signs.end)
        self._strays = self._is(signs.stray)

    def _is(self, sign: bytes) -> BoolArray:
        found: BoolArray = self._bytes == sign[0]
        return found

    @property
    def has_stray(self) -> bool:
        """Whether a line end of the other kind stands alone."""
        if not self._signs.returns:
            return bool(self._strays.any())
        followed = np.append(self._ends[1:], False)
        return bool((self._strays & ~followed)[self._own].any())

    @property
    def lines(self) -> int:
        """How many lines end here that are not empty."""
        after_end = np.concatenate(([self._begins], self._ends[:-1]))
        empty = self._ends & after_end
        if self._signs.returns:
            after_return = np.concatenate(([False], (self._strays & after_end)[:-1]))
            empty |= self._ends & after_return
        return int(np.count_nonzero((self._ends & ~empty)[self._own]))


def _ends_well(data: memoryview, signs: Dialect, width: int) -> bool:
    """Return whether no quotation mark is open at the end of the file."""
    tail = bytes(data[-_BACK:]).rstrip(b"\r\n")
    start = tail.rfind(signs.end) + 1
    if not tail or (start == 0 and len(data) > _BACK):
        return False
    line = memoryview(tail)[start:]
    return len(signs.cells_of(line) or ()) == width
