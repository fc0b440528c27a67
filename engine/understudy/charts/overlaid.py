"""One column in the real and in the synthetic table, laid over each other. Internal figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import grids, scales
from understudy.charts.histogram import MOST_NAMED, binned
from understudy.charts.palette import REAL, RELEASED
from understudy.core.arrays import FloatArray, IntArray
from understudy.evaluation.binning import parts_of
from understudy.table.schema import Column

REAL_NAME: Final = "real"
MADE_NAME: Final = "synthetic"
_NAMES: Final = (REAL_NAME, MADE_NAME)
_MOST_STEPS: Final = 60
_LONGEST: Final = 18
_CURVES, _BARS = 280, 350
"""Pixels in height, with title, key and names."""


def overlaid_table(column: Column, real: IntArray, made: IntArray) -> pd.DataFrame:
    """Return one row for each value, or run of values: its share of either table, in per cent.

    Args:
        column: its values.
        real, made: (cardinality,) how many records of either table hold each code.
    """
    labels, ours, theirs = _shares(column, real, made)
    return pd.DataFrame(
        {
            "Value": labels,
            "Real (%)": 100 * ours,
            "Synthetic (%)": 100 * theirs,
            "Difference (points)": 100 * (theirs - ours),
        }
    ).round(2)


def overlaid(column: Column, real: IntArray, made: IntArray, title: str) -> alt.LayerChart:
    """Numbers as two curves of steps, categories as bars with a mark where the other table is.

    Args:
        column, real, made: as of `overlaid_table`.
        title: what stands above it.
    """
    labels, ours, theirs = _shares(column, real, made)
    if column.ordered and len(labels) > MOST_NAMED:
        layers, height = _curves(labels, ours, theirs), _CURVES
    else:
        layers, height = _bars(labels, ours, theirs), _BARS
    return scales.stacked(
        *layers,
        title=scales.internal_note(title),
        description=f"Shares of the values of {column.title or column.name}, in the real and the "
        "synthetic table.",
        height=height,
    )


def _shares(
    column: Column, real: IntArray, made: IntArray
) -> tuple[list[str], FloatArray, FloatArray]:
    """Return the labels of what is drawn, and the share of either table in each."""
    if column.ordered and column.cardinality > MOST_NAMED:
        ours, per_bar = binned(real, _MOST_STEPS)
        starts = range(0, column.cardinality, per_bar)
        labels = [_run(column.labels[start : start + per_bar]) for start in starts]
        return labels, _of_all(ours), _of_all(binned(made, _MOST_STEPS)[0])
    parts = parts_of(column)
    held = [list(each.codes) for each in parts]
    ours, theirs = (np.array([counts[each].sum() for each in held]) for counts in (real, made))
    return [each.label for each in parts], _of_all(ours), _of_all(theirs)


def _of_all(counts: IntArray) -> FloatArray:
    """Counts as shares of their sum."""
    return counts / max(1, int(counts.sum()))


def _run(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{labels[0]} … {labels[-1]}"


def _frame(labels: Sequence[str], shares: FloatArray, name: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "place": range(len(labels)),
            "value": grids.short_labels(labels, _LONGEST),
            "whole": list(labels),
            "share": shares,
            "name": name,
        }
    )


def _curves(labels: Sequence[str], ours: FloatArray, theirs: FloatArray) -> list[alt.Chart]:
    """Return a filled curve for real records, a line for synthetic ones."""
    real, made = _frame(labels, ours, REAL_NAME), _frame(labels, theirs, MADE_NAME)
    shown = [str(each) for each in labels]
    x = alt.X(
        "place:Q",
        title=None,
        scale=alt.Scale(domain=[0, max(1, len(labels) - 1)], nice=False),
        axis=alt.Axis(
            labelExpr=f"{shown!r}[datum.value]",
            tickMinStep=1,
            tickCount=5,
            grid=False,
            labelOverlap="greedy",
        ),
    )
    return [
        alt.Chart(real)
        .mark_area(interpolate="step", opacity=0.45, line=False)
        .encode(x=x, y=_up(), color=_colour(), tooltip=_said("Real")),
        alt.Chart(made)
        .mark_line(interpolate="step", strokeWidth=2)
        .encode(x=x, y=_up(), color=_colour(), tooltip=_said("Synthetic")),
    ]


def _bars(labels: Sequence[str], ours: FloatArray, theirs: FloatArray) -> list[alt.Chart]:
    """Return a bar for real records, a thick mark across it for synthetic ones."""
    real, made = _frame(labels, ours, REAL_NAME), _frame(labels, theirs, MADE_NAME)
    x = alt.X(
        "value:N",
        title=None,
        sort=list(real["value"]),
        axis=alt.Axis(labelAngle=-40, labelOverlap="greedy", labelLimit=110, ticks=False),
    )
    return [
        alt.Chart(real)
        .mark_bar(opacity=0.55)
        .encode(x=x, y=_up(), color=_colour(), tooltip=_said("Real")),
        alt.Chart(made)
        .mark_tick(thickness=3, width={"band": 0.95})
        .encode(x=x, y=_up(), color=_colour(), tooltip=_said("Synthetic")),
    ]


def _up() -> alt.Y:
    return alt.Y("share:Q", title=None, axis=alt.Axis(format=".3~%", tickCount=4))


def _colour() -> alt.Color:
    return alt.Color(
        "name:N",
        scale=alt.Scale(domain=list(_NAMES), range=[REAL, RELEASED]),
        legend=scales.key(_NAMES),
    )


def _said(name: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("whole:N", title="Value"),
        alt.Tooltip("share:Q", title=name, format=".2%"),
    ]
