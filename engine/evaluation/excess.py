"""How much further off than other real records a table is: the one measure of its quality.

Two samples of real records differ too, by chance. What a synthetic table differs by beyond that is
its excess, as total variation (0 to 1): in so large a share of records more can a statement about a
column, or a pair of columns, be wrong than it would be of other real records. It is foreseen from
public numbers before anything is spent, and found in the finished table afterwards, in the same
terms. What is found is internal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.evaluation.comparison import Compared
from engine.evaluation.study import MARGINALS, REALS, RELEASED
from engine.models.predicted import Predicted, usual_chance
from engine.table.schema import Schema

LOOKED_AT: Final = 10_000
"""The most records of a table that a run measures as it ends."""

Reals = npt.NDArray[np.float64]
Places = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Excess:
    """How much further off than other real records every column and every pair is.

    Attributes:
        apart: (m, m) the excess of each pair, symmetric, that of each column on the diagonal;
            what is found is below 0 where chance brought the table nearer.
        real: (m, m) what other real records are off by, likewise.
        unrelated: the columns whose relations are lost, all of them.
        found: whether it was measured, and is internal; otherwise it is foreseen from public
            numbers.
        chance: by how much chance moves each of `apart` either way, in 95 of 100 cases, at most.
    """

    apart: Reals
    real: Reals
    unrelated: Places
    found: bool
    chance: float = 0.0

    @property
    def columns(self) -> Reals:
        """(m,) of each column by itself."""
        return np.diagonal(self.apart).copy()

    @property
    def pairs(self) -> Reals:
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
        """Every column with its excess, the worst first."""
        return _worst_first(((place,), each) for place, each in enumerate(self.columns.tolist()))

    def worst_pairs(self) -> list[tuple[Places, float]]:
        """Every pair, the smaller index first, with its excess, the worst first."""
        pairs = combinations(range(len(self.apart)), 2)
        return _worst_first(zip(pairs, self.pairs.tolist(), strict=True))


def foreseen(
    predicted: Predicted, schema: Schema, rows: int, held_out: float, learned: float
) -> Excess:
    """The excess that noise and chance alone will make.

    A table differs from held-out records by the noise in its model, by chance in the records that
    the model was learned from, in its own rows and in the held-out ones; other real records by the
    last two. All are independent, so squares add up. Of R rows that vary by a share κ of what
    chance does to rows drawn one by one, r are looked at: 1/r − (1 − κ²)/R stands for 1/r. A pair
    of which nothing is counted is taken to be off by what two columns usually have to do with each
    other. Below 0 where rows are so even that they come nearer than other real records.

    Args:
        predicted: how far off noise will put the model's columns and pairs.
        schema: of the table.
        rows: how many records are made.
        held_out: how many real records they are held against.
        learned: how many its model is learned from.
    """
    sizes = schema.cardinalities
    looked = min(rows, LOOKED_AT)
    real = np.hypot(usual_chance(sizes, looked), usual_chance(sizes, held_out))
    real = np.minimum(1.0, real)
    evened = 0.0 if predicted.even is None else 1 - predicted.even**2
    of_real = 1 / looked + 1 / held_out
    chance = (of_real + 1 / learned - evened / rows) / of_real
    apart = np.minimum(1.0, np.sqrt(predicted.filled**2 + chance * real**2)) - real
    return Excess(apart, real, predicted.unrelated, found=False)


def excess_of_release(compared: Sequence[Compared]) -> Excess | None:
    """The excess of the released table. Internal.

    Args:
        compared: the tables beside held-out records, as of `latest`.

    Returns:
        None where there is no released table, or no other real records to hold it against.
    """
    by_name = {each.name: each.distances.pairs for each in compared}
    if RELEASED not in by_name or REALS not in by_name:
        return None
    released, real = by_name[RELEASED], by_name[REALS]
    lost = _lost(released, real, by_name[MARGINALS]) if MARGINALS in by_name else ()
    records = min(each.records for each in compared if each.name in (RELEASED, REALS))
    return Excess(released - real, real, lost, found=True, chance=by_chance(records))


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
    """By how much the difference of two tables in a typical column or pair moves either way by
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
_VISIBLE: Final = 0.01
"""The least excess of the marginals in a pair by which a relation is seen."""
_KEPT: Final = 0.2
"""The share of its relations up to which a column is said to have lost them all."""


def _lost(released: Reals, real: Reals, marginals: Reals) -> Places:
    """The columns of whose visible relations next to nothing was kept: a table that ignores all of
    them is hardly further off."""
    size = len(real)
    without = np.where(np.eye(size, dtype=bool), 0.0, marginals - real)
    seen = without > _VISIBLE
    missed = np.where(seen, np.clip(released - real, 0.0, without), 0.0).sum(axis=1)
    there = np.where(seen, without, 0.0).sum(axis=1)
    alone = (there > 0) & (missed >= (1 - _KEPT) * there)
    return tuple(np.flatnonzero(alone).tolist())


def _worst_first(excess: Iterator[tuple[Places, float]]) -> list[tuple[Places, float]]:
    return sorted(excess, key=lambda each: -each[1])
