"""Several runs side by side, measure by measure. Internal figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.forest import Dot, Rule, forest
from understudy.charts.forest import ValueAxis as Axis
from understudy.charts.palette import MARGINALS, REAL
from understudy.charts.readings import direction, read_whole, references, value_text
from understudy.evaluation.measure import UNIFORM, Measured
from understudy.evaluation.registry import GROUPS
from understudy.evaluation.relative_score import way_in_words
from understudy.evaluation.run_comparison import MeasureOfRuns

_LOW, _HIGH, _ROOM = -0.6, 1.3, 0.08


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


def beside(found: Sequence[MeasureOfRuns], names: Sequence[str]) -> alt.LayerChart:
    """Return a row for each measure, in it a lane for each run, on the scale between its
    references.

    Measures without such a scale for all runs are left out; the table has them all.

    Args:
        found: the measures.
        names: of the runs, in their order.
    """
    drawn = [each for each in found if all(name in each.placed for name in names)]
    dots = [
        _dot(each, name, each.placed[name])
        for each in drawn
        for name in names
        if math.isfinite(each.placed[name].value)
    ]
    worst, best = references(name for each in found for name in each.subjects)
    if not dots:
        return scales.saying(f"No measure tells {best} from {worst} in all runs.")
    return forest(
        dots,
        [Rule(None, 0.0, MARGINALS), Rule(None, 1.0, REAL)],
        Axis(
            f"Where a released table stands (0 % = {worst}, 100 % = {best})",
            *_ends(dots),
            form="~%",
            asked="Stands at",
        ),
        legend=True,
        row="Measure",
        notes=[
            f"Left line: {worst}, the worst acceptable. "
            f"Right line: {best}, the best that can be expected.",
            "Every run is held against its own references. What lies further out is drawn at the "
            "edge.",
        ],
        description="Dots with intervals: where each run's table stands, measure by measure.",
    )


def _dot(each: MeasureOfRuns, name: str, placed: Measured) -> Dot:
    interval = placed.interval
    said = way_in_words(placed.value, references(each.subjects)[0])
    return Dot(
        block=GROUPS[each.about.group],
        row=each.about.name,
        name=name,
        value=_within(placed.value),
        low=None if interval is None else _within(interval.low),
        high=None if interval is None else _within(interval.high),
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


def _within(value: float) -> float:
    return min(max(value, _LOW), _HIGH)


def _ends(dots: Sequence[Dot]) -> tuple[float, float]:
    values = [end for each in dots for end in (each.value, each.low, each.high) if end is not None]
    return max(_LOW, min([0.0, *values]) - _ROOM), min(_HIGH, max([1.0, *values]) + _ROOM)
