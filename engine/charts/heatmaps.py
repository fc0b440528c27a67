"""Every pair of attributes in one heatmap. Internal figures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from engine.charts import plates
from engine.charts.lettering import distinct, escaped, pair, shortened, templated
from engine.charts.palette import SEQUENTIAL, ink_on, scale

Numbers = npt.NDArray[np.float64]

_MOST_NUMBERED = 14
_LONGEST = 32


def heatmap_table(titles: Sequence[str], pairs: Numbers) -> pd.DataFrame:
    """One row and one column for each attribute; on the diagonal, the attribute on its own."""
    named = distinct(titles)
    table = pd.DataFrame(_square(titles, pairs), columns=named)
    table.insert(0, "Column", named, allow_duplicates=True)
    return table


def heatmap(
    titles: Sequence[str], pairs: Numbers, name: str, most: float | None = None
) -> go.Figure:
    """How far each pair of attributes is from the held-out records.

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
        return plates.saying("There are too few records to compare.")
    labels = plates.short_labels(titles, _LONGEST)
    figure = go.Figure(
        go.Heatmap(
            x=labels,
            y=labels,
            z=distances,
            zmin=0,
            zmax=_upper_end(distances, most),
            colorscale=scale(SEQUENTIAL),
            colorbar=plates.colour_bar("Distance (0 % = the same)", ".2~%"),
            customdata=_said(titles),
            hovertemplate="%{customdata}: %{z:.1%}<extra>"
            + templated(escaped(shortened(name, 40)))
            + "</extra>",
            hoverongaps=False,
            xgap=1,
            ygap=1,
        )
    )
    if len(titles) <= _MOST_NUMBERED:
        figure.add_trace(_numbers(labels, distances, _upper_end(distances, most)))
    figure.update_xaxes(plates.across(labels))
    figure.update_yaxes(plates.down(labels))
    plates.dress(figure, height=min(900, 110 + 32 * len(titles)) + plates.room_under(labels))
    plates.mark_internal(figure)
    return figure


def _numbers(labels: list[str], distances: Numbers, most: float) -> go.Scatter:
    """The distances in per cent, written into the cells in the ink that their colour asks for."""
    rows, columns = np.nonzero(np.isfinite(distances))
    shown = distances[rows, columns]
    return go.Scatter(
        x=[labels[column] for column in columns],
        y=[labels[row] for row in rows],
        text=[f"{100 * value:.1f}" for value in shown],
        textfont={"color": [ink_on(SEQUENTIAL, value / most) for value in shown], "size": 12},
        mode="text",
        hoverinfo="skip",
        showlegend=False,
    )


def _square(titles: Sequence[str], pairs: Numbers) -> Numbers:
    distances = np.asarray(pairs, dtype=np.float64)
    if distances.shape != (len(titles), len(titles)):
        raise ValueError("pairs must have a row and a column for each title")
    return np.where(np.isfinite(distances), distances, np.nan)


def _upper_end(distances: Numbers, most: float | None) -> float:
    """Above zero always, as a scale from 0 to 0 has no colours."""
    end = float(np.nanmax(distances)) if most is None else most
    return end if np.isfinite(end) and end > 0 else 0.01


def _said(titles: Sequence[str]) -> list[list[str]]:
    """The words before the number, for every cell."""
    return [
        [
            escaped(f"{one} on its own" if row == column else pair(one, other))
            for column, other in enumerate(titles)
        ]
        for row, one in enumerate(titles)
    ]
