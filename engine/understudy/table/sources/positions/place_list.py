"""A public list of places, from a file."""

from __future__ import annotations

from pathlib import Path

from understudy.core.refusal import Refusal
from understudy.table.cells import parse_number
from understudy.table.positions.likely import called_like
from understudy.table.positions.places import Places
from understudy.table.raw import RawTable
from understudy.table.sources.reading import read_table

_PARTS = ("code", "latitude", "longitude")


def place_list(source: Path | bytes, name: str | None = None) -> Places:
    """Read a list of places: a file with a row for each, of which the columns code, latitude and
    longitude are used, told by their names.

    Raises:
        Refusal: it cannot be read, a column is absent, or as of `Places`.
    """
    raw = read_table(source, name=name, trusted=isinstance(source, Path))
    found = {part: called_like(raw.names, part) for part in _PARTS}
    for part, column in found.items():
        if not column:
            raise Refusal(
                f"The list of places has no column called “{part}”.",
                "Name its columns code, latitude and longitude.",
                field="places",
            )
    codes = tuple(each.strip() for each in _texts(raw, found["code"]))
    latitude, longitude = (_numbers(raw, found[each]) for each in _PARTS[1:])
    return Places(codes=codes, latitude=latitude, longitude=longitude)


def _texts(raw: RawTable, name: str) -> list[str]:
    texts, places = raw.distinct(name)
    return [texts[place] for place in places.tolist()]


def _numbers(raw: RawTable, name: str) -> tuple[float, ...]:
    found = [parse_number(text) for text in _texts(raw, name)]
    unread = sum(each is None for each in found)
    if unread:
        raise Refusal(
            f"In the list of places, {unread:,} have no number of degrees in column “{name}”.",
            "Write degrees as decimal numbers, such as 48.21.",
            field="places",
        )
    return tuple(0.0 if each is None else float(each) for each in found)
