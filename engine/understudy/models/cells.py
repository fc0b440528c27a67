"""Which records can make a candidate at all, where noise moves each on a grid by a bounded reach.

Records at one place are equally likely to make any candidate, so places count once, with how many
records lie there. Places are sorted by cells of the first few axes but one, and within a cell by
the next axis itself, so the places of a cell that lie within bounds on that axis are a range of
rows. Of a candidate, the places no further than a radius on every axis are found by looking at the
cells that its box touches. All others are of no interest to whoever asks: they make the candidate
with probability 0, or with less than is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol, runtime_checkable

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray

_SORTED: Final = 5
"""Axes by which places are sorted at most: with more, looking for ranges costs more than it
spares."""
_BITS: Final = 62
"""Of the number that places are sorted by."""
_CELLS_A_REACH: Final = 2
_BLOCK: Final = 1 << 18
"""Rows looked at together, few enough for a core's own cache."""


@runtime_checkable
class Located(Protocol):
    """A model that looks at nothing of a record but its place, and moves that."""

    @property
    def reach(self) -> int:
        """How far a place is moved at most, on each axis: further has probability 0."""
        ...

    def locate(self, records: CodeArray) -> CodeArray:
        """Return (n, w) the place of each of (n, m) records."""
        ...

    def log_likelihood_at(self, places: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) what `log_likelihood` says of records at (n, w) places."""
        ...

    def log_likelihood_of(self, places: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (P,) the same, to the last bit, of a record at each of (P, w) places and the
        candidate beside it."""
        ...

    def radius(self, least: FloatArray) -> IntArray:
        """Return (B,) how far, on any axis, a place lies from a candidate at most whose
        `log_likelihood` is at least so much; 0 also where there is none."""
        ...


