"""Chart of the pairs of columns that a released table reproduces worst. Internal figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from engine.charts import scales
from engine.charts.forest import Dot, ValueAxis, forest
from engine.charts.lettering import pair
from engine.evaluation.comparison import Compared
from engine.evaluation.study import REALS, RELEASED

_AXIS: Final = "Difference from real records (%); 0 is none"
_ROOM: Final = 1.08


def worst_pairs_table(
    compared: Sequence[Compared], titles: Sequence[str], most: int = 5
) -> pd.DataFrame:
    """The distances of the pairs of columns that the released table is farthest in, in per cent."""
    rows = [(dot.row, dot.name, dot.value) for dot in _farthest(compared, titles, most)]
    return pd.DataFrame(rows, columns=["Pair", "Table", "Difference (%)"]).round(2)


def worst_pairs(
    compared: Sequence[Compared], titles: Sequence[str], most: int = 5
) -> alt.LayerChart:
    """The pairs of columns in which the released table is farthest from held-out records.

    Args:
        compared: the tables; those released and other real records are drawn.
        titles: what a reader calls each column, in the schema's order.
        most: how many pairs to draw at most.
    """
    dots = _farthest(compared, titles, most)
    if not dots:
        return scales.saying("Too few records were released, or held out, to compare.")
    high = max(1.0, _ROOM * max(dot.value for dot in dots))
    return forest(
        dots,
        [],
        ValueAxis(_AXIS, 0.0, high, form=",~f", asked="Difference (%)"),
        legend=True,
        row="Of",
        notes=["The pairs of columns that were kept least well, the worst first."],
        description="The pairs of columns in which the released table differs most from real "
        "records.",
        lanes=False,
    )


def _farthest(compared: Sequence[Compared], titles: Sequence[str], most: int) -> list[Dot]:
    found = _named(compared, (REALS, RELEASED))
    released = next((each for each in found if each.name == RELEASED), None)
    if released is None:
        return []
    one, other = np.triu_indices(len(titles), 1)
    # Ties by their place, so that the same figures always draw the same chart.
    farthest = np.argsort(-released.distances.each_pair, kind="stable")[:most]
    return [
        _dot(pair(titles[one[at]], titles[other[at]]), each.name, each.distances.each_pair[at])
        for at in farthest
        for each in found
    ]


def _named(compared: Sequence[Compared], names: Sequence[str]) -> list[Compared]:
    """The tables of these names, in this order: what is drawn last lies over the others."""
    by_name = {each.name: each for each in compared}
    return [by_name[name] for name in names if name in by_name]


def _dot(row: str, name: str, distance: float) -> Dot:
    value = 100 * float(distance)
    said = f"{value:.2g}\N{NO-BREAK SPACE}%" if math.isfinite(value) else "–"
    released = name == RELEASED
    return Dot(
        block="", row=row, name=name, value=value, said=said, beside=said if released else "",
        faint=not released,
    )  # fmt: skip
