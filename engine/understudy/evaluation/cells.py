"""Relative frequencies of two tables in the cells of some columns, with and without each block.

A cell is one combination of values of the columns. Only cells that occur in either table are
held, so that what a pair of columns costs depends on the records and not on its domain. Tables of
flags are counted by one product of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.table.records import Records

_DENSE = 16
"""Up to this many possible cells per record are counted in an array; more are sorted first."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Two tables of one schema, their records assigned to blocks. Confidential.

    Attributes:
        sizes: (m,) the cardinalities of the columns.
        codes: (m, n + h) the codes, a column a row: the n records of the table, then the h
            held-out ones.
        ours: n.
        block: (n + h,) the block of each record, below `blocks`.
        blocks: how many blocks there are; 0 where nothing is to be left out.
        weight: (n + h,) how much each record counts; None where all count alike.
    """

    sizes: tuple[int, ...]
    codes: IntArray
    ours: int
    block: IntArray
    blocks: int
    weight: FloatArray | None = None

    @classmethod
    def of(
        cls,
        table: Records,
        held_out: Records,
        dealt: tuple[IntArray, IntArray] | None = None,
    ) -> Sides:
        """Put them side by side; neither may be empty.

        Args:
            table: n records.
            held_out: h records.
            dealt: (n,) and (h,) the block of each record, as of `intervals.deal`; every block
                has records of both, and there are at least two.
        """
        codes = np.concatenate([table.codes, held_out.codes]).T.astype(np.int64)
        if dealt is None:
            block, blocks = np.zeros(codes.shape[1], dtype=np.int64), 0
        else:
            block = np.concatenate(dealt)
            blocks = int(block.max()) + 1
        sizes = tuple(int(size) for size in table.schema.cardinalities)
        return cls(sizes, np.ascontiguousarray(codes), len(table), block, blocks)

    def shares(self, columns: Sequence[int]) -> CellShares:
        """Return what share of either table is in each cell of the columns that occurs in one."""
        cell, occupied = self._cells(columns)
        domain = math.prod(self.sizes[column] for column in columns)
        ours, theirs = slice(None, self.ours), slice(self.ours, None)
        return CellShares(
            self._by_block(cell, ours, occupied), self._by_block(cell, theirs, occupied), domain
        )

    def _cells(self, columns: Iterable[int]) -> tuple[IntArray, int]:
        """Return (n + h,) the cell of each record, numbered without gaps, and how many cells
        occur."""
        cell, cells = np.zeros(self.codes.shape[1], dtype=np.int64), 1
        for column in columns:
            if cells * self.sizes[column] > np.iinfo(np.int64).max:
                cell, cells = renumber_cells(cell, cells)
            cell = cell * self.sizes[column] + self.codes[column]
            cells *= self.sizes[column]
        return renumber_cells(cell, cells)

    def _by_block(self, cell: IntArray, some: slice, cells: int) -> FloatArray:
        """Return (1 + blocks, cells) the shares of some records in each cell; none where they
        weigh nothing."""
        cell, block = cell[some], self.block[some]
        weight = None if self.weight is None else self.weight[some]
        whole = np.bincount(cell, weight, minlength=cells)
        left = whole[None].astype(np.float64)
        if self.blocks:
            counts = np.bincount(block * cells + cell, weight, minlength=self.blocks * cells)
            left = np.concatenate([left, whole - counts.reshape(self.blocks, cells)])
        totals = left.sum(axis=1, keepdims=True)
        shares: FloatArray = np.divide(left, totals, out=np.zeros_like(left), where=totals > 0)
        return shares


@dataclass(frozen=True, eq=False)
class CellShares:
    """Shares of two tables in the cells that occur in one of them. Confidential.

    Attributes:
        table: (1 + blocks, cells) of the table; first of all its records, then without each
            block. Every row sums to 1.
        held_out: (1 + blocks, cells) of the held-out records.
        domain: how many cells the schema allows, whether they occur or not.
    """

    table: FloatArray
    held_out: FloatArray
    domain: int


def renumber_cells(cell: IntArray, cells: int) -> tuple[IntArray, int]:
    """Cell numbers below `cells` in the same order from 0 on without gaps, and how many occur."""
    if cells > _DENSE * len(cell):
        occurring, number = np.unique(cell, return_inverse=True)
        return number.astype(np.int64), len(occurring)
    occurs = np.zeros(cells, dtype=bool)
    occurs[cell] = True
    number = np.cumsum(occurs) - 1
    return number[cell], int(number[-1]) + 1


# Tables of flags, columns of two values each: the shares of all columns and of all pairs, by one
# product of matrices.


def share_flags(flags: BoolArray) -> FloatArray:
    """Return (m, 2) the share of records in which each of m flags is down, and up."""
    up = flags.mean(axis=0)
    return np.column_stack([1 - up, up])


def count_flag_pairs(flags: BoolArray) -> FloatArray:
    """Return (m(m − 1)/2, 4) the share of records in each cell of each two flags: neither, the
    first alone, the second alone, both; pairs row by row above the diagonal."""
    # Counts under 2^24 are exact as they are.
    up = flags.astype("f4" if len(flags) < 1 << 24 else "f8")
    both: FloatArray = (up.T @ up).astype(np.float64) / len(flags)
    first, second = np.triu_indices(flags.shape[1], 1)
    one, other, two = np.diagonal(both)[first], np.diagonal(both)[second], both[first, second]
    return np.column_stack([1 - one - other + two, one - two, other - two, two]).clip(0.0)


def pair_shares(table: FloatArray, held_out: FloatArray) -> CellShares:
    """Return shares of two tables, as formulas of divergence take them: (sets, cells) of each."""
    return CellShares(table, held_out, table.shape[1])
