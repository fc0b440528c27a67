"""One picture of what is protected: a person with all of their days, in the table or not."""

from __future__ import annotations

from typing import Final

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import LETTERS, VERMILLION
from understudy.charts.ribbons import COLOURS, SORTS

_DAYS: Final = 7
_GAP: Final = 1.2
_MIDDLES: Final = (_DAYS / 2, _DAYS + _GAP + _DAYS / 2)
_TABLES: Final = ("With this person", "Without this person")
_FRAMED: Final = 3
_PEOPLE: Final = tuple(f"Person {letter}" for letter in "ABCDE")
_HOME, _WORK, _OUT, _WAY = SORTS
_OFFICE: Final = ((0, 8, _HOME), (8, 9, _WAY), (9, 17, _WORK), (17, 18, _WAY), (18, 24, _HOME))
_LATE: Final = ((0, 13, _HOME), (13, 14, _WAY), (14, 22, _WORK), (22, 23, _WAY), (23, 24, _HOME))
_EVENING: Final = (
    (0, 8, _HOME), (8, 9, _WAY), (9, 17, _WORK), (17, 18, _WAY), (18, 22, _OUT), (22, 24, _HOME),
)  # fmt: skip
_TRIP: Final = ((0, 10, _HOME), (10, 11, _WAY), (11, 17, _OUT), (17, 18, _WAY), (18, 24, _HOME))
_IN: Final = ((0, 24, _HOME),)
_WEEKS: Final = (
    (_OFFICE, _OFFICE, _EVENING, _OFFICE, _EVENING, _TRIP, _IN),
    (_LATE, _LATE, _LATE, _IN, _LATE, _LATE, _TRIP),
    (_IN, _TRIP, _IN, _TRIP, _IN, _IN, _TRIP),
    (_OFFICE, _EVENING, _OFFICE, _EVENING, _OFFICE, _TRIP, _TRIP),
    (_TRIP, _IN, _IN, _TRIP, _TRIP, _IN, _IN),
)
"""Weeks of five people who were made up for the picture."""


def person_table() -> pd.DataFrame:
    """Return whose days are in which of the two tables that the promise compares."""
    return pd.DataFrame(
        [
            {
                "Who": name,
                _TABLES[0]: "all of their days",
                _TABLES[1]: "none of them" if at == _FRAMED else "all of their days",
            }
            for at, name in enumerate(_PEOPLE)
        ]
    )


def person() -> alt.LayerChart:
    """Return two tables of the same people's weeks, one of them without one person."""
    x = alt.X(
        "from:Q", title=None, axis=None, scale=alt.Scale(domain=[0, 2 * _DAYS + _GAP], nice=False)
    )
    y = alt.Y(
        "who:N",
        title=None,
        sort=list(_PEOPLE),
        scale=alt.Scale(paddingInner=0.35, paddingOuter=0.6),
        axis=alt.Axis(ticks=False, domain=False),
    )
    days = (
        alt.Chart(_parts())
        .mark_rect(tooltip=None)
        .encode(
            x=x, x2=alt.X2("to"), y=y, detail=alt.Detail("sort:N"),
            color=alt.Color(
                "sort:N",
                scale=alt.Scale(domain=list(SORTS), range=list(COLOURS.values())),
                legend=scales.key(SORTS),
            ),
        )
    )  # fmt: skip
    frames = pd.DataFrame(
        {"who": [_PEOPLE[_FRAMED]] * 2, "from": [-0.05, _DAYS + _GAP - 0.05],
         "to": [_DAYS + 0.05, 2 * _DAYS + _GAP], "middle": _MIDDLES,
         "said": ["", "never here: not one day"]}
    )  # fmt: skip
    framed = alt.Chart(frames)
    heads = pd.DataFrame({"middle": _MIDDLES, "said": list(_TABLES)})
    return scales.stacked(
        days,
        framed.mark_rect(filled=False, stroke=VERMILLION, strokeWidth=2.5, strokeDash=[6, 3],
                         tooltip=None).encode(x=x, x2=alt.X2("to"), y=y),
        framed.mark_text(fontSize=13, color=LETTERS, tooltip=None).encode(
            x=alt.X("middle:Q", title=None, axis=None), y=y, text=alt.Text("said:N")
        ),
        alt.Chart(heads)
        .mark_text(fontSize=14, fontWeight="bold", dy=-4, color=LETTERS, tooltip=None)
        .encode(
            x=alt.X("middle:Q", title=None, axis=None), y=alt.YValue(0), text=alt.Text("said:N"),
        ),
        title=scales.note(""),
        description="The weeks of five made-up people in two tables; in the second one, the fourth "
        "person is missing with all days.",
        height=250,
    )  # fmt: skip


def _parts() -> pd.DataFrame:
    rows = []
    for table, shift in enumerate((0.0, _DAYS + _GAP)):
        for at, (who, week) in enumerate(zip(_PEOPLE, _WEEKS, strict=True)):
            if table == 1 and at == _FRAMED:
                continue
            rows += [
                {"who": who, "from": shift + day + start / 24, "to": shift + day + end / 24,
                 "sort": sort}
                for day, parts in enumerate(week)
                for start, end, sort in parts
            ]  # fmt: skip
    return pd.DataFrame(rows)
