"""Chart of a release on the scale between its references, aspect by aspect. Internal figures.

Each row runs from a table without relations, the worst that is acceptable, to other real records,
the best that can be expected; the numbers on it are the measure's own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Final

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.forest import value_text
from understudy.charts.palette import LETTERS, QUIET, colour_of, shape_of
from understudy.core import numerals
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED, SubjectResult
from understudy.evaluation.relative_score import Aspect, What, way_in_words

QUESTIONS: Final[Mapping[What, tuple[str, str]]] = {
    "columns": ("Single columns", "Are the shares of values right?"),
    "pairs": ("Pairs of columns", "Are relations between columns kept?"),
    "prediction": ("Prediction", "Do models learned from it work?"),
    "telling": ("Telling apart", "Can its records be told from real ones?"),
}
"""What each aspect is called, and what it asks."""

_NAMES: Final = (MARGINALS, RELEASED, REALS)
_SHAPES: Final = (REALS, MARGINALS, RELEASED)
_LOW, _HIGH, _ROOM = -0.3, 1.3, 0.1
_ROW, _ABOVE = 74, 131
_ROW_OF_TEXT = 15


def kept_table(aspects: Sequence[Aspect]) -> pd.DataFrame:
    """Return one row for each aspect: its measure, the three values, and where the release
    stands."""
    rows = [
        {
            "What": QUESTIONS[each.what][0],
            "Measure": each.about.name,
            "Released": _value(each, each.released),
            "Other real records": _value(each, each.real),
            "Marginals": _value(each, each.marginals),
            "Stands at (%)": 100 * each.placed.value if each.placed else math.nan,
            "From (%)": _end(each.placed, "low"),
            "To (%)": _end(each.placed, "high"),
        }
        for each in aspects
    ]
    columns = ["What", "Measure", "Released", "Other real records", "Marginals"]
    return pd.DataFrame(rows, columns=[*columns, "Stands at (%)", "From (%)", "To (%)"]).round(1)


def chart_kept(aspects: Sequence[Aspect]) -> alt.LayerChart:
    """Return a row for each aspect, from the marginals on the left to other real records on the
    right.

    The released table stands where its value lies between the two, with a whisker where that is
    uncertain. Where the two cannot be told apart there is nothing to stand between, and the row
    says so.

    Args:
        aspects: in the order of the rows.
    """
    if not aspects:
        return scales.saying("Too few records were released, or held out, to draw anything.")
    scaled = [each for each in aspects if each.placed is not None]
    return scales.stack_layers(
        *(_tracks(scaled, aspects) if scaled else []),
        *_list_unscaled([each for each in aspects if each.placed is None], aspects),
        title=scales.internal_note(
            "Left: a table without relations between columns, the worst that is acceptable.",
            "Right: other real records, the best that can be expected.",
            "Both ends count as known; a whisker shows how uncertain the released table is.",
        ),
        description=_description(aspects),
        height=_ROW * len(aspects) + _ABOVE,
    )


def _value_in_words(each: Aspect, found: SubjectResult | None) -> str:
    """Return a value in words that need no explanation, such as “7.8 % off”."""
    if found is None or not math.isfinite(found.value):
        return numerals.UNKNOWN
    if each.what == "telling":
        return f"{50 + 50 * found.value:.0f} of 100 told"
    word = "right" if each.what == "prediction" else "off"
    return f"{_value(each, found)} {word}"


def _tracks(scaled: Sequence[Aspect], aspects: Sequence[Aspect]) -> list[alt.Chart]:
    """Of every row with a scale: the way, both ends, the release, and the numbers of all."""
    y, x = _rows(aspects), _Across(scaled)
    way_ = alt.Chart(pd.DataFrame([{"id": each.what, "from": 0.0, "to": 1.0} for each in scaled]))
    points = alt.Chart(_points(scaled))
    known = _whiskers(scaled)
    whiskers = [alt.Chart(known)] if len(known) else []
    shades = [colour_of(name) for name in _NAMES]
    shapes = [shape_of(name, _SHAPES) for name in _NAMES]
    legend = scales.key(_NAMES)
    return [
        way_.mark_rule(strokeWidth=7, color=QUIET, opacity=0.28, tooltip=None).encode(
            x=x("from"), x2=alt.X2("to:Q"), y=y
        ),
        *(
            each.mark_rule(strokeWidth=3, color=colour_of(RELEASED), tooltip=None).encode(
                x=x("low"), x2=alt.X2("high:Q"), y=y
            )
            for each in whiskers
        ),
        points.mark_point(filled=True, opacity=1).encode(
            x=x("at"),
            y=y,
            color=alt.Color(
                "name:N", scale=alt.Scale(domain=list(_NAMES), range=shades), legend=legend
            ),
            shape=alt.Shape(
                "name:N", scale=alt.Scale(domain=list(_NAMES), range=shapes), legend=legend
            ),
            size=alt.Size("size:Q", scale=None, legend=None),
            tooltip=[
                alt.Tooltip("name:N", title="Table"),
                alt.Tooltip("measure:N", title="Measure"),
                alt.Tooltip("value:N", title="Value"),
                alt.Tooltip("way:N", title="Stands at"),
            ],
        ),
        *_numbers(points, x, y),
    ]


def _numbers(points: alt.Chart, x: _Across, y: alt.Y) -> list[alt.Chart]:
    """Return values under the ends, that of the release above it, and how far it came at the right.

    The value at the left begins at its end, as what stands centred there would reach into the
    names of the rows.
    """
    own, left = f"datum.name == '{RELEASED}'", f"datum.name == '{MARGINALS}'"
    return [
        points.transform_filter(left)
        .mark_text(dy=19, dx=-10, align="left", fontSize=12, color=LETTERS, tooltip=None)
        .encode(x=x("at"), y=y, text=alt.Text("value:N")),
        points.transform_filter(f"!({own}) && !({left})")
        .mark_text(dy=19, fontSize=12, color=LETTERS, tooltip=None)
        .encode(x=x("at"), y=y, text=alt.Text("value:N")),
        points.transform_filter(own)
        .mark_text(dy=-18, fontSize=14, fontWeight="bold", color=LETTERS, tooltip=None)
        .encode(x=x("at"), y=y, text=alt.Text("value:N")),
        points.transform_filter(own)
        .mark_text(align="left", dx=14, fontSize=13, color=LETTERS, tooltip=None)
        .encode(x=alt.XValue("width"), y=y, text=alt.Text("way:N")),
    ]


def _list_unscaled(without: Sequence[Aspect], aspects: Sequence[Aspect]) -> list[alt.Chart]:
    """Of every row without a scale: why, and the values, in words."""
    if not without:
        return []
    frame = pd.DataFrame([{"id": each.what, "said": _alike(each)} for each in without])
    text = alt.Chart(frame).mark_text(
        fontSize=13,
        color=LETTERS,
        lineBreak="\n",
        lineHeight=18,
        align="left",
        dy=-14,
        tooltip=None,
    )
    # Where no row has a scale, nothing else says how wide the chart is.
    alone = len(without) == len(aspects)
    across = alt.XDatum(0, type="quantitative", axis=None, scale=alt.Scale(domain=[0, 1]))
    x = across if alone else alt.XValue(0)
    return [text.encode(x=x, y=_rows(aspects), text=alt.Text("said:N"))]


def _alike(each: Aspect) -> str:
    """Return why an aspect has no scale, and what was found."""
    released = f"Released: {_value_in_words(each, each.released)}"
    if each.real is None or each.marginals is None:
        return f"{released}\nToo few other real records, or marginals, to compare it with."
    both = (
        f"other real records: {_value_in_words(each, each.real)}, "
        f"marginals: {_value_in_words(each, each.marginals)}"
    )
    return f"{released};\n{both}.\nThese two cannot be told apart here, so there is no scale."


def _points(scaled: Sequence[Aspect]) -> pd.DataFrame:
    rows = []
    for each in scaled:
        assert each.placed is not None
        ends = ((MARGINALS, each.marginals, 0.0), (REALS, each.real, 1.0))
        where = ((RELEASED, each.released, each.placed.value), *ends)
        # The release is drawn last, over an end it may stand on.
        for name, found, at in (*where[1:], where[0]):
            rows.append(
                {
                    "id": each.what,
                    "name": name,
                    "measure": each.about.name,
                    "value": _value_in_words(each, found),
                    "at": min(max(at, _LOW), _HIGH),
                    "way": way_in_words(each.placed.value) if name == RELEASED else "",
                    "size": 240 if name == RELEASED else 120,
                }
            )
    return pd.DataFrame(rows)


def _whiskers(scaled: Sequence[Aspect]) -> pd.DataFrame:
    rows = [
        {
            "id": each.what,
            "low": min(max(each.placed.interval.low, _LOW), _HIGH),
            "high": min(max(each.placed.interval.high, _LOW), _HIGH),
        }
        for each in scaled
        if each.placed is not None and each.placed.interval is not None
    ]
    return pd.DataFrame(rows, columns=["id", "low", "high"])


class _Across:
    """The axis across, as wide as what stands on it."""

    def __init__(self, scaled: Sequence[Aspect]) -> None:
        ends = [*_points(scaled)["at"], *_whiskers(scaled)[["low", "high"]].to_numpy().ravel()]
        self._domain = [min(ends) - _ROOM, max(ends) + _ROOM]

    def __call__(self, field: str) -> alt.X:
        scale = alt.Scale(domain=self._domain, nice=False)
        return alt.X(f"{field}:Q", axis=None, scale=scale)


def _rows(aspects: Sequence[Aspect]) -> alt.Y:
    """Return a row for each aspect, called by what it is and what it asks."""
    names = {each.what: list(QUESTIONS[each.what]) for each in aspects}
    axis = alt.Axis(
        labelExpr=f"{json.dumps(names)}[datum.value]",
        labelLimit=330,
        labelFontSize=13,
        labelLineHeight=_ROW_OF_TEXT + 3,
        labelPadding=12,
        ticks=False,
        domain=False,
        grid=False,
        labelOverlap=False,
    )
    return alt.Y(
        "id:N",
        title=None,
        sort=list(names),
        scale=alt.Scale(domain=list(names), paddingInner=0, paddingOuter=0),
        axis=axis,
    )


def _description(aspects: Sequence[Aspect]) -> str:
    """Return the whole chart in words."""
    rows = [
        f"{QUESTIONS[each.what][0]}: "
        + (way_in_words(each.placed.value) if each.placed else "no scale")
        for each in aspects
    ]
    return (
        "How far the released table stands on the way from a table without relations to other "
        f"real records. {'. '.join(rows)}."
    )


def _value(each: Aspect, found: SubjectResult | None) -> str:
    if found is None:
        return numerals.UNKNOWN
    return value_text(each.about, found.value, found.interval)


def _end(placed: SubjectResult | None, end: str) -> float:
    if placed is None or placed.interval is None:
        return math.nan
    return 100 * float(getattr(placed.interval, end))
