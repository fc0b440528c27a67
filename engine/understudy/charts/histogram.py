"""How often each value of a column occurs, by value and by bucket. Internal figures."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts.lettering import distinct
from understudy.charts.palette import BLUE
from understudy.core.arrays import IntArray
from understudy.table.column import Column
from understudy.table.domain import range_of

MOST_BARS = 120
MOST_NAMED = 30
_FRAME = 80
"""Pixels that the axis and its title take of a chart's height."""


def binned(counts: IntArray, most: int) -> tuple[IntArray, int]:
    """Neighbouring values added up until no more than so many bars are left.

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
    """Bars over the values. Many numbers stand on an axis, several to a bar, without missing.

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
        title=_titled(column),
        axis=alt.Axis(labelAngle=-40, labelOverlap="greedy", labelLimit=110, ticks=False),
    )
    return _bars(frame, x, "Value", height)


def _titled(column: Column) -> str:
    """Return what the values of a column are, with their unit where they have one."""
    unit = column.domain.units
    title = column.title or column.name
    return f"{title} ({unit})" if unit else title


def _on_axis(column: Column, counts: IntArray, height: int) -> alt.Chart:
    """Bars from the first to the last of their values."""
    grid = range_of(column.domain)
    heights, per_bar = binned(counts[: grid.size], MOST_BARS)
    starts = np.arange(0, grid.size, per_bar)
    step = float(grid.step)
    low, high = grid.edges
    last = np.minimum(starts + per_bar, grid.size) - 1
    frame = pd.DataFrame(
        {
            "from": low + starts * step,
            "to": np.minimum(low + (last + 1) * step, high),
            "Values": [
                grid.between(one, other)
                for one, other in zip(starts.tolist(), last.tolist(), strict=True)
            ],
            "Records": heights,
        }
    )
    ends = alt.Scale(domain=[low, high], nice=False)
    x = alt.X(
        "from:Q",
        scale=ends,
        title=_titled(column),
        axis=alt.Axis(tickCount=5, grid=False),
    )
    return _bars(frame, x, "Values", height).encode(x2=alt.X2("to:Q"), y2=alt.Y2Datum(0))


def _bars(frame: pd.DataFrame, x: alt.X, name: str, height: int) -> alt.Chart:
    """Bars as high as `Records`; the column `name` says what each is of."""
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
