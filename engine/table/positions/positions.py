"""Positions in time into rows that say from which slot on somebody is in which cell.

What becomes of one person's positions hangs on those alone: every rule is fixed beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from engine.core.refusal import Refusal
from engine.core.validation import Frozen
from engine.table.column import Column
from engine.table.domain import Categories, Grid
from engine.table.number_texts import parse_number
from engine.table.people import MOST_PER_PERSON, People, persons_of
from engine.table.positions.area import OUTSIDE, Area
from engine.table.positions.slots import SLOTS
from engine.table.raw import RawTable
from engine.table.schema import Schema

_MINUTES: Final = 24 * 60 // SLOTS


class Positions(Frozen, what="the positions"):
    """How positions are read.

    Attributes:
        person, time, latitude, longitude: the columns that hold them.
        area: the public map.
        zone: the time zone that hours and days are of, by its name in the IANA database.
        days: how many days of a person are kept: those of the first weeks, counted from the Monday
            on or before the person's first position.
    """

    person: str = "person"
    time: str = "time"
    latitude: str = "latitude"
    longitude: str = "longitude"
    area: Area
    zone: str = "UTC"
    days: int = Field(default=28, ge=1, le=366)

    @field_validator("zone")
    @classmethod
    def _known(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (KeyError, ValueError, OSError):
            raise Refusal(
                "No time zone of that name is known.",
                "Name one as “Europe/Lisbon” or “UTC”.",
                field="zone",
            ) from None
        return zone

    def described(self) -> Schema:
        """What the rows may contain, and whose they are; not yet declared public."""
        return Schema(
            columns=(
                _counting("day", self.days),
                _counting("slot", SLOTS),
                Column(name="place", domain=Categories(values=(*self.area.names, OUTSIDE))),
            ),
            people=People(person="person", order="moment", records_at_most=MOST_PER_PERSON),
        )


@dataclass(frozen=True, eq=False)
class Read:
    """Rows, and what became of the positions. Confidential.

    Attributes:
        rows: person, moment, day, slot and place of each row, in order.
        positions: how many there were.
        outside: how many of these lie off the map.
        late: how many lie beyond the days that are kept.
    """

    rows: dict[str, list[Any]]
    positions: int
    outside: int
    late: int


def read(raw: RawTable, how: Positions) -> Read:
    """The rows that positions make.

    Of several positions of a person in one slot, the latest holds. A row is written where a person
    comes to another cell, and at the first position of each day; in between they stay.

    Raises:
        Refusal: a column is absent, or a position has no person, no time, a time without a zone
            where others have one, or no place on the earth; `field` is the column. No value is
            told.
    """
    _check_present(raw, how)
    person = persons_of(raw, how.person)
    latitude = _degrees(raw, how.latitude, 90, how)
    longitude = _degrees(raw, how.longitude, 180, how)
    minutes = _minutes(raw, how)
    order = np.lexsort((minutes, person))
    person, minutes = person[order], minutes[order]
    cells = how.area.cells(latitude, longitude)[order]
    dates, slot = minutes // (24 * 60), minutes % (24 * 60) // _MINUTES
    begins = np.searchsorted(person, np.arange(person.max(initial=-1) + 1))
    first = dates[begins][person]
    # Day 0 of the calendar that minutes are counted in is a Monday.
    day = dates - first // 7 * 7
    kept = day < how.days
    rows = _rows(*(each[kept] for each in (person, day, slot, cells)))
    names = (*how.area.names, OUTSIDE)
    found = {
        "person": [str(each + 1) for each in rows[0].tolist()],
        "moment": (rows[1] * SLOTS + rows[2]).tolist(),
        "day": rows[1].tolist(),
        "slot": rows[2].tolist(),
        "place": [names[each] for each in rows[3].tolist()],
    }
    off = int((cells == len(how.area.names)).sum())
    return Read(found, len(person), off, int((~kept).sum()))


def _check_present(raw: RawTable, how: Positions) -> None:
    for field in ("person", "time", "latitude", "longitude"):
        name = getattr(how, field)
        if name not in raw.names:
            raise Refusal(
                f"The file has no column “{name}”.",
                f"Name the column of the {field}: one of " + ", ".join(raw.names) + ".",
                field=field,
            )


def _rows(
    person: npt.NDArray[np.int64],
    day: npt.NDArray[np.int64],
    slot: npt.NDArray[np.int64],
    cells: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], ...]:
    """The last position of each slot, but for those that are where the one before them was."""
    same = (person[1:] == person[:-1]) & (day[1:] == day[:-1])
    last = np.r_[~(same & (slot[1:] == slot[:-1])), True][: len(person)]
    person, day, slot, cells = (each[last] for each in (person, day, slot, cells))
    same = (person[1:] == person[:-1]) & (day[1:] == day[:-1]) & (cells[1:] == cells[:-1])
    comes = np.r_[True, ~same][: len(person)]
    return tuple(each[comes] for each in (person, day, slot, cells))


def _degrees(raw: RawTable, name: str, most: int, how: Positions) -> npt.NDArray[np.float64]:
    found = _parsed(raw, name, parse_number, "is no number of degrees")
    values = np.array([float(each) for each in found], dtype=np.float64)[raw.distinct(name)[1]]
    off = int((np.abs(values) > most).sum())
    if off:
        swapped = most == 90
        raise Refusal(
            f"In column “{name}”, {off:,} positions lie beyond {most} degrees, off the earth.",
            "Latitude and longitude may be swapped: name the columns the other way round."
            if swapped
            else "Correct them in the file; degrees are decimal numbers.",
            field="latitude" if name == how.latitude else "longitude",
        )
    return values


def _minutes(raw: RawTable, how: Positions) -> npt.NDArray[np.int64]:
    """(n,) the minute of each position by the clocks of the zone, from a Monday's midnight on."""
    zone = ZoneInfo(how.zone)
    texts, places = raw.distinct(how.time)
    used = np.zeros(len(texts), dtype=bool)
    used[places] = True
    moments = [_moment(text) if inside else None for text, inside in zip(texts, used, strict=True)]
    unread = np.array([each is None for each in moments], dtype=bool)
    _refuse(int(unread[places].sum()), how.time, "have no time as ISO 8601 writes it")
    zoned = {each.tzinfo is not None for each in moments if each is not None}
    if len(zoned) > 1:
        raise Refusal(
            f"In column “{how.time}”, some times have a time zone and others have none.",
            "Give all of them one, as in 2024-05-01T08:20:00Z, or none.",
            field="time",
        )
    found = [0 if each is None else _minute(each, zone) for each in moments]
    return np.array(found, dtype=np.int64)[places]


def _minute(moment: datetime, zone: ZoneInfo) -> int:
    local = moment if moment.tzinfo is None else moment.astimezone(zone)
    day = (local.date() - _MONDAY) // timedelta(days=1)
    return day * 24 * 60 + local.hour * 60 + local.minute


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.strip())
        return found if found.year > 1900 else None
    except ValueError:
        return None


def _parsed(
    raw: RawTable, name: str, parse: Callable[[str], Decimal | None], why: str
) -> list[Decimal]:
    texts, places = raw.distinct(name)
    found = [parse(text) for text in texts]
    unread = np.array([each is None for each in found], dtype=bool)
    _refuse(int(unread[places].sum()), name, f"have a value that {why}")
    return [Decimal(0) if each is None else each for each in found]


def _refuse(positions: int, name: str, why: str) -> None:
    if positions:
        raise Refusal(
            f"In column “{name}”, {positions:,} positions {why}.",
            "Correct or leave them out in the file, or name another column.",
            field=name,
        )


def _counting(name: str, numbers: int) -> Column:
    return Column(name=name, domain=Grid(minimum=Decimal(0), maximum=Decimal(max(1, numbers - 1))))


_MONDAY: Final = date(1900, 1, 1)
