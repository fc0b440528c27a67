"""Axes, legends and notes that the statistical charts share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.charts.lettering import NOT_FOR_RELEASE
from understudy.charts.palette import LETTERS, WARNING

HEIGHT: Final = 360
COUNTS: Final = ",.15~g"
_MOST_TICKS = 8
_LETTERS_ACROSS = 60
"""Across the narrowest chart of a page, which stands beside a form on a small screen."""
_SYMBOL = 6
"""As many letters wide is a symbol with what is free beside it."""


def log_domain(values: npt.ArrayLike, room: float = 1.0) -> list[float]:
    """Return the ends of a logarithmic axis over the positive finite values.

    A single value gets half a decade on either side; `room` widens by that factor.
    """
    numbers = np.asarray(values, dtype=np.float64).ravel()
    numbers = numbers[np.isfinite(numbers) & (numbers > 0)]
    if not numbers.size:
        return [1.0, 10.0]
    low, high = float(numbers.min()), float(numbers.max())
    if high / low < 1.001:
        room = max(room, math.sqrt(10))
    return [low / room, high * room]


def log_ticks(domain: Sequence[float]) -> list[float]:
    """Return a few round numbers within the ends, evenly spread on a logarithmic axis."""
    low, high = (math.log10(end) for end in domain)
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    if last - first >= 2:
        step = math.ceil((last - first + 1) / _MOST_TICKS)
        return [10.0**power for power in range(first, last + 1, step)]
    fine = [
        digit * 10.0**power for power in range(math.floor(low), last + 1) for digit in (1, 2, 5)
    ]
    inside = [tick for tick in fine if domain[0] * 0.999 <= tick <= domain[1] * 1.001]
    return inside if len(inside) >= 2 else [float(f"{end:.2g}") for end in domain]


def log_x(field: str, title: str, domain: list[float], form: str = COUNTS) -> alt.X:
    """Return a logarithmic axis across."""
    return alt.X(f"{field}:Q", title=title, scale=_log(domain), axis=_ticks(domain, form))


def log_y(field: str, title: str, domain: list[float], form: str = COUNTS) -> alt.Y:
    """Return a logarithmic axis up."""
    return alt.Y(f"{field}:Q", title=title, scale=_log(domain), axis=_ticks(domain, form))


def key(names: Sequence[str], lines: bool = False) -> alt.Legend:
    """Return a legend above the chart, on as many rows as the names need."""
    wide = [min(len(name), 36) + _SYMBOL for name in names]
    columns = max(1, min(len(names), _LETTERS_ACROSS // max(wide, default=1)))
    if sum(wide) <= _LETTERS_ACROSS:
        columns = max(1, len(names))
    stroke = {"symbolType": "stroke", "symbolSize": 320} if lines else {"symbolSize": 90}
    return alt.Legend(
        title=None,
        orient="top",
        columns=columns,
        labelLimit=260,
        symbolStrokeWidth=3,
        offset=20,
        **stroke,
    )


def note(*sentences: str) -> alt.TitleParams:
    """Quiet words above a chart."""
    return alt.TitleParams(
        list(sentences),
        anchor="start",
        fontSize=12,
        fontWeight="normal",
        color=LETTERS,
        offset=6,
    )


def internal_note(*sentences: str) -> alt.TitleParams:
    """Return the mark of internal figures above a chart, and what else has to be said there."""
    return alt.TitleParams(
        NOT_FOR_RELEASE,
        subtitle=list(sentences) or alt.Undefined,
        anchor="start",
        fontSize=12,
        fontWeight="bold",
        color=WARNING,
        subtitleFontSize=12,
        subtitleColor=LETTERS,
        subtitlePadding=5,
        offset=6,
    )


def stacked(
    *layers: alt.Chart,
    title: alt.TitleParams,
    description: str,
    height: int = HEIGHT,
) -> alt.LayerChart:
    """Layers on one pair of axes, whatever is behind them showing through."""
    chart = alt.LayerChart(
        layer=[_outline(each) for each in layers],
        height=height,
        background="transparent",
        title=title,
        description=description,
    )
    shared = chart.data is not alt.Undefined
    chart.layer = [
        combined if _lifts(each) else _bare(each, shared)
        for each, combined in zip(layers, chart.layer, strict=True)
    ]
    return chart


def _outline(layer: alt.Chart) -> alt.Chart:
    """Return what Altair looks at of a layer to put layers together. It copies each of them to the
    bottom four times over, which takes longer than to make them, and matters only where a layer has
    something that goes to the whole chart."""
    return layer if _lifts(layer) else alt.Chart(layer.data)


def _lifts(layer: alt.Chart) -> bool:
    """Return whether a layer has what belongs to the whole chart: a selection, or a size."""
    above = ("params", "height", "width", "view")
    return any(getattr(layer, name, alt.Undefined) is not alt.Undefined for name in above)


def _bare(layer: alt.Chart, shared: bool) -> alt.Chart:
    """Return a layer without its data, where that is the whole chart's."""
    if shared:
        layer = layer.copy(deep=False)
        layer.data = alt.Undefined
    return layer


def saying(sentence: str) -> alt.LayerChart:
    """Return a sentence in the place of a chart that has nothing to draw."""
    text = (
        alt.Chart(pd.DataFrame({"said": [sentence]}))
        .mark_text(fontSize=15, color=LETTERS, tooltip=None, limit=640)
        .encode(text=alt.Text("said:N"))
    )
    return stacked(text, title=note(""), description=sentence, height=120)


def _log(domain: list[float]) -> alt.Scale:
    return alt.Scale(type="log", domain=domain, nice=False)


def _ticks(domain: list[float], form: str) -> alt.Axis:
    return alt.Axis(values=log_ticks(domain), format=form, labelOverlap="greedy")
