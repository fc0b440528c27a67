"""Which records can make a candidate at all, where noise moves each on a grid by a bounded reach.

Records at one place are equally likely to make any candidate, so places count once, with how many
records lie there. Places are sorted by cell: a cell is at least as wide as the reach, so what can
make a candidate lies in its cell or in one beside it. All others make it with probability 0, and no
test's score holds anything of such records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from engine.models.scoring import Codes

_SORTED: Final = 3
"""Axes by which cells are sorted: beyond the first few, looking for cells costs more than it
spares."""
_BITS: Final = 17
"""Of a cell's number on an axis, one more than of a place."""

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]


@runtime_checkable
class Located(Protocol):
    """A model that looks at nothing of a record but its place, and moves that."""

    @property
    def reach(self) -> int:
        """How far a place is moved at most, on each axis: further has probability 0."""
        ...

    def located(self, records: Codes) -> Codes:
        """(n, w) the place of each of (n, m) records."""
        ...

    def log_likelihood_at(self, places: Codes, candidates: Codes) -> Real:
        """(n, B) what `log_likelihood` says of records at (n, w) places."""
        ...


@dataclass(frozen=True, eq=False)
class Cells:
    """The places of records, sorted by cell.

    Attributes:
        places: (p, w) the different ones.
        sizes: (p,) how many records lie at each.
        of: (n,) the row of each record's place.
        keys: (p,) the cell of each, ascending.
        reach: how far a place is moved.
    """

    places: Codes
    sizes: Whole
    of: Whole
    keys: Whole
    reach: int

    @classmethod
    def sorted_of(cls, located: Codes, sizes: Whole, reach: int) -> Cells:
        """Of (n, w) places of rows, each of which stands for so many records."""
        places, of = np.unique(located, axis=0, return_inverse=True)
        of = of.reshape(-1)
        held = np.bincount(of, sizes, len(places)).astype(np.int64)
        keys = _keys(_cells(places, reach))
        order = np.argsort(keys, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return cls(places[order], held[order], rank[of], keys[order], reach)

    def groups(self, candidates: Codes) -> Iterator[tuple[Whole, Whole]]:
        """Candidates that lie together, and the places that could make any of them.

        Args:
            candidates: (B, w) places.

        Yields:
            Which candidates, ascending, each of them once in all; and rows of places, ascending.
        """
        if not len(candidates):
            return
        cells, of = np.unique(_cells(candidates, self.reach), axis=0, return_inverse=True)
        of = of.reshape(-1)
        order = np.argsort(of, kind="stable")
        ends = np.cumsum(np.bincount(of, minlength=len(cells)))
        starts, stops = self._beside(cells)
        for at, which in enumerate(np.split(order, ends[:-1])):
            ranges = zip(starts[at].tolist(), stops[at].tolist(), strict=True)
            rows = np.concatenate([np.arange(*each) for each in ranges])
            yield which, self._within(rows, candidates[which].astype(np.int64))

    def _beside(self, cells: Whole) -> tuple[Whole, Whole]:
        """(G, 3^(a−1)) where rows of the places in each cell and beside it start and stop, by the
        first a axes: those of the last lie in one piece."""
        first = cells[:, :_SORTED]
        moves = np.array(list(product((-1, 0, 1), repeat=first.shape[1] - 1)), dtype=np.int64)
        before = first[:, None, :-1] + moves
        last = np.broadcast_to(first[:, None, -1:], (*before.shape[:2], 1))
        low, high = (
            _keys(np.concatenate([before, last + by], axis=2).reshape(-1, first.shape[1]))
            for by in (-1, 1)
        )
        shape = before.shape[:2]
        starts = np.searchsorted(self.keys, low, side="left").reshape(shape)
        return starts, np.searchsorted(self.keys, high, side="right").reshape(shape)

    def _within(self, rows: Whole, candidates: Whole) -> Whole:
        """Those in reach of the box that holds these candidates."""
        low, high = candidates.min(axis=0) - self.reach, candidates.max(axis=0) + self.reach
        for axis in range(candidates.shape[1]):
            at = self.places[rows, axis]
            rows = rows[(at >= low[axis]) & (at <= high[axis])]
        return rows


def _cells(places: Codes, reach: int) -> Whole:
    """(n, w) the cell of each place, from 1 on each axis, so that each has one before it."""
    return np.asarray(places.astype(np.int64) // max(1, reach) + 1)


def _keys(cells: Whole) -> Whole:
    """(n,) one number for the cell on the first axes, ascending axis by axis."""
    found = np.zeros(len(cells), dtype=np.int64)
    for axis in range(min(_SORTED, cells.shape[1])):
        found = (found << _BITS) + cells[:, axis]
    return found
