"""The published figures, drawn from our numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import pandas as pd

from understudy.charts.palette import SERIES, SHAPES
from understudy.studies.comparison import Comparison
from understudy.studies.pictures import Picture
from understudy.studies.pmse.practised.failing import CPS, PUBLISHED_BOUND, Rate

_COLOURS: Final = (*SERIES, "#8B9097", "#BA8A12", "#404040")
_CP: Final = CPS[0]
"""Of the trees of Figure 1."""


def pictures(moved: Sequence[Rate], means: Comparison, errors: pd.DataFrame) -> tuple[Picture, ...]:
    """Return Figures 1 to 4.

    Args:
        moved: how far one record moved the score, for each kind of tree.
        means: mean pMSE by ε and method.
        errors: “ε”, “method”, “bounds”, “of” and “error”, a regression a row.
    """
    drawn = (_draw_figure_1(moved), _mean_errors(errors), _mean_scores(means), _spread(errors))
    return tuple(each for each in drawn if len(each.numbers))


def _draw_figure_1(rates: Sequence[Rate]) -> Picture:
    """Draw Figure 1."""
    title = f"Figure 1: how far one record moves the score, cp = {_CP:g}"
    numbers = pd.DataFrame(
        [
            ("unlimited" if each.depth is None else str(each.depth), float(difference))
            for each in rates
            if each.cp == _CP
            for difference in each.differences
        ],
        columns=["depth", "difference"],
    )
    numbers["beyond 1/n"] = numbers["difference"].abs() > PUBLISHED_BOUND * (1 + 1e-9)
    depths = list(dict.fromkeys(numbers["depth"]))
    points = (
        alt.Chart(numbers)
        .mark_point(size=20)
        .encode(
            x=alt.X("depth:N", sort=depths, title="Depth of the tree", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("jitter:Q"),
            y=alt.Y("difference:Q", title="u(X, θ) − u(X′, θ)"),
            color=alt.Color("beyond 1/n:N", scale=_scale([False, True], _COLOURS)),
            shape=alt.Shape("beyond 1/n:N", scale=_scale([False, True], SHAPES)),
        )
        .transform_calculate(jitter="random()")
    )
    ends = pd.DataFrame({"bound": [-PUBLISHED_BOUND, PUBLISHED_BOUND]})
    rules = alt.Chart(ends).mark_rule(strokeDash=[4, 3]).encode(y="bound:Q")
    chart = alt.LayerChart(layer=[points, rules], title=title, width=480, height=260)
    return Picture("figure-1", title, chart, numbers)


def _mean_errors(errors: pd.DataFrame) -> Picture:
    """Draw Figure 2."""
    title = "Figure 2: mean error of a regression on the synthetic table"
    grouped = errors.groupby(["of", "line", "ε"], sort=False)["error"].mean()
    numbers = grouped.reset_index()
    return _lines("figure-2", title, numbers, ("error", "Mean absolute error"), facet=True)


def _mean_scores(means: Comparison) -> Picture:
    """Draw Figure 3."""
    title = "Figure 3: mean pMSE"
    numbers = pd.DataFrame(
        [(each.of[1], float(each.of[0]), each.ours, each.published) for each in means.entries],
        columns=["line", "ε", "pMSE", "published"],
    )
    return _lines("figure-3", title, numbers, ("pMSE", "Mean pMSE"), facet=False)


def _lines(
    name: str, title: str, numbers: pd.DataFrame, of: tuple[str, str], *, facet: bool
) -> Picture:
    lines = list(dict.fromkeys(numbers["line"]))
    chart = (
        alt.Chart(numbers, title=title)
        .mark_line(point={"size": 35})
        .encode(
            x=alt.X("ε:Q", scale=alt.Scale(type="log"), axis=alt.Axis(values=_ticks(numbers))),
            y=alt.Y(f"{of[0]}:Q", title=of[1], scale=alt.Scale(type="symlog", constant=0.01)),
            color=alt.Color("line:N", sort=lines, scale=_scale(lines, _COLOURS), title=None,
                            legend=alt.Legend(labelLimit=300)),
            shape=alt.Shape("line:N", sort=lines, scale=_scale(lines, SHAPES), title=None),
            **({"column": alt.Column("of:N", title=None)} if facet else {}),
        )
        .properties(width=300 if facet else 480, height=320)
    )  # fmt: skip
    return Picture(name, title, chart, numbers)


def _spread(errors: pd.DataFrame) -> Picture:
    """Draw Figure 4."""
    title = "Figure 4: errors of a regression on the synthetic table"
    lines = list(dict.fromkeys(errors["line"]))
    chart = (
        alt.Chart(errors, title=title)
        .mark_boxplot(extent="min-max", size=8, color=SERIES[0])
        .encode(
            x=alt.X("error:Q", title="Absolute error",
                    scale=alt.Scale(type="symlog", constant=0.01)),
            y=alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(labelLimit=300)),
            row=alt.Row("of:N", title=None),
            column=alt.Column("ε:N"),
        )
        .properties(width=220, height=14 * max(1, len(lines)))
    )  # fmt: skip
    return Picture("figure-4", title, chart, errors)


def _ticks(numbers: pd.DataFrame) -> list[float]:
    return sorted(set(numbers["ε"]))


def _scale(names: Sequence[str | bool], looks: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(names), range=[looks[at % len(looks)] for at in range(len(names))])
