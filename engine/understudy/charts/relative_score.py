"""Results on the common scale of measures, of one run and of several side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.forest import (
    Dot,
    GuideLine,
    ValueAxis,
    direction,
    forest,
    read_whole,
    references,
    value_text,
)
from understudy.charts.palette import MARGINALS, REAL
from understudy.evaluation.measure import RELEASED, UNIFORM, About, SubjectResult
from understudy.evaluation.registry import GROUPS
from understudy.evaluation.relative_score import way_in_words
from understudy.evaluation.run_comparison import MeasureOfRuns

# All measures on one scale, from the marginals to other real records. Internal figures.

_LOW, _HIGH = -0.6, 1.3
_ROOM = 0.08


@dataclass(frozen=True)
class MeasureStanding:
    """One measure on the scale.

    Attributes:
        heading: what it stands under.
        about: what the measure says of itself.
        found: the values of the tables, in the measure's own terms.
        placed: the same on the scale, 0 to 1.
    """

    heading: str
    about: About
    found: Mapping[str, SubjectResult]
    placed: Mapping[str, SubjectResult]


def standings_table(standings: Sequence[MeasureStanding]) -> pd.DataFrame:
    """Return one row for each measure and table: where it stands, in per cent of the way."""
    rows = [
        {
            "Measure": each.about.name,
            "Table": name,
            "Stands at (%)": 100 * placed.value,
            "From (%)": 100 * (placed.interval.low if placed.interval else math.nan),
            "To (%)": 100 * (placed.interval.high if placed.interval else math.nan),
        }
        for each in standings
        for name, placed in each.placed.items()
    ]
    columns = ["Measure", "Table", "Stands at (%)", "From (%)", "To (%)"]
    return pd.DataFrame(rows, columns=columns).round(1)


def standings(found: Sequence[MeasureStanding], first: str = RELEASED) -> alt.LayerChart:
    """Return a row for each measure: the first table as a dot with whiskers, the others small.

    What lies outside the ends of the axis is drawn at them, with an arrow and its number.

    Args:
        found: the measures, those under one heading together.
        first: the table the chart is about.
    """
    dots = [
        dot
        for each in found
        for name in _last(each.placed, first)
        for dot in _dot(each, name, first)
    ]
    worst, best = references(name for each in found for name in each.found)
    if not dots:
        return scales.saying(f"No measure tells {best} from {worst} here.")
    return _draw_scale(
        dots,
        f"Where a table stands (0 % = {worst}, 100 % = {best})",
        _ends(dots),
        _notes(found, worst, best),
        f"Dots: where each table stands between {worst} and {best}, by measure.",
        lanes=False,
    )


def _draw_scale(
    dots: Sequence[Dot],
    title: str,
    ends: tuple[float, float],
    notes: Sequence[str],
    description: str,
    *,
    lanes: bool,
) -> alt.LayerChart:
    """Return dots between the lines of both references, a row for each measure."""
    return forest(
        dots,
        [GuideLine(None, 0.0, MARGINALS), GuideLine(None, 1.0, REAL)],
        ValueAxis(title, *ends, form="~%", asked="Stands at"),
        legend=True,
        row="Measure",
        notes=notes,
        description=description,
        lanes=lanes,
    )


def _name_lines(worst: str, best: str) -> str:
    """Return what both lines stand for."""
    return (
        f"Left line: {worst}, the worst acceptable. "
        f"Right line: {best}, the best that can be expected."
    )


def _notes(found: Sequence[MeasureStanding], worst: str, best: str) -> list[str]:
    lines = [
        _name_lines(worst, best),
        "The large dot, its whisker and the number at the right are those of the released table.",
    ]
    if any(_outside(placed.value) for each in found for placed in each.placed.values()):
        lines.append("What lies further out is drawn at the edge.")
    return lines


def _last(placed: Mapping[str, SubjectResult], first: str) -> list[str]:
    """Return the names, that of the chart's own table last, so that it is drawn over the others."""
    return sorted(placed, key=lambda name: name == first)


