"""Spreads of values: of parts of a measure, and of distances as boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import LETTERS, REFERENCES, colour_of, shape_of
from understudy.charts.scales import attribute_pair
from understudy.core import numerals
from understudy.core.arrays import FloatArray
from understudy.evaluation.comparison import Compared

# Box plots of the values of a breakdown, one for each table. Internal figures.

MOST_POINTS: Final = 120
"""A table with more values than this shows only the farthest as points."""

FARTHEST: Final = 40
"""How many those are."""

_ROW = 42
_FRAME = 150


@dataclass(frozen=True, eq=False)
class Spread:
    """The breakdown of one table.

    Attributes:
        table: its name.
        records: how many of its records were looked at.
        what: (n,) what each value is about.
        values: (n,) the smaller the better; one that is not a number is left out.
    """

    table: str
    records: int
    what: Sequence[str]
    values: FloatArray


@dataclass(frozen=True)
class SpreadKind:
    """What values are about, in words.

    Attributes:
        one, many: what a value is of, such as "Pair" and "pairs".
        value: what a value is called, such as "Distance".
        axis: the same where it is drawn, and what its ends mean.
        most: the largest it can be; may be infinite.
        share: whether it is written in per cent.
    """

    one: str
    many: str
    value: str
    axis: str
    most: float = 1.0
    share: bool = True

    def read(self, value: float) -> str:
        """Return a value in words."""
        return numerals.percent(value) if self.share else f"{value:.3f}"


def spreads_table(spreads: Sequence[Spread], kind: SpreadKind) -> pd.DataFrame:
    """Return one row for each table: the numbers its box is drawn from, and what is farthest."""
    columns = {
        "table": "Table",
        "records": "Records looked at",
        "count": kind.many.capitalize(),
        "low": "Smallest",
        "lower": "Lower quartile",
        "median": "Median",
        "upper": "Upper quartile",
        "high": "Largest",
        "farthest": "Farthest",
    }
    return _summary(spreads, kind)[list(columns)].rename(columns=columns)


def every_value_table(spreads: Sequence[Spread], kind: SpreadKind) -> pd.DataFrame:
    """Return one row for what each value is about, one column for each table."""
    named = spreads[0].what if spreads else []
    return pd.DataFrame({kind.one: named} | {each.table: each.values for each in spreads})


def boxes(spreads: Sequence[Spread], kind: SpreadKind) -> alt.LayerChart:
    """Return a row for each table: a box over its values, and points one can ask.

    The box spans the middle half, its line is the median, its ends are the smallest and the
    largest. Dotted lines carry the medians of the reference tables through the other rows.

    Args:
        spreads: the tables, in the order of the rows.
        kind: what the values are about.
    """
    rows = _summary(spreads, kind)
    if rows.empty:
        return scales.saying("There are too few records to compare.")
    tables = list(rows["table"])
    points = _points(spreads)
    y, across = _rows(tables), _Across(kind, float(rows["high"].max()))
    colour = alt.Color(
        "table:N",
        scale=alt.Scale(domain=tables, range=[colour_of(name, tables) for name in tables]),
        legend=None,
    )
    return scales.stack_layers(
        *_references(rows, across),
        *_boxes(rows, across, y, colour),
        _dots(points, tables, across, y, colour, kind),
        title=scales.internal_note(*_note(points, rows, kind)),
        description=f"Box plots: {kind.value} of {kind.many}, one row for each table.",
        height=_ROW * len(tables) + _FRAME,
    )


def _drop_unknown(each: Spread) -> pd.DataFrame:
    """Return what is compared and how far it is, without what is not a number."""
    known = np.isfinite(each.values)
    what = np.array(each.what, dtype=object)
    return pd.DataFrame({"what": what[known], "distance": each.values[known]})


_SUMMARY = [
    *("table", "records", "count", "low", "lower", "median", "upper", "high", "farthest"),
    *("half", "all", "said"),
]


def _summary(spreads: Sequence[Spread], kind: SpreadKind) -> pd.DataFrame:
    rows = []
    for each in spreads:
        known = _drop_unknown(each)
        if known.empty:
            continue
        low, lower, median, upper, high = np.quantile(known["distance"], [0, 0.25, 0.5, 0.75, 1])
        rows.append(
            {
                "table": each.table,
                "records": each.records,
                "count": len(known),
                "low": low,
                "lower": lower,
                "median": median,
                "upper": upper,
                "high": high,
                "farthest": known["what"].iloc[int(known["distance"].argmax())],
                "half": f"{kind.read(lower)} to {kind.read(upper)}",
                "all": f"{kind.read(low)} to {kind.read(high)}",
                "said": f"median {kind.read(median)}",
            }
        )
    return pd.DataFrame(rows, columns=_SUMMARY)


def _points(spreads: Sequence[Spread]) -> pd.DataFrame:
    """Return the points of every table, at a height within its row that keeps neighbours apart."""
    parts = []
    for each in spreads:
        known = _drop_unknown(each)
        if len(known) > MOST_POINTS:
            known = known.nlargest(FARTHEST, "distance")
        # Multiples of the golden ratio spread evenly, and a table looks the same each time.
        height = (np.argsort(np.argsort(known["distance"])) * 0.6180339887) % 1
        parts.append(known.assign(table=each.table, height=2 * height - 1))
    return pd.concat(parts, ignore_index=True)


def _note(points: pd.DataFrame, rows: pd.DataFrame, kind: SpreadKind) -> list[str]:
    lines = [f"Box: the middle half of the {kind.many}, and the median. Line: smallest to largest."]
    if len(points) < rows["count"].sum():
        lines.append(f"Points: of each table, the {FARTHEST} {kind.many} that are farthest.")
    if rows["table"].isin(REFERENCES).any():
        lines.append("Dotted lines: medians of the tables to compare with.")
    return lines


@dataclass(frozen=True)
class _Across:
    """The axis across, as far as the values reach."""

    kind: SpreadKind
    largest: float

    def x(self, field: str) -> alt.X:
        # Beyond the largest there is room for its number, and for no tick that no value can reach.
        top = max(1.25 * self.largest, 0.01)
        return alt.X(
            f"{field}:Q",
            title=self.kind.axis,
            scale=alt.Scale(domain=[0, top], nice=False),
            axis=alt.Axis(
                format="~%" if self.kind.share else "~g",
                tickCount=8,
                labelExpr=f"datum.value <= {min(self.kind.most, top)!r} ? datum.label : ''",
            ),
        )


def _rows(tables: list[str]) -> alt.Y:
    return alt.Y(
        "table:N",
        sort=tables,
        title=None,
        scale=alt.Scale(domain=tables),
        axis=alt.Axis(
            labelLimit=200, labelFontSize=13, ticks=False, domain=False, labelFlush=False
        ),
    )


def _boxes(rows: pd.DataFrame, across: _Across, y: alt.Y, colour: alt.Color) -> list[alt.Chart]:
    """Whiskers, box, median and its number."""
    base = alt.Chart(rows)
    said = [
        alt.Tooltip("table:N", title="Table"),
        alt.Tooltip("records:Q", title="Records looked at", format=","),
        alt.Tooltip("said:N", title="In the middle"),
        alt.Tooltip("half:N", title="Middle half"),
        alt.Tooltip("all:N", title="Smallest to largest"),
        alt.Tooltip("farthest:N", title="Farthest"),
    ]
    return [
        base.mark_rule(strokeWidth=1.5, tooltip=None).encode(
            x=across.x("low"), x2=alt.X2("high:Q"), y=y, color=colour
        ),
        base.mark_bar(height=30, fillOpacity=0.22, strokeWidth=1.5, cornerRadius=2).encode(
            x=across.x("lower"),
            x2=alt.X2("upper:Q"),
            y=y,
            color=colour,
            stroke=colour,
            tooltip=said,
        ),
        base.mark_tick(thickness=4, size=30).encode(
            x=across.x("median"), y=y, color=colour, tooltip=said
        ),
        base.mark_text(align="left", dx=10, fontSize=12, color=LETTERS, tooltip=None).encode(
            x=across.x("high"), y=y, text=alt.Text("said:N")
        ),
    ]


def _dots(
    points: pd.DataFrame,
    tables: list[str],
    across: _Across,
    y: alt.Y,
    colour: alt.Color,
    kind: SpreadKind,
) -> alt.Chart:
    drawn: alt.Chart = (
        alt.Chart(points)
        .mark_point(size=26, filled=True, opacity=0.75)
        .encode(
            x=across.x("distance"),
            y=y,
            yOffset=alt.YOffset("height:Q", scale=alt.Scale(domain=[-2.4, 2.4])),
            color=colour,
            shape=alt.Shape(
                "table:N",
                scale=alt.Scale(domain=tables, range=[shape_of(name, tables) for name in tables]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("what:N", title=kind.one),
                alt.Tooltip("distance:Q", title=kind.value, format=".2%" if kind.share else ".4f"),
                alt.Tooltip("table:N", title="Table"),
            ],
        )
    )
    return drawn


def _references(rows: pd.DataFrame, across: _Across) -> list[alt.Chart]:
    """Return the medians of other real records and of the marginals, through every row. A layer
    without marks would be a figure without a name to whoever cannot see it."""
    return [
        alt.Chart(rows.loc[rows["table"] == name, ["median"]])
        .mark_rule(strokeDash=[2, 3], strokeWidth=1.5, color=colour, tooltip=None)
        .encode(x=across.x("median"))
        for name, colour in REFERENCES.items()
        if name in set(rows["table"])
    ]


# How far tables are from the held-out records, by column and by pair. Internal figures.

DistanceOf = Literal["single", "pairs"]

DISTANCE: Final = "How far from held-out records (0 % = the same, 100 % = nothing in common)"

_KINDS: Final = {
    "single": SpreadKind("Column", "columns", "Distance", DISTANCE),
    "pairs": SpreadKind("Pair", "pairs", "Distance", DISTANCE),
}


def distance_boxes_table(
    compared: Sequence[Compared], names: Sequence[str], kind: DistanceOf
) -> pd.DataFrame:
    """Return one row for each table: the numbers its box is drawn from, and its farthest column."""
    return spreads_table(_spreads(compared, names, kind), _KINDS[kind])


def every_distance_table(
    compared: Sequence[Compared], names: Sequence[str], kind: DistanceOf
) -> pd.DataFrame:
    """Return one row for each column or pair, one column for each table."""
    return every_value_table(_spreads(compared, names, kind), _KINDS[kind])


def distance_boxes(
    compared: Sequence[Compared], names: Sequence[str], kind: DistanceOf
) -> alt.LayerChart:
    """Return a row for each table: a box over its columns or pairs; see `spreads.boxes`.

    Args:
        compared: the tables, in the order of the rows.
        names: (m,) what a reader calls the columns.
        kind: single columns, or all pairs.
    """
    return boxes(_spreads(compared, names, kind), _KINDS[kind])


def _spreads(compared: Sequence[Compared], names: Sequence[str], kind: DistanceOf) -> list[Spread]:
    if any(len(each.distances.single) != len(names) for each in compared):
        raise ValueError("there must be a name for each column")
    what = list(names)
    if kind == "pairs":
        what = [attribute_pair(one, other) for one, other in combinations(names, 2)]
    return [
        Spread(
            each.name,
            each.records,
            what,
            each.distances.single if kind == "single" else each.distances.each_pair,
        )
        for each in compared
    ]
