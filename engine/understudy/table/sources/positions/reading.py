"""Positions in time into rows that say from which slot on somebody is in which cell.

What becomes of one person's positions depends on those alone: every rule is declared beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.cells import is_unreadable, parse_number
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.people import MOST_PER_PERSON, People
from understudy.table.positions.area import OUTSIDE, Area
from understudy.table.positions.places import on_earth
from understudy.table.positions.positions import ORDER, PERSON, Positions
from understudy.table.positions.slots import SLOTS
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.schema import Schema

# Points in time as files of positions write them.

MICROSECONDS_A_DAY: Final = 24 * 60 * 60 * 10**6

_MONDAY: Final = date(1900, 1, 1)
_SPELLED = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (\w{3}) (\d\d) (\d\d):(\d\d):(\d\d) "
    r"([+-])(\d\d)(\d\d) (\d{4})",
    re.ASCII,
)
_MONTHS: Final = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip


def moment_of(text: str) -> datetime | None:
    """Return the point in time that a text holds, from 1901 on; None where it holds none.

    As ISO 8601 writes it (“2012-04-03T18:00:09Z”), or as messages of networks do (“Tue Apr 03
    18:00:09 +0000 2012”). What names no zone has none.
    """
    text = text.strip()
    try:
        found = _read_moment(text) or datetime.fromisoformat(text)
        # Another zone may lie a day earlier or later.
        return found if 1900 < found.year < date.max.year else None
    except ValueError:
        return None


def _read_moment(text: str) -> datetime | None:
    found = _SPELLED.fullmatch(text)
    if found is None or found[1] not in _MONTHS:
        return None
    day, hour, minute, second = map(int, found.group(2, 3, 4, 5))
    ahead = timedelta(hours=int(found[7]), minutes=int(found[8]))
    zone = UTC if not ahead else timezone(ahead if found[6] == "+" else -ahead)
    month = _MONTHS.index(found[1]) + 1
    return datetime(int(found[9]), month, day, hour, minute, second, tzinfo=zone)


def local(moment: datetime, zone: ZoneInfo) -> int:
    """Return the microsecond of a moment by the clocks of a zone, from a Monday's midnight on; one
    that names no zone is by these clocks already."""
    at = moment if moment.tzinfo is None else moment.astimezone(zone)
    seconds = (at.hour * 60 + at.minute) * 60 + at.second
    days = at.date().toordinal() - _MONDAY.toordinal()
    return days * MICROSECONDS_A_DAY + seconds * 10**6 + at.microsecond


# The positions of a file in numbers, and what cannot be read of them.

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
    latitude, longitude = _read_places(raw, how, faults)
    good = faults.good
    latitude, longitude = latitude[good], longitude[good]
    _check_zones(zoneless[good], how)
    cell = how.area.cells(latitude, longitude)
    _check_area(cell, how)
    people, numbered = _number_people(raw.distinct(how.person)[0], person[good])
    return Fixes(people, numbered, moment[good], cell, int(zoneless[good].sum()))


class _Faults:
    """Which positions can be used; what is wrong with others is refused, unless they are left
    out."""

    def __init__(self, how: Positions, positions: int) -> None:
        self._how = how
        self.good: BoolArray = np.ones(positions, dtype=bool)

    def note_wrong(self, wrong: BoolArray, field: str, why: str, remedy: str = _REMEDY) -> None:
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
    faults.note_wrong(blank[places], "person", "do not say whose they are")
    return places.astype(np.int64)


def _number_people(texts: list[str], person: IntArray) -> tuple[list[str], IntArray]:
    """Return what people are called, by who stands first, and (n,) the number of each
    position's."""
    first: dict[str, int] = {}
    place = {
        each: first.setdefault(texts[each].strip(), len(first))
        for each in _list_by_appearance(person)
    }
    number = np.zeros(len(texts), dtype=np.int64)
    number[list(place)] = list(place.values())
    return list(first), number[person]


def _list_by_appearance(person: IntArray) -> list[int]:
    """Return the different ones, by which stands first."""
    found, at = np.unique(person, return_index=True)
    ordered: list[int] = found[np.argsort(at)].tolist()
    return ordered


def _moments(raw: RawTable, how: Positions, faults: _Faults) -> tuple[IntArray, BoolArray]:
    """Return (n,) the moment of each position, and whether it names no zone."""
    zone = ZoneInfo(how.zone)
    texts, places = raw.distinct(how.time)
    read = [moment_of(text) for text in texts]
    unread = np.array([each is None for each in read], dtype=bool)
    faults.note_wrong(unread[places], "time", "have no time as ISO 8601 writes it")
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


