"""Pictures of what a plan comes to: its noise, and one person's day."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from understudy.charts import maps, scales
from understudy.charts.palette import LETTERS, VERMILLION
from understudy.charts.public import PictureShape, PublicPicture
from understudy.charts.ribbons import COLOURS, SORTS
from understudy.core.numerals import significant
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.traces.charts import curves
from understudy.mechanisms.traces.charts.fakes import of_fakes
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.geography import take_together
from understudy.table.positions.grids import PEOPLE_A_CELL

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
    return scales.stack_layers(
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


_TRIED = (1, 2, 3, 4, 5, 8, 10)


def pictures(decided: PlannedRun[TracesPlan]) -> Iterator[PublicPicture]:
    """Yield what is protected, how well it is, what is kept, the map, and what comes of no
    guarantee."""
    plan = decided.plan
    yield _of_a_person()
    yield _of_guesses(plan)
    yield _of_errors(plan)
    yield _of_the_map(plan)
    yield from of_fakes(plan)


def _of_a_person() -> PublicPicture:
    return PublicPicture(
        name="person",
        title="What is protected: a person, with all of their days",
        said=(
            "The promise compares two tables. In one of them somebody is there with every day that "
            "was recorded of them; in the other they never were. What is released has to look much "
            "the same from both: the smaller ε, the more so. That holds for all that could be told "
            "of somebody at once, such as where they live or one evening, and for whoever it is. "
            "The five people here are made up."
        ),
        draw=person,
        table=person_table(),
        alt="Two tables of five people's weeks, one of them without one person.",
    )


def _of_guesses(plan: TracesPlan) -> PublicPicture:
    # Rounded up: it is said of all guesses.
    right = math.ceil(10 * curves.right_guesses(plan)) / 10
    table = curves.guesses_table(plan)
    return PublicPicture(
        name="guesses",
        title="Could anybody tell that somebody is in it?",
        said=(
            "Somebody knows everybody else's days, and all days of one person, and has to say "
            "whether that person was in the table. Without the release a coin is right 50 times "
            f"of 100. With it, no guess is right more than {right:g} times of 100, "
            "whatever computer makes it and however many days are made."
        ),
        draw=partial(curves.guesses, plan),
        table=table,
        alt="How often the best guess whether a person is in the table is right, by ε.",
        shape=PictureShape("lines", "ε", (curves.GUESS, curves.COIN), curves.RIGHT, powers=True,
                    marked=plan.epsilon),
    )  # fmt: skip


def _of_errors(plan: TracesPlan) -> PublicPicture:
    table = curves.errors_table(plan)
    ends = [float(each) for each in curves.PEOPLE_TIMES_EPSILON]
    marked = None if plan.public_people is None else curves.place_plan(plan, (ends[0], ends[-1]))
    return PublicPicture(
        name="errors",
        title="What ε costs: how far places will be off",
        said=_foreseen(plan),
        draw=partial(curves.errors, plan),
        table=table,
        alt="How many of 100 moments of made days are in another place, by people times ε.",
        shape=PictureShape("lines", curves.CARRIED, (curves.MADE, curves.ZONES, curves.OTHERS),
                    curves.OFF, powers=True, marked=marked),
        foresees=True,
        in_short=_in_short(plan),
    )  # fmt: skip


def _in_short(plan: TracesPlan) -> str:
    """Return the same in two sentences."""
    if plan.public_people is None:
        return "Say how many people are publicly known to be in the table to see your own."
    off = 100 * curves.foresee_error(plan.where.cells, plan.public_people * plan.epsilon)
    best = 100 * curves.BY_CELLS[curves.nearest(plan.where.cells)].others
    return (
        f"Of 100 moments of made days, about {significant(off, 2)} would have to be in another "
        f"place to agree with other real people; real people differ in {significant(best, 2)}. "
        "Measured on a simulated city."
    )


def _foreseen(plan: TracesPlan) -> str:
    cells = curves.nearest(plan.where.cells)
    best = significant(100 * curves.BY_CELLS[cells].others, 2)
    said = (
        "Of 100 moments of made days, so many would have to be somewhere else for the map to be, "
        "at every 20 minutes, that of other real people. Even other real people are off by "
        f"{best} (the dotted line). It depends on the number of people times ε: twice the people "
        f"are "
        f"worth twice the ε. Measured on the simulated city with {cells} cells"
    )
    if cells != plan.where.cells:
        said += f", the nearest to your {plan.where.cells:,} of those that were measured"
    if plan.public_people is None:
        return said + ". Say how many people are publicly known to be in the table to see your own."
    off = 100 * curves.foresee_error(plan.where.cells, plan.public_people * plan.epsilon)
    return (
        f"{said}. With {plan.public_people:,} people at ε = {plan.epsilon:g}, about "
        f"{significant(off, 2)} of 100 are foreseen."
    )


def _of_the_map(plan: TracesPlan) -> PublicPicture:
    where = plan.where
    high, wide = where.cell_km
    return PublicPicture(
        name="map",
        title="The map, its cells and its zones",
        said=(
            f"{where.cells:,} cells of {high:g} by {wide:g} km, in {where.zones} by {where.zones} "
            f"zones (the thick lines). The noise on a cell is the same whether anybody is there or "
            f"not, so a map needs about {PEOPLE_A_CELL} people for each cell at ε = 1. The table "
            "says how many people a map needs at this ε if cells are taken together."
        ),
        draw=lambda: maps.grid(where, scales.note("")),
        table=_maps(plan),
        alt="The map cut into cells, gathered in zones.",
    )


def _maps(plan: TracesPlan) -> pd.DataFrame:
    """Return a row for each map that cells taken together make, and the people that it needs."""
    rows = []
    for by in sorted({*_TRIED, plan.gathered}):
        where = take_together(plan.as_told, by)
        if by > max(plan.as_told.rows, plan.as_told.columns):
            continue
        rows.append(
            {
                "Cells each way as one": by,
                "Cells of the map": where.cells,
                "A cell, km": f"{where.cell_km[0]:g} × {where.cell_km[1]:g}",
                f"People needed at ε = {plan.epsilon:g}": int(
                    -(-PEOPLE_A_CELL * where.cells // plan.epsilon)
                ),
                "This plan": "yes" if by == plan.gathered else "",
            }
        )
    return pd.DataFrame(rows)
