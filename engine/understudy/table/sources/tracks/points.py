"""The points of tracks, of which the last of every five minutes is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
_TO_TEN_MINUTES: Final = len("2024-05-01T08:2")


class Point(NamedTuple):
    """A point of a track, as texts; what a file does not say is the empty text.

    Attributes:
        time: as ISO 8601 writes it.
        latitude, longitude: in degrees.
        track: the name of its track, or its number in the file, from 1.
    """

    time: str
    latitude: str
    longitude: str
    track: str


def thinned(points: Iterable[Point]) -> Iterator[Point]:
    """Yield the last of each track's points in the same five minutes of UTC, in the order in which
    these begin; where two are of one moment, the one that stands last. All of those whose time is
    not in UTC, or is none.

    Receivers write a point a second, and of a slot of 20 minutes only the last position counts. The
    clocks of every zone differ from UTC by whole quarters of an hour, so that it is never lost.
    """
    last: dict[object, Point] = {}
    for point in points:
        time = point.time
        key: object = len(last), "apart"
        if _UTC.fullmatch(time):
            half = time[_TO_TEN_MINUTES] < "5"
            key = time[:_TO_TEN_MINUTES], half, point.track
            known = last.get(key)
            # Without the Z, a fraction of a second sorts behind the whole second.
            if known is not None and known.time[:-1] > time[:-1]:
                continue
        last[key] = point
    yield from last.values()
