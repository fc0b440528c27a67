from __future__ import annotations

import numpy as np

from tests.engine.models.mobility.town import TOWN
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.law import map_shares


def test_a_map_without_noise_is_kept() -> None:
    random = np.random.default_rng(2)
    cells = random.uniform(0, 2000, TOWN.cells)
    zones = np.bincount(TOWN.zone, weights=cells)
    found = map_shares(cells, zones, TOWN, (1e-6, 1e-6))
    assert np.abs(found - cells / cells.sum()).max() < 4e-3


def test_under_much_noise_zones_tell_what_cells_cannot() -> None:
    cells = np.where(TOWN.zone == 3, 100.0, 1.0)
    zones = np.bincount(TOWN.zone, weights=cells)
    noise = np.random.default_rng(3).normal(0, 60, TOWN.cells)
    found = map_shares(cells + noise, zones, TOWN, (60.0, 2.0))
    by_zone = np.bincount(TOWN.zone, weights=found)
    assert abs(by_zone[3] - zones[3] / zones.sum()) < 0.05


def test_a_map_under_noise_is_nearer_the_truth_than_what_was_counted() -> None:
    where = Geography(rows=12, columns=12, zones=3)
    random = np.random.default_rng(4)
    middle = np.hypot(*(where.middles - 5).T)
    true = 60 * np.exp(-middle / 3) * random.lognormal(0, 0.5, where.cells)
    zones = np.bincount(where.zone, weights=true)
    noisy = true + random.normal(0, 12, where.cells)
    found = map_shares(noisy, zones + random.normal(0, 20, 9), where, (12.0, 20.0))
    plain = np.maximum(noisy, 0)
    error, naive = (np.abs(each / each.sum() - true / true.sum()).sum() for each in (found, plain))
    assert error < 0.8 * naive


def test_zones_finer_than_cells_leave_some_empty() -> None:
    where = Geography(rows=2, columns=3, zones=5)
    found = map_shares(np.arange(6.0), np.ones(25), where, (1.0, 1.0))
    assert np.isfinite(found).all()
    assert np.isclose(found.sum(), 1)
