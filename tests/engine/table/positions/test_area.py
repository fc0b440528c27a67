"""A public rectangle, cut into cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.positions.area import Area

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
