"""Forest plots: results with their intervals, one a row, and the words beside them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import LETTERS, colour_of, shape_of
from understudy.charts.scales import distinct, shortened_apart
from understudy.core import numerals
from understudy.core.numerals import FIXED, MINUS
from understudy.evaluation.measure import (
    BEST,
    MARGINALS,
    OF_DAYS,
    PEOPLE,
    REALS,
    UNIFORM,
    WORST,
    About,
    Interval,
    SubjectResult,
)

# Values of a measure as text, no finer than their interval.

_CERTAIN_TO: Final = {"share": 2, "number": 4}
"""The most decimals, in per cent and in plain numbers."""


def is_share(about: About) -> bool:
    """Return whether its values are shares, written in per cent."""
    return about.unit == "share"


def value_text(about: About, value: float, within: Interval | None = None) -> str:
    """Return a value, with its unit; where its interval is known, no finer than that lets it be."""
    said = _digits(about, value, _places(about, within))
    return f"{said}{FIXED}%" if is_share(about) and not math.isnan(value) else said


def interval_words(about: About, interval: Interval | None) -> str:
    """Return an interval in words; "" where there is none."""
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return ""
    low = _digits(about, interval.low, _places(about, interval))
    return f"{low} to {value_text(about, interval.high, interval)}"


def read_whole(about: About, found: SubjectResult | None) -> str:
    """Return a value and its interval."""
    if found is None:
        return ""
    interval = interval_words(about, found.interval)
    said = value_text(about, found.value, found.interval)
    return f"{said} ({interval})" if interval else said


def direction(about: About) -> str:
    """Return which way is better."""
    if about.better == "as real":
        what = "people" if about.group in OF_DAYS else "records"
        return f"best as other real {what}"
    if about.ideal is not None:
        return f"best at {value_text(about, about.ideal)}"
    return f"{about.better} is better"


def value_range(about: About) -> str:
    """Return how far values can go."""
    low, high = _end(about, about.low), _end(about, about.high)
    if low and high:
        return f"from {low} to {high}"
    if low:
        return f"{low} or more"
    return f"{high} or less" if high else "any number"


def references(names: Iterable[str]) -> tuple[str, str]:
    """Return what the worst and the best reference among some tables are called in a sentence."""
    there = set(names)
    worst = next((each for each in WORST if each in there), MARGINALS)
    best = next((each for each in BEST if each in there), REALS)
    return _REFERENCES[worst], _REFERENCES[best]


_REFERENCES: Final = {
    MARGINALS: "the marginals",
    UNIFORM: "a uniform model",
    REALS: "other real records",
    PEOPLE: "other real people",
}


def form(about: About) -> str:
    """Return how an axis writes it."""
    return "~%" if is_share(about) else "~g"


def _end(about: About, value: float) -> str:
    if math.isinf(value):
        return ""
    said = f"{100 * value:g}{FIXED}%" if is_share(about) else f"{value:g}"
    return said.replace("-", MINUS)


def _places(about: About, within: Interval | None) -> int | None:
    """Return how many decimals an interval leaves a value, in per cent or as it is."""
    if within is None:
        return None
    factor = 100 if is_share(about) else 1
    places = numerals.decimals(factor * (within.high - within.low) / 2)
    return None if places is None else min(places, _CERTAIN_TO[about.unit])


def _digits(about: About, value: float, places: int | None) -> str:
    number = 100 * value if is_share(about) else value
    if places is not None or not math.isfinite(number):
        return numerals.fix_decimals(number, places or 0)
    size = abs(number)
    if size == 0:
        return "0"
    sign = MINUS if number < 0 else ""
    return f"{sign}{_percent(size) if is_share(about) else _number(size)}"


def _percent(size: float) -> str:
    if size < 0.01:
        return "under 0.01"
    return f"{size:.2f}" if size < 1 else f"{size:,.1f}"


def _number(size: float) -> str:
    if size >= 100:
        return f"{size:,.0f}"
    if size >= 1:
        return f"{size:.2f}"
    if size >= 0.01:
        return f"{size:.3f}"
    return f"{size:.4f}" if size >= 0.0001 else "under 0.0001"


# Forest plots: dots with whiskers in rows under headings, shared by the charts of measures.

MOST_LETTERS: Final = 46
_STEP, _LEAST_STEP, _LANE, _MANY_ROWS = 26, 20, 9, 30
_ABOVE_AND_BELOW, _LEGEND = 120, 75


@dataclass(frozen=True)
class Dot:
    """One value in one row.

    Attributes:
        block: the heading its row stands under; "" for none.
        row: what its row is called.
        name: whose value it is; says its colour and shape.
        value: where it stands.
        low, high: the ends of its whisker; None for none.
        said: the value in words, for the tooltip.
        beside: text at the right end of its row; for one dot of a row.
        faint: whether it is small and behind the others.
    """

    block: str
    row: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None
    said: str = ""
    beside: str = ""
    faint: bool = False


@dataclass(frozen=True)
class GuideLine:
    """A reference line across all rows of a block, with a band for its interval.

    Attributes:
        block: whose rows it crosses; None for all.
        value, low, high: as of `Dot`.
        colour: its own.
    """

    block: str | None
    value: float
    colour: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ValueAxis:
    """The horizontal axis.

    Attributes:
        title: what it shows, and which way is better.
        low, high: its ends.
        form: the number format.
        asked: the label of the value in the tooltip.
    """

    title: str
    low: float
    high: float
    form: str = "~g"
    asked: str = "Value"


def forest(
    dots: Sequence[Dot],
    rules: Sequence[GuideLine],
    across: ValueAxis,
    *,
    legend: bool,
    row: str,
    notes: Sequence[str],
    description: str,
    lanes: bool = True,
) -> alt.LayerChart:
    """Return the forest plot.

    Args:
        dots: in the order of their rows; rows of one block stand together.
        rules: reference lines behind the rows.
        across: the axis.
        legend: whether names are told by a legend; not where each row is a name of its own.
        row: the label of the row in the tooltip.
        notes: sentences above the chart.
        description: the text for screen readers.
        lanes: whether names that share a row lie one under the other in it.
    """
    names = list(dict.fromkeys(each.name for each in sorted(dots, key=lambda dot: dot.faint)))
    places = _Places.of(dots)
    apart = names if legend and lanes else []
    step = places.step(len(apart) or 1)
    frame = _frame(dots, places, apart)
    y = places.axis(lines=legend)
    return scales.stack_layers(
        *_rules(rules, places, across),
        *_headings(places, y),
        *_marks(frame, names, across, y, min(60, 4 * step), legend=legend, row=row),
        title=scales.internal_note(*notes),
        description=description,
        height=step * len(places.labels) + _ABOVE_AND_BELOW + (_LEGEND if legend else 0),
    )


@dataclass(frozen=True)
class _Places:
    """Rows from the top down, by number: those of each block under one for its heading.

    Attributes:
        labels: of every row; "" for a heading.
        headings: the row of each block's heading.
        blocks: the rows of each block.
        of_row: the row of each block and name.
    """

    labels: list[str]
    headings: dict[str, str]
    blocks: dict[str, list[str]]
    of_row: dict[tuple[str, str], str]

    @classmethod
    def of(cls, dots: Sequence[Dot]) -> _Places:
        found = cls([], {}, {}, {})
        for block in dict.fromkeys(each.block for each in dots):
            if block:
                found.headings[block] = found._add("")
            rows = list(dict.fromkeys(each.row for each in dots if each.block == block))
            labels = distinct(shortened_apart(rows, MOST_LETTERS))
            for row, label in zip(rows, labels, strict=True):
                found.of_row[block, row] = found._add(label)
            found.blocks[block] = [found.of_row[block, row] for row in rows]
        return found

    @property
    def every(self) -> list[str]:
        """All rows, headings too."""
        return [str(place) for place in range(len(self.labels))]

    def _add(self, label: str) -> str:
        self.labels.append(label)
        return str(len(self.labels) - 1)

    def step(self, lanes: int) -> int:
        """Return how tall a row is, in pixels."""
        if len(self.labels) > _MANY_ROWS:
            return max(_LEAST_STEP, 4 * lanes)
        return max(_STEP, _LANE * lanes + 6)

    def axis(self, *, lines: bool) -> alt.Y:
        """Return rows by number, called by their labels; with a line through each, where asked
        for."""
        return alt.Y(
            "id:N",
            title=None,
            sort=self.every,
            scale=alt.Scale(domain=self.every, paddingInner=0, paddingOuter=0),
            axis=alt.Axis(
                labelExpr=f"{json.dumps(self.labels)}[toNumber(datum.value)]",
                labelLimit=320,
                labelFontSize=13,
                labelOverlap=False,
                labelFlush=False,
                ticks=False,
                domain=False,
                grid=lines,
                gridDash=[1, 3],
            ),
        )


_COLUMNS = ["id", "row", "block", "name", "value", "low", "high", "said", "beside", "faint", "lane"]


def _frame(dots: Sequence[Dot], places: _Places, lanes: Sequence[str]) -> pd.DataFrame:
    middle = (len(lanes) - 1) / 2
    rows = [
        {
            "id": places.of_row[each.block, each.row],
            "row": each.row,
            "block": each.block,
            "name": each.name,
            "value": each.value,
            "low": each.low,
            "high": each.high,
            "said": each.said,
            "beside": each.beside,
            "faint": each.faint,
            "lane": (middle - lanes.index(each.name)) / len(lanes) if lanes else 0.0,
        }
        for each in dots
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _x(field: str, across: ValueAxis) -> alt.X:
    return alt.X(
        f"{field}:Q",
        title=across.title,
        scale=alt.Scale(domain=[across.low, across.high], nice=False, zero=False),
        axis=alt.Axis(format=across.form, tickCount=7),
    )


def _rules(rules: Sequence[GuideLine], places: _Places, across: ValueAxis) -> list[alt.Chart]:
    """Return every rule as a piece in each of its rows, which together make a line."""
    drawn = []
    top, bottom = (alt.Y("id:N", bandPosition=0), alt.Y2("id:N", bandPosition=1))
    for rule in rules:
        rows = places.blocks[rule.block] if rule.block is not None else places.every
        pieces = pd.DataFrame({"id": rows, "value": rule.value, "low": rule.low, "high": rule.high})
        base = alt.Chart(pieces)
        if rule.low is not None and rule.high is not None:
            band = base.mark_rect(opacity=0.18, color=rule.colour, tooltip=None, clip=True)
            drawn.append(band.encode(x=_x("low", across), x2=alt.X2("high:Q"), y=top, y2=bottom))
        line = base.mark_rule(strokeWidth=1.5, color=rule.colour, tooltip=None, clip=True)
        drawn.append(line.encode(x=_x("value", across), y=top, y2=bottom))
    return drawn


def _headings(places: _Places, y: alt.Y) -> list[alt.Chart]:
    if not places.headings:
        return []
    said = pd.DataFrame({"id": places.headings.values(), "said": places.headings.keys()})
    text = alt.Chart(said).mark_text(
        align="left", dx=4, dy=3, fontSize=13, fontWeight="bold", color=LETTERS, tooltip=None
    )
    return [text.encode(x=alt.XValue(0), y=y, text=alt.Text("said:N"))]


def _marks(
    frame: pd.DataFrame,
    names: list[str],
    across: ValueAxis,
    y: alt.Y,
    size: int,
    *,
    legend: bool,
    row: str,
) -> list[alt.Chart]:
    """Whiskers, dots, and the words beside them."""
    key = scales.key(names) if legend else None
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=names, range=[colour_of(name, names) for name in names]),
        legend=key,
    )
    lane = alt.YOffset("lane:Q", scale=alt.Scale(domain=[-0.64, 0.64]))
    known = frame.dropna(subset=["low", "high"])
    # A layer without marks is an image without a name to a screen reader.
    drawn = [
        alt.Chart(each)
        .mark_rule(strokeWidth=2, tooltip=None, clip=True)
        .encode(x=_x("low", across), x2=alt.X2("high:Q"), y=y, yOffset=lane, color=colour)
        for each in ([known] if len(known) else [])
    ]
    drawn.append(
        alt.Chart(frame)
        .mark_point(filled=True, opacity=1)
        .encode(
            x=_x("value", across),
            y=y,
            yOffset=lane,
            color=colour,
            shape=alt.Shape(
                "name:N",
                scale=alt.Scale(domain=names, range=[shape_of(name, names) for name in names]),
                legend=key,
            ),
            size=alt.Size(
                "faint:O",
                scale=alt.Scale(domain=[False, True], range=[1.6 * size, 0.7 * size]),
                legend=None,
            ),
            tooltip=_tooltip(frame, across, legend=legend, row=row),
        )
    )
    beside = frame.loc[frame["beside"] != ""]
    if len(beside):
        drawn.append(
            alt.Chart(beside)
            .mark_text(align="left", dx=10, fontSize=12, color=LETTERS, tooltip=None)
            .encode(x=alt.XValue("width"), y=y, text=alt.Text("beside:N"))
        )
    return drawn


def _tooltip(
    frame: pd.DataFrame, across: ValueAxis, *, legend: bool, row: str
) -> list[alt.Tooltip]:
    """Return the lines of a dot's tooltip."""
    lines = [alt.Tooltip("row:N", title=row)]
    if legend:
        lines.append(alt.Tooltip("name:N", title="Table"))
    if frame["block"].any():
        lines.append(alt.Tooltip("block:N", title="By"))
    lines.append(alt.Tooltip("said:N", title=across.asked))
    return lines
