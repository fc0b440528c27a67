"""One pair of attributes, cell by cell, in the real and in the synthetic table. Internal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from engine.charts import plates
from engine.charts.lettering import distinct, escaped, shortened, templated
from engine.charts.palette import DIVERGING, SEQUENTIAL, scale

Shares = npt.NDArray[np.float64]

_PANELS = ("Real records", "Synthetic records", "Synthetic minus real")
_LONGEST = 20
_MOST_GAPPED = 600


def side_by_side_table(
    first: Sequence[str],
    second: Sequence[str],
    real: Shares,
    synthetic: Shares,
    titles: tuple[str, str],
) -> pd.DataFrame:
    """One row for each cell: its share of the records in each table, and the difference."""
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
    real: Shares,
    synthetic: Shares,
    titles: tuple[str, str],
) -> go.Figure:
    """The shares of one pair of attributes in two tables, on one colour scale, and beside them
    how much the second has more or less of each cell.

    Colours of shares lie closer near zero, so that a rare cell can be told from an empty one;
    those of differences are even.

    Args:
        first, second: what a reader calls the values of the two attributes.
        real, synthetic: (len(first), len(second)) the share of records in each cell.
        titles: what a reader calls the two attributes.
    """
    ours, theirs = _shares(first, second, real), _shares(first, second, synthetic)
    if not ours.size:
        return plates.saying("There is no cell to compare.")
    rows, columns = plates.short_labels(first, _LONGEST), plates.short_labels(second, _LONGEST)
    figure = make_subplots(
        rows=1, cols=3, shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=_PANELS
    )
    hover = _hover(first, second, ours, theirs, titles, (rows, columns))
    gap = 1 if ours.size <= _MOST_GAPPED else 0
    for column, (cells, axis) in enumerate(
        ((ours, "coloraxis"), (theirs, "coloraxis"), (theirs - ours, "coloraxis2")), start=1
    ):
        figure.add_trace(
            go.Heatmap(x=columns, y=rows, z=cells, coloraxis=axis, xgap=gap, ygap=gap, **hover),
            row=1,
            col=column,
        )
    figure.update_xaxes(plates.across(columns, panels=3), title_text=_title(titles[1]))
    figure.update_yaxes(plates.down(rows))
    figure.update_yaxes(title_text=_title(titles[0]), col=1)
    plates.dress(figure, height=_height(len(first), columns), **_colours(ours, theirs))
    plates.mark_internal(figure, top=64)
    return figure


def _shares(first: Sequence[str], second: Sequence[str], shares: Shares) -> Shares:
    cells = np.asarray(shares, dtype=np.float64)
    if cells.shape != (len(first), len(second)):
        raise ValueError("shares must have a row for each first label, a column for each second")
    return np.where(np.isfinite(cells), cells, np.nan)


def _hover(
    first: Sequence[str],
    second: Sequence[str],
    ours: Shares,
    theirs: Shares,
    titles: tuple[str, str],
    shown: tuple[list[str], list[str]],
) -> dict[str, Any]:
    """The same words over all three panels.

    The full text of every cell is carried only where an axis had to cut it, as it can outweigh
    the numbers many times.
    """
    down, across = ([escaped(label) for label in labels] for labels in (first, second))
    one, other = (_title(title) for title in titles)
    if shown == (down, across):
        texts, where = None, f"{templated(one)}: %{{y}}<br>{templated(other)}: %{{x}}"
    else:
        texts = [[f"{one}: {row}<br>{other}: {column}" for column in across] for row in down]
        where = "%{text}"
    return {
        "text": texts,
        "customdata": np.stack([ours, theirs, 100 * (theirs - ours)], axis=-1).astype(np.float32),
        "hovertemplate": f"<b>{where}</b><br>"
        "real: %{customdata[0]:.2%}<br>"
        "synthetic: %{customdata[1]:.2%}<br>"
        "difference: %{customdata[2]:+.2f} percentage points<extra></extra>",
        "hoverongaps": False,
    }


def _colours(ours: Shares, theirs: Shares) -> dict[str, Any]:
    """One scale from nothing to the largest share, and one as wide to either side of zero."""
    both = np.array([ours, theirs, theirs - ours])
    largest, apart = (
        float(np.nanmax(cells, initial=0.0)) or 0.01 for cells in (both[:2], np.abs(both[2]))
    )
    return {
        "coloraxis": {
            "cmin": 0,
            "cmax": largest,
            "colorscale": scale(SEQUENTIAL, bend=2.0),
            "colorbar": plates.colour_bar("Share of records", ".1~%", len=0.5, y=1, yanchor="top"),
        },
        "coloraxis2": {
            "cmin": -apart,
            "cmax": apart,
            "colorscale": scale(DIVERGING),
            "colorbar": plates.colour_bar(
                "Difference in share",
                "+.1~%",
                len=0.5,
                y=0,
                yanchor="bottom",
                tickvals=[-apart, 0, apart],
                ticktext=[f"−{100 * apart:.3g}%", "none", f"+{100 * apart:.3g}%"],
            ),
        },
    }


def _title(text: str) -> str:
    return escaped(shortened(text, 40))


def _height(rows: int, columns: Sequence[str]) -> int:
    """Room for the rows, and for the labels that stand under them."""
    return int(np.clip(160 + 22 * rows, 380, 700)) + plates.room_under(columns, panels=3)
