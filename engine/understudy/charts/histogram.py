"""Histograms of columns, of one table and of two laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import grids, scales
from understudy.charts.palette import BLUE, REAL, RELEASED
from understudy.charts.scales import distinct
from understudy.core.arrays import FloatArray, IntArray
from understudy.evaluation.binning import parts_of
from understudy.table.column import Column
from understudy.table.domain import range_of

# How often each value of a column occurs, by value and by bucket. Internal figures.

MOST_BARS = 120
MOST_NAMED = 30
_FRAME = 80
"""Pixels that the axis and its title take of a chart's height."""


def join_bars(counts: IntArray, most: int) -> tuple[IntArray, int]:
    """Return neighbouring values added up until no more than so many bars are left.

    Args:
        counts: (values,) how often each occurs, in order.
        most: the most bars, at least 1.

    Returns:
        (bars,) the sums, and how many values stand in each bar; in the last one perhaps fewer.
    """
    per_bar = max(1, -(-len(counts) // most))
    starts = np.arange(0, len(counts), per_bar)
    return np.add.reduceat(counts, starts) if len(counts) else counts, per_bar


def values_table(column: Column, counts: IntArray) -> pd.DataFrame:
    """Return one row a value: its bucket and how many records hold it."""
    return pd.DataFrame(
        {
            "Value": distinct(column.labels),
            "Bucket": [column.bucket_labels[bucket] for bucket in column.bucket_map],
            "Records": counts,
        }
    )


def values(column: Column, counts: IntArray, *, height: int = 260) -> alt.Chart:
    """Return bars over the values. Many numbers stand on an axis, several to a bar, without
    missing.

    Args:
        column: its domain.
        counts: (cardinality,) how many records hold each code.
        height: in pixels.
    """
    if column.ordered and column.cardinality > MOST_NAMED:
        return _on_axis(column, counts, height)
    frame = values_table(column, counts)
    x = alt.X(
        "Value:N",
        sort=list(frame["Value"]),
        title=_title_column(column),
        axis=alt.Axis(labelAngle=-40, labelOverlap="greedy", labelLimit=110, ticks=False),
    )
    return _bars(frame, x, "Value", height)


def _title_column(column: Column) -> str:
    """Return what the values of a column are, with their unit where they have one."""
    unit = column.domain.units
    title = column.title or column.name
    return f"{title} ({unit})" if unit else title


def _on_axis(column: Column, counts: IntArray, height: int) -> alt.Chart:
    """Return bars from the first to the last of their values."""
    grid = range_of(column.domain)
    heights, per_bar = join_bars(counts[: grid.size], MOST_BARS)
    starts = np.arange(0, grid.size, per_bar)
    last = np.minimum(starts + per_bar, grid.size) - 1
    edges = grid.edges
    frame = pd.DataFrame(
        {
            "from": grid.axis_values(edges[starts]),
            "to": grid.axis_values(edges[last + 1]),
            "Values": [
                grid.between(one, other)
                for one, other in zip(starts.tolist(), last.tolist(), strict=True)
            ],
            "Records": heights,
        }
    )
    ends = alt.Scale(domain=grid.axis_values(edges[[0, -1]]), nice=False)
    moments = grid.axis == "moments"
    x = alt.X(
        "from:T" if moments else "from:Q",
        scale=ends,
        title=_title_column(column),
        axis=alt.Axis(tickCount=5, grid=False),
    )
    return _bars(frame, x, "Values", height).encode(
        x2=alt.X2("to:T" if moments else "to:Q"), y2=alt.Y2Datum(0)
    )


def _bars(frame: pd.DataFrame, x: alt.X, name: str, height: int) -> alt.Chart:
    """Return bars as high as `Records`; the column `name` says what each is of."""
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar(color=BLUE)
        .encode(
            x=x,
            y=alt.Y("Records:Q", title="records"),
            tooltip=[alt.Tooltip(name), alt.Tooltip("Records:Q", format=",")],
        )
        .properties(height=height, background="transparent")
    )
    return chart


def buckets_table(column: Column, counts: IntArray) -> pd.DataFrame:
    """Return one row a bucket: how many values it holds and how many records."""
    sums = np.bincount(column.bucket_map, weights=counts, minlength=column.bucket_count)
    held = np.bincount(column.bucket_map, minlength=column.bucket_count)
    return pd.DataFrame(
        {
            "Bucket": distinct(column.bucket_labels),
            "Values": held,
            "Records": sums.astype(np.int64),
        }
    )


def buckets(column: Column, counts: IntArray, *, row: int = 22) -> alt.Chart:
    """Return a bar for each bucket, named down the side: what the model sees of the column as a
    parent.

    Args:
        column: its domain and buckets.
        counts: (cardinality,) how many records hold each code.
        row: height of a bar's row, in pixels; more than thirty buckets share that of thirty.
    """
    frame = buckets_table(column, counts)
    many = len(frame) > MOST_NAMED
    names = list(frame["Bucket"])
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar(color=BLUE)
        .encode(
            y=alt.Y(
                "Bucket:N",
                sort=names,
                title=None,
                axis=alt.Axis(
                    labelOverlap="greedy" if many else False, labelLimit=170, ticks=False
                ),
            ),
            x=alt.X("Records:Q", title="records", axis=alt.Axis(tickCount=4, format=",.0f")),
            tooltip=[
                alt.Tooltip("Bucket"),
                alt.Tooltip("Values:Q", format=",", title="possible values"),
                alt.Tooltip("Records:Q", format=","),
            ],
        )
        .properties(
            height=_FRAME + row * (MOST_NAMED if many else max(2, len(names))),
            background="transparent",
        )
    )
    return chart


