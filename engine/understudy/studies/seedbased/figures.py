"""The six published figures, drawn from our numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt
import pandas as pd

from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.evaluation.measure import WITHOUT_NOISE
from understudy.studies.document import Picture
from understudy.studies.seedbased import publication
from understudy.studies.seedbased.evaluation import IMPROVEMENT, MODELS, PAIRS, SINGLE, Results
from understudy.studies.seedbased.setting import average_by_kind, compared_with, learned_kinds

_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#A87800", "#404040", "#56B4E9")
"""Okabe and Ito's (Color Universal Design, 2008), the yellow darkened to be seen on white."""
_SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "stroke")
_DASHES: Final = ([1, 0], [8, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 2, 1, 2, 1, 2], [6, 6])
_INK: Final = "#1A1A1A"
_WARNING: Final = "#B3470C"
_WIDTH: Final = 560
_ROW: Final = 34


def dots(
    name: str,
    title: str,
    numbers: pd.DataFrame,
    across: str,
    *,
    internal: bool,
    zero: bool,
    percent: bool = True,
) -> Picture:
    """Return a row for each column of the table, a point in it for each series.

    Args:
        name, title: as of the picture.
        numbers: “column”, “series” and “value”, in the order to be shown.
        across: what the axis across shows, with its unit.
        internal: whether the table is confidential.
        zero: whether a rule marks zero, which is no gain.
        percent: whether values are shares.
    """
    rows, series = _distinct(numbers["column"]), _distinct(numbers["series"])
    form = ".0%" if percent else "~g"
    points = (
        alt.Chart(numbers)
        .mark_point(size=70, filled=True, opacity=0.85)
        .encode(
            x=alt.X("value:Q", title=across, axis=alt.Axis(format=form)),
            y=alt.Y("column:N", sort=rows, title=None, axis=alt.Axis(grid=True, labelLimit=260)),
            color=alt.Color("series:N", scale=_colours(series), legend=_legend()),
            shape=alt.Shape("series:N", scale=_shapes(series), legend=_legend()),
        )
    )
    layers = [points]
    if zero:
        layers.insert(0, _rule(0.0, "x"))
    return Picture(name, title, _finish_figure(layers, title, internal, _ROW * len(rows)), numbers)


def _boxes(name: str, title: str, numbers: pd.DataFrame, *, internal: bool) -> Picture:
    """Return a row for each table: the middle half of its distances, the median, the ends.

    Args:
        name, title: as of the picture.
        numbers: “table”, “of” and “value”, in the order to be shown.
        internal: whether the table is confidential.
    """
    tables = _distinct(numbers["table"])
    across = "Total variation to held-out real records (0 = the same, 1 = nothing in common)"
    base = alt.Chart(numbers).transform_aggregate(
        low="min(value)",
        lower="q1(value)",
        middle="median(value)",
        upper="q3(value)",
        high="max(value)",
        groupby=["table"],
    )
    y = alt.Y("table:N", sort=tables, title=None, axis=alt.Axis(labelLimit=260))
    colour = alt.Color("table:N", scale=_colours(tables), legend=None)
    layers = [
        base.mark_rule(strokeWidth=1.5).encode(
            x=alt.X("low:Q", title=across), x2=alt.X2("high:Q"), y=y, color=colour
        ),
        base.mark_bar(height=20, fillOpacity=0.35, strokeWidth=1.5).encode(
            x=alt.X("lower:Q"), x2=alt.X2("upper:Q"), y=y, color=colour, stroke=colour
        ),
        base.mark_tick(thickness=3, size=20, color=_INK).encode(x=alt.X("middle:Q"), y=y),
    ]
    return Picture(
        name, title, _finish_figure(layers, title, internal, _ROW * len(tables)), numbers
    )


