"""The last point of every five minutes."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from understudy.table.sources.tracks.tracks_file import Point, thin_points

START = datetime(2024, 5, 1, 23, 50)


def point(seconds: float, track: str = "1", at: str = "1") -> Point:
    moment = START + timedelta(seconds=seconds)
    return Point(moment.isoformat() + "Z", at, at, track)


SECONDS = st.sampled_from([0.0, 299.999, 300.0, 301.5, 359.0, 599.5, 600.0, 899.0, 900.0, 901.0])
MOMENTS = SECONDS | st.floats(0, 3600).map(lambda each: round(each, 3))


@given(st.lists(st.tuples(MOMENTS, st.sampled_from("ab"))))
def test_of_every_five_minutes_of_a_track_the_last_point_is_read(
    said: list[tuple[float, str]],
) -> None:
    points = [point(seconds, track, str(at)) for at, (seconds, track) in enumerate(said)]
    last: dict[object, tuple[float, int]] = {}
    for at, (seconds, track) in enumerate(said):
        key = track, int(seconds // 300)
        last[key] = max(last.get(key, (-1.0, -1)), (seconds, at))
    expected = {points[at] for _, at in last.values()}
    found = list(thin_points(points))
    assert set(found) == expected
    assert len(found) == len(expected)


def test_what_has_no_time_in_utc_is_read_whole() -> None:
    points = [
        Point(time, "1", "1", "1")
        for time in ("", "", "2024-05-01T08:00:00", "2024-05-01T08:00:01", "2024-05-01T08:00Z")
    ]
    assert list(thin_points(points)) == points
