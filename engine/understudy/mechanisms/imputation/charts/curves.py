"""Curves of δ against ε, and of ε against rows; the same as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, DASHES, GOLD, GREEN, GREY, PURPLE, QUIET, VERMILLION

LEAST: Final = 1e-15
"""Smaller δ are drawn as this."""

_COLOURS: Final = (BLUE, VERMILLION, GREEN, PURPLE, GOLD, GREY)


def table_of(x: str, values: Sequence[float], found: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """Return a row for each value across, a column for each curve."""
    return pd.DataFrame({x: list(values), **{name: list(each) for name, each in found.items()}})


def delta_curves(
    epsilons: Sequence[float], found: Mapping[str, Sequence[float]], marked: float | None = None
) -> Any:
    """δ against ε, on a logarithmic axis.

    Args:
        epsilons: across.
        found: δ at each ε, by the name of the curve.
        marked: the ε of the plan.
    """
    high = max(max(each) for each in found.values())
    y = scales.log_y("y", "δ", [LEAST, max(high, 10 * LEAST)], ".0e")
    x = alt.X("x:Q", title="ε", scale=alt.Scale(domain=[min(epsilons), max(epsilons)], nice=False))
    return _drawn(epsilons, found, x, y, marked, "δ against ε")


def growth(
    rows: Sequence[int], found: Mapping[str, Sequence[float]], marked: float | None = None
) -> Any:
    """ε against the number of rows, both axes logarithmic.

    Args:
        rows: across.
        found: ε at each number, by the name of the release; infinite ones are left out.
        marked: the rows of the plan.
    """
    every = [value for each in found.values() for value in each if np.isfinite(value) and value > 0]
    x = scales.log_x("x", "Rows", [min(rows), max(rows)])
    y = scales.log_y("y", "ε", scales.log_domain(every, 1.2), ".3~g")
    return _drawn(rows, found, x, y, marked, "ε against rows")


def against_shares(shares: Sequence[float], deltas: Sequence[float]) -> Any:
    """δ of one record among random others against how common it is."""
    x = scales.log_x("x", "How many in a hundred are like it", [100 * shares[0], 100 * shares[-1]],
                     ".3~g")  # fmt: skip
    y = scales.log_y("y", "δ", [LEAST, 1.0], ".0e")
    return _drawn([100 * each for each in shares], {"One record": deltas}, x, y, None,
                  "δ among random others against how common a value is")  # fmt: skip


def _drawn(
    across: Sequence[float],
    found: Mapping[str, Sequence[float]],
    x: alt.X,
    y: alt.Y,
    marked: float | None,
    said: str,
) -> Any:
    rows = [
        {"x": at, "y": max(value, LEAST), "name": name}
        for name, each in found.items()
        for at, value in zip(across, each, strict=True)
        if np.isfinite(value) and value > 0
    ]
    looks = {
        name: scales.Look(_COLOURS[place % len(_COLOURS)], DASHES[place % len(DASHES)])
        for place, name in enumerate(found)
    }
    figure = scales.curves(pd.DataFrame(rows), x, y, looks)
    layers: list[Any] = [figure]
    if marked is not None and min(across) <= marked <= max(across):
        here = pd.DataFrame({"x": [marked]})
        layers.append(
            alt.Chart(here).mark_rule(strokeDash=[3, 3], color=QUIET).encode(x=alt.X("x:Q"))
        )
    return scales.stacked(*layers, title=scales.note(""), description=said, height=300)
