"""What the hidden numbers of a model carry of each column, and records by the first two of them.
Internal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from engine.charts import grids, scales
from engine.charts.palette import BLUE, SEQUENTIAL
from engine.core.numerals import percent

Real = npt.NDArray[np.float64]

FEWEST: Final = 20
"""A square with fewer records than this is left blank."""
LITTLE: Final = 0.05
"""A column of which less is carried goes on its own."""
_REACH, _SQUARES = 3.0, 16
_MOST_BARS: Final = 60
_COLUMN, _CARRIED, _SHARE = "Column", "Carried, of 100", "Share of records"


def carried_table(titles: Sequence[str], carried: Real) -> pd.DataFrame:
    """A row for each column, what is carried most first."""
    order = np.argsort(-carried, kind="stable")
    return pd.DataFrame(
        {
            _COLUMN: [titles[place] for place in order],
            _CARRIED: np.round(100 * carried[order], 1),
        }
    )


def carried_bars(titles: Sequence[str], carried: Real) -> alt.LayerChart:
    """A bar for each column; of many columns those with most."""
    table = carried_table(titles, carried).head(_MOST_BARS)
    bars = (
        alt.Chart(table)
        .mark_bar(color=BLUE)
        .encode(
            y=alt.Y(
                f"{_COLUMN}:N",
                sort=None,
                title=None,
                axis=alt.Axis(labelLimit=260, labelOverlap=False),
            ),
            x=alt.X(f"{_CARRIED}:Q", scale=alt.Scale(domain=[0, 100]), title=_CARRIED),
            tooltip=[alt.Tooltip(f"{_COLUMN}:N"), alt.Tooltip(f"{_CARRIED}:Q", format=".3~g")],
        )
    )
    return scales.stacked(
        bars, title=scales.internal_note(), height=90 + 24 * len(table),
        description="How much of each column the hidden numbers carry.",
    )  # fmt: skip


def carried_in_words(titles: Sequence[str], carried: Real) -> str:
    """How many columns go on their own, and which at most a few of them are."""
    alone = [title for title, each in zip(titles, carried, strict=True) if each < LITTLE]
    if not alone:
        return "Every column has something in common with others that the hidden numbers carry."
    few = ", ".join(alone[:5]) + (" and others" if len(alone) > 5 else "")
    return (
        f"{len(alone):,} of {len(titles):,} columns have next to nothing (under {percent(LITTLE)}) "
        f"in common with the hidden numbers: {few}. Their own shares are kept, and their relations "
        "lost."
    )


def density(points: Real) -> pd.DataFrame:
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


def density_map(squares: pd.DataFrame, most: float) -> alt.LayerChart:
    """Squares, the lighter the more records.

    Args:
        squares: see `density`.
        most: the share at the upper end of the colours.
    """
    if squares.empty:
        return scales.saying(f"There are no {FEWEST} records in one square.")
    span = alt.Scale(domain=[-_REACH, _REACH], nice=False)
    drawn = (
        alt.Chart(squares)
        .mark_rect()
        .encode(
            x=alt.X("x:Q", scale=span, title="First hidden number"),
            x2="x2:Q",
            y=alt.Y("y:Q", scale=span, title="Second hidden number"),
            y2="y2:Q",
            color=grids.colour_scale(
                _SHARE, _SHARE, SEQUENTIAL, (0.0, most or 0.01), legend="bottom"
            ),
            tooltip=[alt.Tooltip(f"{_SHARE}:Q", format=".2~%")],
        )
    )
    return scales.stacked(
        drawn, title=scales.internal_note(), height=460,
        description="Records by their first two hidden numbers, in squares.",
    )  # fmt: skip


def most_of(squares: pd.DataFrame) -> float:
    """The largest share of a square; 0 where there is none."""
    return 0.0 if squares.empty else float(squares[_SHARE].max())
