"""The highest curve of two categories over all tables, at every ε, for use beside other parts.

By itself a column of two values costs what its worst table costs. Beside others, which table is the
worst depends on them. So its parts compose by the curve that is the highest of all n₁ and both ways
at every ε. The highest of such curves is one again, and what each pair of tables lets somebody find
out in each part, its curve lets them find out too, so that together they do (Zhu, Dong and Wang
2022, “Optimal accounting of differential privacy via characteristic function”, Theorem 10).

Not every n₁ is looked at. All of a range u … v come by merging from (α + u, α + n − v | v − u),
and so tell no more than (α + u, α + n − v | 0) by the lemma on the rest; a range that sticks out is
divided. A curve lies below the highest of others between two points of a grid where its value at
the lower is below theirs at the upper, as all of them fall.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.mechanisms.imputation.curves.curve import Curve, epsilon_at
from understudy.mechanisms.imputation.curves.drawn import Cells, DrawAmounts

_UNTOLD: Final = 1e-18
"""Beyond the grid every curve is below this, which is added."""
_POINTS: Final = 1500
_FARTHEST: Final = 60.0
_STICKS_OUT: Final = 1.001
"""A range is divided whose curve is above those of single n₁ by more than this factor."""
_ATOMS: Final = 2_000_000
_LEAST, _MOST = 12, 96
"""So many curves are looked at, more where there are few counts in each."""
_SMALL: Final = 400
"""Ranges of a table of so many records are divided until none sticks out, at little cost."""


@dataclass(frozen=True, eq=False)
class Envelope:
    """The highest of several curves and of both their ways, at every ε.

    Attributes:
        curves: at least one.
        largest: from which ε on all of them are 0, those that lie below them too.
    """

    curves: tuple[Curve, ...]
    largest: float

    def forward(self, epsilons: FloatArray) -> FloatArray:
        highest = np.maximum.reduce([_both(each, epsilons) for each in self.curves])
        return np.asarray(highest + _UNTOLD * (epsilons < self.largest))

    def backward(self, epsilons: FloatArray) -> FloatArray:
        """Return the same."""
        return self.forward(epsilons)


@dataclass(frozen=True, eq=False)
class _Looked:
    """A range of n₁ that was looked at, with its curve and its values on the grid."""

    low: int
    high: int
    curve: Curve
    values: FloatArray


@lru_cache(maxsize=64)
def envelope(cells: Cells, drawn: DrawAmounts) -> Envelope:
    """Return the highest curve of all tables of two categories, or one above it.

    Args:
        cells: two of them.
        drawn: what is drawn.
    """
    singles, ranges = _looked_at(cells, drawn)
    table = np.array([each.values for each in singles])
    attained = set(table.argmax(axis=0).tolist())
    kept = [each for place, each in enumerate(singles) if place in attained]
    highest = table.max(axis=0)
    others = (each for each in (*singles, *ranges) if each not in kept)
    kept += [each for each in others if not _below(each.values, highest)]
    return Envelope(tuple(each.curve for each in kept), drawn.pure(cells.alpha))


def _below(values: FloatArray, highest: FloatArray) -> bool:
    """Return whether a curve is below others at every ε, and not above what is added beyond the
    grid."""
    return bool((values[:-1] <= highest[1:]).all() and values[-1] <= _UNTOLD)


def covering(cells: Cells) -> Iterator[tuple[float, float, float]]:
    """Yield a few pairs, of which one is above the pair of each n₁ or of its mirror image."""
    for low, high in _doubling((cells.records + 1) // 2):
        yield _pair(cells, low, high)


def _pair(cells: Cells, low: int, high: int) -> tuple[float, float, float]:
    """Return that which all of a range of n₁ tell no more than."""
    return cells.alpha + low, cells.alpha + cells.records - high, 0.0


def _looked_at(cells: Cells, drawn: DrawAmounts) -> tuple[list[_Looked], list[_Looked]]:
    """Return single n₁, and ranges of which none sticks out while there is time: all n₁ up to the
    middle, of which the others are the mirror image."""

    def curve(low: int, high: int) -> Curve:
        return drawn.between(*_pair(cells, low, high))

    def look(low: int, high: int, found: Curve) -> _Looked:
        return _Looked(low, high, found, np.minimum.accumulate(_both(found, grid)))

    first = [(*each, curve(*each)) for each in _doubling((cells.records + 1) // 2)]
    reach = max(epsilon_at(each, _UNTOLD) for _, _, each in first)
    grid = np.linspace(0.0, min(reach, _FARTHEST), _POINTS)
    looked = [look(*each) for each in first]
    atoms = max(drawn.rows or 1, drawn.times)
    left = min(_MOST, max(_LEAST, _ATOMS // atoms))
    if cells.records <= min(_SMALL, _ATOMS // atoms):
        left = 2 * cells.records
    while left > 0:
        singles, ranges = _split_singles(looked)
        highest = np.maximum.reduce([each.values for each in singles]) * _STICKS_OUT + _UNTOLD
        over = [float((each.values / highest).max()) for each in ranges]
        if not over or max(over) <= 1:
            break
        worst = ranges[int(np.argmax(over))]
        middle = (worst.low + worst.high) // 2
        looked.remove(worst)
        halves = ((worst.low, middle), (middle + 1, worst.high))
        looked += [look(*each, curve(*each)) for each in halves]
        left -= 2
    return _split_singles(looked)


def _doubling(top: int) -> Iterator[tuple[int, int]]:
    low = 1
    while low <= top:
        yield low, min(2 * low - 1, top)
        low *= 2


def _split_singles(looked: list[_Looked]) -> tuple[list[_Looked], list[_Looked]]:
    """Return single n₁, and ranges."""
    singles = [each for each in looked if each.low == each.high]
    return singles, [each for each in looked if each.low < each.high]


def _both(curve: Curve, epsilons: FloatArray) -> FloatArray:
    return np.maximum(curve.forward(epsilons), curve.backward(epsilons))
