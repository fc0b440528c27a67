"""A public list of places, from a file."""

from __future__ import annotations

import pytest

from understudy.core.refusal import Refusal
from understudy.table.sources.positions.place_list import place_list


def test_its_columns_are_told_by_their_names() -> None:
    found = place_list(b"name,venue,lat,lon\nMuseum, v1,48.2,16.4\nPark,v2,48.3,16.5\n", "p.csv")
    assert found.codes == ("v1", "v2")
    assert found.latitude == (48.2, 48.3)
    assert found.longitude == (16.4, 16.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"code,lat,height\na,1,2\n", "no column called “longitude”"),
        (b"code,lat,lon\na,1,x\nb,1,2\n", "1 have no number"),
        (b"code,lat,lon\na,1,2\na,1,3\n", "1 have the code of another"),
        (b"code,lat,lon\na,100,2\nb,1,3\n", "1 lie off the earth"),
    ],
)
def test_what_is_no_list_is_refused(text: bytes, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        place_list(text, "places.csv")
