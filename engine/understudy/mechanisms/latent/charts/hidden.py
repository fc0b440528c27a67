"""What the hidden numbers of a model carry of each column. Internal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE
from understudy.core.arrays import FloatArray
from understudy.core.numerals import percent

LITTLE: Final = 0.05
"""A column of which less is carried goes on its own."""
_MOST_BARS: Final = 60
_COLUMN, _CARRIED = "Column", "Carried, of 100"


def carried_table(titles: Sequence[str], carried: FloatArray) -> pd.DataFrame:
    """Return a row for each column, what is carried most first."""
    order = np.argsort(-carried, kind="stable")
    return pd.DataFrame(
        {
            _COLUMN: [titles[place] for place in order],
            _CARRIED: np.round(100 * carried[order], 1),
        }
    )


def carried_bars(titles: Sequence[str], carried: FloatArray) -> alt.LayerChart:
    """Return a bar for each column; of many columns those with most."""
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


def carried_in_words(titles: Sequence[str], carried: FloatArray) -> str:
    """Return how many columns go on their own, and which at most a few of them are."""
    alone = [title for title, each in zip(titles, carried, strict=True) if each < LITTLE]
    if not alone:
        return "Every column has something in common with others that the hidden numbers carry."
    few = ", ".join(alone[:5]) + (" and others" if len(alone) > 5 else "")
    return (
        f"{len(alone):,} of {len(titles):,} columns have next to nothing (under {percent(LITTLE)}) "
        f"in common with the hidden numbers: {few}. Their own shares are kept, and their relations "
        "lost."
    )
