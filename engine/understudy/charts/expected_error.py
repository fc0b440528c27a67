"""Charts of the expected error of a model by noise and sampling. Public figures."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import grids, scales
from understudy.charts.palette import BLUE, INKS, LETTERS, SEQUENTIAL, ink_on
from understudy.charts.scales import attribute_pair, distinct
from understudy.models.prediction import Predicted

MOST_SHOWN = 40
_MOST_NUMBERED = 14
_LONGEST = 24
_TITLE = "Predicted distance"
_LEFT, _NEVER = "–", "×"


def columns_table(titles: Sequence[str], found: Predicted) -> pd.DataFrame:
    """Return one row for each column: noise, chance, and both together, in per cent."""
    return pd.DataFrame(
        {
            "Column": distinct(titles),
            "By noise (%)": 100 * found.single,
            "By chance, expected (%)": 100 * np.diagonal(found.drawn),
            "Expected together (%)": 100 * found.each_column,
        }
    ).round(2)


def column_bars(titles: Sequence[str], found: Predicted) -> alt.LayerChart:
    """Return a bar for each column, and on it what drawing so many records makes by itself."""
    labels = grids.short_labels(titles, _LONGEST)
    frame = pd.DataFrame(
        {
            "row": labels,
            "what": distinct(titles),
            "together": found.each_column,
            "chance": np.diagonal(found.drawn),
        }
    )
    y = grids.row_axis(labels)
    x = alt.X(
        "together:Q",
        title="Share of rows that are off",
        axis=alt.Axis(
            format=grids.share_form(0.0, float(found.each_column.max())), tickCount=5, grid=True
        ),
    )
    said = [
        alt.Tooltip("what:N", title="Column"),
        alt.Tooltip("together:Q", title="Noise and chance", format=".2~%"),
        alt.Tooltip("chance:Q", title="Chance alone, expected", format=".2~%"),
    ]
    bars = (
        alt.Chart(frame).mark_bar(color=BLUE, height={"band": 0.6}).encode(x=x, y=y, tooltip=said)
    )
    ticks = (
        alt.Chart(frame)
        .mark_tick(color=INKS[0], thickness=3, height={"band": 0.85})
        .encode(x=alt.X("chance:Q"), y=y, tooltip=said)
    )
    return scales.stack_layers(
        bars,
        ticks,
        title=scales.note("Bar: noise and chance. Dark tick: chance alone."),
        description="Bars: how far off each column will be by noise and chance.",
        height=_height(labels),
    )


def pairs_table(titles: Sequence[str], found: Predicted) -> pd.DataFrame:
    """Return one row for each pair: noise, chance, and both together, in per cent; without numbers
    where the pair is left to the rest of the model."""
    named = distinct(titles)
    one, other = np.triu_indices(len(named), 1)
    noise = found.pairs[one, other]
    return pd.DataFrame(
        {
            "Column": [named[place] for place in one],
            "and": [named[place] for place in other],
            "Counted": np.where(np.isfinite(noise), "yes", "left to the rest of the model"),
            "By noise (%)": 100 * noise,
            "By chance, expected (%)": 100 * found.drawn[one, other],
            "Expected together (%)": 100 * found.together[one, other],
        }
    ).round(2)


def pair_cells(titles: Sequence[str], found: Predicted) -> alt.LayerChart:
    """Return a cell for each pair of columns, once, a dash where it is counted only if it is
    strong, a cross where it could not be; of a wide table, the first columns."""
    shown = titles[:MOST_SHOWN]
    labels = grids.short_labels(shown, _LONGEST)
    frame = _cells(labels, shown, found)
    x, y = grids.column_axis(labels[:-1]), grids.row_axis(labels[1:])
    counted = frame[frame["counted"]]
    layers = []
    if len(counted):
        end = max(float(counted["distance"].max()), 1e-4)
        said = [
            alt.Tooltip("what:N", title="Pair"),
            alt.Tooltip("distance:Q", title="Noise and chance", format=".2~%"),
        ]
        shade = grids.colour_scale("distance", _TITLE, SEQUENTIAL, (0.0, end), legend="bottom")
        layers.append(grids.cell_marks(counted, x, y, shade, said))
        if len(shown) <= _MOST_NUMBERED:
            inks = [ink_on(SEQUENTIAL, each / end) for each in counted["distance"]]
            layers.append(grids.cell_numbers(counted.assign(ink=inks), x, y, 12))
    left = frame[~frame["counted"]]
    if len(left):
        layers.append(_dashes(left, x, y))
    drawn: alt.LayerChart = scales.stack_layers(
        *layers,
        title=scales.note(_mark_uncounted(left)),
        description="Heatmap: how far off each pair of columns will be by noise and chance.",
        height=_height(labels) + grids.label_height(labels),
    ).resolve_scale(color="independent")
    return drawn


def _mark_uncounted(left: pd.DataFrame) -> str:
    """Return what the marks of pairs that are not counted say."""
    said = [
        "Dash: counted only where it is stronger than usual." * bool(left["possible"].any()),
        "Cross: no room to count it." * bool((~left["possible"]).any()),
    ]
    return " ".join(filter(None, said))


def _cells(labels: Sequence[str], titles: Sequence[str], found: Predicted) -> pd.DataFrame:
    size = len(labels)
    rows, across = (each.tolist() for each in np.tril_indices(size, -1))
    distance = found.together[rows, across]
    return pd.DataFrame(
        {
            "row": [labels[place] for place in rows],
            "column": [labels[place] for place in across],
            "what": [
                attribute_pair(titles[column], titles[row])
                for row, column in zip(rows, across, strict=True)
            ],
            "counted": np.isfinite(distance),
            "possible": found.possible[rows, across],
            "distance": distance,
            "number": [f"{100 * each:.1f}" for each in distance],
        }
    )


def _dashes(frame: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    drawn: alt.Chart = (
        alt.Chart(
            frame.assign(
                dash=np.where(frame["possible"], _LEFT, _NEVER),
                why=np.where(frame["possible"], "counted where it is strong", "never counted"),
            )
        )
        .mark_text(fontSize=13, color=LETTERS)
        .encode(
            x=x,
            y=y,
            text=alt.Text("dash:N"),
            tooltip=[alt.Tooltip("what:N", title="Pair"), alt.Tooltip("why:N", title="It is")],
        )
    )
    return drawn


def _height(labels: Sequence[str]) -> int:
    return min(900, 70 + 26 * len(labels))
