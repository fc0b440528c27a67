"""The points of a PLT file, as the GeoLife trajectories are: six lines about the file, and then for
each point latitude, longitude, 0, feet, days since 1899, date and time, in GMT."""

from __future__ import annotations

from collections.abc import Iterator

from understudy.table.sources.tracks.gpx import NotTracks
from understudy.table.sources.tracks.points import Point
from understudy.table.unreadable import NOT_APART

_HEADER = 6
_CELLS = 7


def plt_points(data: bytes) -> Iterator[Point]:
    """Yield the points of a PLT file, which is one track. A line with another number of cells is a
    point whose parts are unreadable.

    Raises:
        NotTracks: it is not text, or has not the lines about the file.
    """
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise NotTracks("is not text") from None
    if len(lines) < _HEADER or "," in lines[0]:
        raise NotTracks("does not begin with six lines about the file")
    for line in lines[_HEADER:]:
        if not line.strip():
            continue
        cells = line.split(",")
        if len(cells) != _CELLS:
            yield Point(NOT_APART, NOT_APART, NOT_APART, "1")
            continue
        yield Point(
            f"{cells[5].strip()}T{cells[6].strip()}Z", cells[0].strip(), cells[1].strip(), "1"
        )
