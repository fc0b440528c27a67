"""Finding regular lines: those that hold one cell for each column, unambiguously.

Many regular lines can be split at once by pyarrow with the same result as splitting each alone.
They are found with a few passes over the bytes.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.table.sources.csv.dialect import Dialect

SIGN = b"\xef\xbb\xbf"
"""A byte order mark, which pyarrow drops at the beginning."""

_RETURN = ord("\r")
_LONGEST = 1 << 20
"""The longest line, in bytes, that is given to pyarrow."""

Whole = npt.NDArray[np.int64]
Marked = npt.NDArray[np.bool_]


class Lines:
    """The lines of a block, each classified independently of the others.

    Attributes:
        starts: (lines,) where each begins.
        blank: (lines,) whether there is nothing in it.
        regular: (lines,) whether it holds one cell for each column, in a way that leaves no doubt.
    """

    def __init__(self, data: memoryview, signs: Dialect, width: int) -> None:
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
        """Line ends of the other kind, except for those that belong to a line's end."""
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
