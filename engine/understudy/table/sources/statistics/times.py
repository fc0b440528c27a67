"""Dates and times of statistics programs, which are numbers counted from an epoch of the program.

What a column's format says is whether its numbers count days, seconds or milliseconds, or tell the
time of day. A value is a day if it is a midnight and else a day and a time, whatever its format
shows of it: a month and a year too are the day that the number stands for. Of a format of times, a
value beyond one day is a span or a point in time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from understudy.table.cells import cell_text
from understudy.table.declared_reading import Kind
from understudy.table.unreadable import NOT_A_VALUE

_DAY, _SECOND, _MILLISECOND = timedelta(days=1), timedelta(seconds=1), timedelta(milliseconds=1)
_NONE = timedelta(0)
_STATA = re.compile(r"%-?(t?d|tc|tC)(.*)")
_NAMED = re.compile(r"([A-Z][A-Z0-9]+[A-Z])(?:\d+(?:\.\d+)?)?")
_SPSS_MOMENTS = {
    "DATE", "ADATE", "EDATE", "JDATE", "SDATE", "DATETIME", "YMDHMS", "MOYR", "QYR", "WKYR",
}  # fmt: skip
_SPSS_TIMES = {"TIME", "DTIME", "MTIME"}
_SAS_DAYS = {
    "DATE", "WEEKDATE", "WEEKDATX", "WORDDATE", "WORDDATX", "NLDATE", "JULIAN", "NENGO", "MINGUO",
    "IS8601DA", "E8601DA", "B8601DA", "MONYY", "YYMON", "YYQ", "YYQR",
    "YYMM", "YYMMC", "YYMMN", "YYMMP", "YYMMS", "MMYY", "MMYYC", "MMYYD", "MMYYN", "MMYYP", "MMYYS",
    "YYQC", "YYQD", "YYQN", "YYQP", "YYQS", "YYQRC", "YYQRD", "YYQRN", "YYQRP", "YYQRS",
    "MMDDYY", "MMDDYYB", "MMDDYYC", "MMDDYYD", "MMDDYYN", "MMDDYYP", "MMDDYYS",
    "DDMMYY", "DDMMYYB", "DDMMYYC", "DDMMYYD", "DDMMYYN", "DDMMYYP", "DDMMYYS",
    "YYMMDD", "YYMMDDB", "YYMMDDD", "YYMMDDN", "YYMMDDP", "YYMMDDS",
}  # fmt: skip
_SAS_MOMENTS = {
    "DATETIME", "DATEAMPM", "MDYAMPM", "DTDATE", "DTMONYY", "DTWKDATX", "DTYYQC", "NLDATM",
    "E8601DT", "IS8601DT", "B8601DT", "B8601DN",
}  # fmt: skip
_SAS_TIMES = {"TIME", "HHMM", "MMSS", "TIMEAMPM", "NLTIME", "IS8601TM", "E8601TM", "B8601TM"}
_SAS_TIMES_OF_MOMENTS = {"TOD"}


@dataclass(frozen=True)
class Clock:
    """How the numbers of a column tell the time.

    Attributes:
        start: what 0 stands for.
        unit: what 1 is more.
        of_day: whether a number of less than a day stands for a time of day.
        spans: whether any other then stands for a span of time, and not for a point in time.
    """

    start: datetime
    unit: timedelta
    of_day: bool = False
    spans: bool = False

    def text(self, value: Any) -> str:
        """Return a number as a day, a point in time, a time of day or a span; nothing is empty, and
        what lies beyond the years 1 to 9999 cannot be read."""
        if value is None or value != value:
            return ""
        try:
            since = self.unit * value
            if self.of_day and _NONE <= since < _DAY:
                return cell_text((self.start + since).time())
            return cell_text(since if self.spans else self.start + since)
        except OverflowError:
            return NOT_A_VALUE


def clock_of(kind: Kind, form: str | None) -> Clock | None:
    """Return how the numbers of a column of this format tell the time; None where they are numbers.

    Args:
        kind: which program's.
        form: the format as the file names it.
    """
    if form is None:
        return None
    if kind == "stata":
        return _stata(form)
    found = _NAMED.fullmatch(form)
    return _CLOCKS[kind].get(found[1]) if found else None


def _stata(form: str) -> Clock | None:
    found = _STATA.fullmatch(form)
    if found is None:
        return None
    if found[1] in ("d", "td"):
        return Clock(_FROM_1960, _DAY)
    return Clock(_FROM_1960, _MILLISECOND, of_day=found[2] in ("HH:MM:SS", "HH:MM"))


_FROM_1960, _FROM_1582 = datetime(1960, 1, 1), datetime(1582, 10, 14)
_SPSS = dict.fromkeys(_SPSS_MOMENTS, Clock(_FROM_1582, _SECOND)) | dict.fromkeys(
    _SPSS_TIMES, Clock(_FROM_1582, _SECOND, of_day=True, spans=True)
)
_SAS = (
    dict.fromkeys(_SAS_DAYS, Clock(_FROM_1960, _DAY))
    | dict.fromkeys(_SAS_MOMENTS, Clock(_FROM_1960, _SECOND))
    | dict.fromkeys(_SAS_TIMES, Clock(_FROM_1960, _SECOND, of_day=True, spans=True))
    | dict.fromkeys(_SAS_TIMES_OF_MOMENTS, Clock(_FROM_1960, _SECOND, of_day=True))
)
_CLOCKS = {"spss": _SPSS, "spss-portable": _SPSS, "sas": _SAS, "sas-transport": _SAS}
