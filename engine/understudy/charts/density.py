"""Records on a plane: how many lie in each square, never where one of them is. Internal."""

from __future__ import annotations

from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import grids, scales
from understudy.charts.palette import SEQUENTIAL, VERMILLION
from understudy.core.arrays import FloatArray

FEWEST: Final = 20
"""A square with fewer records than this is left blank."""
_REACH, _SQUARES = 3.0, 16
_SHARE: Final = "Share of records"
_CORNERS: Final = 72


def density(points: FloatArray) -> pd.DataFrame:
    """Squares of the plane of (n, 2) points, from −3 to 3 either way, what lies further out at the
    edge; those with at least `FEWEST` points, with their share of all."""
    inside = np.clip(points, -_REACH, np.nextafter(_REACH, 0))
    edges = np.linspace(-_REACH, _REACH, _SQUARES + 1)
    counts, _, _ = np.histogram2d(inside[:, 0], inside[:, 1], bins=(edges, edges))
    across, up = np.nonzero(counts >= FEWEST)
    return pd.DataFrame(
        {
            "x": edges[across],
            "x2": edges[across + 1],
            "y": edges[up],
            "y2": edges[up + 1],
            _SHARE: np.round(counts[across, up] / max(1, len(points)), 4),
        }
    )


def density_map(
    squares: pd.DataFrame,
    most: float,
    titles: tuple[str, str] = ("First hidden number", "Second hidden number"),
    ring: tuple[FloatArray, float] | None = None,
) -> alt.LayerChart:
    """Squares, the lighter the more records.

    Args:
        squares: see `density`.
        most: the share at the upper end of the colours.
        titles: of the axes.
        ring: a point and how far about it a ring is drawn; None for neither.
    """
    if squares.empty and ring is None:
        return scales.saying(f"There are no {FEWEST} records in one square.")
    span = alt.Scale(domain=[-_REACH, _REACH], nice=False)
    x = alt.X("x:Q", scale=span, title=titles[0])
    y = alt.Y("y:Q", scale=span, title=titles[1])
    colours = grids.colour_scale(_SHARE, _SHARE, SEQUENTIAL, (0.0, most or 0.01), legend="bottom")
    layers: list[Any] = [
        alt.Chart(squares)
        .mark_rect()
        .encode(
            x=x, x2=alt.X2("x2:Q"), y=y, y2=alt.Y2("y2:Q"), color=colours,
            tooltip=[alt.Tooltip(f"{_SHARE}:Q", format=".2~%")],
        )
    ]  # fmt: skip
    if ring is not None:
        layers += _ringed(*ring, x, y)
    return scales.stacked(
        *layers, title=scales.internal_note(), height=460,
        description="Records by two numbers of each, in squares.",
    )  # fmt: skip


def most_of(squares: pd.DataFrame) -> float:
    """Return the largest share of a square; 0 where there is none."""
    return 0.0 if squares.empty else float(squares[_SHARE].max())


def _ringed(middle: FloatArray, radius: float, x: alt.X, y: alt.Y) -> list[Any]:
    """Return a point, and a ring about it, cut off at the edges of the plane."""
    turn = np.linspace(0, 2 * np.pi, _CORNERS)
    round_it = middle + radius * np.column_stack([np.cos(turn), np.sin(turn)])
    path = pd.DataFrame(np.clip(round_it, -_REACH, _REACH), columns=["x", "y"])
    path["at"] = range(len(path))
    point = pd.DataFrame(np.clip(middle, -_REACH, _REACH)[None], columns=["x", "y"])
    return [
        alt.Chart(path)
        .mark_line(color=VERMILLION, strokeWidth=2)
        .encode(x=x, y=y, order=alt.Order("at:Q")),
        alt.Chart(point)
        .mark_point(color=VERMILLION, filled=True, size=90, shape="diamond")
        .encode(x=x, y=y),
    ]
