"""Where released places are, as a reader of values.csv is told."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import schema
from understudy.mechanisms.mobility_plan import OFF, label_places
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.mechanisms.registry import mechanism_of, opening_plan
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.report.dictionary import values_csv
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import usual
from understudy.table.positions.area import OUTSIDE, Area
from understudy.table.positions.positions import Positions
from understudy.table.schema import Schema

AREA = st.builds(
    lambda south, west, high, wide, rows, columns: Area(
        south=south, north=south + high, west=west, east=west + wide, rows=rows, columns=columns
    ),
    st.floats(-60, 60), st.floats(-170, 160), st.floats(0.02, 5), st.floats(0.02, 5),
    st.integers(1, 9), st.integers(1, 9),
)  # fmt: skip


@given(AREA, st.integers(1, 4))
def test_the_position_of_a_place_lies_in_it(area: Area, by: int) -> None:
    """Read again as a position, it is in a cell of the block that it is said of."""
    found, place = schema(), Column(name="place", domain=Categories(values=(*area.names, OUTSIDE)))
    columns = tuple(place if each.name == "place" else each for each in found.columns)
    positions = Positions(person="p", time="t", latitude="a", longitude="o", zone="UTC", area=area)
    reading = usual("csv").model_copy(update={"positions": positions})
    there = Schema(columns=columns, people=found.people, reading=reading)
    made = TracesPlan(
        **{**plan().model_dump(), **area.settings(), "domain": there.fingerprint, "gathered": by}
    )
    told = label_places(made, there, by)
    assert told.labels[-1] == OFF
    for value, label in zip(told.values[:-1], told.labels, strict=False):
        degrees = re.fullmatch(r"([\d.]+)° ([NS]), ([\d.]+)° ([EW])", label)
        assert degrees is not None
        latitude = float(degrees[1]) * (1 if degrees[2] == "N" else -1)
        longitude = float(degrees[3]) * (1 if degrees[4] == "E" else -1)
        (cell,) = area.cells(np.array([latitude]), np.array([longitude]))
        (rows, columns_) = (re.findall(r"\d+", part) for part in value[1:].split("c"))
        row, column = divmod(int(cell), area.columns)
        assert int(rows[0]) <= row + 1 <= int(rows[-1])
        assert int(columns_[0]) <= column + 1 <= int(columns_[-1])


def test_a_map_that_lies_nowhere_is_told_from_its_corner() -> None:
    told = label_places(plan(north_km=2.0, east_km=0.5), schema())
    assert told.labels[0] == "1 km north, 0.25 km east of the south-western corner"
    assert len(set(told.labels)) == len(told.labels)


def test_both_methods_release_places_with_a_position_and_times_of_day() -> None:
    for made in (plan(), opening_plan("plausible-traces", schema())):
        assert isinstance(made, TracesPlan | PlausiblePlan)
        (output,) = mechanism_of(made).outputs(made, schema())
        assert output.schema is not None
        place, slot = output.schema.column("place"), output.schema.column("slot")
        assert isinstance(place.domain, Categories)
        assert "south-western corner" in place.domain.labels[0]
        assert "0 is 00:00, 1 is 00:20, 71 is 23:40" in slot.title
        lines = values_csv(output.schema).splitlines()
        assert {"slot,0,00:00,00:00", "slot,27,09:00,09:00"} <= {*lines}
        assert sum(line.startswith("slot,") for line in lines) == 72
