"""Buckets suggested for a range of numbers: about ten, none with one value alone."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.authoring.number_ranges import usual_buckets
from understudy.table.buckets import assign
from understudy.table.grid import Grid


@pytest.mark.parametrize(
    ("most", "step", "sizes"),
    [
        (100, 1, [10] * 9 + [11]),
        (50, 1, [5] * 9 + [6]),
        (99, 1, [10] * 10),
        (200, 2, [10] * 9 + [11]),
    ],
)
def test_no_bucket_is_left_with_one_value(most, step, sizes):
    grid = Grid(minimum=Decimal(0), maximum=Decimal(most), step=Decimal(step))
    buckets = assign(grid, usual_buckets(grid)).buckets
    assert np.bincount(buckets).tolist() == sizes


@given(st.integers(21, 2000))
def test_buckets_are_about_ten(size):
    grid = Grid(minimum=Decimal(0), maximum=Decimal(size - 1))
    counts = np.bincount(assign(grid, usual_buckets(grid)).buckets)
    assert 4 <= len(counts) <= 11
    assert counts.min() > 1
