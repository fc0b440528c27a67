from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from engine.models.mobility.fitting import map_shares, pooled, shares, smoothed, towards
from tests.engine.models.mobility.town import TOWN

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
    assert np.allclose(pooled(rows, 50.0), [[0.6, 0.4], [0.6, 0.4]])


def test_smoothing_keeps_a_peak_that_noise_cannot_make() -> None:
    row = np.zeros((1, 72))
    row[0, 24] = 1000.0
    assert smoothed(row, 1.0)[0, 24] > 990


def test_a_map_without_noise_is_kept() -> None:
    random = np.random.default_rng(2)
    cells = random.uniform(0, 2000, TOWN.cells)
    zones = np.bincount(TOWN.zone, weights=cells)
    found = map_shares(cells, zones, TOWN.zone, (1e-6, 1e-6))
    assert np.abs(found - cells / cells.sum()).max() < 2e-3


def test_under_much_noise_zones_tell_what_cells_cannot() -> None:
    cells = np.where(TOWN.zone == 3, 100.0, 1.0)
    zones = np.bincount(TOWN.zone, weights=cells)
    noise = np.random.default_rng(3).normal(0, 60, TOWN.cells)
    found = map_shares(cells + noise, zones, TOWN.zone, (60.0, 2.0))
    by_zone = np.bincount(TOWN.zone, weights=found)
    assert abs(by_zone[3] - zones[3] / zones.sum()) < 0.05
