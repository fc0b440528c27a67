"""Tables of whole numbers with given sums, against every table there is."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.rounded_tables import (
    find_any,
    find_surplus,
    round_table,
    scale_table,
)

SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 2))


@st.composite
def tables(draw: st.DrawFn, most: int = 9) -> np.ndarray:
    """A table of small whole numbers, not all 0."""
    rows, columns = draw(SHAPES)
    entries = draw(st.lists(st.integers(0, most), min_size=rows * columns, max_size=rows * columns))
    entries[0] += not any(entries)
    return np.array(entries, dtype=np.int64).reshape(rows, columns)


@given(tables(), st.integers(1, 60))
def test_scaled_entries_and_sums_are_rounded_up_or_down(table: np.ndarray, whole: int) -> None:
    found, factor = scale_table(table, whole), whole / table.sum()
    assert found.sum() == whole
    assert (np.abs(found - table * factor) < 1).all()
    for axis in (0, 1):
        assert (np.abs(found.sum(axis=axis) - table.sum(axis=axis) * factor) < 1).all()
    assert not found[table == 0].any()
    assert whole != table.sum() or (found == table).all()


@given(tables(), st.integers(0, 2**32))
def test_rounded_tables_have_the_sums_where_they_may(table: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    allowed = (table > 0) | (rng.random(table.shape) < 0.3)
    shares = rng.random(table.shape) * (rng.random(table.shape) < 0.8)
    found = round_table(shares, allowed, table.sum(axis=1), table.sum(axis=0))
    assert found is not None
    assert (found.sum(axis=1) == table.sum(axis=1)).all()
    assert (found.sum(axis=0) == table.sum(axis=0)).all()
    assert (found >= 0).all()
    assert not found[~allowed].any()


def test_shares_that_have_the_sums_are_rounded_up_or_down() -> None:
    shares = np.array([[0.4, 1.6], [1.6, 2.4]])
    found = round_table(shares, np.ones((2, 2), dtype=bool), np.array([2, 4]), np.array([2, 4]))
    assert found is not None
    assert (np.abs(found - shares) < 1).all()


@given(tables(most=2), st.integers(0, 2**32))
def test_sums_that_no_table_has_are_told_by_rows_that_have_too_much(
    table: np.ndarray, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    allowed = rng.random(table.shape) < 0.6
    rows = rng.permutation(table.sum(axis=1))
    columns = rng.permutation(table.sum(axis=0))
    most = int(table.max()) * table.size
    every = product(
        *(range(min(most, rows[r]) + 1) if a else (0,) for (r, _), a in np.ndenumerate(allowed))
    )
    some = any(
        (np.reshape(each, table.shape).sum(axis=1) == rows).all()
        and (np.reshape(each, table.shape).sum(axis=0) == columns).all()
        for each in every
    )
    assert (find_any(allowed, rows, columns) is not None) is some
    if not some:
        having, beside = find_surplus(allowed, rows, columns)
        assert rows[having].sum() > columns[beside].sum()
        assert set(np.flatnonzero(allowed[having].any(axis=0))) == set(beside.tolist())
