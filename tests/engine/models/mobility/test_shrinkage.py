from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from understudy.models.mobility.shrinkage import (
    around,
    by_bayes,
    pool_shares,
    shares,
    smooth_counts,
    towards,
)

FLOATS = st.floats(-5, 5, allow_nan=False)


@given(arrays(np.float64, (3, 6), elements=FLOATS))
def test_shares_are_shares(values: np.ndarray) -> None:
    found = shares(values)
    assert (found >= 0).all()
    assert np.allclose(found.sum(axis=1), 1)


def test_shares_are_the_nearest_ones() -> None:
    values = np.array([0.9, 0.4, -0.5, 0.2])
    best = minimize(
        lambda x: float(((x - values) ** 2).sum()),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        tol=1e-12,
    )
    assert np.allclose(shares(values), best.x, atol=1e-5)


def test_what_noise_explains_is_shrunk_away_and_what_it_does_not_is_kept() -> None:
    random = np.random.default_rng(1)
    target = np.full((1, 400), 10.0)
    noise = random.normal(0, 30, (1, 400))
    assert np.abs(towards(target + noise, target, 30.0) - target).max() < 15
    far = target + random.normal(0, 3000, (1, 400))
    assert np.abs(towards(far, target, 30.0) - far).max() < 20


def test_rows_without_signal_are_all_of_them_together() -> None:
    rows = np.array([[60.0, 40.0], [600.0, 400.0]])
    assert np.allclose(pool_shares(rows, 50.0), [[0.6, 0.4], [0.6, 0.4]])


def test_smoothing_keeps_a_peak_that_noise_cannot_make() -> None:
    row = np.zeros((1, 72))
    row[0, 24] = 1000.0
    assert smooth_counts(row, 1.0)[0, 24] > 990


def test_a_count_under_noise_is_its_mean_given_what_is_seen() -> None:
    """By drawing many true counts and their noisy ones: the mean of those seen near a number."""
    random = np.random.default_rng(5)
    true = random.gamma(2.0, 10.0, 400_000)
    seen = true + random.normal(0, np.sqrt(15.0**2 + true))
    some = seen[:4_000]
    told = by_bayes(some, np.full(len(some), 20.0), 15.0)
    for number in (-20.0, 10.0, 40.0):
        near = np.abs(seen - number) < 1.5
        ours = np.interp(number, np.sort(some), np.sort(told))
        assert abs(ours - true[near].mean()) < 1.5


def test_no_count_is_below_nothing() -> None:
    assert (by_bayes(np.array([-50.0, -1.0, 3.0]), np.full(3, 2.0), 10.0) > 0).all()


def test_what_is_expected_is_read_off_the_others_alone() -> None:
    number = np.arange(30.0)
    apart = np.abs(number[:, None] - number)
    counts = np.full(30, 7.0)
    counts[11] = 500.0
    found = around(counts, apart, (1.0, 3.0))
    assert found[11] < found[10]
    assert np.allclose(around(np.full(30, 7.0), apart, (1.0, 3.0)), 7.0)
