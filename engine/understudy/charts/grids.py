"""Parts of heatmaps: axes of labels, colour scales, cells with tooltips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import altair as alt
import pandas as pd

from understudy.charts.palette import stops
from understudy.charts.scales import shortened_apart

_MOST_ABREAST = 20
_LETTER = 6.5
_SHORT = 3
_ALL_NAMED = 40

_TICKS, _MOST_PLACES = 5, 6
"""Numbers beside a bar of colours, and the most decimals of one."""


def short_labels(labels: Sequence[str], most: int) -> list[str]:
    """Return labels for an axis of names: cut, none empty and no two alike."""
    return shortened_apart([each if each.strip() else "(blank)" for each in labels], most)


def column_axis(labels: Sequence[str], title: str | None = None, panels: int = 1) -> alt.X:
    """Return a column for each label, which slants, or stands, where it is too long to lie.

    Args:
        labels: of all columns, from left to right.
        title: what they are.
        panels: how many such axes stand side by side.
    """
    axis = alt.Axis(
        labelAngle=-_slant(labels, panels),
        labelLimit=320,
        # Of slanted names the boxes overlap long before the names do.
        labelOverlap=len(labels) * panels > _ALL_NAMED,
        ticks=False,
        domain=False,
        titlePadding=8,
    )
    return alt.X("column:N", title=title, sort=None, scale=_bands(labels), axis=axis)


def row_axis(labels: Sequence[str], title: str | None = None, *, shown: bool = True) -> alt.Y:
    """Return a row for each label, the first on top."""
    axis = alt.Axis(labelLimit=320, labelOverlap=True, ticks=False, domain=False, titlePadding=8)
    return alt.Y(
        "row:N", title=title, sort=None, scale=_bands(labels), axis=axis if shown else None
    )


def label_height(labels: Sequence[str], panels: int = 1) -> int:
    """Return how many pixels the labels of `column_axis` reach down."""
    longest = max((len(label) for label in labels), default=0)
    return int(20 + _LETTER * longest * math.sin(math.radians(_slant(labels, panels))))


def colour_scale(
    field: str,
    title: str,
    colours: Sequence[str],
    ends: tuple[float, float],
    *,
    signed: bool = False,
    bend: float = 1.0,
    legend: Literal["right", "bottom"] | None = "right",
) -> alt.Color:
    """Return a scale of colours between two ends, which are shares, and the bar that explains it.

    Args:
        field: the column of numbers.
        title: what they are.
        colours: from the lower end to the upper one.
        ends: the numbers at both ends.
        signed: whether numbers above 0 have a sign.
        bend: as of `stops`.
        legend: where the bar is drawn; None for none.
    """
    low, high = ends
    places = [low + (high - low) * place for place in stops(colours, bend)]
    bar = alt.Legend(
        title=title,
        titleLimit=400,
        orient=legend or "right",
        format=f"{'+' if signed else ''}{share_form(low, high)}",
        gradientThickness=12,
        gradientStrokeWidth=0,
        tickCount=_TICKS,
    )
    return alt.Color(
        f"{field}:Q",
        scale=alt.Scale(domain=places, range=list(colours), interpolate="rgb", clamp=True),
        legend=bar if legend else None,
    )


def share_form(low: float, high: float) -> str:
    """Return how an axis between these shares writes them, in per cent: with as many decimals as
    tell its numbers apart, of which there are about five."""
    step = 100 * (high - low) / _TICKS
    places = 0 if step <= 0 else max(0, 1 - math.floor(math.log10(step)))
    return f".{min(places, _MOST_PLACES)}~%"


def cell_marks(
    frame: pd.DataFrame, x: alt.X, y: alt.Y, shade: alt.Color, said: Sequence[alt.Tooltip]
) -> alt.Chart:
    """Return a coloured cell for each row of the frame, named by its “row” and “column”."""
    drawn: alt.Chart = (
        alt.Chart(frame).mark_rect().encode(x=x, y=y, color=shade, tooltip=list(said))
    )
    return drawn


def cell_numbers(frame: pd.DataFrame, x: alt.X, y: alt.Y, size: int) -> alt.Chart:
    """Return the “number” of each row written into its cell, in its “ink”."""
    drawn: alt.Chart = (
        alt.Chart(frame)
        .mark_text(fontSize=size, tooltip=None)
        .encode(
            x=x, y=y, text=alt.Text("number:N"), color=alt.Color("ink:N", scale=None, legend=None)
        )
    )
    return drawn


def _bands(labels: Sequence[str]) -> alt.Scale:
    # Between the cells of a large grid a gap would be all that is seen.
    gap = 0.03 if len(labels) <= _MOST_ABREAST else 0
    return alt.Scale(domain=list(labels), paddingInner=gap, paddingOuter=0)


def _slant(labels: Sequence[str], panels: int) -> int:
    """Return degrees."""
    if max((len(label) for label in labels), default=0) <= _SHORT:
        return 0
    return 90 if len(labels) * panels > _MOST_ABREAST else 40