def times(
    name: str, title: str, numbers: pd.DataFrame, limit: pd.DataFrame | None, *, internal: bool
) -> Picture:
    """Return seconds against released records, both logarithmic.

    Args:
        name, title: as of the picture.
        numbers: “records” and “seconds”.
        limit: a published point of the same kind, with what it “said”; None for none.
        internal: whether the table is confidential.
    """
    x = alt.X(
        "records:Q",
        title="Records released",
        scale=alt.Scale(type="log", nice=False, padding=20),
        axis=alt.Axis(format=",.0f", values=_decades(numbers["records"])),
    )
    y = alt.Y(
        "seconds:Q",
        title="Seconds on one core",
        scale=alt.Scale(type="log", padding=20),
        axis=alt.Axis(format="~g", values=[10.0**power for power in range(-3, 5)]),
    )
    layers = [
        alt.Chart(numbers)
        .mark_line(strokeWidth=2.5, color=_COLOURS[0], point={"size": 60, "color": _COLOURS[0]})
        .encode(x=x, y=y)
    ]
    if limit is not None:
        at = alt.Chart(limit).encode(x=x, y=y)
        layers += [
            at.mark_point(size=110, shape="triangle-down", filled=True, color=_COLOURS[1]),
            at.mark_text(align="left", dx=12, fontSize=12, color=_INK).encode(
                text=alt.Text("said:N")
            ),
        ]
    return Picture(name, title, _finish_figure(layers, title, internal, 300), numbers)


def _curves(name: str, title: str, numbers: pd.DataFrame, *, internal: bool) -> Picture:
    """Return the share of candidates that pass against k, a line for each ω.

    Args:
        name, title: as of the picture.
        numbers: “series”, “k” and “rate”.
        internal: whether the table is confidential.
    """
    series = _distinct(numbers["series"])
    lines = (
        alt.Chart(numbers)
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X(
                "k:Q",
                title="k: how many records must be plausible seeds",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(format=",.0f", values=_decades(numbers["k"])),
            ),
            y=alt.Y(
                "rate:Q",
                title="Candidates that pass",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%"),
            ),
            color=alt.Color("series:N", scale=_colours(series), legend=_legend(lines=True)),
            strokeDash=alt.StrokeDash(
                "series:N",
                scale=_scale(series, _DASHES),
                legend=_legend(lines=True),
            ),
        )
    )
    return Picture(
        name, title, _finish_figure([_rule(0.5, "y"), lines], title, internal, 320), numbers
    )


def _finish_figure(layers: Sequence[Any], title: str, internal: bool, height: int) -> Any:
    """Return layers on one pair of axes, on white, with their title."""
    words: dict[str, Any] = {"text": title, "anchor": "start", "fontSize": 15, "offset": 14}
    if internal:
        words |= {"subtitle": NOT_FOR_RELEASE, "subtitleColor": _WARNING, "subtitleFontSize": 13}
    chart = alt.LayerChart(
        layer=list(layers), width=_WIDTH, height=height, background="white", title=words
    )
    return (
        chart.configure_axis(
            labelFontSize=12,
            titleFontSize=13,
            labelColor=_INK,
            titleColor=_INK,
            gridColor="#E4E4E4",
        )
        .configure_legend(labelFontSize=12)
        .configure_view(stroke=None)
        .properties(padding=16)
    )


def _rule(at: float, axis: str) -> Any:
    where = {axis: alt.X("at:Q") if axis == "x" else alt.Y("at:Q")}
    rule = alt.Chart(pd.DataFrame({"at": [at]})).mark_rule(color=_INK, strokeDash=[3, 3])
    return rule.encode(**where)


def _colours(names: Sequence[str]) -> Any:
    return _scale(names, _COLOURS)


def _shapes(names: Sequence[str]) -> Any:
    return _scale(names, _SHAPES)


def _scale(names: Sequence[str], looks: Sequence[Any]) -> Any:
    return alt.Scale(domain=list(names), range=[looks[at % len(looks)] for at in range(len(names))])


