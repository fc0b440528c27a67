"""Cells taken together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.mobility.town import TOWN
from understudy.models.mobility.geography import (
    BINS,
    Geography,
    block_names,
    block_numbers,
    take_together,
)


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


MAPS = st.builds(
    Geography,
    rows=st.integers(1, 12),
    columns=st.integers(1, 12),
    cell_km=st.just((0.5, 2.0)),
    zones=st.integers(1, 6),
)


@given(fine=MAPS, by=st.integers(1, 14))
def test_every_cell_is_in_the_block_that_its_row_and_column_say(fine: Geography, by: int) -> None:
    coarse, found, called = take_together(fine, by), block_numbers(fine, by), block_names(fine, by)
    assert len(called) == len(set(called)) == coarse.cells
    assert found[-1] == coarse.cells
    for cell in range(fine.cells):
        row, column = divmod(cell, fine.columns)
        assert divmod(int(found[cell]), coarse.columns) == (row // by, column // by)
        rows, columns = called[found[cell]][1:].split("c")
        assert int(rows.split("-")[0]) <= row + 1 <= int(rows.split("-")[1])
        assert int(columns.split("-")[0]) <= column + 1 <= int(columns.split("-")[1])


@given(fine=MAPS, by=st.integers(1, 14))
def test_a_block_lies_around_its_cells(fine: Geography, by: int) -> None:
    coarse, found = take_together(fine, by), block_numbers(fine, by)
    assert coarse.cell_km == (0.5 * by, 2.0 * by)
    gap = np.abs(coarse.middles[found[:-1]] - fine.middles)
    assert (gap <= np.array(coarse.cell_km) / 2).all()


def test_one_by_one_is_the_map_itself() -> None:
    fine = Geography(rows=3, columns=4, zones=2)
    assert take_together(fine, 1) == fine
    assert block_numbers(fine, 1).tolist() == list(range(13))


def test_names_say_which_cells_they_are_of() -> None:
    assert block_names(Geography(rows=3, columns=10), 4)[:2] == ("r01-03c01-04", "r01-03c05-08")


def test_nothing_is_gathered_by_nothing() -> None:
    with pytest.raises(ZeroDivisionError):
        take_together(Geography(rows=3, columns=4), 0)