def _read_places(raw: RawTable, how: Positions, faults: _Faults) -> tuple[FloatArray, FloatArray]:
    """Return (n,) the latitude and longitude of each position."""
    if how.place is not None:
        return _read_listed(raw, how, faults)
    latitude, longitude = (_degrees(raw, how, each, faults) for each in ("latitude", "longitude"))
    _check_swapped(how, latitude, longitude)
    for field, degrees, most in (("latitude", latitude, 90), ("longitude", longitude, 180)):
        off = np.abs(np.nan_to_num(degrees)) > most
        faults.note_wrong(
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
    faults.note_wrong(np.isnan(degrees), field, "have a value that is no number of degrees")
    return degrees


def _each(raw: RawTable, name: str, parse: Callable[[str], Any]) -> tuple[list[Any], IntArray]:
    texts, places = raw.distinct(name)
    return [parse(text) for text in texts], places.astype(np.int64)


def _read_listed(raw: RawTable, how: Positions, faults: _Faults) -> tuple[FloatArray, FloatArray]:
    assert how.place is not None
    assert how.places is not None
    known = {code.strip(): at for at, code in enumerate(how.places.codes)}
    values, places = _each(raw, how.place, lambda text: known.get(text.strip(), -1))
    at = np.array(values, dtype=np.int64)[places]
    faults.note_wrong(
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


# What became of positions, in numbers and in sentences. Internal.


@dataclass(frozen=True)
class Counted:
    """Counts of the confidential file, none of which leaves.

    Attributes:
        positions: how many there were.
        faulty: how many of these could not be used and were left out.
        people: how many people have one that could be used.
        rows: how many rows were made.
        outside: how many positions lie off the map.
        late, shortened: how many lie beyond the days that are kept, and of how many people.
        single: how many people have one position alone.
        unordered: how many stand behind a later one of the same person.
        contrary: how many are of the same person and moment as another, in another cell.
        zoneless: how many times name no zone.
        gaps: after how many somebody counts as outside, as the next comes too late.
    """

    positions: int
    faulty: int
    people: int
    rows: int
    outside: int
    late: int
    shortened: int
    single: int
    unordered: int
    contrary: int
    zoneless: int
    gaps: int

    def sentences(self, how: Positions) -> tuple[str, ...]:
        """Return what a custodian should know of it."""
        return tuple(self._sentences(how))

    def _sentences(self, how: Positions) -> Iterator[str]:
        yield (
            f"{_some(self.positions, 'position')} of {_some(self.people, 'person', 'people')} "
            f"became {_some(self.rows, 'row')}."
        )
        used = self.positions - self.faulty
        if self.faulty:
            yield (
                f"{_some(self.faulty, 'position')} could not be used, and nothing is made of "
                "them, as is declared: no person, time or place could be read, or the place is "
                "off the earth or not in the list."
            )
        if self.outside:
            yield f"{_some(self.outside, 'position lies', 'positions lie')} off the map: outside."
        if 2 * self.outside > used:
            yield "That is most of them: check the bounds of the area."
        if self.late:
            yield (
                f"After the first {how.days:,} days, which are kept, come "
                f"{_some(self.late, 'position')} of {_some(self.shortened, 'person', 'people')}; "
                "nothing is made of them."
            )
        yield from self._of_people(how)

    def _of_people(self, how: Positions) -> Iterator[str]:
        if self.single:
            yield (
                f"{_some(self.single, 'person has', 'people have')} one position only: they are "
                "kept, in one place for one day."
            )
        if self.unordered:
            yield (
                f"{_some(self.unordered, 'position')} stood behind a later one of the same person "
                "in the file, which is put in order."
            )
        if self.contrary:
            yield (
                f"{_some(self.contrary, 'time')}, somebody is in two cells at one moment: the "
                "position that stands last in the file holds."
            )
        if self.zoneless:
            yield (
                f"{_some(self.zoneless, 'position names', 'positions name')} no time zone: their "
                f"times are taken to be by the clocks of {how.zone}."
            )
        if self.gaps:
            yield (
                f"After {_some(self.gaps, 'position')} the next comes more than {how.gap_hours} "
                "hours later: from then on the person counts as outside."
            )


def _some(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


_A_SLOT = MICROSECONDS_A_DAY // SLOTS
_SLOTS_AN_HOUR = SLOTS // 24


@dataclass(frozen=True, eq=False)
class ReadTraces:
    """Rows, and what became of the positions. Confidential.

    Attributes:
        raw: the columns person, moment, day, slot and place; its notes tell what was counted.
        counted: the same in numbers.
    """

    raw: RawTable
    counted: Counted


def read_positions(raw: RawTable, how: Positions) -> ReadTraces:
    """Return the rows that positions make.

    Of several positions of a person in one slot, the latest holds; of those at one moment, that
    which stands last in the file. A row is written where a person comes to another cell, and at the
    first position of each day; in between they stay, for `gap_hours` at most where that is
    declared.

    Raises:
        Refusal: as of `fixes.fixes_of`.
    """
    fixes = fixes_of(raw, how)
    order = np.lexsort((fixes.moment, fixes.person))
    person, moment, cell = (each[order] for each in (fixes.person, fixes.moment, fixes.cell))
    dates, slot = moment // MICROSECONDS_A_DAY, moment % MICROSECONDS_A_DAY // _A_SLOT
    begins = np.searchsorted(person, np.arange(len(fixes.people)))
    # Day 0 of the calendar that moments are counted in is a Monday.
    day = dates - dates[begins][person] // 7 * 7
    kept = day < how.days
    outside = len(how.area.names)
    rows = _last_of_slots(*(each[kept] for each in (person, day, slot, cell)))
    gaps = _gaps(rows, how, outside)
    found = _arrivals(_with(rows, gaps))
    counted = Counted(
        positions=raw.rows,
        faulty=raw.rows - len(person),
        people=len(fixes.people),
        rows=len(found.person),
        outside=int((cell == outside).sum()),
        late=int((~kept).sum()),
        shortened=len(np.unique(person[~kept])),
        single=int((np.bincount(person, minlength=len(fixes.people)) == 1).sum()),
        unordered=_count_unordered(fixes),
        contrary=_contrary(person, moment, cell),
        zoneless=fixes.zoneless,
        gaps=len(gaps.person),
    )
    reading = raw.reading.changed(positions=how)
    made = RawTable(_texts(found, fixes.people, how), reading, counted.sentences(how), raw.labels)
    return ReadTraces(made, counted)


def described_schema(how: Positions) -> Schema:
    """Return what the rows may contain, and whose they are; not yet declared public."""
    return Schema(
        columns=(
            _counting("day", how.days),
            _counting("slot", SLOTS),
            Column(name="place", domain=Categories(values=(*how.area.names, OUTSIDE))),
        ),
        people=People(person=PERSON, order=ORDER, records_at_most=MOST_PER_PERSON),
    )


def _counting(name: str, numbers: int) -> Column:
    return Column(name=name, domain=Grid(minimum=Decimal(0), maximum=Decimal(max(1, numbers - 1))))


@dataclass(frozen=True, eq=False)
class _Rows:
    """(n,) person, day, slot and cell of each row, ordered by the first three."""

    person: IntArray
    day: IntArray
    slot: IntArray
    cell: IntArray

    def of(self, which: BoolArray) -> _Rows:
        return _Rows(self.person[which], self.day[which], self.slot[which], self.cell[which])


def _last_of_slots(person: IntArray, day: IntArray, slot: IntArray, cell: IntArray) -> _Rows:
    """Return the last position of each slot."""
    same = (np.diff(person) == 0) & (np.diff(day) == 0) & (np.diff(slot) == 0)
    last = np.r_[~same, True][: len(person)]
    return _Rows(person, day, slot, cell).of(last)


def _gaps(rows: _Rows, how: Positions, outside: int) -> _Rows:
    """Return where somebody counts as outside, as nothing was heard of them for too long; on the
    same day alone, as every day begins with its own first position."""
    if how.gap_hours is None:
        return rows.of(np.zeros(len(rows.person), dtype=bool))
    wait = how.gap_hours * _SLOTS_AN_HOUR
    same = (np.diff(rows.person) == 0) & (np.diff(rows.day) == 0)
    until = np.where(same, rows.slot[1:], SLOTS)
    until = np.r_[until, np.full(min(1, len(rows.person)), SLOTS)]
    lost = (rows.slot + wait < until) & (rows.cell != outside)
    found = rows.of(lost)
    return replace(found, slot=found.slot + wait, cell=np.full_like(found.cell, outside))


def _with(rows: _Rows, others: _Rows) -> _Rows:
    pairs = zip(vars(rows).values(), vars(others).values(), strict=True)
    person, day, slot, cell = (np.concatenate(pair) for pair in pairs)
    order = np.lexsort((slot, day, person))
    return _Rows(person[order], day[order], slot[order], cell[order])


def _arrivals(rows: _Rows) -> _Rows:
    """Return all but the rows of who is where they were."""
    same = (np.diff(rows.person) == 0) & (np.diff(rows.day) == 0) & (np.diff(rows.cell) == 0)
    return rows.of(np.r_[True, ~same][: len(rows.person)])


def _count_unordered(fixes: Fixes) -> int:
    """Return how many stand behind a later one of the same person, as the file has them."""
    order = np.argsort(fixes.person, kind="stable")
    person, moment = fixes.person[order], fixes.moment[order]
    # The latest so far of each person: moments lie far closer together than people are put apart.
    apart = moment - moment.min(initial=0)
    apart = apart + person * (int(apart.max(initial=0)) + 1) if len(apart) else apart
    return int((apart < np.maximum.accumulate(apart)).sum()) if len(apart) else 0


def _contrary(person: IntArray, moment: IntArray, cell: IntArray) -> int:
    same = (np.diff(person) == 0) & (np.diff(moment) == 0) & (np.diff(cell) != 0)
    return int(same.sum())


def _texts(rows: _Rows, people: list[str], how: Positions) -> pa.Table:
    days = [str(day) for day in range(how.days)]
    slots = [str(slot) for slot in range(SLOTS)]
    moments = [str(moment) for moment in range(how.days * SLOTS)]
    columns = (
        text_column(rows.person, people),
        text_column(rows.day * SLOTS + rows.slot, moments),
        text_column(rows.day, days),
        text_column(rows.slot, slots),
        text_column(rows.cell, [*how.area.names, OUTSIDE]),
    )
    return table_of((PERSON, ORDER, "day", "slot", "place"), columns)
