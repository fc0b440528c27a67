from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bdtr, bdtrc

from understudy.assurance.divergence import at_least, at_most, bound_epsilon, epsilon_at_least
from understudy.assurance.random_inputs import Drawing


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([1e-7, 1e-3, 0.2]))
def test_the_bounds_are_those_of_clopper_and_pearson(
    trials: int, share: float, miss: float
) -> None:
    hits = round(share * trials)
    low, high = at_least(hits, trials, miss), at_most(hits, trials, miss)
    assert 0 <= low <= hits / trials <= high <= 1
    if hits:
        assert bdtrc(hits - 1, trials, low) == pytest.approx(miss, rel=1e-6)
    if hits < trials:
        assert bdtr(hits, trials, high) == pytest.approx(miss, rel=1e-6)


def test_no_hits_and_nothing_but_hits() -> None:
    assert at_least(0, 50, 0.01) == 0
    assert at_most(50, 50, 0.01) == 1
    assert at_most(0, 50, 0.01) == pytest.approx(1 - 0.01 ** (1 / 50))


def test_epsilon_from_two_counts() -> None:
    found = epsilon_at_least(5_000, 1_000, 10_000, 0.1, 1e-6)
    assert math.log(0.35 / 0.11) < found < math.log(0.4 / 0.1)
    assert epsilon_at_least(900, 0, 10_000, 0.1, 1e-6) == -math.inf


def sampled(law: np.ndarray, trials: int, draw: Drawing) -> np.ndarray:
    drawn = np.searchsorted(np.cumsum(law), draw.uniforms(2, trials))
    return np.stack([np.bincount(half, minlength=len(law)) for half in drawn])


def test_the_bound_stays_under_the_truth_as_often_as_it_says() -> None:
    """The two-sided claim of randomised response is tight, so a sloppy bound would exceed it."""
    draw, truth, over = Drawing(3), 1.0, 0
    law = np.array([math.e, 1.0]) / (1 + math.e)
    for _ in range(300):
        one, other = sampled(law, 200, draw), sampled(law[::-1], 200, draw)
        over += bound_epsilon(one, other, 0.0, 0.1) > truth
    assert over < 45


def test_the_bound_comes_close_with_many_trials() -> None:
    draw = Drawing(4)
    law = np.array([0.05, 0.15, 0.8])
    other = np.array([0.0, 0.05, 0.95])
    found = bound_epsilon(sampled(law, 200_000, draw), sampled(other, 200_000, draw), 0.06, 1e-6)
    assert 0.9 * math.log(0.14 / 0.05) < found < math.log(0.14 / 0.05)


def test_either_direction_is_found() -> None:
    draw = Drawing(5)
    law, other = np.array([0.01, 0.99]), np.array([0.3, 0.7])
    one, two = sampled(law, 20_000, draw), sampled(other, 20_000, draw)
    assert bound_epsilon(one, two, 0.0, 1e-6) == bound_epsilon(two, one, 0.0, 1e-6) > 2.9


def test_nothing_is_said_of_equal_laws() -> None:
    draw = Drawing(6)
    law = np.array([0.2, 0.8])
    assert bound_epsilon(sampled(law, 5_000, draw), sampled(law, 5_000, draw), 1e-3, 1e-6) == 0
