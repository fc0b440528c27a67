"""Which columns of a file may hold positions, by what they are called and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_CALLED: Final = {
    "person": (
        "person", "person_id", "user", "user_id", "userid", "uid", "id", "device", "device_id",
        "subject", "participant", "participant_id", "folder", "track", "file",
    ),
    "time": ("time", "timestamp", "datetime", "date_time", "utc_time", "recorded_at"),
    "latitude": ("latitude", "lat", "y"),
    "longitude": ("longitude", "lon", "lng", "long", "x"),
    "place": (
        "place", "place_id", "venue", "venue_id", "venueid", "cell_id", "antenna", "location",
    ),
    "code": ("code", "place", "place_id", "venue", "venue_id", "venueid", "id", "name"),
}  # fmt: skip
"""Usual names of each column, the likeliest first, in small letters."""


@dataclass(frozen=True)
class LikelyPositions:
    """The columns that may hold each part of a position, by their names in the file; "" where none
    is called like it."""

    person: str
    time: str
    latitude: str
    longitude: str
    place: str

    @property
    def found(self) -> bool:
        """Whether positions may be there: a person, a time and, by degrees or by name, a place."""
        return bool(self.person and self.time and (self.placed or self.place))

    @property
    def placed(self) -> bool:
        """Whether degrees are there."""
        return bool(self.latitude and self.longitude)


def likely(names: Sequence[str]) -> LikelyPositions:
    """Return the columns that may hold positions."""
    return LikelyPositions(
        *(called_like(names, part) for part in ("person", "time", "latitude", "longitude", "place"))
    )


def called_like(names: Sequence[str], part: str) -> str:
    """Return the column that is called as one of that part is; "" where there is none.

    Args:
        names: of the columns.
        part: "person", "time", "latitude", "longitude", "place", or "code" of a list of places.
    """
    known = {name.strip().lower().replace(" ", "_").replace("-", "_"): name for name in names}
    return next((known[each] for each in _CALLED[part] if each in known), "")
