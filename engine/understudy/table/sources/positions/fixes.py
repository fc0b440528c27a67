"""The positions of a file in numbers, and what cannot be read of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.number_texts import parse_number
from understudy.table.positions.area import Area
from understudy.table.positions.places import on_earth
from understudy.table.positions.positions import Positions
from understudy.table.raw import RawTable
from understudy.table.sources.positions.moments import local, moment_of
from understudy.table.unreadable import is_unreadable

_HARDLY_ANY: Final = 0.01
_REMEDY: Final = "Correct them in the file, name another column, or have them left out."


@dataclass(frozen=True, eq=False)
class Fixes:
    """The positions that can be used, in the order of the file. Confidential.

    Attributes:
        people: what each person is called, by who stands first.
        person: (n,) whose each is, among these.
        moment: (n,) its microsecond by the clocks of the zone, from a Monday's midnight on.
        cell: (n,) its cell of the map; the number of cells for those outside.
        zoneless: how many of their times name no zone.
    """

    people: list[str]
    person: IntArray
    moment: IntArray
    cell: IntArray
    zoneless: int


def fixes_of(raw: RawTable, how: Positions) -> Fixes:
    """Return the positions of a table.

    Raises:
        Refusal: a column is absent; or, unless such positions are left out, one has no person, no
            time, no place on earth or one that is not listed; only some times have a zone; most
            lie in the area if latitude and longitude change places, or hardly any does. `field` is
            the setting that it is about. No value is told.
    """
    _check_present(raw, how)
    faults = _Faults(how, raw.rows)
    person = _persons(raw, how, faults)
    moment, zoneless = _moments(raw, how, faults)
    latitude, longitude = _placed(raw, how, faults)
    good = faults.good
    latitude, longitude = latitude[good], longitude[good]
    _check_zones(zoneless[good], how)
    cell = how.area.cells(latitude, longitude)
    _check_area(cell, how)
    people, numbered = _numbered(raw.distinct(how.person)[0], person[good])
    return Fixes(people, numbered, moment[good], cell, int(zoneless[good].sum()))


class _Faults:
    """Which positions can be used; what is wrong with others is refused, unless they are left
    out."""

    def __init__(self, how: Positions, positions: int) -> None:
        self._how = how
        self.good: BoolArray = np.ones(positions, dtype=bool)

    def found(self, wrong: BoolArray, field: str, why: str, remedy: str = _REMEDY) -> None:
        """Note positions that cannot be used.

        Raises:
            Refusal: there are some, and they are not left out.
        """
        count = int(wrong.sum())
        if count and self._how.faulty == "refuse":
            name = getattr(self._how, field)
            whose = "1 position" if count == 1 else f"{count:,} positions"
            raise Refusal(f"In column “{name}”, {whose} {why}.", remedy, field=field)
        self.good &= ~wrong


def _check_present(raw: RawTable, how: Positions) -> None:
    for field in how.told_by:
        name = getattr(how, field)
        if name not in raw.names:
            raise Refusal(
                f"The file has no column “{name}”.",
                f"Name the column of the {field}: one of " + ", ".join(raw.names) + ".",
                field=field,
            )


def _persons(raw: RawTable, how: Positions, faults: _Faults) -> IntArray:
    texts, places = raw.distinct(how.person)
    blank = np.array([not each.strip() or is_unreadable(each) for each in texts], dtype=bool)
    faults.found(blank[places], "person", "do not say whose they are")
    return places.astype(np.int64)


def _numbered(texts: list[str], person: IntArray) -> tuple[list[str], IntArray]:
    """Return what people are called, by who stands first, and (n,) the number of each
    position's."""
    first: dict[str, int] = {}
    place = {each: first.setdefault(texts[each].strip(), len(first)) for each in _met(person)}
    number = np.zeros(len(texts), dtype=np.int64)
    number[list(place)] = list(place.values())
    return list(first), number[person]


def _met(person: IntArray) -> list[int]:
    """Return the different ones, by which stands first."""
    found, at = np.unique(person, return_index=True)
    ordered: list[int] = found[np.argsort(at)].tolist()
    return ordered


