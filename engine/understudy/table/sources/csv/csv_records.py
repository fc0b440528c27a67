"""Locating the records of a text file: runs of regular lines, and odd records between them.

Almost every line of almost every file is regular (see `Lines`). All others are split one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from understudy.table.sources.csv.dialect import Dialect
from understudy.table.sources.csv.lines import Lines

BLOCK = 1 << 24
"""Bytes of a file that are processed at once."""


class Unclosed(Exception):
    """A quotation mark is open at the end of the file."""


@dataclass(eq=False)
class Found:
    """The records of a file.

    Attributes:
        regular: where regular lines lie, from–to; blank lines between them do not count.
        odd: the index of each other record, and its cells (None where it cannot be split).
        count: how many records there are.
    """

    regular: list[tuple[int, int]] = field(default_factory=list)
    odd: list[tuple[int, list[bytes] | None]] = field(default_factory=list)
    count: int = 0

    def unfit(self, width: int) -> list[tuple[int, list[bytes] | None]]:
        """Return the odd records with another number of cells than `width`."""
        return [(place, cells) for place, cells in self.odd if len(cells or ()) != width]

    def add_regular(self, start: int, end: int, count: int) -> None:
        """Append `count` regular lines."""
        if count:
            if self.regular and self.regular[-1][1] == start:
                start = self.regular.pop()[0]
            self.regular.append((start, end))
            self.count += count

    def add_odd(self, cells: list[bytes] | None) -> None:
        """Append an odd record."""
        self.odd.append((self.count, cells))
        self.count += 1


def find_records(data: memoryview, start: int, signs: Dialect, width: int) -> Found:
    """Find the records from there to the end.

    Args:
        data: the file in UTF-8.
        start: where the first record begins.
        signs: the dialect.
        width: how many cells a record is to have.

    Raises:
        Unclosed: cells may hold line breaks, and a quotation mark is open at the end.
    """
    found = Found()
    while start < len(data):
        end = min(start + BLOCK, len(data))
        end = signs.line_at(data, end - 1)[1]
        lines = Lines(data[start:end], signs, width)
        start = _walk(found, data, start, lines, signs)
    return found


def _walk(found: Found, data: memoryview, start: int, lines: Lines, signs: Dialect) -> int:
    """Take in the records of a block; where the next one begins."""
    regular = np.concatenate(([0], np.cumsum(lines.regular)))
    at, line = start, 0
    for odd in np.flatnonzero(~lines.regular & ~lines.blank):
        begins = start + int(lines.starts[odd])
        if begins < at:
            continue
        found.add_regular(at, begins, int(regular[odd] - regular[line]))
        record = signs.record_at(data, begins)
        if record.cells is None and signs.line_breaks:
            raise Unclosed
        stop = signs.line_at(data, begins)[0]
        if len(record.cells or ()) == lines.width or not signs.is_blank(data[begins:stop]):
            found.add_odd(record.cells)
        at = record.after
        line = int(np.searchsorted(lines.starts, at - start))
    if at < start + lines.size:
        found.add_regular(at, start + lines.size, int(regular[-1] - regular[line]))
    return max(at, start + lines.size)


def regular_spans(data: memoryview, found: Found) -> Iterator[memoryview]:
    """Yield the regular lines, in their order; each span ends with a line's end, or the file."""
    for start, end in found.regular:
        yield data[start:end]
