"""Excess and stakes: how much further off than other real records a table is, beside what there
was to lose.

Two samples of real records differ too, by chance. What a synthetic table differs by beyond that is
its excess, as total variation (0 to 1): in so large a share of records more can a statement about a
column, or a pair of columns, be wrong than it would be of other real records. Internal.

The excess is not foreseen: how much of the noise a model evens out, and how much of what it does
not count there was to lose, is a matter of the records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.evaluation.comparison import Compared
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED
from understudy.models.prediction import USUAL, Predicted

LOOKED_AT: Final = 10_000
"""The most records of a table that a run measures as it ends."""

VISIBLE: Final = 0.01
"""The least excess of independent columns in a pair by which a relation is seen, where chance moves
one less than that."""
_KEPT: Final = 0.2
"""The share of its relations up to which a column is said to have lost them all."""

Places = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Excess:
    """How much further off than other real records every column and every pair is.

    Attributes:
        apart: (m, m) the excess of each pair, symmetric, that of each column on the diagonal;
            below 0 where chance brought the table nearer.
        real: (m, m) what other real records are off by, likewise.
        unrelated: the columns whose relations are lost, all of them.
        chance: by how much chance moves each of `apart` either way, in 95 of 100 cases, at most.
        strength: (m, m) the excess of independent columns, likewise; None where those were not
            measured.
    """

    apart: FloatArray
    real: FloatArray
    unrelated: Places
    chance: float = 0.0
    strength: FloatArray | None = None

    @property
    def columns(self) -> FloatArray:
        """(m,) of each column by itself."""
        return np.diagonal(self.apart).copy()

    @property
    def pairs(self) -> FloatArray:
        """(m(m − 1)/2,) of every pair once, row by row above the diagonal."""
        return np.asarray(self.apart[np.triu_indices(len(self.apart), 1)])

    @property
    def typical_column(self) -> float:
        """The median over the columns."""
        return float(np.median(self.columns))

    @property
    def typical_pair(self) -> float:
        """The median over the pairs; 0 of a single column."""
        return float(np.median(self.pairs)) if self.pairs.size else 0.0

    def worst_columns(self) -> list[tuple[Places, float]]:
        """Return every column with its excess, the worst first."""
        return _worst_first(((place,), each) for place, each in enumerate(self.columns.tolist()))

    def worst_pairs(self) -> list[tuple[Places, float]]:
        """Return every pair, the smaller index first, with its excess, the worst first."""
        pairs = combinations(range(len(self.apart)), 2)
        return _worst_first(zip(pairs, self.pairs.tolist(), strict=True))


def excess_of_release(compared: Sequence[Compared]) -> Excess | None:
    """Return the excess of the released table. Internal.

    Args:
        compared: the tables beside held-out records, as of `latest`.

    Returns:
        None where there is no released table, or no other real records to hold it against.
    """
    by_name = {each.name: each.distances.pairs for each in compared}
    if RELEASED not in by_name or REALS not in by_name:
        return None
    released, real = by_name[RELEASED], by_name[REALS]
    marginals = by_name.get(MARGINALS)
    strength = None if marginals is None else marginals - real
    chance = chance_excess(min(each.records for each in compared if each.name in (RELEASED, REALS)))
    lost = () if strength is None else _find_lost(released - real, strength, max(VISIBLE, chance))
    return Excess(released - real, real, lost, chance, strength)


def chance_excess(records: int) -> float:
    """By how much the difference of two distances to the same held-out records moves either way,
    in 95 of 100 cases, at most.

    A distance is half a sum of shares, each with a sign, so of n records its variance is at most
    1/(4n); the two tables are independent.

    Args:
        records: n, of either table.
    """
    return min(1.0, _NORMAL * math.sqrt(2 / max(1, records)) / 2)


def chance_of_typical(records: int, columns: int) -> float:
    """Return how much the difference of two tables in a typical column or pair moves either way by
    chance, in 95 of 100 cases.

    Of m columns ⌊m/2⌋ pairs have none in common, so that chance in them is independent where the
    columns are, and smaller in their mean by the root of their number; in their median it is by
    √(π/2) larger than that. A mean over all pairs is one over such sets of them.

    Args:
        records: of either table.
        columns: m.
    """
    return chance_excess(records) * min(1.0, math.sqrt(math.pi / 2 / max(1, columns // 2)))


_NORMAL: Final = 1.96


def _find_lost(apart: FloatArray, strength: FloatArray, visible: float) -> Places:
    """Return the columns of whose visible relations next to nothing was kept: a table that ignores
    all of them is hardly further off."""
    without = np.where(np.eye(len(apart), dtype=bool), 0.0, strength)
    seen = without > visible
    missed = np.where(seen, np.clip(apart, 0.0, without), 0.0).sum(axis=1)
    there = np.where(seen, without, 0.0).sum(axis=1)
    alone = (there > 0) & (missed >= (1 - _KEPT) * there)
    return tuple(np.flatnonzero(alone).tolist())


def _worst_first(excess: Iterator[tuple[Places, float]]) -> list[tuple[Places, float]]:
    return sorted(excess, key=lambda each: -each[1])


# What there is to keep of a table, and how much of it is lost, before it is made and after.
#
# Of a column it is the size of each share, of a pair what the two have to do with each other.
# Before, noise is held against two columns that are tied as usual, from public numbers alone;
# after, the released table against one whose columns are independent, which makes it internal.

MOST_LOST: Final = 0.5
"""The most of what two columns have to do with each other that may be lost."""
MOST_OFF: Final = 0.1
"""The most that the shares of a column may be off, as a part of their size, on average."""


@dataclass(frozen=True, eq=False)
class Stakes:
    """What is lost of what there is to keep.

    Attributes:
        off: (m,) by what part of their size the shares of each column are off, on average.
        lost: (m, m) the part of what each pair has to do with each other that is lost, symmetric;
            NaN where there is nothing that can be seen, and on the diagonal.
        counted: (m, m) which pairs are counted together; None where it is found.
        possible: (m, m) which would be if they were tied strongly enough; None likewise.
        invented: (m, m) where relations are found that real records do not show.
        unrelated: the columns whose relations are lost, all of them.
        smallest: the share of the records of which a count is lost in noise and chance.
        excess: what was found; None where it is foreseen from public numbers.
    """

    off: FloatArray
    lost: FloatArray
    counted: BoolArray | None
    possible: BoolArray | None
    invented: BoolArray
    unrelated: Places
    smallest: float
    excess: Excess | None = None

    @property
    def is_measured(self) -> bool:
        """Whether the losses were measured, and so are internal."""
        return self.excess is not None

    @property
    def kept_columns(self) -> BoolArray:
        """Return (m,) of which columns enough is kept."""
        return np.asarray(self.off <= MOST_OFF)

    @property
    def kept_pairs(self) -> BoolArray:
        """Return (m, m) of which pairs more is kept than is lost, or nothing is to be kept."""
        alone = np.zeros(len(self.off), dtype=bool)
        alone[list(self.unrelated)] = True
        kept = ~(self.lost >= MOST_LOST) & ~self.invented
        return np.asarray(kept & ~alone[:, None] & ~alone[None, :])


def stakes_foreseen(ahead: Predicted) -> Stakes:
    """Foresee what noise takes of two columns that are tied as usual; all of a pair that is not
    counted.

    Half the sum over the values of how far each share is off is the distance of a column, so that
    shares, which sum to 1, are off by twice that part of their size.
    """
    counted = np.isfinite(ahead.pairs)
    lost = np.where(counted, np.minimum(1.0, np.nan_to_num(ahead.pairs) / USUAL), 1.0)
    np.fill_diagonal(lost, np.nan)
    return Stakes(
        off=2 * ahead.single,
        lost=lost,
        counted=counted,
        possible=ahead.possible,
        invented=np.zeros(lost.shape, dtype=bool),
        unrelated=ahead.unrelated,
        smallest=ahead.column_at_most,
    )


def stakes_found(excess: Excess) -> Stakes:
    """Measure what is lost in a released table.

    A relation is seen where independent columns are further off than other real records by more
    than chance moves one pair; where the released table is, and independent columns are not, it
    shows one that is not there.
    """
    visible = max(VISIBLE, excess.chance)
    strength = np.full(excess.apart.shape, np.nan) if excess.strength is None else excess.strength
    seen = strength > visible
    lost = np.full(strength.shape, np.nan)
    lost[seen] = np.clip(excess.apart[seen] / strength[seen], 0.0, 1.0)
    np.fill_diagonal(lost, np.nan)
    invented = ~seen & (excess.apart > visible)
    np.fill_diagonal(invented, val=False)
    return Stakes(
        off=2 * np.maximum(0.0, excess.columns),
        lost=lost,
        counted=None,
        possible=None,
        invented=invented,
        unrelated=excess.unrelated,
        smallest=max(excess.typical_pair, excess.typical_column, 0.0),
        excess=excess,
    )