def _moments(raw: RawTable, how: Positions, faults: _Faults) -> tuple[IntArray, BoolArray]:
    """(n,) the moment of each position, and whether it names no zone."""
    zone = ZoneInfo(how.zone)
    texts, places = raw.distinct(how.time)
    read = [moment_of(text) for text in texts]
    unread = np.array([each is None for each in read], dtype=bool)
    faults.found(unread[places], "time", "have no time as ISO 8601 writes it")
    moment = np.array([0 if each is None else local(each, zone) for each in read], dtype=np.int64)
    bare = np.array([each is not None and each.tzinfo is None for each in read], dtype=bool)
    return moment[places], bare[places]


def _check_zones(zoneless: BoolArray, how: Positions) -> None:
    """Check that all times name a zone, or none.

    Raises:
        Refusal: only some do.
    """
    bare = int(zoneless.sum())
    if 0 < bare < len(zoneless):
        raise Refusal(
            f"In column “{how.time}”, {bare:,} times name no time zone and the others do.",
            "Give all of them one, as in 2024-05-01T08:20:00Z, or none.",
            field="time",
        )


def _placed(raw: RawTable, how: Positions, faults: _Faults) -> tuple[FloatArray, FloatArray]:
    """(n,) the latitude and longitude of each position."""
    if how.place is not None:
        return _listed(raw, how, faults)
    latitude, longitude = (_degrees(raw, how, each, faults) for each in ("latitude", "longitude"))
    _check_swapped(how, latitude, longitude)
    for field, degrees, most in (("latitude", latitude, 90), ("longitude", longitude, 180)):
        off = np.abs(np.nan_to_num(degrees)) > most
        faults.found(
            off,
            field,
            f"lie beyond {most} degrees, off the earth",
            "Latitude and longitude may be swapped: name the columns the other way round; or have "
            "such positions left out."
            if most == 90
            else "Correct them in the file, or have them left out; degrees are decimal numbers.",
        )
    return latitude, longitude


def _degrees(raw: RawTable, how: Positions, field: str, faults: _Faults) -> FloatArray:
    values, places = _each(raw, getattr(how, field), parse_number)
    degrees = np.array([np.nan if each is None else float(each) for each in values])[places]
    faults.found(np.isnan(degrees), field, "have a value that is no number of degrees")
    return degrees


def _each(raw: RawTable, name: str, parse: Callable[[str], Any]) -> tuple[list[Any], IntArray]:
    texts, places = raw.distinct(name)
    return [parse(text) for text in texts], places.astype(np.int64)


def _listed(raw: RawTable, how: Positions, faults: _Faults) -> tuple[FloatArray, FloatArray]:
    assert how.place is not None
    assert how.places is not None
    known = {code.strip(): at for at, code in enumerate(how.places.codes)}
    values, places = _each(raw, how.place, lambda text: known.get(text.strip(), -1))
    at = np.array(values, dtype=np.int64)[places]
    faults.found(
        at < 0,
        "place",
        "name a place that is not in the list of places",
        "Add these places to the list, correct the file, or have such positions left out.",
    )
    latitude, longitude = how.places.degrees
    return latitude[at], longitude[at]


def _check_swapped(how: Positions, latitude: FloatArray, longitude: FloatArray) -> None:
    """Check that the area is not where positions lie only if the two change places.

    Raises:
        Refusal: it is.
    """
    there = _share_inside(how.area, latitude, longitude)
    swapped = _share_inside(how.area, longitude, latitude)
    if swapped > 0.5 >= there:
        raise Refusal(
            "Most positions lie in the area only if latitude and longitude change places: they "
            "are swapped.",
            f"Name “{how.longitude}” as the column of the latitude and “{how.latitude}” as that "
            "of the longitude.",
            field="latitude",
        )


def _share_inside(area: Area, latitude: FloatArray, longitude: FloatArray) -> float:
    good = on_earth(latitude, longitude)
    inside = area.cells(latitude[good], longitude[good]) < len(area.names)
    return float(inside.sum()) / max(1, len(latitude))


def _check_area(cell: IntArray, how: Positions) -> None:
    """Check that the area has to do with the positions.

    Raises:
        Refusal: none can be used, or hardly any lies in it.
    """
    if not len(cell):
        raise Refusal(
            "No position of the file can be used.",
            "Look at what the columns hold, and whether the right ones are named.",
            field="person",
        )
    inside = int((cell < len(how.area.names)).sum())
    if inside < _HARDLY_ANY * len(cell):
        raise Refusal(
            "Hardly any position lies in the area: fewer than one in a hundred.",
            "Check its bounds, in degrees as an atlas gives them: south and west are negative "
            "below the equator and west of Greenwich.",
            field="south",
        )
