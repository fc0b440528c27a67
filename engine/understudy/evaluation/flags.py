"""Tables of flags, columns of two values each: the shares of all columns and of all pairs, by one
product of matrices."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray
from understudy.evaluation.cells import Shares


def singles(flags: BoolArray) -> FloatArray:
    """(m, 2) the share of records in which each of m flags is down, and up."""
    up = flags.mean(axis=0)
    return np.column_stack([1 - up, up])


def pairs(flags: BoolArray) -> FloatArray:
    """(m(m − 1)/2, 4) the share of records in each cell of each two flags: neither, the first
    alone, the second alone, both; pairs row by row above the diagonal."""
    # Counts under 2^24 are exact as they are.
    up = flags.astype("f4" if len(flags) < 1 << 24 else "f8")
    both: FloatArray = (up.T @ up).astype(np.float64) / len(flags)
    first, second = np.triu_indices(flags.shape[1], 1)
    one, other, two = np.diagonal(both)[first], np.diagonal(both)[second], both[first, second]
    return np.column_stack([1 - one - other + two, one - two, other - two, two]).clip(0.0)


def side_by_side(table: FloatArray, held_out: FloatArray) -> Shares:
    """Shares of two tables, as formulas of divergence take them: (sets, cells) of each."""
    return Shares(table, held_out, table.shape[1])
