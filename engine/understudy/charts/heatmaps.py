"""Every pair of attributes in one heatmap. Internal figures."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import grids, scales
from understudy.charts.lettering import distinct, pair, shortened
from understudy.charts.palette import SEQUENTIAL, ink_on
from understudy.core.arrays import FloatArray

_MOST_NUMBERED = 14
_LONGEST = 32
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
    labels = grids.short_labels(titles, _LONGEST)
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
    drawn: alt.LayerChart = scales.stacked(
        *layers,
        title=scales.internal_note(f"The table: {shortened(name, 40)}."),
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
            "what": [_said(titles, row, at) for row, at in zip(rows, columns, strict=True)],
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


def _said(titles: Sequence[str], row: int, column: int) -> str:
    """Return what a cell is about."""
    one, other = titles[row], titles[column]
    return f"{one} on its own" if row == column else pair(one, other)
