"""A public rectangle, cut into cells. Suggestions for a map, from public numbers alone. Columns
that may hold positions, by their names. How positions are read, as declared.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.positions.area import MOST_CELLS, Area
from understudy.table.positions.grids import cells_carried, fit_cells, square_cells
from understudy.table.positions.likely import LikelyPositions, likely
from understudy.table.positions.places import Places
from understudy.table.positions.positions import Positions, zones

AREA = Area(south=0, north=2, west=10, east=13, rows=2, columns=3)


@given(st.floats(0, 2), st.floats(10, 13))
def test_each_position_in_the_area_is_in_the_cell_around_it(north: float, east: float) -> None:
    (cell,) = AREA.cells(np.array([north]), np.array([east])).tolist()
    row, column = divmod(cell, 3)
    assert row <= north <= row + 1
    assert column - 1e-9 <= east - 10 <= column + 1 + 1e-9


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"south": 3}, "south of the area is not below"),
        ({"west": 13}, "west of the area is not below"),
        ({"rows": 100, "columns": 100}, "more than 1,000"),
        ({"north": 95}, "north"),
    ],
)
def test_an_area_has_to_be_one(changed: dict[str, Any], said: str) -> None:
    settings = {"south": 0, "north": 2, "west": 10, "east": 13, **changed}
    with pytest.raises(Refusal) as refused:
        Area.read(settings)
    assert said in refused.value.problem or refused.value.field == said


def test_a_degree_at_the_equator_is_111_kilometres() -> None:
    assert AREA.cell_km[0] == pytest.approx(111.195)
    assert AREA.cell_km[1] == pytest.approx(111.195, rel=1e-3)
    assert AREA.extent_km == pytest.approx((2 * AREA.cell_km[0], 3 * AREA.cell_km[1]))
    assert AREA.cut(4, 5).names[0] == "r1c1"
    assert len(AREA.cut(4, 5).names) == 20


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


def test_names_of_phones_and_files_are_known() -> None:
    assert likely(("User ID", "Timestamp", "Lat", "Lng", "accuracy")) == LikelyPositions(
        "User ID", "Timestamp", "Lat", "Lng", ""
    )
    assert likely(("folder", "file", "track", "time", "latitude", "longitude")).person == "folder"
    assert likely(("uid", "datetime", "venue_id")).place == "venue_id"


def test_positions_need_who_when_and_where() -> None:
    assert likely(("person", "time", "lat", "lon")).found
    assert likely(("person", "time", "venue")).found
    assert not likely(("person", "time", "lat")).found
    assert not likely(("person", "lat", "lon")).found
    assert not likely(("time", "lat", "lon")).found


def test_a_table_of_traces_is_none_of_positions() -> None:
    assert not likely(("person", "moment", "day", "slot", "place")).found
    assert not likely(("AGEP", "COW", "SCHL", "MAR")).found


PLACES = Places(codes=("a", "b"), latitude=(0.5, 1.5), longitude=(10.5, 12.5))


def test_a_zone_has_to_be_known() -> None:
    for zone in ("Atlantis/Poseidonis", "", "../../etc/passwd"):
        with pytest.raises(Refusal, match="time zone"):
            Positions(area=AREA, zone=zone)


def test_every_zone_that_is_listed_is_taken() -> None:
    assert zones()[0] == "UTC"
    assert {"Europe/Vienna", "America/New_York"} <= set(zones())
    assert list(zones()[1:]) == sorted(zones()[1:])
    for zone in zones()[::50]:
        assert Positions(area=AREA, zone=zone).zone == zone


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"time": "person"}, "time"),
        ({"longitude": "latitude"}, "longitude"),
        ({"person": " "}, "person"),
        ({"place": "venue"}, "places"),
        ({"places": PLACES}, "place"),
        ({"place": "time", "places": PLACES}, "place"),
        ({"days": 0}, "days"),
        ({"gap_hours": 0}, "gap_hours"),
        ({"faulty": "guess"}, "faulty"),
    ],
)
def test_what_is_declared_has_to_make_sense(changed: dict[str, Any], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        Positions(area=AREA, **changed)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"codes": ("a", "a ")}, "1 have the code of another"),
        ({"codes": ("a", " ")}, "1 have no code"),
        ({"codes": ("a",)}, "one latitude and longitude"),
        ({"latitude": (0.5, 95.0)}, "1 lie off the earth"),
        ({"longitude": (float("nan"), 181.0)}, "2 lie off the earth"),
        ({"codes": (), "latitude": (), "longitude": ()}, "1 or more"),
    ],
)
def test_a_list_of_places_has_to_be_one(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        Places.read({**PLACES.model_dump(), **changed})
