"""How much further off than other real records a table is: the one measure of its quality.

Two samples of real records differ too, by chance. What a synthetic table differs by beyond that is
its excess, as total variation (0 to 1): in so large a share of records more can a statement about a
column, or a pair of columns, be wrong than it would be of other real records. Internal.

It is not foreseen: how much of the noise a model evens out, and how much of what it does not count
there was to lose, is a matter of the records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.evaluation.comparison import Compared
from understudy.evaluation.study import MARGINALS, REALS, RELEASED

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
    chance = by_chance(min(each.records for each in compared if each.name in (RELEASED, REALS)))
    lost = () if strength is None else _lost(released - real, strength, max(VISIBLE, chance))
    return Excess(released - real, real, lost, chance, strength)


def by_chance(records: int) -> float:
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
    return by_chance(records) * min(1.0, math.sqrt(math.pi / 2 / max(1, columns // 2)))


_NORMAL: Final = 1.96


def _lost(apart: FloatArray, strength: FloatArray, visible: float) -> Places:
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
