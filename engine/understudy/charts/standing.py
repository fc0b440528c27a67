"""All measures on one scale, from the marginals to other real records. Internal figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.forest import Dot, Rule, ValueAxis, forest
from understudy.charts.palette import MARGINALS, REAL
from understudy.charts.readings import read_whole, references
from understudy.evaluation.measure import RELEASED, About, Measured
from understudy.evaluation.relative_score import way_in_words

_LOW, _HIGH = -0.6, 1.3
_ROOM = 0.08


@dataclass(frozen=True)
class Standing:
    """One measure on the scale.

    Attributes:
        heading: what it stands under.
        about: what the measure says of itself.
        found: the values of the tables, in the measure's own terms.
        placed: the same on the scale, 0 to 1.
    """

    heading: str
    about: About
    found: Mapping[str, Measured]
    placed: Mapping[str, Measured]


def standings_table(standings: Sequence[Standing]) -> pd.DataFrame:
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


def standings(found: Sequence[Standing], first: str = RELEASED) -> alt.LayerChart:
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
    return forest(
        dots,
        [Rule(None, 0.0, MARGINALS), Rule(None, 1.0, REAL)],
        ValueAxis(
            f"Where a table stands (0 % = {worst}, 100 % = {best})",
            *_ends(dots),
            form="~%",
            asked="Stands at",
        ),
        legend=True,
        row="Measure",
        notes=_notes(found, worst, best),
        description=f"Dots: where each table stands between {worst} and {best}, by measure.",
        lanes=False,
    )


def _notes(found: Sequence[Standing], worst: str, best: str) -> list[str]:
    lines = [
        f"Left line: {worst}, the worst acceptable. "
        f"Right line: {best}, the best that can be expected.",
        "The large dot, its whisker and the number at the right are those of the released table.",
    ]
    if any(_outside(placed.value) for each in found for placed in each.placed.values()):
        lines.append("What lies further out is drawn at the edge.")
    return lines


def _last(placed: Mapping[str, Measured], first: str) -> list[str]:
    """Return the names, that of the chart's own table last, so that it is drawn over the others."""
    return sorted(placed, key=lambda name: name == first)


def _dot(each: Standing, name: str, first: str) -> list[Dot]:
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
