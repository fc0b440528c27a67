"""Where the records of a text file lie, and the cells of those that are odd.

Almost every line of almost every file can be left to a reader that takes many apart at once, with
the same outcome as taking each apart alone. These *regular* lines are found here with a few passes
over the bytes. All others are odd, and are taken apart one by one.

A line starts outside of quotation marks, whatever stood before it; only where cells may hold line
breaks, a record goes on for as long as a quotation mark is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.table.declared_reading import Reading

BLOCK = 1 << 24
"""Bytes of a file that are looked at at once."""

_LONGEST = 1 << 20
"""Bytes of a line that the other reader is trusted with, which reads a few blocks at once."""

_RETURN = ord("\r")
SIGN = b"\xef\xbb\xbf"
"""A byte order mark: the other reader leaves it out where it comes first."""

Whole = npt.NDArray[np.int64]
Marked = npt.NDArray[np.bool_]


class Unclosed(Exception):
    """A quotation mark is open at the end of the file."""


@dataclass(frozen=True, eq=False)
class Record:
    """A record that was taken apart.

    Attributes:
        cells: as they stand in the file, without their quotation marks; None where one is open.
        after: where the next record begins.
    """

    cells: list[bytes] | None
    after: int


class Signs:
    """What tells records and cells apart, as a reading says."""

    def __init__(self, reading: Reading) -> None:
        assert reading.separator is not None
        self.separator = reading.separator.encode()
        self.quote = (reading.quote or "").encode()
        self.end, self.stray = (b"\r", b"\n") if reading.carriage_returns else (b"\n", b"\r")
        self.returns = not reading.carriage_returns
        self.line_breaks = reading.line_breaks
        self._line = re.compile(rb"[^%b]*" % self.end)
        stop = re.escape(self.separator + (self.end if self.line_breaks else b""))
        self._plain = re.compile(rb"[^%b]*" % stop, re.DOTALL)
        mark = self.quote or b'"'
        self._quoted = re.compile(rb"%b([^%b]*+(?:%b%b[^%b]*+)*+)%b" % ((mark,) * 6))

    def line_at(self, data: memoryview, start: int) -> tuple[int, int]:
        """Where the line that begins there ends, and where the next one begins."""
        found = self._line.match(data, start)
        assert found is not None
        end = found.end()
        after = min(end + 1, len(data))
        if self.returns and end > start and data[end - 1] == _RETURN:
            end -= 1
        return end, after

    def record_at(self, data: memoryview, start: int) -> Record:
        """The record that begins there.

        A quotation mark counts where it begins a cell. What stands between the one that closes it
        and the next separator is part of the cell.
        """
        end, after = self.line_at(data, start)
        if not self.line_breaks:
            return Record(self.cells_of(data[start:end]), after)
        cells, stop = self._cells(data, start, len(data))
        return Record(cells, min(stop + 1, len(data)))

    def cells_of(self, line: memoryview) -> list[bytes] | None:
        """The cells of a line taken apart alone; None where a quotation mark is open."""
        return self._cells(line, 0, len(line))[0]

    def _cells(self, data: memoryview, at: int, size: int) -> tuple[list[bytes] | None, int]:
        """The cells from there to the end of the record, and where that is."""
        cells = []
        while True:
            text = b""
            if self.quote and data[at : at + 1] == self.quote:
                quoted = self._quoted.match(data, at)
                if quoted is None:
                    return None, size
                text = quoted[1].replace(self.quote * 2, self.quote)
                at = quoted.end()
            plain = self._plain.match(data, at)
            assert plain is not None
            at, rest = plain.end(), plain[0]
            last = at >= size or data[at : at + 1] != self.separator
            if last and self.line_breaks and self.returns:
                rest = rest.removesuffix(b"\r")
            cells.append(text + rest)
            if last:
                return cells, at
            at += 1

    def is_blank(self, line: bytes | memoryview) -> bool:
        """Whether a line holds nothing but blanks, and so is no record."""
        return not bytes(line).strip(b" \t".replace(self.separator, b""))


@dataclass(eq=False)
class Found:
    """The records of a file.

    Attributes:
        regular: where regular lines lie, from–to; blank lines between them do not count.
        odd: the place of each other record among all of them, and its cells (None: none were
            found).
        count: how many records there are.
    """

    regular: list[tuple[int, int]] = field(default_factory=list)
    odd: list[tuple[int, list[bytes] | None]] = field(default_factory=list)
    count: int = 0

    def unfit(self, width: int) -> list[tuple[int, list[bytes] | None]]:
        """The odd records that do not hold so many cells."""
        return [(place, cells) for place, cells in self.odd if len(cells or ()) != width]

    def add_regular(self, start: int, end: int, count: int) -> None:
        """Go on with so many regular lines."""
        if count:
            if self.regular and self.regular[-1][1] == start:
                start = self.regular.pop()[0]
            self.regular.append((start, end))
            self.count += count

    def add_odd(self, cells: list[bytes] | None) -> None:
        """Go on with another record."""
        self.odd.append((self.count, cells))
        self.count += 1


def find(data: memoryview, start: int, signs: Signs, width: int) -> Found:
    """Find the records from there to the end.

    Args:
        data: the file in UTF-8.
        start: where the first record begins.
        signs: what tells them apart.
        width: how many cells a record is to have.

    Raises:
        Unclosed: cells may hold line breaks, and a quotation mark is open at the end.
    """
    found = Found()
    while start < len(data):
        end = min(start + BLOCK, len(data))
        end = signs.line_at(data, end - 1)[1]
        lines = _Lines(data[start:end], signs, width)
        start = _walk(found, data, start, lines, signs)
    return found


def _walk(found: Found, data: memoryview, start: int, lines: _Lines, signs: Signs) -> int:
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


class _Lines:
    """The lines of a block, each seen as if no other were there.

    Attributes:
        starts: (lines,) where each begins.
        blank: (lines,) whether there is nothing in it.
        regular: (lines,) whether it holds one cell for each column, in a way that leaves no doubt.
    """

    def __init__(self, data: memoryview, signs: Signs, width: int) -> None:
        self.size, self.width = len(data), width
        self._signs = signs
        self._bytes = np.frombuffer(data, np.uint8)
        ends = self._where(signs.end)
        if not len(ends) or ends[-1] != len(data) - 1:
            ends = np.append(ends, len(data))
        self._raw_ends = ends
        self.starts = np.concatenate(([0], ends[:-1] + 1))
        self.ends = ends - self._has_return
        self.blank = self.ends == self.starts
        self.regular = (self._cells == width) & ~self.blank & ~self._doubtful

    def _where(self, sign: bytes) -> Whole:
        found: Whole = np.flatnonzero(self._bytes == sign[0])
        return found

    @cached_property
    def _has_return(self) -> npt.NDArray[np.int64]:
        """(lines,) how many bytes of a carriage return belong to its end."""
        if not self._signs.returns:
            return np.zeros(len(self.starts), dtype=np.int64)
        before = self._bytes[np.maximum(self._raw_ends - 1, 0)] == _RETURN
        found: Whole = (before & (self._raw_ends > self.starts)).astype(np.int64)
        return found

    @cached_property
    def _quotes(self) -> Whole:
        return self._where(self._signs.quote) if self._signs.quote else np.zeros(0, np.int64)

    def _line_of(self, places: Whole) -> Whole:
        found: Whole = np.searchsorted(self._raw_ends, places)
        return found

    @cached_property
    def _quoted(self) -> Marked:
        """(lines,) whether a cell of it begins with a quotation mark."""
        found = np.zeros(len(self.starts), dtype=bool)
        found[self._line_of(self._quotes[self._opening])] = True
        return found

    @cached_property
    def _opening(self) -> Marked:
        """(quotation marks,) whether a line begins with it, or it follows a separator."""
        after = self._bytes[np.maximum(self._quotes - 1, 0)] == self._signs.separator[0]
        found: Marked = after | (self.starts[self._line_of(self._quotes)] == self._quotes)
        return found

    @cached_property
    def _rank(self) -> Whole:
        """(quotation marks,) how many stand before it in its line."""
        lines = self._line_of(self._quotes)
        return np.arange(len(lines)) - np.searchsorted(lines, lines)

    @cached_property
    def _cells(self) -> Whole:
        """(lines,) how many cells it has, where it is not doubtful."""
        separators = self._where(self._signs.separator)
        if self._quoted.any():
            lines = self._line_of(separators)
            before = np.searchsorted(self._quotes, separators)
            first = np.searchsorted(self._quotes, self.starts[lines])
            inside = ((before - first) % 2 == 1) & self._quoted[lines]
            separators = separators[~inside]
        return np.diff(np.searchsorted(separators, self._raw_ends), prepend=0) + 1

    @cached_property
    def _doubtful(self) -> Marked:
        """(lines,) whether the other reader could see it otherwise."""
        found = (self._raw_ends - self.starts) > _LONGEST
        found[self._line_of(self._stray)] = True
        found |= self._begins_with_mark
        if self._quoted.any():
            found[self._line_of(self._quotes[self._misplaced])] = True
            counts = np.bincount(self._line_of(self._quotes), minlength=len(self.starts))
            found |= self._quoted & (counts % 2 == 1)
        return found

    @property
    def _stray(self) -> Whole:
        """Line ends of the other kind, but for those that belong to a line's end."""
        found = self._where(self._signs.stray)
        if not self._signs.returns:
            return found
        after = self._bytes[np.minimum(found + 1, self.size - 1)]
        alone: Whole = found[(after != self._signs.end[0]) & (found + 1 < self.size)]
        return alone

    @property
    def _begins_with_mark(self) -> Marked:
        found = np.ones(len(self.starts), dtype=bool)
        for offset, byte in enumerate(SIGN):
            found &= self._bytes[np.minimum(self.starts + offset, self.size - 1)] == byte
        return found

    @property
    def _misplaced(self) -> Marked:
        """(quotation marks,) of lines with cells in them: those that neither begin nor end a cell
        nor stand twice for one."""
        places, sign = self._quotes, self._signs.quote[0]
        lines = self._line_of(places)
        opens = self._rank % 2 == 0
        before = self._bytes[np.maximum(places - 1, 0)]
        after = self._bytes[np.minimum(places + 1, self.size - 1)]
        ends = places + 1 == self.ends[lines]
        begun = self._opening | ((before == sign) & (self._rank > 0))
        closed = ends | (after == self._signs.separator[0]) | (after == sign)
        found: Marked = self._quoted[lines] & ~np.where(opens, begun, closed)
        return found


def spans(data: memoryview, found: Found) -> Iterator[memoryview]:
    """The regular lines, in their order; each span ends with a line's end, or the file."""
    for start, end in found.regular:
        yield data[start:end]