def _legend(lines: bool = False) -> Any:
    symbol = {"symbolType": "stroke", "symbolSize": 500} if lines else {"symbolSize": 90}
    return alt.Legend(
        title=None, orient="top", direction="horizontal", columns=3, labelLimit=240, **symbol
    )


def _distinct(values: pd.Series[Any]) -> list[str]:
    return list(dict.fromkeys(values))


def _decades(values: pd.Series[Any]) -> list[int]:
    """Return the powers of ten from the smallest value to the largest."""
    powers = (10**power for power in range(10))
    return [each for each in powers if values.min() <= each <= values.max()]


def figures_of(found: Results, *, internal: bool) -> tuple[Picture, ...]:
    """Return the figures for which something was found.

    Args:
        found: our numbers.
        internal: whether the table is confidential. Published numbers stand beside ours only
            where it is not.
    """
    drawn = (
        _improvement(found, internal),
        _models(found, internal),
        _distances(found, SINGLE, 3, "Distances of single columns", internal),
        _distances(found, PAIRS, 4, "Distances of pairs of columns", internal),
        _times(found, internal),
        _passing(found, internal),
    )
    return tuple(each for each in drawn if each is not None and len(each.numbers))


def _improvement(found: Results, internal: bool) -> Picture:
    return dots(
        "figure-1",
        "Figure 1: errors of the marginals that the model avoids",
        _by_column(found, learned_kinds(average_by_kind(found.evaluation, IMPROVEMENT))),
        "Share of the marginals' wrong guesses that the model does not make",
        internal=internal,
        zero=True,
    )


def _models(found: Results, internal: bool) -> Picture:
    return dots(
        "figure-2",
        "Figure 2: how often the most likely value is right",
        _by_column(found, compared_with(average_by_kind(found.evaluation, MODELS), WITHOUT_NOISE)),
        "Share of held-out records whose value is guessed right",
        internal=internal,
        zero=False,
    )


def _by_column(found: Results, kinds: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    rows = [
        (label, kind, columns[name])
        for name, label in found.labels.items()
        for kind, columns in kinds.items()
        if name in columns
    ]
    return pd.DataFrame(rows, columns=["column", "series", "value"])


def _distances(found: Results, key: str, number: int, what: str, internal: bool) -> Picture:
    finding = found.evaluation.finding(key)
    subjects = {} if finding is None else finding.by_subject
    rows = [
        (name, " × ".join(found.labels[each] for each in part.of), part.value)
        for name, measured in subjects.items()
        for part in measured.parts
    ]
    numbers = pd.DataFrame(rows, columns=["table", "of", "value"])
    title = f"Figure {number}: {what[0].lower()}{what[1:]}"
    return _boxes(f"figure-{number}", title, numbers, internal=internal)


def _times(found: Results, internal: bool) -> Picture | None:
    if not found.timed:
        return None
    numbers = pd.DataFrame(
        [(each.records, each.seconds) for each in found.timed], columns=["records", "seconds"]
    )
    limit = None
    if not internal:
        said = "published: less than this"
        row = [(publication.TIMED_RECORDS, publication.TIMED_SECONDS, said)]
        limit = pd.DataFrame(row, columns=["records", "seconds", "said"])
    title = f"Figure 5: the time that records take, ω = {found.timed_omega}"
    return times("figure-5", title, numbers, limit, internal=internal)


def _passing(found: Results, internal: bool) -> Picture:
    # As published; the share where all seeds are counted stands among the numbers.
    rows = [
        (f"ω = {each.omega}", k, rate, exact)
        for each in found.passing
        for k, rate, exact in zip(each.ks, each.published, each.rates, strict=True)
    ]
    numbers = pd.DataFrame(rows, columns=["series", "k", "rate", "rate, all seeds counted"])
    title = (
        f"Figure 6: candidates that pass the test, γ = {publication.PASSING_GAMMA:g}, "
        f"{found.passing_limit.examined:,} seeds looked at"
    )
    return _curves("figure-6", title, numbers, internal=internal)
