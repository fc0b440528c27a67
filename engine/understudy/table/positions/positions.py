"""How positions in time are read, as declared: who, when, where, and what is kept of them.

Every rule is fixed beforehand and looks at one person's positions alone.
"""

from __future__ import annotations

from functools import cache
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import Field, field_validator, model_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.positions.area import Area
from understudy.table.positions.places import Places

PERSON, ORDER = "person", "moment"
"""The columns of the rows that positions make which say whose a row is, and which comes first."""


class Positions(Frozen, what="the reading of positions"):
    """How positions become rows that say from which slot on somebody is in which cell.

    Attributes:
        person, time: the columns that say whose a position is, and when.
        latitude, longitude: the columns that say where, in degrees.
        place: the column that names a place of `places` instead; None where degrees stand.
        places: the public list of these.
        area: the public map.
        zone: the time zone that hours and days are of, by its name in the IANA database. A time
            that says no zone of its own is by the clocks of this one.
        days: how many days of a person are kept: those of the first weeks, counted from the Monday
            on or before the person's first position.
        gap_hours: how long somebody is taken to stay where they were last. Where the next position
            comes later, they count as outside from then on, to the next or to midnight; None holds
            them where they were.
        faulty: what becomes of a position that cannot be read, is off the earth or names a place
            that is not in the list: the file is refused, or the position is left out.

    Raises:
        Refusal: a column has no name or stands for two things, or the zone is not known.
    """

    person: str = "person"
    time: str = "time"
    latitude: str = "latitude"
    longitude: str = "longitude"
    place: str | None = None
    places: Places | None = None
    area: Area
    zone: str = "UTC"
    days: int = Field(default=28, ge=1, le=366)
    gap_hours: int | None = Field(default=None, ge=1, le=24)
    faulty: Literal["refuse", "leave-out"] = "refuse"

    @field_validator("zone")
    @classmethod
    def _check_zone(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (KeyError, ValueError, OSError):
            raise Refusal(
                "No time zone of that name is known.",
                "Name one as “Europe/Lisbon” or “UTC”.",
                field="zone",
            ) from None
        return zone

    @model_validator(mode="after")
    def _usable(self) -> Positions:
        if (self.place is None) != (self.places is None):
            raise Refusal(
                "Places are named by a column and listed with where they lie, and one of the two "
                "is missing.",
                "Give both: the column, and the list with code, latitude and longitude.",
                field="place" if self.place is None else "places",
            )
        seen: set[str] = set()
        for field in self.told_by:
            name = getattr(self, field).strip()
            if not name or name in seen:
                raise Refusal(
                    f"The column of the {field} "
                    + ("stands for something else too." if name else "has no name."),
                    "Name another column of the file.",
                    field=field,
                )
            seen.add(name)
        return self

    @property
    def told_by(self) -> tuple[str, ...]:
        """The settings that name the columns which are read."""
        where = ("latitude", "longitude") if self.place is None else ("place",)
        return ("person", "time", *where)


@cache
def zones() -> tuple[str, ...]:
    """Return the names of the time zones of places on earth, in alphabetical order, “UTC” first."""
    named = (each for each in available_timezones() if "/" in each)
    return ("UTC", *sorted(each for each in named if not each.startswith("Etc/")))
