"""What fakes keep and give away, against the printed baselines and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from understudy.studies.traces.fakes import measures
from understudy.studies.traces.fakes.measures import (
    measure_naming,
    only_one,
    presence,
    semantic_likeness,
    shows_own,
)
from understudy.studies.traces.fakes.profiles import Aggregate, geographic, profile


def test_the_printed_baselines_of_table_7_1_come_out() -> None:
    """Of 2,160 visits of 400 locations with an entropy of 4.800 nats and a top share of .0534."""
    ranks = np.arange(399) / 399

    def shares(slope: float) -> np.ndarray:
        rest = np.exp(-slope * ranks)
        return np.concatenate([[0.0534], 0.9466 * rest / rest.sum()])

    def entropy(slope: float) -> float:
        each = shares(slope)
        return float(-(each * np.log(each)).sum())

    real = 2160 * shares(brentq(lambda slope: entropy(slope) - 4.8, 0.1, 60))
    single = np.zeros(400)
    single[0] = 2160
    assert measures.sorted_divergence(real, np.full(400, 5.4)) == pytest.approx(1.191, abs=0.001)
    assert measures.sorted_divergence(real, single) == pytest.approx(4.666, abs=0.001)


def test_errors_and_coverage_by_hand() -> None:
    one, other = np.array([8.0, 2, 0, 0]), np.array([4.0, 4, 2, 0])
    assert measures.relative_error(one, other) == pytest.approx((0.5 + 1 + 2 / 0.01) / 4)
    assert measures.sorted_divergence(one, one[::-1]) == 0 < measures.divergence(one, one[::-1])
    np.testing.assert_allclose(measures.coverage(one, one, other, 2), [0.5, 0.8])
    np.testing.assert_allclose(measures.top(one, 2), [0.8, 0.2])
    traces = np.array([[1, 1, 1, 2], [3, 3, 3, 3]])
    np.testing.assert_allclose(measures.top_shares(traces), [[0.75, 0.25, 0], [1, 0, 0]])
    assert measures.top_divergences(traces, traces) == pytest.approx([0, 0, 0])


def test_tops_in_common_by_hand() -> None:
    first, other = np.array([9.0, 8, 7, 0, 0]), np.array([1.0, 9, 0, 8, 2])
    # Its tops are 0, 1, 2; the other's 1, 3, 4, 0.
    assert measures.in_common(first, other, 4).tolist() == [0, 1, 1, 3]
    assert measures.in_common(first, first, 3).tolist() == [1, 2, 3]
    shares = measures.relative(np.array([1.0, 1, 2]), np.array([0.0, 2, 1]))
    assert np.isnan(shares[0])
    assert shares[1:].tolist() == [0.5, 1]


def test_tops_in_common_by_chance() -> None:
    random, n = np.random.default_rng(1), 5
    first = np.arange(12.0)[::-1]
    drawn = [measures.in_common(first, random.permutation(first), n) for _ in range(4_000)]
    assert measures.in_common_by_chance(12, n) == pytest.approx(np.mean(drawn, axis=0), abs=0.06)
    assert measures.in_common_by_chance(2, 4).tolist() == [0.5, 2, 2, 2]


def test_aggregates_are_alike_in_what_both_have() -> None:
    one = Aggregate(np.array([0.5, 0.5]), np.eye(2))
    other = Aggregate(np.array([1.0, 0.0]), np.full((2, 2), 0.5))
    assert measures.alike(one, one) == (1, 1)
    assert measures.alike(one, other) == (0.5, 0.5)


def test_a_cell_of_one_person_proves_them() -> None:
    seeds = np.array([[0, 1], [0, 2], [0, 0]])
    assert only_one(seeds, 4).tolist() == [False, True, True, False]
    found = presence(seeds, np.array([[1, 0], [0, 0]]), 4)
    assert (found.shown, found.have, found.proven) == (0.25, 2 / 3, 0.5)
    assert shows_own(seeds[1:], np.array([[0, 1]]), seeds[0])
    assert not shows_own(seeds[1:], np.array([[0, 2]]), seeds[0])


def test_one_who_walks_as_a_person_is_named_after_them() -> None:
    seeds = np.array([[0] * 36 + [1] * 36, [2] * 30 + [3] * 42])
    people = [profile(each[None]) for each in seeds]
    assert measure_naming(people, seeds[:, None], geographic) == 1
    assert measure_naming(people, seeds[::-1, None], geographic) == 0
    assert measure_naming(people, seeds[:, None] + 10, semantic_likeness) == 1
    assert measure_naming(people, seeds[:, None] + 10, geographic) == 0.5
