"""How positions are read, as declared."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.refusal import Refusal
from understudy.table.positions.area import Area
from understudy.table.positions.places import Places
from understudy.table.positions.positions import Positions, zones

AREA = Area(south=0, north=2, west=10, east=13, rows=2, columns=3)
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
