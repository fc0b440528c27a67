"""Intervals hold what they are about as often as they say."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.acceptance.intervals import beyond, explains, interval
from understudy.acceptance.measurement import FINENESS
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

CASES = {
    "share": ((300, 1700), (10.0, 10.0), 0.15, False),
    "rare": ((4, 1996), (10.0, 10.0), 0.002, False),
    "mean": ((5_300, 10_500), (63.0, 63.0), 53 / 158, False),
    "distance": ((1613, 1000), (2 * FINENESS / 0.2, 10.0), 0.1008, True),
}
"""The true numbers, the scales of their noise, the true value, and whether it is a distance."""


@given(
    st.floats(0.1, 9.0),
    st.tuples(st.floats(0.0, 1.0), st.floats(0.01, 3.0)),
    st.tuples(st.floats(0.2, 3.0), st.floats(0.2, 3.0)),
)
def test_the_law_of_two_noises_is_that_of_their_outcomes(
    away: float, weights: tuple[float, float], scales: tuple[float, float]
) -> None:
    reach = np.arange(-150, 151)
    laws = []
    for scale in scales:
        law = np.exp(-np.abs(reach) / scale)
        laws.append(law / law.sum())
    apart = np.abs(weights[0] * reach[:, None] - weights[1] * reach)
    oracle = [float(np.outer(*laws)[apart >= at].sum()) for at in (away - 1e-6, away + 1e-6)]
    found = beyond(away, weights, scales)
    assert oracle[1] - 1e-9 <= found <= oracle[0] + 1e-9


def test_a_wide_law_is_computed_on_a_coarser_lattice_and_stays_what_it_is() -> None:
    for away in (100.0, 700.0, 2000.0):
        exact = 2 * math.exp(-math.ceil(away) / 500) / (1 + math.exp(-1 / 500))
        assert beyond(away, (1.0, 0.0), (500.0, 1.0)) == pytest.approx(exact, rel=0.01)


def _noisy(name: str, times: int) -> list[tuple[int, int]]:
    numbers, scales, *_ = CASES[name]
    noise = Noise(RandomSource.fixed(2026))
    drawn = [
        noise.integers(np.full(times, number, dtype=np.int64), scale)
        for number, scale in zip(numbers, scales, strict=True)
    ]
    return list(zip(*(each.tolist() for each in drawn), strict=True))


@pytest.mark.parametrize("name", ["share", "mean", "distance"])
def test_the_true_value_is_explained_as_often_as_is_said(name: str) -> None:
    _, scales, true, distance = CASES[name]
    held = [explains(true, each, scales, 0.95, distance=distance) for each in _noisy(name, 1000)]
    # Two standard deviations of a share of 1,000 are 1.4 of 100; the noise here is a fixed one.
    assert np.mean(held) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("name", CASES)
def test_an_interval_is_made_of_all_values_that_are_explained(name: str) -> None:
    _, scales, true, distance = CASES[name]
    for numbers in _noisy(name, 6):
        found = interval(numbers, scales, 0.95, distance=distance)
        assert 0 <= found.low <= found.estimate <= found.high <= 1
        for value, inside in product(np.linspace(0, 1, 41).tolist(), [True]):
            if explains(value, numbers, scales, 0.95, distance=distance) is inside:
                assert found.low <= value <= found.high
        if explains(true, numbers, scales, 0.95, distance=distance):
            assert found.low <= true <= found.high
        for edge in (found.low, found.high):
            if 0 < edge < 1:
                beyond_it = edge + (1e-6 if edge == found.high else -1e-6)
                assert not explains(beyond_it, numbers, scales, 0.95, distance=distance)


@pytest.mark.thorough("test_the_true_value_is_explained_as_often_as_is_said")
@pytest.mark.parametrize("name", CASES)
def test_a_thousand_intervals_hold_the_true_value_as_often_as_they_say(name: str) -> None:
    _, scales, true, distance = CASES[name]
    held = 0
    for numbers in _noisy(name, 1000):
        found = interval(numbers, scales, 0.95, distance=distance)
        held += found.low <= true <= found.high
    assert held / 1000 >= 0.94
    if name != "rare":
        # Near 0 a count below 0 counts as 0, which is on the safe side.
        assert held / 1000 <= 0.96


def test_nothing_is_known_where_there_is_nothing_but_noise() -> None:
    found = interval((-5, -3), (10.0, 10.0), 0.95)
    assert (found.low, found.high) == (0.0, 1.0)
