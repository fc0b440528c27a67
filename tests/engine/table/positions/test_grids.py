"""Suggestions for a map, from public numbers alone."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.positions.area import MOST_CELLS, Area
from understudy.table.positions.grids import cells_carried, fit_cells, square_cells

VIENNA = Area(south=48.10, north=48.33, west=16.18, east=16.58)


def areas() -> st.SearchStrategy[Area]:
    span = st.floats(0.05, 4)
    return st.builds(
        lambda south, tall, west, wide: Area(
            south=south, north=south + tall, west=west, east=west + wide
        ),
        st.floats(-60, 60), span, st.floats(-170, 170), span,
    )  # fmt: skip


def test_ten_people_carry_a_cell() -> None:
    assert cells_carried(1000, 1) == 100
    assert cells_carried(1000, 0.5) == 50
    assert cells_carried(5, 1) == 1
    assert cells_carried(10**9, 10) == MOST_CELLS


@pytest.mark.parametrize(("people", "epsilon"), [(0, 1.0), (10, 0.0), (10, math.inf)])
def test_what_carries_nothing_is_refused(people: int, epsilon: float) -> None:
    with pytest.raises(Refusal, match=r"no positive number|Nobody"):
        cells_carried(people, epsilon)


def test_cells_of_a_width_are_square() -> None:
    north, east = square_cells(VIENNA, 1.0).cell_km
    assert north == pytest.approx(1, rel=0.05)
    assert east == pytest.approx(1, rel=0.05)


@given(areas(), st.floats(0.5, 200))
def test_cells_have_the_width_that_was_asked_or_the_refusal_names_one_that_is_taken(
    area: Area, km: float
) -> None:
    try:
        made = square_cells(area, km)
    except Refusal as refused:
        least = float(refused.remedy.split("cells of ")[1].split(" km")[0])
        assert least > km
        square_cells(area, least)
        return
    for extent, count in zip(area.extent_km, (made.rows, made.columns), strict=True):
        assert count == max(1, round(extent / km))


@given(areas(), st.integers(1, MOST_CELLS))
def test_a_fitted_map_has_no_more_cells_than_are_carried_and_nearly_square_ones(
    area: Area, cells: int
) -> None:
    made = fit_cells(area, cells)
    assert made.rows * made.columns <= cells
    north, east = area.extent_km
    if cells >= 100 and max(north / east, east / north) < 5:
        assert made.rows * made.columns >= 0.7 * cells
        assert 0.6 < made.cell_km[0] / made.cell_km[1] < 1.7


@pytest.mark.parametrize("km", [0.0, -1.0, math.nan, math.inf])
def test_a_width_has_to_be_one(km: float) -> None:
    with pytest.raises(Refusal, match="no positive number"):
        square_cells(VIENNA, km)
