"""Two columns at a time: shares of pairs, heatmaps of distances, and densities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import grids, scales
from understudy.charts.palette import DIVERGING, LETTERS, SEQUENTIAL, VERMILLION, ink_on
from understudy.charts.scales import attribute_pair, distinct, shorten
from understudy.core.arrays import FloatArray

# One pair of attributes, cell by cell, in the real and in the synthetic table. Internal.

_PANELS = ("Real records", "Synthetic records", "Synthetic minus real")
_LONGEST = 20
_FIELDS = ("real", "synthetic", "more")
_BARS: Final[tuple[tuple[str, Literal["bottom"] | None], ...]] = (
    ("real", None),
    ("synthetic", "bottom"),
)
_WIDTH = 215
"""Of a panel in pixels: three and their labels fit a small screen."""


def side_by_side_table(
    first: Sequence[str],
    second: Sequence[str],
    real: FloatArray,
    synthetic: FloatArray,
    titles: tuple[str, str],
) -> pd.DataFrame:
    """Return one row for each cell: its share of the records in each table, and the difference."""
    ours, theirs = _shares(first, second, real), _shares(first, second, synthetic)
    names = distinct([*titles, "Share of real records", "Share of synthetic records", "Difference"])
    columns = (
        np.repeat(np.array(first, dtype=object), len(second)),
        np.tile(np.array(second, dtype=object), len(first)),
        ours.ravel(),
        theirs.ravel(),
        (theirs - ours).ravel(),
    )
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


def side_by_side(
    first: Sequence[str],
    second: Sequence[str],
    real: FloatArray,
    synthetic: FloatArray,
    titles: tuple[str, str],
) -> alt.HConcatChart | alt.LayerChart:
    """Return the shares of one pair of attributes in two tables, on one colour scale, and beside
    them how much the second has more or less of each cell.

    Colours of shares lie closer near zero, so that a rare cell can be told from an empty one;
    those of differences are even.

    Args:
        first, second: what a reader calls the values of the two attributes.
        real, synthetic: (len(first), len(second)) the share of records in each cell.
        titles: what a reader calls the two attributes.
    """
    ours, theirs = _shares(first, second, real), _shares(first, second, synthetic)
    if not ours.size:
        return scales.saying("There is no cell to compare.")
    rows, columns = grids.short_labels(first, _LONGEST), grids.short_labels(second, _LONGEST)
    frame = _frame(first, second, ours, theirs, (rows, columns))
    x = grids.column_axis(columns, shorten(titles[1], 40), panels=len(_PANELS))
    said = _describe_pair(titles)
    panels = [
        grids.cell_marks(frame.dropna(subset=[field]), x, y, shade, said).properties(
            title=alt.TitleParams(panel, fontSize=13, color=LETTERS, anchor="middle", offset=8),
            width=_WIDTH,
            height=_height(len(first)),
        )
        for field, panel, y, shade in zip(
            _FIELDS, _PANELS, _downs(rows, titles[0]), _shades(ours, theirs), strict=True
        )
    ]
    beside: alt.HConcatChart = alt.HConcatChart(
        hconcat=panels,
        spacing=14,
        background="transparent",
        title=scales.internal_note(),
        description=f"Heatmaps: shares of {titles[0]} and {titles[1]}, real and synthetic.",
    ).resolve_scale(color="independent")
    return beside


def _downs(rows: Sequence[str], title: str) -> list[alt.Y]:
    """Return the first panel alone names its rows."""
    first = grids.row_axis(rows, shorten(title, 40))
    return [first, *(grids.row_axis(rows, shown=False) for _ in _PANELS[1:])]


def _shares(first: Sequence[str], second: Sequence[str], shares: FloatArray) -> FloatArray:
    cells = np.asarray(shares, dtype=np.float64)
    if cells.shape != (len(first), len(second)):
        raise ValueError("shares must have a row for each first label, a column for each second")
    return np.where(np.isfinite(cells), cells, np.nan)


def _frame(
    first: Sequence[str],
    second: Sequence[str],
    ours: FloatArray,
    theirs: FloatArray,
    shown: tuple[list[str], list[str]],
) -> pd.DataFrame:
    """Return a row for each cell; its values in full beside its labels, which may be cut."""
    down, across = len(first), len(second)
    return pd.DataFrame(
        {
            "row": np.repeat(np.array(shown[0], dtype=object), across),
            "column": np.tile(np.array(shown[1], dtype=object), down),
            "one": np.repeat(np.array(first, dtype=object), across),
            "other": np.tile(np.array(second, dtype=object), down),
            "real": ours.ravel(),
            "synthetic": theirs.ravel(),
            "more": (theirs - ours).ravel(),
            "points": 100 * (theirs - ours).ravel(),
        }
    )


def _describe_pair(titles: tuple[str, str]) -> list[alt.Tooltip]:
    """Return the same words over all three panels."""
    return [
        alt.Tooltip("one:N", title=shorten(titles[0], 40)),
        alt.Tooltip("other:N", title=shorten(titles[1], 40)),
        alt.Tooltip("real:Q", title="Real", format=".2%"),
        alt.Tooltip("synthetic:Q", title="Synthetic", format=".2%"),
        alt.Tooltip("points:Q", title="Difference, percentage points", format="+.2f"),
    ]


def _shades(ours: FloatArray, theirs: FloatArray) -> list[alt.Color]:
    """Return one scale from nothing to the largest share, and one as wide to either side of
    zero."""
    both = np.array([ours, theirs, theirs - ours])
    largest, apart = (
        float(np.nanmax(cells, initial=0.0)) or 0.01 for cells in (both[:2], np.abs(both[2]))
    )
    real, synthetic = (
        grids.colour_scale(
            field, "Share of records", SEQUENTIAL, (0.0, largest), bend=2.0, legend=legend
        )
        for field, legend in _BARS
    )
    more = grids.colour_scale(
        "more", "Difference in share", DIVERGING, (-apart, apart), signed=True, legend="bottom"
    )
    return [real, synthetic, more]


def _height(rows: int) -> int:
    return int(np.clip(22 * rows, 240, 560))


# Every pair of attributes in one heatmap. Internal figures.

_MOST_NUMBERED = 14
_LONGEST_NAME = 32
_TITLE = "Distance (0 % = the same)"


def heatmap_table(titles: Sequence[str], pairs: FloatArray) -> pd.DataFrame:
    """Return one row and one column for each attribute; on the diagonal, the attribute on its
    own."""
    named = distinct(titles)
    table = pd.DataFrame(_square(titles, pairs), columns=named)
    table.insert(0, "Column", named, allow_duplicates=True)
    return table


def heatmap(
    titles: Sequence[str], pairs: FloatArray, name: str, most: float | None = None
) -> alt.LayerChart:
    """Return how far each pair of attributes is from the held-out records.

    Args:
        titles: (m,) what a reader calls the attributes.
        pairs: (m, m) distances, symmetric; the diagonal holds the attributes on their own.
            What is not a number stays blank.
        name: the table that is compared.
        most: the distance at the upper end of the colours: the same for every table that is
            to be looked at beside this one. Without it, the largest of `pairs`.
    """
    distances = _square(titles, pairs)
    if not np.isfinite(distances).any():
        return scales.saying("There are too few records to compare.")
    labels = grids.short_labels(titles, _LONGEST_NAME)
    end = _upper_end(distances, most)
    frame = _cells(labels, titles, distances, end)
    x, y = grids.column_axis(labels), grids.row_axis(labels)
    shade = grids.colour_scale("distance", _TITLE, SEQUENTIAL, (0.0, end))
    said = [
        alt.Tooltip("what:N", title="What"),
        alt.Tooltip("distance:Q", title="Distance", format=".1%"),
    ]
    layers = [grids.cell_marks(frame, x, y, shade, said)]
    if len(titles) <= _MOST_NUMBERED:
        layers.append(grids.cell_numbers(frame, x, y, 12))
    drawn: alt.LayerChart = scales.stack_layers(
        *layers,
        title=scales.internal_note(f"The table: {shorten(name, 40)}."),
        description=f"Heatmap: the distance of every pair of columns, {name}.",
        height=min(900, 110 + 32 * len(titles)) + grids.label_height(labels),
    ).resolve_scale(color="independent")
    return drawn


def _cells(
    labels: Sequence[str], titles: Sequence[str], distances: FloatArray, end: float
) -> pd.DataFrame:
    """Return a row for each distance that is a number, with what hovering over it says."""
    where = np.isfinite(distances)
    rows, columns = (each.tolist() for each in np.nonzero(where))
    shown = distances[where]
    return pd.DataFrame(
        {
            "row": [labels[row] for row in rows],
            "column": [labels[column] for column in columns],
            "distance": shown,
            "what": [_square_title(titles, row, at) for row, at in zip(rows, columns, strict=True)],
            "number": [f"{100 * value:.1f}" for value in shown],
            "ink": [ink_on(SEQUENTIAL, value / end) for value in shown],
        }
    )


def _square(titles: Sequence[str], pairs: FloatArray) -> FloatArray:
    distances = np.asarray(pairs, dtype=np.float64)
    if distances.shape != (len(titles), len(titles)):
        raise ValueError("pairs must have a row and a column for each title")
    return np.where(np.isfinite(distances), distances, np.nan)


def _upper_end(distances: FloatArray, most: float | None) -> float:
    """Above zero always, as a scale from 0 to 0 has no colours."""
    end = float(np.nanmax(distances)) if most is None else most
    return end if np.isfinite(end) and end > 0 else 0.01


def _square_title(titles: Sequence[str], row: int, column: int) -> str:
    """Return what a cell is about."""
    one, other = titles[row], titles[column]
    return f"{one} on its own" if row == column else attribute_pair(one, other)


# Records on a plane: how many lie in each square, never where one of them is. Internal.

FEWEST: Final = 20
"""A square with fewer records than this is left blank."""
_REACH, _SQUARES = 3.0, 16
_SHARE: Final = "Share of records"
_CORNERS: Final = 72


def plane_density(points: FloatArray) -> pd.DataFrame:
    """Return squares of the plane of (n, 2) points, from −3 to 3 either way, what lies further out
    at the edge; those with at least `FEWEST` points, with their share of all."""
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
    """Return squares, the lighter the more records.

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
        layers += _ring_point(*ring, x, y)
    return scales.stack_layers(
        *layers, title=scales.internal_note(), height=460,
        description="Records by two numbers of each, in squares.",
    )  # fmt: skip


def most_of(squares: pd.DataFrame) -> float:
    """Return the largest share of a square; 0 where there is none."""
    return 0.0 if squares.empty else float(squares[_SHARE].max())


def _ring_point(middle: FloatArray, radius: float, x: alt.X, y: alt.Y) -> list[Any]:
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
