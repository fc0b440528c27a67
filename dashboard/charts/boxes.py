"""How far tables are from the held-out records, by attribute and by pair. Internal figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, Literal

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.charts import scales
from dashboard.charts.lettering import pair
from dashboard.charts.palette import QUIET, REFERENCES, colour_of, shape_of
from engine.evaluation.comparison import Compared

Kind = Literal["single", "pairs"]
Distances = npt.NDArray[np.float64]

DISTANCE: Final = "How far from held-out records (0 = the same, 1 = nothing in common)"

MOST_POINTS: Final = 120
"""A table with more attributes or pairs than this shows only the farthest as points."""

FARTHEST: Final = 40
"""How many those are."""

_ROW = 42
_FRAME = 150


def boxes_table(compared: Sequence[Compared], names: Sequence[str], kind: Kind) -> pd.DataFrame:
    """One row for each table: the numbers its box is drawn from, and its farthest attribute."""
    columns = {
        "table": "Table",
        "records": "Records looked at",
        "count": "Attributes" if kind == "single" else "Pairs",
        "low": "Smallest",
        "lower": "Lower quartile",
        "median": "Median",
        "upper": "Upper quartile",
        "high": "Largest",
        "farthest": "Farthest",
    }
    return _summary(compared, names, kind)[list(columns)].rename(columns=columns)


def every_distance_table(
    compared: Sequence[Compared], names: Sequence[str], kind: Kind
) -> pd.DataFrame:
    """One row for each attribute or pair, one column for each table."""
    first = "Attribute" if kind == "single" else "Pair"
    return pd.DataFrame(
        {first: _what(names, kind)} | {each.name: _values(each, names, kind) for each in compared}
    )


def boxes(compared: Sequence[Compared], names: Sequence[str], kind: Kind) -> alt.LayerChart:
    """A row for each table: a box over its attributes or pairs, and points one can ask.

    The box spans the middle half, its line is the median, its ends are the smallest and the
    largest. Dotted lines carry the medians of the reference tables through the other rows.

    Args:
        compared: the tables, in the order of the rows.
        names: (m,) what a reader calls the attributes.
        kind: single attributes, or all pairs.
    """
    rows = _summary(compared, names, kind)
    if rows.empty:
        return scales.saying("There are too few records to compare.")
    tables = list(rows["table"])
    points = _points(compared, names, kind)
    y, most = _rows(tables), float(rows["high"].max())
    colour = alt.Color(
        "table:N",
        scale=alt.Scale(domain=tables, range=[colour_of(name, tables) for name in tables]),
        legend=None,
    )
    return scales.stacked(
        *_references(rows, most),
        *_boxes(rows, most, y, colour),
        _dots(points, tables, most, y, colour, kind),
        title=scales.internal_note(*_note(points, rows, kind)),
        description="Box plots: distances to held-out records, one row for each table.",
        height=_ROW * len(tables) + _FRAME,
    )


def _values(each: Compared, names: Sequence[str], kind: Kind) -> Distances:
    """The distances of one table, in the order of `_what`."""
    if len(each.distances.single) != len(names):
        raise ValueError("there must be a name for each attribute")
    return each.distances.single if kind == "single" else each.distances.each_pair


def _what(names: Sequence[str], kind: Kind) -> list[str]:
    if kind == "single":
        return list(names)
    return [pair(one, other) for one, other in combinations(names, 2)]


def _known(each: Compared, names: Sequence[str], kind: Kind) -> pd.DataFrame:
    """What is compared and how far it is, without what is not a number."""
    distances = _values(each, names, kind)
    known = np.isfinite(distances)
    what = np.array(_what(names, kind), dtype=object)
    return pd.DataFrame({"what": what[known], "distance": distances[known]})


_SUMMARY = [
    *("table", "records", "count", "low", "lower", "median", "upper", "high", "farthest"),
    *("half", "all", "said"),
]


def _summary(compared: Sequence[Compared], names: Sequence[str], kind: Kind) -> pd.DataFrame:
    rows = []
    for each in compared:
        known = _known(each, names, kind)
        if known.empty:
            continue
        low, lower, median, upper, high = np.quantile(known["distance"], [0, 0.25, 0.5, 0.75, 1])
        rows.append(
            {
                "table": each.name,
                "records": each.records,
                "count": len(known),
                "low": low,
                "lower": lower,
                "median": median,
                "upper": upper,
                "high": high,
                "farthest": known["what"].iloc[int(known["distance"].argmax())],
                "half": f"{_read(lower)} to {_read(upper)}",
                "all": f"{_read(low)} to {_read(high)}",
                "said": f"median {_read(median)}",
            }
        )
    return pd.DataFrame(rows, columns=_SUMMARY)


def _points(compared: Sequence[Compared], names: Sequence[str], kind: Kind) -> pd.DataFrame:
    """The points of every table, at a height within its row that keeps neighbours apart."""
    parts = []
    for each in compared:
        known = _known(each, names, kind)
        if len(known) > MOST_POINTS:
            known = known.nlargest(FARTHEST, "distance")
        # Multiples of the golden ratio spread evenly, and a table looks the same each time.
        height = (np.argsort(np.argsort(known["distance"])) * 0.6180339887) % 1
        parts.append(known.assign(table=each.name, height=2 * height - 1))
    return pd.concat(parts, ignore_index=True)


def _note(points: pd.DataFrame, rows: pd.DataFrame, kind: Kind) -> list[str]:
    what = "attributes" if kind == "single" else "pairs"
    lines = [f"Box: the middle half of the {what}, and the median. Line: smallest to largest."]
    if len(points) < rows["count"].sum():
        lines.append(f"Points: of each table, the {FARTHEST} {what} that are farthest.")
    if rows["table"].isin(REFERENCES).any():
        lines.append("Dotted lines: medians of the tables to compare with.")
    return lines


def _across(field: str, most: float) -> alt.X:
    return alt.X(
        f"{field}:Q",
        title=DISTANCE,
        scale=alt.Scale(domain=[0, min(1.0, max(1.12 * most, 0.01))], nice=False),
        axis=alt.Axis(format="~g", tickCount=8),
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


def _boxes(rows: pd.DataFrame, most: float, y: alt.Y, colour: alt.Color) -> list[alt.Chart]:
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
            x=_across("low", most), x2="high:Q", y=y, color=colour
        ),
        base.mark_bar(height=30, fillOpacity=0.22, strokeWidth=1.5, cornerRadius=2).encode(
            x=_across("lower", most), x2="upper:Q", y=y, color=colour, stroke=colour, tooltip=said
        ),
        base.mark_tick(thickness=4, size=30).encode(
            x=_across("median", most), y=y, color=colour, tooltip=said
        ),
        base.mark_text(align="left", dx=10, fontSize=12, color=QUIET, tooltip=None).encode(
            x=_across("high", most), y=y, text="said:N"
        ),
    ]


def _dots(
    points: pd.DataFrame, tables: list[str], most: float, y: alt.Y, colour: alt.Color, kind: Kind
) -> alt.Chart:
    drawn: alt.Chart = (
        alt.Chart(points)
        .mark_point(size=26, filled=True, opacity=0.75)
        .encode(
            x=_across("distance", most),
            y=y,
            yOffset=alt.YOffset("height:Q", scale=alt.Scale(domain=[-2.4, 2.4])),
            color=colour,
            shape=alt.Shape(
                "table:N",
                scale=alt.Scale(domain=tables, range=[shape_of(name, tables) for name in tables]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("what:N", title="Attribute" if kind == "single" else "Pair"),
                alt.Tooltip("distance:Q", title="Distance", format=".4f"),
                alt.Tooltip("table:N", title="Table"),
            ],
        )
    )
    return drawn


def _references(rows: pd.DataFrame, most: float) -> list[alt.Chart]:
    """The medians of other real records and of the marginals, through every row."""
    return [
        alt.Chart(rows.loc[rows["table"] == name, ["median"]])
        .mark_rule(strokeDash=[2, 3], strokeWidth=1.5, color=colour, tooltip=None)
        .encode(x=_across("median", most))
        for name, colour in REFERENCES.items()
    ]


def _read(distance: float) -> str:
    return f"{distance:.3f}"
