"""Positions into rows, and what cannot be read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.refusal import Refusal
from engine.table.positions.area import Area
from engine.table.positions.positions import Positions, Read, read
from engine.table.sources.reading import read_table

AREA = Area(south=0, north=2, west=10, east=13, rows=2, columns=3)
HEADER = "person,time,latitude,longitude\n"


def table(*lines: str, **settings: Any) -> Read:
    text = HEADER + "\n".join((*lines, "")) if lines else HEADER
    raw = read_table(text.encode(), name="positions.csv")
    return read(raw, Positions(area=AREA, **settings))


def test_a_row_is_written_where_somebody_comes_to_a_cell() -> None:
    found = table(
        "ann,2024-05-01T00:05:00Z,0.5,10.5",
        "ann,2024-05-01T00:45:00Z,0.6,10.6",
        "ann,2024-05-01T08:10:00Z,1.5,12.5",
        "ann,2024-05-02T07:00:00Z,1.5,12.5",
        "bob,2024-05-05T23:59:59Z,0.5,11.5",
    )
    # The 1st of May 2024 is a Wednesday, the 5th a Sunday.
    assert found.rows == {
        "person": ["1", "1", "1", "2"],
        "moment": [144, 168, 237, 503],
        "day": [2, 2, 3, 6],
        "slot": [0, 24, 21, 71],
        "place": ["r1c1", "r2c3", "r2c3", "r1c2"],
    }
    assert (found.positions, found.outside, found.late) == (5, 0, 0)


def test_of_a_slot_the_latest_position_holds_in_whatever_order_the_file_is() -> None:
    found = table(
        "ann,2024-05-01T08:19:00Z,1.5,12.5",
        "ann,2024-05-01T08:01:00Z,0.5,10.5",
        "ann,2024-05-01T08:20:00Z,0.5,10.5",
    )
    assert found.rows["place"] == ["r2c3", "r1c1"]
    assert found.rows["slot"] == [24, 25]


def test_hours_are_those_of_the_zone() -> None:
    line = "ann,2024-05-01T23:30:00Z,0.5,10.5"
    assert table(line).rows["day"] == [2]
    there = table(line, zone="Europe/Vienna")
    assert (there.rows["day"], there.rows["slot"]) == ([3], [4])


def test_who_is_off_the_map_is_outside() -> None:
    found = table("ann,2024-05-01T08:00:00Z,0.5,14", "ann,2024-05-01T09:00:00Z,-1,11")
    assert found.rows["place"] == ["outside"]
    assert found.outside == 2


def test_days_beyond_those_that_are_kept_are_left_out_person_by_person() -> None:
    found = table(
        "ann,2024-05-01T08:00:00Z,0.5,10.5",
        "ann,2024-05-08T08:00:00Z,1.5,10.5",
        "bob,2024-05-08T08:00:00Z,1.5,10.5",
        days=7,
    )
    assert found.rows["person"] == ["1", "2"]
    assert found.rows["day"] == [2, 2]
    assert found.late == 1


@given(st.floats(0, 2), st.floats(10, 13))
def test_each_position_in_the_area_is_in_the_cell_around_it(north: float, east: float) -> None:
    import numpy as np

    (cell,) = AREA.cells(np.array([north]), np.array([east])).tolist()
    row, column = divmod(cell, 3)
    assert row <= north <= row + 1
    assert column - 1e-9 <= east - 10 <= column + 1 + 1e-9


@pytest.mark.parametrize(
    ("lines", "field", "said", "remedy"),
    [
        (("ann,2024-05-01T08:00:00Z,120.5,11",), "latitude", "off the earth", "swapped"),
        (("ann,2024-05-01T08:00:00Z,1,181",), "longitude", "off the earth", "Correct"),
        (("ann,2024-05-01T08:00:00Z,north,11",), "latitude", "no number of degrees", "Correct"),
        (("ann,yesterday,1,11",), "time", "no time", "Correct"),
        (("ann,2024-05-01T08:00:00Z,1,11", "ann,2024-05-01T09:00:00,1,11"), "time",
         "others have none", "Give all of them one"),
        ((" ,2024-05-01T08:00:00Z,1,11",), "person", "do not say whose", "Correct"),
    ],
)  # fmt: skip
def test_positions_that_cannot_be_read_are_refused_without_telling_them(
    lines: tuple[str, ...], field: str, said: str, remedy: str
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        table(*lines)
    assert refused.value.field == field
    assert remedy in refused.value.remedy
    whole = refused.value.problem + refused.value.remedy
    told = ("ann", "120.5", "181", "yesterday", "08:00")
    assert not any(value in whole for value in told)


def test_a_column_that_is_not_there_is_named() -> None:
    raw = read_table(b"person,time,lat,lon\na,2024-05-01,1,11\n", name="positions.csv")
    with pytest.raises(Refusal, match="latitude"):
        read(raw, Positions(area=AREA))


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


def test_a_zone_has_to_be_known() -> None:
    with pytest.raises(Refusal, match="time zone"):
        Positions(area=AREA, zone="Atlantis/Poseidonis")


def test_the_schema_of_the_rows_is_one_of_traces() -> None:
    from engine.mechanisms.registry import planned_run
    from engine.mechanisms.traces.plan import TracesPlan

    schema = Positions(area=AREA).described()
    plan = TracesPlan(domain=schema.fingerprint, **{**AREA.settings(), "zones": 2})
    assert planned_run(plan, schema).guarantee.total.bounded
    assert AREA.cell_km[0] == pytest.approx(111.195)
    assert AREA.cell_km[1] == pytest.approx(111.195, rel=1e-3)
