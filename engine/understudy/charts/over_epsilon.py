"""Lines over ε, the plan marked: what comes of a method at each budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, DASHES, GREEN, PURPLE, VERMILLION

ACROSS: Final = "ε"
_COLOURS: Final = (BLUE, VERMILLION, GREEN, PURPLE)


def against_epsilon(
    table: pd.DataFrame, up: str, *, ends: Sequence[float], powers: bool = False,
    here: float | None = None,
) -> alt.LayerChart:  # fmt: skip
    """Return the chart.

    Args:
        table: a row for each ε, which stands under `ACROSS`; a column for each line. What is not
            a number is left out.
        up: what the axis up shows.
        ends: of that axis.
        powers: whether it is logarithmic.
        here: the ε of the plan; None where it is not known.
    """
    names = [name for name in table.columns if name != ACROSS]
    domain = [float(table[ACROSS].min()), float(table[ACROSS].max())]
    long = table.melt([ACROSS], names, "name", "y").dropna().rename(columns={ACROSS: "x"})
    x = scales.log_x("x", "ε in all, for one person", domain, ".3~g")
    y = (
        scales.log_y("y", up, list(ends))
        if powers
        else alt.Y("y:Q", title=up, scale=alt.Scale(domain=list(ends), nice=False))
    )
    looks = {
        name: scales.CurveLook(_COLOURS[place % len(_COLOURS)], DASHES[place % len(DASHES)])
        for place, name in enumerate(names)
    }
    said = [
        alt.Tooltip("x:Q", title=ACROSS, format=".3~g"),
        *(alt.Tooltip(f"{name}:Q", format=",.3~g") for name in names),
    ]
    layers: list[Any] = [
        scales.curves(long, x, y, looks),
        scales.hover_rule(table.rename(columns={ACROSS: "x"}), "x", x, said),
    ]
    if here is not None and domain[0] <= here <= domain[1]:
        layers += scales.plan_mark(here, "x", "this plan", domain)
    return scales.stack_layers(
        *layers, title=scales.note(""), height=260, description=f"{up}, against ε."
    )
