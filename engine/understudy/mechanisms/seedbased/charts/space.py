"""The trade-off of ε, records and distance as a rotatable 3-D chart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREY, QUIET, VERMILLION
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.core import numerals
from understudy.core.arrays import FloatArray
from understudy.evaluation.run_comparison import pareto_optimal
from understudy.mechanisms.seedbased.charts.tradeoff import Explored, name_setting
from understudy.mechanisms.seedbased.evaluation.sweep import SweepPoint

if TYPE_CHECKING:
    import plotly.graph_objects as go

_BEATEN: Final = "beaten by another plan"
_EDGE: Final = "beaten by none"
_NOW: Final = "the present plan"
_HEIGHT = 620
_CAMERA: Final = {"eye": {"x": 1.5, "y": 1.5, "z": 0.9}, "center": {"x": 0, "y": 0, "z": -0.15}}
_AXES: Final = {
    "xaxis": ("Total ε", "log", "~r"),
    "yaxis": ("Records released", "log", ",~r"),
    "zaxis": ("Distance of a typical pair", "linear", ".2~%"),
}


def space_table(explored: Explored) -> pd.DataFrame:
    """Return one row for each plan that has a place on all three axes."""
    placed = _select_placed(explored.sweep.points)
    edge = pareto_optimal(_costs(placed))
    return pd.DataFrame(
        {
            "Settings": [_settings(explored, point) for point in placed],
            "Total ε": [point.epsilon for point in placed],
            "Records, about": [point.records for point in placed],
            "Typical pair, distance (%)": [100 * point.distance for point in placed],
            "Beaten by none": edge.tolist(),
        }
    )


def space(explored: Explored) -> go.Figure:
    """Return total ε and records released, both logarithmic, and the distance of a typical pair
    upwards.

    A plan without one of the three, that is to release less than a record, or of which too few
    candidates pass to say how far they are, is left out.

    Returns:
        A Plotly figure, whose letters take the colours of the page that it is drawn on.
    """
    # A quarter of a second to import, and needed only where somebody asks to turn the chart about.
    import plotly.graph_objects as go

    placed = _select_placed(explored.sweep.points)
    edge = pareto_optimal(_costs(placed))
    figure = go.Figure()
    for name, chosen, look in (
        (_BEATEN, ~edge, {"size": 4, "color": GREY, "symbol": "circle"}),
        (_EDGE, edge, {"size": 6, "color": BLUE, "symbol": "diamond"}),
    ):
        points = [point for point, there in zip(placed, chosen, strict=True) if there]
        figure.add_trace(go.Scatter3d(**_marks(explored, points), marker=look, name=name))
    if explored.now is not None and _select_placed([explored.now]):
        look = {"size": 9, "color": VERMILLION, "symbol": "circle-open"}
        figure.add_trace(go.Scatter3d(**_marks(explored, [explored.now]), marker=look, name=_NOW))
    figure.update_layout(**_layout(internal=explored.internal))
    if placed:
        ticks = {"xaxis": "epsilon", "yaxis": "records"}
        figure.update_scenes({axis: _ticks(placed, name) for axis, name in ticks.items()})
    return figure


def _ticks(placed: list[SweepPoint], name: str) -> dict[str, Any]:
    """Return few marks on a logarithmic axis, where Plotly's own would be written over one
    another."""
    ends = scales.log_domain([getattr(point, name) for point in placed], room=1.25)
    return {"tickvals": scales.log_ticks(ends), "range": [math.log10(end) for end in ends]}


def _select_placed(points: Sequence[SweepPoint]) -> list[SweepPoint]:
    """Return those with a place on all three axes."""
    return [
        point
        for point in points
        if not point.trouble
        and point.enough
        and math.isfinite(point.distance)
        and 0 < point.epsilon < math.inf
        and point.records >= 1
    ]


def _costs(placed: list[SweepPoint]) -> FloatArray:
    """Return (P, 3) ε, records and distance, each the better the lower."""
    return np.array(
        [(point.epsilon, -point.records, point.distance) for point in placed], dtype=np.float64
    ).reshape(-1, 3)


def _marks(explored: Explored, points: list[SweepPoint]) -> dict[str, Any]:
    return {
        "x": [point.epsilon for point in points],
        "y": [point.records for point in points],
        "z": [point.distance for point in points],
        "mode": "markers",
        "text": [_describe_point(explored, point) for point in points],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _describe_point(explored: Explored, point: SweepPoint) -> str:
    return "<br>".join(
        (
            _settings(explored, point),
            f"total ε = {numerals.epsilon(point.epsilon)}",
            f"about {point.records:,.0f} records",
            f"a typical pair differs by {numerals.percent(point.distance)}",
        )
    )


def _settings(explored: Explored, point: SweepPoint) -> str:
    return ", ".join(name_setting(point, name) for name in explored.varied) or "every plan"


def _layout(*, internal: bool) -> dict[str, Any]:
    axes = {
        axis: {
            "title": {"text": title},
            "type": kind,
            "tickformat": form,
            "gridcolor": QUIET,
            "showbackground": False,
            "zeroline": False,
        }
        for axis, (title, kind, form) in _AXES.items()
    }
    return {
        "height": _HEIGHT,
        "margin": {"l": 0, "r": 0, "t": 40, "b": 30},
        "title": {"text": NOT_FOR_RELEASE if internal else "", "font": {"size": 13}},
        "legend": {"orientation": "h", "y": 0, "itemsizing": "constant"},
        "scene": {**axes, "aspectmode": "cube", "dragmode": "turntable", "camera": _CAMERA},
    }
