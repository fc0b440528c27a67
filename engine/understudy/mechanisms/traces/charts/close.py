"""Pictures of how close made days are, hour by hour and through the week."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREY
from understudy.charts.ribbons import SORTS, DayPart
from understudy.core.arrays import IntArray
from understudy.core.numerals import significant
from understudy.mechanisms.traces.inspection import DaysFigures
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import HOME, WORK, Days, anchors, stays
from understudy.table.positions.slots import SLOTS

MADE, OTHERS = "Made people", "Other real people"
_WHAT: Final = "What"
_OFF: Final = "Off by, %"


@dataclass(frozen=True)
class _Aspect:
    """What is measured of days.

    Attributes:
        name: as `compared` has it.
        title: to a reader.
        meaning: of the figure, in a sentence.
        kept: whether the figure is of what is kept, so that what is lost is the rest.
    """

    name: str
    title: str
    meaning: str
    kept: bool = False


ASPECTS: Final = (
    _Aspect("places", "Where people are, every 20 minutes",
           "So many of 100 moments would have to be in another cell or at another time."),
    _Aspect("zones", "Zones, by quarter of the day",
           "So many of 100 moments would have to be in another zone or another quarter."),
    _Aspect("kept", "The 50 busiest cells",
           "So many of 100 of the busiest cells are not among the busiest any more.", kept=True),
    _Aspect("flows", "Moves between zones",
           "So many of 100 moves would have to be between other zones."),
    _Aspect("entering", "Who enters an area",
           "The number of people who come to a rectangle of the map on a day is off by so many per "
           "cent, over 200 rectangles: by more than 100 where more than twice as many come."),
    _Aspect("jumps", "How far moves go",
           "100 times the Jensen–Shannon divergence of distances in bits: 0 is the same, 100 has "
           "nothing in common."),
    _Aspect("stays", "How many stays a day",
           "So many of 100 days would have to have another number of stays."),
    _Aspect("hours", "When people set out",
           "So many of 100 moves would have to be in another hour."),
)  # fmt: skip


def close_table(found: DaysFigures) -> pd.DataFrame:
    """Return how far made people and other real ones are off, in per cent: a row an aspect."""
    return pd.DataFrame(
        [
            {
                _WHAT: each.title,
                MADE: _percent_lost(each, found.made[each.name]),
                OTHERS: _percent_lost(each, found.others[each.name]),
                "Meaning": each.meaning,
            }
            for each in ASPECTS
            if each.name in found.made
        ]
    )


def close(found: DaysFigures) -> alt.LayerChart:
    """Return two bars for each aspect, the shorter the closer."""
    table = close_table(found)
    if table.empty:
        return scales.saying("There are too few people, held out or made, to compare.")
    long = table.melt([_WHAT], [MADE, OTHERS], "Who", _OFF)
    bars = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            y=alt.Y("What:N", sort=None, title=None, axis=alt.Axis(labelLimit=260)),
            yOffset=alt.YOffset("Who:N", sort=[MADE, OTHERS]),
            x=alt.X(f"{_OFF}:Q", title=_OFF, scale=alt.Scale(domainMin=0)),
            color=alt.Color(
                "Who:N",
                scale=alt.Scale(domain=[MADE, OTHERS], range=[BLUE, GREY]),
                legend=scales.key([MADE, OTHERS]),
            ),
            detail=alt.Detail("Who:N"),
            tooltip=[
                alt.Tooltip("What:N"),
                alt.Tooltip("Who:N"),
                alt.Tooltip(f"{_OFF}:Q", format=".3~g"),
            ],
        )
    )
    return scales.stack_layers(
        bars, title=scales.internal_note(), height=60 + 44 * len(table),
        description="How far made people and other real people are off, by what is measured.",
    )  # fmt: skip


def closeness_words(found: DaysFigures) -> tuple[str, ...]:
    """Return the figures that matter most, a sentence each; none where nothing was compared."""
    if not found.made:
        return ("There were too few people, held out or made, to say how close the made ones are.",)

    def beside(name: str) -> tuple[str, str]:
        return significant(100 * found.made[name], 2), significant(100 * found.others[name], 2)

    places, flows, hours = (beside(name) for name in ("places", "flows", "hours"))
    said = (
        f"Of 100 moments of made people, {places[0]} would have to be elsewhere for their map to "
        f"be that of real people, at every 20 minutes; of as many other real people, {places[1]}.",
        f"Of 100 of their moves, {flows[0]} would have to be between other zones (other real "
        f"people: {flows[1]}), and {hours[0]} at another hour ({hours[1]}).",
    )
    return said if found.truly else (*said, _NONE_APART)


_NONE_APART: Final = (
    "Too few people were held out to compare with, so a random half of those who were counted "
    "stands for them; made people may look a little closer than they are."
)


def _percent_lost(aspect: _Aspect, value: float) -> float:
    return round(100 * (1 - value if aspect.kept else value), 2)


_HOME, _WORK, _ELSEWHERE, _WAY = SORTS


def days_of_one(made: Days, person: int) -> Days:
    """Return the days of one of the made people, counted from 0."""
    mine = made.person == person
    return Days(made.cells[mine], made.weekend[mine], np.zeros(int(mine.sum()), dtype=np.int64))


def day_parts(one: Days, where: Geography, names: Sequence[str]) -> tuple[DayPart, ...]:
    """Return the parts of one person's days, in order.

    Args:
        one: their days.
        where: the map.
        names: (cells + 1,) what each place is called; the last is off the map.
    """
    told = stays(one, anchors(one, where.cells), where.cells)
    found = []
    for day, start, end, cell, sort in zip(
        told.day, told.start, told.end, told.cell, told.sort, strict=True
    ):
        called = {HOME: _HOME, WORK: _WORK}.get(int(sort), _ELSEWHERE)
        leaves = _leaves(one.cells[day], int(cell), int(start), int(end))
        found.append(DayPart(int(day), int(start), leaves, called, names[cell]))
        if leaves < end:
            found.append(DayPart(int(day), leaves, int(end), _WAY))
    return (*found, *_nowhere(one, told.day, names))


def day_stops(
    day: int, found: Sequence[DayPart], names: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Return the cells of the stays of a day, in order, and what is said of each."""
    stays_ = [each for each in found if each.day == day and each.sort != _WAY and each.place]
    places = {name: cell for cell, name in enumerate(names[:-1])}
    on_map = [each for each in stays_ if each.place in places]
    return (
        [places[each.place] for each in on_map],
        [f"{each.sort}, {each.time}" for each in on_map],
    )


def _leaves(cells: IntArray, cell: int, start: int, end: int) -> int:
    """Return the slot after the last one of a stay in which somebody is there."""
    there = np.flatnonzero(cells[start:end] == cell)
    return start + int(there[-1]) + 1 if len(there) else end


def _nowhere(one: Days, told: IntArray, names: Sequence[str]) -> Iterator[DayPart]:
    """Yield days without a stay on the map, each as one part."""
    for day in sorted(set(range(len(one.cells))) - set(told.tolist())):
        yield DayPart(day, 0, SLOTS, _ELSEWHERE, names[-1])
