from __future__ import annotations

import numpy as np

from tests.engine.models.mobility.town import TOWN
from understudy.models.mobility.geography import BINS, Geography


def test_distances_are_between_the_middles_of_cells() -> None:
    assert TOWN.apart[0, 1] == 2.0
    assert TOWN.apart[0, 4] == 1.0
    assert TOWN.apart[0, 11] == np.hypot(2, 6)
    assert (TOWN.apart == TOWN.apart.T).all()


def test_each_cell_is_in_the_zone_of_its_quarter() -> None:
    assert TOWN.zone.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3]


def test_zones_that_are_finer_than_cells_hold_one_each() -> None:
    fine = Geography(rows=2, columns=2, zones=2)
    assert sorted(fine.zone.tolist()) == [0, 1, 2, 3]


def test_distances_fall_into_all_bins_but_none_beyond() -> None:
    city = Geography(rows=20, columns=20)
    assert (city.bin.diagonal() == 0).all()
    assert (city.bin[~np.eye(400, dtype=bool)] > 0).all()
    assert city.bin.max() == BINS - 1
    order = np.argsort(city.apart.ravel())
    assert (np.diff(city.bin.ravel()[order]) >= 0).all()


def test_what_lies_between_is_on_a_straight_line() -> None:
    city = Geography(rows=20, columns=20)
    first, last = np.array([0]), np.array([4 * 20 + 8])
    assert city.between(first, last, np.array([0.0])).tolist() == [0]
    assert city.between(first, last, np.array([0.5])).tolist() == [2 * 20 + 4]
    assert city.between(first, last, np.array([1.0])).tolist() == [4 * 20 + 8]
