"""The best partition of a grid by cuts from edge to edge, each leaf at a price.

Finer partitions never score less, so that without a price the finest would always be the best. With
one, the score is the largest of Σ ⌊2^k·a²/m⌋ − price·leaves. It is still the largest over a class
that no record has a say in, so that one record moves it no further; a threshold that a cut has to
reach (“cp”) has no such bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from understudy.core.refusal import Refusal
from understudy.mechanisms.pmse.gini import Counts, Gini
from understudy.mechanisms.pmse.partitions.axes import Axis, Bins, jointly

MOST_AXES = 3
_Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Guillotine:
    """All partitions into boxes by cuts through a whole box, on two or three axes, or one.

    Attributes:
        axes: in whose order boxes are.
        price: of a leaf, in units of GI: records.

    Raises:
        Refusal: there are more axes than `MOST_AXES`.
    """

    axes: tuple[Axis, ...]
    price: int = 2

    def __post_init__(self) -> None:
        if len(self.axes) > MOST_AXES:
            raise Refusal(
                f"Guillotine partitions are searched for {MOST_AXES} columns at most, because "
                "every box of a grid is looked at.",
                "Choose trees of depth two, or random ones.",
                field="partitions",
            )

    @property
    def _shape(self) -> _Sizes:
        return tuple(each.bins for each in self.axes)

    def counts(self, bins: Sequence[Bins]) -> Counts:
        """(tables, bins …) how many records are in each cell."""
        found = jointly(bins, self._shape)
        return found.reshape(-1, *self._shape)

    def best(self, gini: Gini, real: Counts, made: Counts) -> Counts:
        """As `Partitions`."""
        a, b = _corners(made), _corners(real)
        price = float(self.price << gini.bits)
        known: dict[_Sizes, Counts] = {}
        for sizes in product(*(range(1, each + 1) for each in self._shape)):
            found = gini.leaf(_boxes(a, sizes), _boxes(b, sizes)) - price
            for low, high in _halves(known, sizes):
                np.maximum(found, low + high, out=found)
            known[sizes] = found
        return known[self._shape].reshape(len(made))

    def entries(self) -> int:
        """As `Partitions`."""
        return int(np.prod([each * (each + 1) // 2 for each in self._shape]))


def _corners(cells: Counts) -> Counts:
    """Sums of all cells before each corner of the grid."""
    axes = range(1, cells.ndim)
    found = np.pad(cells, [(0, 0), *((1, 0) for _ in axes)])
    for axis in axes:
        found = found.cumsum(axis=axis)
    return found


def _boxes(corners: Counts, sizes: _Sizes) -> Counts:
    """Return how many records are in each box of these sizes, by its lowest corner."""
    found = corners
    for axis, size in enumerate(sizes, 1):
        found = np.take(found, range(size, found.shape[axis]), axis=axis) - np.take(
            found, range(found.shape[axis] - size), axis=axis
        )
    return found


def _halves(known: dict[_Sizes, Counts], sizes: _Sizes) -> Iterator[tuple[Counts, Counts]]:
    """Yield the scores of both parts of every box of these sizes, for every cut."""
    for axis, size in enumerate(sizes):
        for cut in range(1, size):
            low = known[(*sizes[:axis], cut, *sizes[axis + 1 :])]
            high = known[(*sizes[:axis], size - cut, *sizes[axis + 1 :])]
            at = [slice(None)] * low.ndim
            at[axis + 1] = slice(0, low.shape[axis + 1] - (size - cut))
            after = list(at)
            after[axis + 1] = slice(cut, None)
            yield low[tuple(at)], high[tuple(after)]