@dataclass(frozen=True)
class Order:
    """How places are sorted: by cell on the first axes, and then by place on the last of them.

    Attributes:
        axes: by how many.
        width: how many places of an axis are a cell.
        end: one more than the last place on any axis. What lies beyond it is treated as if it lay
            there.
    """

    axes: int
    width: int
    end: int

    @classmethod
    def for_places(cls, places: CodeArray, width: int) -> Order:
        """Return the order of (p, w) places by as many axes as one number holds."""
        end = int(places.max(initial=0)) + 1
        left = _BITS - end.bit_length()
        axes = 1 + left // max(1, (end // width).bit_length())
        return cls(min(places.shape[1], _SORTED, axes), width, end)

    def cells(self, places: CodeArray | IntArray) -> IntArray:
        """Return (n, axes − 1) the cells of (n, w) places."""
        held = np.clip(places[:, : self.axes - 1].astype(np.int64), 0, self.end)
        return np.asarray(held // self.width)

    def keys(self, cells: IntArray, last: CodeArray | IntArray) -> IntArray:
        """Return (n,) the number to sort by, of (n, axes − 1) cells and (n,) places on the last
        axis."""
        found = np.zeros(len(cells), dtype=np.int64)
        bits = (self.end // self.width).bit_length()
        for axis in range(cells.shape[1]):
            found = (found << bits) + cells[:, axis]
        return np.asarray((found << self.end.bit_length()) + np.clip(last, 0, self.end))

    def words(self, places: CodeArray) -> list[IntArray]:
        """Return (n,) numbers that only equal ones of (n, w) places have in common."""
        bits = self.end.bit_length()
        a_word = _BITS // bits
        found = []
        for start in range(0, places.shape[1], a_word):
            word = np.zeros(len(places), dtype=np.int64)
            for axis in range(start, min(start + a_word, places.shape[1])):
                word = (word << bits) + places[:, axis]
            found.append(word)
        return found


@dataclass(frozen=True)
class Boxes:
    """The rows of places that may lie in the box about each of B candidates, as ranges.

    Attributes:
        candidates: (B, w) their middles.
        radii: (B,) how far each reaches on every axis.
        of: (R,) which candidate a range is for, ascending.
        starts, sizes: (R,) its first row, and how many follow, none of them empty.
    """

    candidates: CodeArray
    radii: IntArray
    of: IntArray
    starts: IntArray
    sizes: IntArray

    @cached_property
    def rows(self) -> IntArray:
        """(B,) how many rows there are for each."""
        return np.bincount(self.of, self.sizes, len(self.radii)).astype(np.int64)

    def only(self, which: IntArray) -> Boxes:
        """Return those about some of the candidates, ascending, which they are numbered by from now
        on."""
        place = np.full(len(self.radii), -1, dtype=np.int64)
        place[which] = np.arange(len(which))
        of = place[self.of]
        kept = of >= 0
        return Boxes(
            self.candidates[which], self.radii[which], of[kept], self.starts[kept], self.sizes[kept]
        )


@dataclass(frozen=True, eq=False)
class RecordsByCell:
    """The places of records, sorted by cell.

    Attributes:
        places: (p, w) the different ones, an axis at a time in memory.
        sizes: (p,) how many records lie at each.
        of: (n,) the row of each record's place.
        keys: (p,) where each is sorted in, ascending.
        order: how it is sorted.
    """

    places: CodeArray
    sizes: IntArray
    of: IntArray
    keys: IntArray
    order: Order

    @classmethod
    def sorted_of(cls, located: CodeArray, sizes: IntArray, reach: int) -> RecordsByCell:
        """Sort (n, w) places of rows, each of which stands for so many records, for boxes that
        reach no further than `reach`."""
        by = Order.for_places(located, max(1, reach // _CELLS_A_REACH))
        keys = by.keys(by.cells(located), located[:, by.axes - 1])
        words = by.words(located)
        order = np.lexsort((*words, keys))
        starts = np.zeros(len(order), dtype=bool)
        starts[:1] = True
        for word in words:
            in_order = word[order]
            starts[1:] |= in_order[1:] != in_order[:-1]
        rank = np.cumsum(starts) - 1
        of = np.empty(len(order), dtype=np.int64)
        of[order] = rank
        held = np.bincount(rank, sizes[order]).astype(np.int64)
        first = order[starts]
        return cls(np.asfortranarray(located[first]), held, of, keys[first], by)

    def boxes(self, candidates: CodeArray, radii: IntArray) -> Boxes:
        """Return the rows to look at for each of (B, w) candidates, with (B,) radii."""
        middle = candidates.astype(np.int64)
        low, high = middle - radii[:, None], middle + radii[:, None]
        by, last = self.order, self.order.axes - 1
        first, final = by.cells(low), by.cells(high)
        spans = final - first + 1
        many = spans.prod(axis=1)
        of = np.repeat(np.arange(len(many)), many)
        at = np.arange(len(of)) - np.repeat(np.cumsum(many) - many, many)
        cells = first[of]
        for axis in range(last - 1, -1, -1):
            at, step = np.divmod(at, spans[of, axis])
            cells[:, axis] += step
        starts = np.searchsorted(self.keys, by.keys(cells, low[of, last]), side="left")
        stops = np.searchsorted(self.keys, by.keys(cells, high[of, last]), side="right")
        some = np.flatnonzero(stops > starts)
        return Boxes(candidates, radii, of[some], starts[some], (stops - starts)[some])

    def pairs(self, boxes: Boxes) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the places in each box, some candidates at a time.

        Yields:
            Which candidate and which row of places, a pair an entry; candidates ascend, and all
            pairs of one come together.
        """
        blocks = (np.cumsum(boxes.rows) - boxes.rows) // _BLOCK
        starts = np.flatnonzero(np.diff(blocks, prepend=-1))
        ranges = np.searchsorted(boxes.of, [*starts.tolist(), len(boxes.radii)])
        for begin, end in zip(ranges[:-1].tolist(), ranges[1:].tolist(), strict=True):
            if begin < end:
                yield self._within(boxes, slice(begin, end))

    def _within(self, boxes: Boxes, ranges: slice) -> tuple[IntArray, IntArray]:
        """Return the pairs of some ranges."""
        sizes = boxes.sizes[ranges]
        ends = np.cumsum(sizes)
        rows = np.arange(ends[-1]) + np.repeat(boxes.starts[ranges] - (ends - sizes), sizes)
        of = np.repeat(boxes.of[ranges], sizes)
        low = boxes.candidates.astype(np.int32) - boxes.radii[:, None].astype(np.int32)
        span = 2 * boxes.radii.astype(np.uint32)
        for axis in range(self.places.shape[1]):
            if axis == self.order.axes - 1:
                continue
            # What is below the box wraps round to far above it, so one comparison is enough.
            off = (self.places[rows, axis] - low[of, axis]).astype(np.uint32)
            inside = np.flatnonzero(off <= span[of])
            rows, of = rows[inside], of[inside]
        return of, rows
