"""How far tables are from the held-out records, by column and by pair. Internal figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, Literal

import altair as alt
import pandas as pd

from understudy.charts import spreads
from understudy.charts.lettering import pair
from understudy.charts.spreads import Spread
from understudy.evaluation.comparison import Compared

Kind = Literal["single", "pairs"]

DISTANCE: Final = "How far from held-out records (0 % = the same, 100 % = nothing in common)"

_KINDS: Final = {
    "single": spreads.Kind("Column", "columns", "Distance", DISTANCE),
    "pairs": spreads.Kind("Pair", "pairs", "Distance", DISTANCE),
}


def boxes_table(compared: Sequence[Compared], names: Sequence[str], kind: Kind) -> pd.DataFrame:
    """Return one row for each table: the numbers its box is drawn from, and its farthest column."""
    return spreads.spreads_table(_spreads(compared, names, kind), _KINDS[kind])


def every_distance_table(
    compared: Sequence[Compared], names: Sequence[str], kind: Kind
) -> pd.DataFrame:
    """Return one row for each column or pair, one column for each table."""
    return spreads.every_value_table(_spreads(compared, names, kind), _KINDS[kind])


def boxes(compared: Sequence[Compared], names: Sequence[str], kind: Kind) -> alt.LayerChart:
    """Return a row for each table: a box over its columns or pairs; see `spreads.boxes`.

    Args:
        compared: the tables, in the order of the rows.
        names: (m,) what a reader calls the columns.
        kind: single columns, or all pairs.
    """
    return spreads.boxes(_spreads(compared, names, kind), _KINDS[kind])


def _spreads(compared: Sequence[Compared], names: Sequence[str], kind: Kind) -> list[Spread]:
    if any(len(each.distances.single) != len(names) for each in compared):
        raise ValueError("there must be a name for each column")
    what = list(names)
    if kind == "pairs":
        what = [pair(one, other) for one, other in combinations(names, 2)]
    return [
        Spread(
            each.name,
            each.records,
            what,
            each.distances.single if kind == "single" else each.distances.each_pair,
        )
        for each in compared
    ]