def _dot(each: MeasureStanding, name: str, first: str) -> list[Dot]:
    placed, main = each.placed[name], name == first
    if not math.isfinite(placed.value):
        return []
    interval = placed.interval if main else None
    way = way_in_words(placed.value, references(each.found)[0])
    return [
        Dot(
            block=each.heading,
            row=each.about.name,
            name=name,
            value=_within(placed.value),
            low=None if interval is None else _within(interval.low),
            high=None if interval is None else _within(interval.high),
            said=f"{way}; {read_whole(each.about, each.found[name])}",
            beside=_in_short(way) if main else "",
            faint=not main,
        )
    ]


def _in_short(way: str) -> str:
    """Return the same for the margin of a chart."""
    return way.partition(" of the way")[0].partition(" than ")[0]


def _outside(value: float) -> bool:
    return math.isfinite(value) and not _LOW <= value <= _HIGH


def _within(value: float) -> float:
    return min(max(value, _LOW), _HIGH)


def _ends(dots: Sequence[Dot]) -> tuple[float, float]:
    values = [end for each in dots for end in (each.value, each.low, each.high) if end is not None]
    return (
        max(_LOW, min([0.0, *values]) - _ROOM),
        min(_HIGH, max([1.0, *values]) + _ROOM),
    )


# Several runs side by side, measure by measure. Internal figures.

_LOW_BESIDE, _HIGH_BESIDE, _ROOM_BESIDE = -0.6, 1.3, 0.08


def beside_table(found: Sequence[MeasureOfRuns], names: Sequence[str]) -> pd.DataFrame:
    """Return one row for each measure: for each run its value, and in brackets its references."""
    rows = [
        {
            "Measure": each.about.name,
            **{name: _whole(each, name) for name in names},
            "Which way is better": direction(each.about),
        }
        for each in found
    ]
    return pd.DataFrame(rows, columns=["Measure", *names, "Which way is better"])


def chart_beside(found: Sequence[MeasureOfRuns], names: Sequence[str]) -> alt.LayerChart:
    """Return a row for each measure, in it a lane for each run, on the scale between its
    references.

    Measures without such a scale for all runs are left out; the table has them all.

    Args:
        found: the measures.
        names: of the runs, in their order.
    """
    drawn = [each for each in found if all(name in each.placed for name in names)]
    dots = [
        _dot_of_run(each, name, each.placed[name])
        for each in drawn
        for name in names
        if math.isfinite(each.placed[name].value)
    ]
    worst, best = references(name for each in found for name in each.subjects)
    if not dots:
        return scales.saying(f"No measure tells {best} from {worst} in all runs.")
    return _draw_scale(
        dots,
        f"Where a released table stands (0 % = {worst}, 100 % = {best})",
        _ends_beside(dots),
        [
            _name_lines(worst, best),
            "Every run is held against its own references. What lies further out is drawn at the "
            "edge.",
        ],
        "Dots with intervals: where each run's table stands, measure by measure.",
        lanes=True,
    )


def _dot_of_run(each: MeasureOfRuns, name: str, placed: SubjectResult) -> Dot:
    interval = placed.interval
    said = way_in_words(placed.value, references(each.subjects)[0])
    return Dot(
        block=GROUPS[each.about.group],
        row=each.about.name,
        name=name,
        value=_within_beside(placed.value),
        low=None if interval is None else _within_beside(interval.low),
        high=None if interval is None else _within_beside(interval.high),
        said=f"{said}; {read_whole(each.about, each.found[name])}",
    )


def _whole(each: MeasureOfRuns, name: str) -> str:
    """Return a value with its interval, and the references of its own run."""
    said = read_whole(each.about, each.found[name])
    against = [
        f"{what} {value_text(each.about, known[name].value)}"
        for what, known in (("real", each.real), (_worst(each), each.marginals))
        if name in known
    ]
    return f"{said} · {', '.join(against)}" if against else said


def _worst(each: MeasureOfRuns) -> str:
    return "uniform" if UNIFORM in each.subjects else "marginals"


def _within_beside(value: float) -> float:
    return min(max(value, _LOW_BESIDE), _HIGH_BESIDE)


def _ends_beside(dots: Sequence[Dot]) -> tuple[float, float]:
    values = [end for each in dots for end in (each.value, each.low, each.high) if end is not None]
    return max(_LOW_BESIDE, min([0.0, *values]) - _ROOM_BESIDE), min(
        _HIGH_BESIDE, max([1.0, *values]) + _ROOM_BESIDE
    )
