"""Points in time as files of positions write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Final
from zoneinfo import ZoneInfo

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
        found = _spelled(text) or datetime.fromisoformat(text)
        # Another zone may lie a day earlier or later.
        return found if 1900 < found.year < date.max.year else None
    except ValueError:
        return None


def _spelled(text: str) -> datetime | None:
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
