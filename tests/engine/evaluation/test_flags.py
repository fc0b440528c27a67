"""Shares of flags by one product, against counting each pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.evaluation.cells import count_flag_pairs, count_flags, pair_shares
from understudy.evaluation.measures.shares import total_variation


@given(st.integers(1, 40), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_shares_of_pairs_are_those_that_are_counted(records: int, columns: int, seed: int) -> None:
    flags = np.random.default_rng(seed).random((records, columns)) < 0.4
    slow = [
        [float(np.mean((flags[:, one] == a) & (flags[:, other] == b))) for a, b in cells]
        for one, other in combinations(range(columns), 2)
        for cells in [((0, 0), (1, 0), (0, 1), (1, 1))]
    ]
    assert count_flag_pairs(flags) == pytest.approx(np.array(slow), abs=1e-12)
    assert count_flags(flags)[:, 1] == pytest.approx(flags.mean(axis=0))


def test_two_tables_are_compared_pair_by_pair() -> None:
    one, other = np.array([[1, 1], [0, 0]], bool), np.array([[1, 0], [0, 1]], bool)
    found = total_variation(pair_shares(count_flag_pairs(one), count_flag_pairs(other)))
    assert found == pytest.approx([1.0])
    assert total_variation(pair_shares(count_flags(one), count_flags(other))) == pytest.approx(
        [0, 0]
    )
