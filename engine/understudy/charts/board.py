"""Chart of the pairs of columns that a released table reproduces worst. Internal figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.forest import Dot, ValueAxis, forest
from understudy.charts.lettering import pair
from understudy.core.numerals import percent
from understudy.evaluation.excess import Excess
from understudy.evaluation.fitness import points
from understudy.evaluation.measure import REALS, RELEASED

_AXIS: Final = "Difference from real records (%); 0 is none"
_ROOM: Final = 1.08


def worst_pairs_table(excess: Excess | None, titles: Sequence[str], most: int = 5) -> pd.DataFrame:
    """Return the pairs that the released table is further off in than other real records by most,
    with what both are off by, in per cent."""
    rows = [(dot.row, dot.name, dot.value) for dot in _farthest(excess, titles, most)]
    return pd.DataFrame(rows, columns=["Pair", "Table", "Difference (%)"]).round(2)


def worst_pairs(excess: Excess | None, titles: Sequence[str], most: int = 5) -> alt.LayerChart:
    """Return the pairs in which the released table is further off than other real records by most;
    a pair in which those are as far off has lost nothing, and is not drawn.

    Args:
        excess: of every pair; None where it was not measured.
        titles: what a reader calls each column, in the schema's order.
        most: how many pairs to draw at most.
    """
    if excess is None:
        return scales.saying("Too few records were released, or held out, to compare.")
    dots = _farthest(excess, titles, most)
    if not dots:
        return scales.saying("No pair is further off than other real records are.")
    high = max(1.0, _ROOM * max(dot.value for dot in dots))
    return forest(
        dots,
        [],
        ValueAxis(_AXIS, 0.0, high, form=",~f", asked="Difference (%)"),
        legend=True,
        row="Of",
        notes=["The pairs that are further off than other real records by most, and by how much."],
        description="The pairs of columns in which the released table is further off than other "
        "real records by most.",
        lanes=False,
    )


def _farthest(excess: Excess | None, titles: Sequence[str], most: int) -> list[Dot]:
    if excess is None:
        return []
    return [
        dot
        for (one, other), apart in excess.worst_pairs()[:most]
        if apart > 0
        for dot in _dots(pair(titles[one], titles[other]), float(excess.real[one, other]), apart)
    ]


def _dots(row: str, real: float, apart: float) -> tuple[Dot, Dot]:
    """Return what other real records are off by, and behind it the released table's, which comes
    last so that it lies over the other."""
    off = real + apart
    return (
        Dot("", row, REALS, 100 * real, said=percent(real), faint=True),
        Dot("", row, RELEASED, 100 * off, said=percent(off), beside=f"{points(apart)} further"),
    )
