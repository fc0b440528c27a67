"""How far off a model's tables will be, by noise and chance alone: from public numbers, before
anything is learned.

Distances are total variation: half the sum of |share made − share true| over the cells, 0 to 1.
What the records hold is not looked at. Where it would matter, they are taken to be spread evenly
over the cells, which is about the worst case.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from engine.privacy.accounting.allowance import HALF_NORMAL

Reals = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

UNTOLD = 0.06
"""How far two columns are taken to be from independent where nothing is bought of the pair: the
median over the pairs of columns of the simulated census, and about that of real ones."""
_STEPS = 80
_CLOSE = 1e-12


@dataclass(frozen=True, eq=False)
class Predicted:
    """What noise and chance alone will set apart.

    Attributes:
        single: (m,) of each attribute, what noise sets apart.
        pairs: (m, m) the same of each pair that is counted, symmetric, the diagonal being
            `single`; not a number for a pair that is left to the rest of the model.
        drawn: (m, m) what drawing so many records sets apart by chance, at most; the diagonal
            being that of each attribute.
    """

    single: Reals
    pairs: Reals
    drawn: Reals

    @property
    def together(self) -> Reals:
        """(m, m) noise and chance; not a number for a pair left to the rest of the model."""
        return np.minimum(1.0, np.hypot(self.pairs, self.drawn))

    @property
    def each_column(self) -> Reals:
        """(m,) noise and chance, of each attribute."""
        return np.diagonal(self.together).copy()

    @property
    def each_pair(self) -> Reals:
        """(m(m − 1)/2,) every pair once, row by row above the diagonal."""
        return self.together[np.triu_indices(len(self.single), 1)]

    def by_pair(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Every pair, the smaller index first, with its noise and chance."""
        pairs = combinations(range(len(self.single)), 2)
        return zip(pairs, self.each_pair.tolist(), strict=True)

    @property
    def typical_pair(self) -> float:
        """The median over the pairs that are counted; not a number where none is."""
        found = self.each_pair[np.isfinite(self.each_pair)]
        return float(np.median(found)) if found.size else math.nan

    @property
    def counted(self) -> int:
        """How many pairs are counted, and not left to the rest of the model."""
        return int(np.isfinite(self.each_pair).sum())

    @property
    def typical_column(self) -> float:
        """The median over the attributes."""
        return float(np.median(self.each_column))

    @property
    def column_by_noise(self) -> float:
        """The median over the attributes, chance left aside."""
        return float(np.median(self.single))

    @property
    def pair_by_noise(self) -> float:
        """The median over the pairs that are counted, chance left aside; not a number where none
        is."""
        found = self.pairs[np.triu_indices(len(self.single), 1)]
        found = found[np.isfinite(found)]
        return float(np.median(found)) if found.size else math.nan

    @property
    def all_pairs(self) -> float:
        """The mean over all pairs, chance left aside, those that nothing is bought of as far off
        as `UNTOLD` and the noise of their columns make them: what models are compared by."""
        return float(self._filled.mean())

    @property
    def typical_of_all(self) -> float:
        """The median over all pairs, with chance, those that nothing is bought of as far off as in
        `all_pairs`."""
        drawn = self.drawn[np.triu_indices(len(self.single), 1)]
        return float(np.median(np.minimum(1.0, np.hypot(self._filled, drawn))))

    @property
    def _filled(self) -> Reals:
        untold = np.hypot(np.hypot(self.single[:, None], self.single[None, :]), UNTOLD)
        filled = np.minimum(1.0, np.fmin(self.pairs, untold))
        return np.asarray(filled[np.triu_indices(len(self.single), 1)])


def predicted(
    sizes: Whole,
    single: Reals,
    pairs: Mapping[tuple[int, int], float],
    rows: int,
) -> Predicted:
    """Put a prediction together.

    Args:
        sizes: (m,) how many values each attribute has.
        single: (m,) what noise sets apart of each.
        pairs: of each pair that is counted, the smaller index first, what noise sets apart.
        rows: how many records are drawn.
    """
    square = np.full((len(sizes), len(sizes)), np.nan)
    for (one, other), apart in pairs.items():
        square[one, other] = square[other, one] = apart
    np.fill_diagonal(square, single)
    cells = np.outer(sizes, sizes).astype(float)
    np.fill_diagonal(cells, sizes)
    return Predicted(single, square, distance_by_chance(cells, rows))


def distance_by_noise(cells: Reals, deviation: Reals, records: float) -> Reals:
    """The distance that noise of this deviation on each of so many cells is expected to make, once
    the counts are moved to the nearest that are not negative and add up to the records.

    With a = records/(cells·σ), E(u + Z)⁺ = a has the root u that the counts are moved to, and the
    distance is E(u − a + Z)⁺/a, Z a standard Gaussian; σ is the deviation less what all cells
    share, √(1 − 1/cells) of it. It cannot be more than 1 − 1/cells.

    Args:
        cells: how many, any shape.
        deviation: in records, of the same shape.
        records: how many there are, above 0.
    """
    cells, deviation = np.broadcast_arrays(np.asarray(cells, float), np.asarray(deviation, float))
    noisy = np.flatnonzero((deviation > 0).ravel() & (cells > 1).ravel())
    apart = np.zeros(cells.size)
    many = cells.ravel()[noisy]
    share = records / (many * deviation.ravel()[noisy] * np.sqrt(1 - 1 / many))
    apart[noisy] = np.minimum(1 - 1 / many, _beyond(_moved(share) - share) / share)
    return apart.reshape(cells.shape)


def distance_by_chance(cells: Reals, rows: int) -> Reals:
    """The distance that drawing so many records makes at most, on average: that of records spread
    evenly over the cells, ½·√(2/π)·√((cells − 1)/rows)."""
    return np.minimum(1.0, HALF_NORMAL / 2 * np.sqrt((np.asarray(cells) - 1) / max(1, rows)))


def _beyond(start: Reals) -> Reals:
    """E(start + Z)⁺ for a standard Gaussian Z."""
    density = np.exp(-(start**2) / 2) / math.sqrt(2 * math.pi)
    return np.asarray(start * ndtr(start) + density)


def _moved(share: Reals) -> Reals:
    """The root u of E(u + Z)⁺ = share, by Newton's method, from above as it is convex."""
    found = share.copy()
    for _ in range(_STEPS):
        step = (_beyond(found) - share) / np.maximum(ndtr(found), _CLOSE)
        found = found - np.minimum(step, 1.0)
        if not step.size or np.abs(step).max() < _CLOSE:
            break
    return found