# One column in the real and in the synthetic table, laid over each other. Internal figures.

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
    """Return numbers as two curves of steps, categories as bars with a mark where the other table
    is.

    Args:
        column, real, made: as of `overlaid_table`.
        title: what stands above it.
    """
    labels, ours, theirs = _shares(column, real, made)
    if column.ordered and len(labels) > MOST_NAMED:
        layers, height = _curves(labels, ours, theirs), _CURVES
    else:
        layers, height = _overlaid_bars(labels, ours, theirs), _BARS
    return scales.stack_layers(
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
        ours, per_bar = join_bars(real, _MOST_STEPS)
        starts = range(0, column.cardinality, per_bar)
        labels = [_run(column.labels[start : start + per_bar]) for start in starts]
        return labels, _of_all(ours), _of_all(join_bars(made, _MOST_STEPS)[0])
    parts = parts_of(column)
    held = [list(each.codes) for each in parts]
    ours, theirs = (np.array([counts[each].sum() for each in held]) for counts in (real, made))
    return [each.label for each in parts], _of_all(ours), _of_all(theirs)


def _of_all(counts: IntArray) -> FloatArray:
    """Return counts as shares of their sum."""
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
        .encode(x=x, y=_up(), color=_colour(), tooltip=_list_tooltips("Real")),
        alt.Chart(made)
        .mark_line(interpolate="step", strokeWidth=2)
        .encode(x=x, y=_up(), color=_colour(), tooltip=_list_tooltips("Synthetic")),
    ]


def _overlaid_bars(labels: Sequence[str], ours: FloatArray, theirs: FloatArray) -> list[alt.Chart]:
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
        .encode(x=x, y=_up(), color=_colour(), tooltip=_list_tooltips("Real")),
        alt.Chart(made)
        .mark_tick(thickness=3, width={"band": 0.95})
        .encode(x=x, y=_up(), color=_colour(), tooltip=_list_tooltips("Synthetic")),
    ]


def _up() -> alt.Y:
    return alt.Y("share:Q", title=None, axis=alt.Axis(format=".3~%", tickCount=4))


def _colour() -> alt.Color:
    return alt.Color(
        "name:N",
        scale=alt.Scale(domain=list(_NAMES), range=[REAL, RELEASED]),
        legend=scales.key(_NAMES),
    )


def _list_tooltips(name: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("whole:N", title="Value"),
        alt.Tooltip("share:Q", title=name, format=".2%"),
    ]
