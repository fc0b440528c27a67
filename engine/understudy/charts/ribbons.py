"""Days as ribbons: when somebody is at home, at work, elsewhere and on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREEN, GREY, VERMILLION, ink_on
from understudy.table.positions.slots import SLOTS

SORTS: Final = ("Home", "Work", "Elsewhere", "On the way")
COLOURS: Final[Mapping[str, str]] = dict(zip(SORTS, (BLUE, VERMILLION, GREEN, GREY), strict=True))
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HOURS_A_SLOT: Final = 24 / SLOTS
_LETTERED: Final = 1.5
"""Hours that a part of a day lasts that has room for a letter."""


@dataclass(frozen=True)
class DayPart:
    """A part of a day.

    Attributes:
        day: counted from a Monday, 0.
        start, end: slots, the end not within it.
        sort: one of `SORTS`.
        place: what it is called.
    """

    day: int
    start: int
    end: int
    sort: str
    place: str = ""

    @property
    def time(self) -> str:
        """From when to when, such as “08:20–17:00”."""
        return f"{_clock(self.start)}\N{EN DASH}{_clock(self.end)}"


def named_day(day: int) -> str:
    """Return a day as a reader knows it: “Mon”, in the second week “Mon 2”."""
    week = f" {day // 7 + 1}" if day >= 7 else ""
    return WEEKDAYS[day % 7] + week


def ribbon_table(parts: Sequence[DayPart]) -> pd.DataFrame:
    """Return a row for each part."""
    return pd.DataFrame(
        [
            {"Day": named_day(each.day), "From": _clock(each.start), "To": _clock(each.end),
             "Where": each.sort, "Place": each.place}
            for each in parts
        ]
    )  # fmt: skip


def ribbon(parts: Sequence[DayPart], title: alt.TitleParams) -> alt.LayerChart:
    """Return a line of coloured parts for each day, its letter on each that has room."""
    days = sorted({each.day for each in parts})
    frame = pd.DataFrame(
        [
            {
                "day": named_day(each.day), "from": each.start * _HOURS_A_SLOT,
                "to": each.end * _HOURS_A_SLOT, "sort": each.sort, "time": each.time,
                "place": each.place,
                "letter": each.sort[0] if (each.end - each.start) * _HOURS_A_SLOT > _LETTERED
                else "",
                "middle": (each.start + each.end) / 2 * _HOURS_A_SLOT,
                "ink": ink_on((COLOURS[each.sort],) * 2, 0.0),
            }
            for each in parts
        ]
    )  # fmt: skip
    y = alt.Y(
        "day:N",
        title=None,
        sort=[named_day(each) for each in days],
        scale=alt.Scale(paddingInner=0.25),
        axis=alt.Axis(ticks=False, domain=False),
    )
    hours = alt.Scale(domain=[0, 24], nice=False)
    said = [
        alt.Tooltip("time:N", title="When"),
        alt.Tooltip("sort:N", title="Where"),
        alt.Tooltip("place:N", title="Place"),
    ]
    bars = (
        alt.Chart(frame)
        .mark_rect()
        .encode(
            x=alt.X("from:Q", title="Hour of the day", scale=hours,
                    axis=alt.Axis(values=list(range(0, 25, 3)), grid=False)),
            x2=alt.X2("to"), y=y, color=_colours(), detail=alt.Detail("sort:N"), tooltip=said,
        )
    )  # fmt: skip
    letters = (
        alt.Chart(frame)
        .mark_text(fontSize=12, fontWeight="bold", tooltip=None)
        .encode(
            x=alt.X("middle:Q", title="Hour of the day", scale=hours), y=y,
            text=alt.Text("letter:N"),
            color=alt.Color("ink:N", scale=None, legend=None),
        )
    )  # fmt: skip
    return scales.stack_layers(
        bars, letters, title=title, description="Days as ribbons by where somebody is.",
        height=60 + 34 * len(days),
    )  # fmt: skip


def _colours() -> alt.Color:
    return alt.Color(
        "sort:N",
        scale=alt.Scale(domain=list(SORTS), range=list(COLOURS.values())),
        legend=scales.key(SORTS),
    )


def _clock(slot: int) -> str:
    return f"{slot // 3:02d}:{slot % 3 * 20:02d}"
