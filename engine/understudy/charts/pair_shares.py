"""One pair of attributes, cell by cell, in the real and in the synthetic table. Internal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import grids, scales
from understudy.charts.lettering import distinct, shortened
from understudy.charts.palette import DIVERGING, LETTERS, SEQUENTIAL
from understudy.core.arrays import FloatArray

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
    x = grids.column_axis(columns, shortened(titles[1], 40), panels=len(_PANELS))
    said = _said(titles)
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
    first = grids.row_axis(rows, shortened(title, 40))
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


def _said(titles: tuple[str, str]) -> list[alt.Tooltip]:
    """Return the same words over all three panels."""
    return [
        alt.Tooltip("one:N", title=shortened(titles[0], 40)),
        alt.Tooltip("other:N", title=shortened(titles[1], 40)),
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
