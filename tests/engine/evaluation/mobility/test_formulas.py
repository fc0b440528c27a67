"""Distances of counts, against what they are defined as."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from understudy.evaluation.mobility.difference import (
    jensen_shannon,
    kendall,
    kolmogorov,
    relative_error,
    shares,
    top_kept,
    variation,
)

rows = st.lists(st.integers(0, 6), min_size=2, max_size=7)


@st.composite
def both(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two rows of counts, each of something."""
    one = draw(rows)
    other = draw(st.lists(st.integers(0, 6), min_size=len(one), max_size=len(one)))
    one[draw(st.integers(0, len(one) - 1))] += 1
    other[draw(st.integers(0, len(one) - 1))] += 1
    return np.array([one], float), np.array([other], float)


@given(both())
def test_distances_are_those_of_their_definitions(sides: tuple[np.ndarray, np.ndarray]) -> None:
    one, other = sides
    p, q = one[0] / one.sum(), other[0] / other.sum()
    events = [
        abs(sum(p[list(which)]) - sum(q[list(which)]))
        for size in range(len(p) + 1)
        for which in combinations(range(len(p)), size)
    ]
    assert variation(one, other)[0] == pytest.approx(max(events))
    below = [abs(p[:end].sum() - q[:end].sum()) for end in range(1, len(p) + 1)]
    assert kolmogorov(one, other)[0] == pytest.approx(max(below))
    m = (p + q) / 2
    told = sum(
        each * math.log2(each / middle) / 2
        for side in (p, q)
        for each, middle in zip(side, m, strict=True)
        if each > 0
    )
    assert jensen_shannon(one, other)[0] == pytest.approx(told, abs=1e-12)
    assert jensen_shannon(one, other)[0] == pytest.approx(jensen_shannon(other, one)[0])


@given(both())
def test_kendall_counts_pairs_of_cells(sides: tuple[np.ndarray, np.ndarray]) -> None:
    one, other = sides
    alike = sum(
        np.sign(one[0, a] - one[0, b]) * np.sign(other[0, a] - other[0, b])
        for a, b in combinations(range(one.shape[1]), 2)
    )
    found = kendall(one, other)[0]
    assert found == pytest.approx(alike / math.comb(one.shape[1], 2))
    if len(set(one[0])) == len(set(other[0])) == one.shape[1]:
        assert found == pytest.approx(stats.kendalltau(one[0], other[0]).statistic)


@given(both(), st.integers(1, 9))
def test_the_top_is_kept_where_it_is_found_again(
    sides: tuple[np.ndarray, np.ndarray], top: int
) -> None:
    one, other = sides
    size = min(top, one.shape[1])
    best = [
        set(sorted(range(one.shape[1]), key=lambda at: (-side[0, at], at))[:size])
        for side in (one, other)
    ]
    assert top_kept(top)(one, other)[0] == pytest.approx(len(best[0] & best[1]) / size)


def test_the_relative_error_has_a_floor() -> None:
    """Of 100 days 30 and 0 against 20 and 0 of 200; of 50 days, where the floor is a tenth."""
    error = relative_error(0.1)
    one, other = np.array([[30.0, 0, 100]]), np.array([[20.0, 10, 200]])
    assert error(one, other)[0] == pytest.approx(((0.3 - 0.1) / 0.1 + 0.05 / 0.1) / 2)
    assert error(other, other)[0] == 0


def test_nothing_has_no_shares() -> None:
    assert shares(np.array([[0.0, 0], [1, 3]])).tolist() == [[0, 0], [0.25, 0.75]]
    assert variation(np.zeros((1, 2)), np.array([[1.0, 0]]))[0] == 0.5
