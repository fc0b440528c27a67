"""The dialect of a CSV file, and splitting one record by it.

A record begins outside of quotation marks, whatever stood before it. Only where cells may hold line
breaks does it go on for as long as a quotation mark is open; otherwise it is its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from understudy.table.declared_reading import Reading

_RETURN = ord("\r")


@dataclass(frozen=True, eq=False)
class Record:
    """A record split into cells.

    Attributes:
        cells: as they stand in the file, without their quotation marks; None where one is open.
        after: where the next record begins.
    """

    cells: list[bytes] | None
    after: int


class Dialect:
    """Separator, quotation mark and line ends, as a reading declares them."""

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
        """Return where the line that begins there ends, and where the next one begins."""
        found = self._line.match(data, start)
        assert found is not None
        end = found.end()
        after = min(end + 1, len(data))
        if self.returns and end > start and data[end - 1] == _RETURN:
            end -= 1
        return end, after

    def record_at(self, data: memoryview, start: int) -> Record:
        """Return the record that begins there.

        A quotation mark counts where it begins a cell. What stands between the one that closes it
        and the next separator is part of the cell.
        """
        end, after = self.line_at(data, start)
        if not self.line_breaks:
            return Record(self.cells_of(data[start:end]), after)
        cells, stop = self._cells(data, start, len(data))
        return Record(cells, min(stop + 1, len(data)))

    def cells_of(self, line: memoryview) -> list[bytes] | None:
        """Return the cells of one line; None where a quotation mark stays open."""
        return self._cells(line, 0, len(line))[0]

    def _cells(self, data: memoryview, at: int, size: int) -> tuple[list[bytes] | None, int]:
        """Return the cells from there to the end of the record, and where that is."""
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

    def runs_on(self, line: bytes | memoryview) -> bool:
        """Return whether anything stands in a cell of a line after the mark that closes its
        quotation."""
        at, size = 0, len(line)
        while at <= size:
            if self.quote and line[at : at + 1] == self.quote:
                quoted = self._quoted.match(line, at)
                if quoted is None:
                    return False
                at = quoted.end()
                if at < size and line[at : at + 1] != self.separator:
                    return True
            plain = self._plain.match(line, at)
            assert plain is not None
            at = plain.end() + 1
        return False

    def is_blank(self, line: bytes | memoryview) -> bool:
        """Return whether a line holds nothing but blanks, and so is no record."""
        return not bytes(line).strip(b" \t".replace(self.separator, b""))
