"""Tables of whole numbers whose rows and columns add up to given totals (controlled rounding).

A table of two dimensions can always be rounded such that each entry, each row and each column is
rounded up or down, and what was whole stays as it is (Cox 1987): a flow from rows to columns whose
bounds are whole has a whole solution. Of three dimensions that is not so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

from understudy.core.arrays import BoolArray, FloatArray, IntArray

_SWEEPS: Final = 200
_HALVINGS: Final = 4
_ANY: Final = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class EntryBounds:
    """What entries of a table, or its sums, may be: no less and no more."""

    low: IntArray
    high: IntArray

    @classmethod
    def exactly(cls, values: IntArray) -> EntryBounds:
        """Return the bounds that leave nothing else."""
        return cls(values, values)

    @classmethod
    def around(cls, values: IntArray, factor: int, divisor: int) -> EntryBounds:
        """Return the whole numbers around values · factor / divisor."""
        low = values * factor // divisor
        return cls(low, low + (values * factor % divisor > 0))


def find_table(entries: EntryBounds, rows: EntryBounds, columns: EntryBounds) -> IntArray | None:
    """Return a table of whole numbers within bounds; None if there is none.

    Args:
        entries: of each entry, (r, c).
        rows: of the sum of each row, (r,).
        columns: of the sum of each column, (c,).
    """
    base = entries.low
    over_rows, over_columns = base.sum(axis=1), base.sum(axis=0)
    row_low, row_high = np.maximum(rows.low - over_rows, 0), rows.high - over_rows
    low, high = np.maximum(columns.low - over_columns, 0), columns.high - over_columns
    if min(row_high.min(), high.min()) < 0:
        return None
    needed = int(row_low.sum() + low.sum())
    if not needed:
        return base
    r, c = base.shape
    start, end, source, sink = r + c, r + c + 1, r + c + 2, r + c + 3
    some, other = np.nonzero(entries.high > base)
    edges = (
        (some, r + other, (entries.high - base)[some, other]),
        (start, np.arange(r), row_high - row_low),
        (source, np.arange(r), row_low),
        (r + np.arange(c), end, high - low),
        (r + np.arange(c), sink, low),
        (start, sink, row_low.sum()),
        (source, end, low.sum()),
        (end, start, _ANY),
    )
    sent, more = _send(edges, source, sink, base.shape)
    return base + more if sent == needed else None


Edges = tuple[tuple[IntArray | int, IntArray | int, IntArray | int], ...]
"""Tails, heads and capacities. The first nodes are the rows of a table, and then come its
columns."""


def _send(edges: Edges, source: int, sink: int, shape: tuple[int, int]) -> tuple[int, IntArray]:
    """Return how much the greatest flow sends, and (r, c) what of it goes from rows to columns."""
    r, c = shape
    parts = [np.broadcast_arrays(*edge) for edge in edges]
    tails, heads, room = (np.concatenate([np.atleast_1d(p[k]) for p in parts]) for k in range(3))
    nodes = int(max(heads.max(), tails.max(), source, sink)) + 1
    graph = coo_array((np.minimum(room, _ANY).astype(np.int32), (tails, heads)), (nodes, nodes))
    found = maximum_flow(csr_array(graph), source, sink)
    flow = found.flow.tocoo()
    inside = (flow.row < r) & (flow.col >= r) & (flow.col < r + c) & (flow.data > 0)
    table = np.zeros(shape, dtype=np.int64)
    table[flow.row[inside], flow.col[inside] - r] = flow.data[inside]
    return int(found.flow_value), table


def round_table(
    shares: FloatArray, allowed: BoolArray, rows: IntArray, columns: IntArray
) -> IntArray | None:
    """Return whole numbers with these sums, near the table in proportion to shares that has them;
    None if there are none with entries only where they are allowed.

    Args:
        shares: (r, c) from 0 on.
        allowed: (r, c) which entries may be above 0.
        rows, columns: the sums.
    """
    fitted = _fit_sums(np.where(allowed, shares, 0.0), rows, columns)
    low = np.floor(fitted + 1e-9).astype(np.int64)
    exact = EntryBounds.exactly(rows), EntryBounds.exactly(columns)
    found = find_table(EntryBounds(low, low + allowed), *exact)
    for halving in range(_HALVINGS):
        if found is not None:
            return found
        # Shares that cannot have these sums are followed as far as they can be.
        some = low // 2 ** (halving + 1)
        found = find_table(EntryBounds(some, np.where(allowed, _ANY, 0)), *exact)
    return found if found is not None else find_any(allowed, rows, columns)


def find_any(allowed: BoolArray, rows: IntArray, columns: IntArray) -> IntArray | None:
    """Return some whole numbers with these sums, only where entries are allowed; None if there are
    none."""
    nothing = np.zeros(allowed.shape, dtype=np.int64)
    entries = EntryBounds(nothing, np.where(allowed, _ANY, 0))
    return find_table(entries, EntryBounds.exactly(rows), EntryBounds.exactly(columns))


def scale_table(table: IntArray, whole: int) -> IntArray:
    """Return a table of whole numbers that add up to another whole: each entry and each sum is in
    proportion, rounded up or down."""
    total = int(table.sum())
    if whole == total:
        return table
    entries = EntryBounds.around(table, whole, total)
    rows, columns = (EntryBounds.around(table.sum(axis=axis), whole, total) for axis in (1, 0))
    # A row and a column more take what sums are rounded by, so that all sums are known (Cox).
    r, c = table.shape
    low, high = np.zeros((2, r + 1, c + 1), dtype=np.int64)
    low[:r, :c], high[:r, :c] = entries.low, entries.high
    high[:r, c], high[r, :c] = rows.high - rows.low, columns.high - columns.low
    found = find_table(
        EntryBounds(low, high),
        EntryBounds.exactly(np.append(rows.high, columns.high.sum() - whole)),
        EntryBounds.exactly(np.append(columns.high, rows.high.sum() - whole)),
    )
    assert found is not None, "a table of two dimensions can be rounded"
    return found[:r, :c]


def _fit_sums(shares: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """Return shares times factors of rows and columns such that sums come near (raking)."""
    found = shares.copy()
    for _ in range(_SWEEPS):
        for axis, wanted in ((0, columns), (1, rows)):
            now = found.sum(axis=axis)
            factors = np.divide(wanted, now, out=np.zeros(len(now)), where=now > 0)
            found *= np.expand_dims(factors, axis)
        if np.abs(found.sum(axis=0) - columns).max(initial=0.0) < 1e-6:
            break
    return found


def find_surplus(
    allowed: BoolArray, rows: IntArray, columns: IntArray
) -> tuple[IntArray, IntArray]:
    """Return rows that together have more than all columns that they may be in, and these columns,
    where no table has these sums (Hall 1935)."""
    r, c = allowed.shape
    start, end = r + c, r + c + 1
    some, other = np.nonzero(allowed)
    edges = (
        (some, r + other, _ANY),
        (start, np.arange(r), rows),
        (r + np.arange(c), end, columns),
    )
    _, sent = _send(edges, start, end, (r, c))
    reached = sent.sum(axis=1) < rows
    while True:
        beside = allowed[reached].any(axis=0)
        more = reached | (sent[:, beside] > 0).any(axis=1)
        if (more == reached).all():
            return np.flatnonzero(reached), np.flatnonzero(beside)
        reached = more
