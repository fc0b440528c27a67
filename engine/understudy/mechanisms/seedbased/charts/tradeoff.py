"""Privacy against utility: a point for each plan of a sweep, and the Pareto front, in two
dimensions or, with the number of records, as a rotatable 3-D chart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import (
    BLUE,
    GREY,
    LETTERS,
    MARGINALS,
    QUIET,
    REAL,
    SHAPES,
    VERMILLION,
    ramp,
)
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.core import numerals
from understudy.core.arrays import FloatArray
from understudy.evaluation.run_comparison import pareto_optimal
from understudy.mechanisms.seedbased.evaluation.sweep import (
    PARAMETERS,
    Parameter,
    Sweep,
    SweepPoint,
    Utility,
    value_of,
)
from understudy.mechanisms.seedbased.fields.table import FIELDS

if TYPE_CHECKING:
    import plotly.graph_objects as go

PICKED: Final = "picked"
"""The selection that a click makes; its `point` is the place of the point in the sweep."""

UTILITIES: Final[Mapping[Utility, str]] = {
    "distance": "Distance of a typical pair of columns",
    "excess": "That distance, beyond as many real records",
    "records": "Records released",
    "pass_rate": "Candidates that pass",
}
"""What utility is called."""

_EPSILON = "Total ε of the whole release"
_AXES: Final[Mapping[Utility, str]] = {
    "distance": "Distance of a typical pair of columns (nearer is higher)",
    "excess": "Distance beyond as many real records (nearer is higher)",
    "records": "Records released (higher is better)",
    "pass_rate": "Share of candidates that pass (higher is better)",
}
_DISTANCES: Final[tuple[Utility, ...]] = ("distance", "excess")
_HEIGHT = 540
_DECADES = 100


@dataclass(frozen=True)
class Explored:
    """What is drawn of a sweep.

    Attributes:
        sweep: the plans and what came of them.
        utility: what is drawn upwards.
        varied: the settings that are varied: the first has colours, the second shapes.
        now: the present plan; None where there are no scores of it.
        internal: whether the scores are of confidential records.
    """

    sweep: Sweep
    utility: Utility
    varied: Sequence[Parameter]
    now: SweepPoint | None = None
    internal: bool = True

    def list_drawable(self) -> list[int]:
        """Return the places of the points that can be drawn."""
        points = enumerate(self.sweep.points)
        return [place for place, point in points if has_place(point, self.utility)]


def has_place(point: SweepPoint, utility: Utility) -> bool:
    """Return whether a point can be drawn: it has an ε, above 0, and a utility."""
    there = math.isfinite(point.epsilon) and math.isfinite(getattr(point, utility))
    return there and point.epsilon > 0


def why_not(point: SweepPoint, utility: Utility) -> str:
    """Return why a point cannot be on the frontier; "" where it can."""
    few = utility in _DISTANCES and not point.enough
    return point.trouble or ("Too few candidates pass to say." if few else "")


def tradeoff_table(explored: Explored) -> pd.DataFrame:
    """Return one row for each plan; those that cannot be drawn too, with the reason."""
    points = explored.sweep.points
    settings = {
        FIELDS[name].words.brief: [_value(point, name) for point in points]
        for name in explored.varied
    }
    figures = {
        "Total ε": [point.epsilon if math.isfinite(point.epsilon) else None for point in points],
        "Typical pair, distance (%)": [100 * point.distance for point in points],
        "As many real records (%)": [100 * point.real for point in points],
        "Candidates that pass (%)": [100 * point.pass_rate for point in points],
        "Records, about": [point.records for point in points],
        "Worth so many candidates": [round(point.effective) for point in points],
        "On the frontier": explored.sweep.edge(explored.utility).tolist(),
        "Why not": [why_not(point, explored.utility) for point in points],
    }
    return pd.DataFrame(settings | figures)


def tradeoff(explored: Explored) -> alt.LayerChart:
    """Return total ε across, logarithmic, utility upwards; a click picks a point."""
    rows = _rows(explored)
    if rows.empty:
        return scales.saying("None of these plans keeps a promise, so there is nothing to draw.")
    domain = _across(rows, explored)
    x = scales.log_x("epsilon", _EPSILON, domain)
    y = _up(rows, explored)
    notes = ["Each point is a plan. On the line, the frontier, are those that no other beats."]
    if rows["few"].any():
        notes.append("Hollow: too few candidates pass to say how far they are.")
    beyond = int((rows["epsilon"] > domain[1]).sum())
    if beyond:
        out = numerals.count(beyond, "plan")
        notes.append(f"Not shown: {out} of a larger ε; the table has all.")
    return scales.stack_layers(
        *_references(explored, x, y),
        _edge(rows, x, y),
        *_now(explored, x, y, domain),
        _points(rows, explored, x, y),
        title=scales.internal_note(*notes) if explored.internal else scales.note(*notes),
        description="Points: the total ε and the utility of plans; a line joins the frontier.",
        height=_HEIGHT,
    )


def _rows(explored: Explored) -> pd.DataFrame:
    """Return a row for each point that can be drawn, with what is read out of it."""
    edge = explored.sweep.edge(explored.utility)
    rows = [
        {
            "point": at,
            "epsilon": point.epsilon,
            "utility": getattr(point, explored.utility),
            "few": explored.utility in _DISTANCES and not point.enough,
            "edge": bool(edge[at]),
            "colour": _series(point, explored.varied[:1]),
            "shape": _series(point, explored.varied[1:2] or explored.varied[:1]),
            **dict(
                zip(_list_hover_columns(explored), _telling(point, bool(edge[at])), strict=True)
            ),
        }
        for at, point in enumerate(explored.sweep.points)
        if has_place(point, explored.utility)
    ]
    return pd.DataFrame(rows)


def _series(point: SweepPoint, names: Sequence[Parameter]) -> str:
    """Return what tells a point from others in colour or shape."""
    said = [_value(point, name) for name in names]
    return ", ".join(said) or "every plan"


def name_setting(point: SweepPoint, name: Parameter) -> str:
    """Return a setting of a plan with its name, such as “k = 50”."""
    said = _value(point, name)
    if name == "test":
        return said
    return f"{FIELDS[name].choose_words({'protocol': point.plan.protocol}).brief} = {said}"


def _value(point: SweepPoint, name: Parameter) -> str:
    """Return a setting of a plan, as a person reads it."""
    return FIELDS[name].show(value_of(point.plan, name))


def _list_hover_columns(explored: Explored) -> dict[str, str]:
    """Return the columns of what is read out, with their titles."""
    titles = [_short(explored, name) for name in PARAMETERS]
    titles += ["total ε", "a typical pair differs by", "as many real records by"]
    titles += ["candidates that pass", "records, about", "worth so many candidates"]
    titles += ["on the frontier"]
    return {f"told{place}": title for place, title in enumerate(titles)}


def _telling(point: SweepPoint, edge: bool) -> list[str]:
    """Return what is read out of a point, in the order of `_told`."""
    settings = [_value(point, name) for name in PARAMETERS]
    shares = [point.distance, point.real, point.pass_rate]
    few = "" if point.enough else ", too few to say"
    return [
        *settings,
        numerals.epsilon(point.epsilon),
        *(numerals.percent(share) if math.isfinite(share) else "not known" for share in shares),
        f"{point.records:,.0f}",
        f"{point.effective:,.0f}{few}",
        "yes" if edge else f"no: {point.trouble}" if point.trouble else "no",
    ]


def _across(rows: pd.DataFrame, explored: Explored) -> list[float]:
    """Return the ends of the axis of ε: up to a hundred times the least on the right, as beyond
    that nobody looks, but all of the frontier and the present plan."""
    now = [explored.now.epsilon] if _shows_now(explored) and explored.now is not None else []
    least = float(rows["epsilon"].min())
    kept = [*rows.loc[rows["edge"] | (rows["epsilon"] <= _DECADES * least), "epsilon"], *now]
    return scales.log_domain(kept, room=1.25)


def _shows_now(explored: Explored) -> bool:
    return explored.now is not None and has_place(explored.now, explored.utility)


def _up(rows: pd.DataFrame, explored: Explored) -> alt.Y:
    """Return the axis of utility: logarithmic for numbers of records that differ much."""
    title, values = _AXES[explored.utility], list(rows["utility"])
    if explored.now is not None and _shows_now(explored):
        values.append(getattr(explored.now, explored.utility))
    if explored.utility == "records":
        if min(values) > 0 and max(values) > 10 * min(values):
            return scales.log_y("utility", title, scales.log_domain(values, room=1.25))
        return _linear(title, 0.0, 1.08 * max(1.0, *values), scales.COUNTS)
    if explored.utility == "pass_rate":
        return _linear(title, 0.0, 1.04, "~%")
    values += [value for _, value, _ in _lines(explored)]
    room = 0.08 * (max(values) - min(values) or max(values))
    low = min(values) - room
    least = max(0.0, low) if explored.utility == "distance" else low
    return _linear(title, max(values) + room, least, ".3~%")


def _linear(title: str, bottom: float, top: float, form: str) -> alt.Y:
    """Return a vertical axis; a measure of which less is better has its largest value at the
    bottom."""
    scale = alt.Scale(domain=[bottom, top], zero=False, nice=False)
    return alt.Y("utility:Q", title=title, scale=scale, axis=alt.Axis(format=form, tickCount=7))


def _lines(explored: Explored) -> list[tuple[str, float, str]]:
    """Return the references of a distance: what they are, where, and their colour."""
    sweep, number = explored.sweep, f"{explored.sweep.candidates:,}"
    lines = {
        "distance": [
            (f"{number} other real records: the best there can be", sweep.real, REAL),
            (f"{number} records of the marginals", sweep.marginals, MARGINALS),
        ],
        "excess": [
            ("other real records: the best there can be", 0.0, REAL),
            ("the marginals", sweep.marginals - sweep.real, MARGINALS),
        ],
    }
    found = lines.get(explored.utility, [])
    return [each for each in found if math.isfinite(each[1])]


def _references(explored: Explored, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    drawn: list[alt.Chart] = []
    for said, value, colour in _lines(explored):
        line = alt.Chart(pd.DataFrame({"utility": [value], "said": [said]}))
        drawn += [
            line.mark_rule(strokeDash=[6, 4], strokeWidth=2, color=colour, tooltip=None).encode(
                y=y
            ),
            line.mark_text(align="right", dy=-8, fontSize=12, color=LETTERS, tooltip=None).encode(
                x=alt.XValue("width"), y=y, text=alt.Text("said:N")
            ),
        ]
    return drawn


def _edge(rows: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """Return the frontier as a stair: for an ε between two points there is the better of what is at
    most as much."""
    edge = rows.loc[rows["edge"], ["epsilon", "utility"]].drop_duplicates().sort_values("epsilon")
    drawn: alt.Chart = (
        alt.Chart(edge)
        .mark_line(interpolate="step-after", strokeWidth=2, color=QUIET, clip=True, tooltip=None)
        .encode(x=x, y=y)
    )
    return drawn


def _points(rows: pd.DataFrame, explored: Explored, x: alt.X, y: alt.Y) -> alt.Chart:
    picked = alt.selection_point(name=PICKED, fields=["point"], on="click", empty=False)
    colours, shapes = list(dict.fromkeys(rows["colour"])), list(dict.fromkeys(rows["shape"]))
    legend = _key(explored, 0, colours)
    other = _key(explored, 1, shapes)
    marks = [SHAPES[place % len(SHAPES)] for place in range(len(shapes))]
    drawn: alt.Chart = (
        alt.Chart(rows)
        .mark_point(filled=True, opacity=1, strokeWidth=2, clip=True, cursor="pointer")
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "colour:N",
                scale=alt.Scale(domain=colours, range=ramp(len(colours))),
                legend=legend,
            ),
            shape=alt.Shape("shape:N", scale=alt.Scale(domain=shapes, range=marks), legend=other),
            fillOpacity=alt.FillOpacityValue(
                **alt.condition("datum.few", alt.value(0.0), alt.value(0.85))
            ),
            strokeOpacity=alt.StrokeOpacityValue(1.0),
            size=alt.SizeValue(
                **alt.when(picked)
                .then(alt.value(420))
                .when("datum.edge")
                .then(alt.value(150))
                .otherwise(alt.value(70))
            ),
            tooltip=[
                alt.Tooltip(f"{name}:N", title=said)
                for name, said in _list_hover_columns(explored).items()
            ],
        )
        .add_params(picked)
    )
    return drawn


def _key(explored: Explored, place: int, values: Sequence[str]) -> alt.Legend | None:
    """Return the legend of a setting that is varied; where there is one only, it has colours and
    shapes in one."""
    if not explored.varied:
        return None
    alone = len(explored.varied) == 1
    legend: alt.Legend = scales.key(values)
    legend["title"] = _short(explored, explored.varied[0 if alone else place])
    legend["titleOrient"] = "left"
    if place == 1 and not alone:
        legend["symbolFillColor"] = legend["symbolStrokeColor"] = QUIET
    return legend


def _short(explored: Explored, name: Parameter) -> str:
    """Return the short name of a setting."""
    released = any(point.plan.protocol == "releases" for point in explored.sweep.points)
    return FIELDS[name].choose_words({"protocol": "releases" if released else "attempts"}).brief


def _now(explored: Explored, x: alt.X, y: alt.Y, domain: Sequence[float]) -> list[alt.Chart]:
    """Return where the present plan stands."""
    if explored.now is None or not _shows_now(explored):
        return []
    place = pd.DataFrame(
        {
            "epsilon": [explored.now.epsilon],
            "utility": [getattr(explored.now, explored.utility)],
            "said": ["The present plan"],
        }
    )
    right = explored.now.epsilon > math.sqrt(domain[0] * domain[1])
    mark = alt.Chart(place)
    return [
        mark.mark_point(
            shape="circle", size=520, strokeWidth=3, opacity=1, color=QUIET, tooltip=None
        ).encode(x=x, y=y),
        mark.mark_text(
            align="right" if right else "left",
            dx=12 if right else -12,
            dy=26,
            fontSize=13,
            fontWeight="bold",
            color=LETTERS,
            tooltip=None,
        ).encode(x=x, y=y, text=alt.Text("said:N")),
    ]


_BEATEN: Final = "beaten by another plan"
_EDGE: Final = "beaten by none"
_NOW: Final = "the present plan"
_SPACE_HEIGHT = 620
_CAMERA: Final = {"eye": {"x": 1.5, "y": 1.5, "z": 0.9}, "center": {"x": 0, "y": 0, "z": -0.15}}
_SPACE_AXES: Final = {
    "xaxis": ("Total ε", "log", "~r"),
    "yaxis": ("Records released", "log", ",~r"),
    "zaxis": ("Distance of a typical pair", "linear", ".2~%"),
}


def space_table(explored: Explored) -> pd.DataFrame:
    """Return one row for each plan that has a place on all three axes."""
    placed = _select_placed(explored.sweep.points)
    edge = pareto_optimal(_costs(placed))
    return pd.DataFrame(
        {
            "Settings": [_settings(explored, point) for point in placed],
            "Total ε": [point.epsilon for point in placed],
            "Records, about": [point.records for point in placed],
            "Typical pair, distance (%)": [100 * point.distance for point in placed],
            "Beaten by none": edge.tolist(),
        }
    )


def space(explored: Explored) -> go.Figure:
    """Return total ε and records released, both logarithmic, and the distance of a typical pair
    upwards.

    A plan without one of the three, that is to release less than a record, or of which too few
    candidates pass to say how far they are, is left out.

    Returns:
        A Plotly figure, whose letters take the colours of the page that it is drawn on.
    """
    # A quarter of a second to import, and needed only where somebody asks to turn the chart about.
    import plotly.graph_objects as go

    placed = _select_placed(explored.sweep.points)
    edge = pareto_optimal(_costs(placed))
    figure = go.Figure()
    for name, chosen, look in (
        (_BEATEN, ~edge, {"size": 4, "color": GREY, "symbol": "circle"}),
        (_EDGE, edge, {"size": 6, "color": BLUE, "symbol": "diamond"}),
    ):
        points = [point for point, there in zip(placed, chosen, strict=True) if there]
        figure.add_trace(go.Scatter3d(**_marks(explored, points), marker=look, name=name))
    if explored.now is not None and _select_placed([explored.now]):
        look = {"size": 9, "color": VERMILLION, "symbol": "circle-open"}
        figure.add_trace(go.Scatter3d(**_marks(explored, [explored.now]), marker=look, name=_NOW))
    figure.update_layout(**_layout(internal=explored.internal))
    if placed:
        ticks = {"xaxis": "epsilon", "yaxis": "records"}
        figure.update_scenes({axis: _ticks(placed, name) for axis, name in ticks.items()})
    return figure


def _ticks(placed: list[SweepPoint], name: str) -> dict[str, Any]:
    """Return few marks on a logarithmic axis, where Plotly's own would be written over one
    another."""
    ends = scales.log_domain([getattr(point, name) for point in placed], room=1.25)
    return {"tickvals": scales.log_ticks(ends), "range": [math.log10(end) for end in ends]}


def _select_placed(points: Sequence[SweepPoint]) -> list[SweepPoint]:
    """Return those with a place on all three axes."""
    return [
        point
        for point in points
        if not point.trouble
        and point.enough
        and math.isfinite(point.distance)
        and 0 < point.epsilon < math.inf
        and point.records >= 1
    ]


def _costs(placed: list[SweepPoint]) -> FloatArray:
    """Return (P, 3) ε, records and distance, each the better the lower."""
    return np.array(
        [(point.epsilon, -point.records, point.distance) for point in placed], dtype=np.float64
    ).reshape(-1, 3)


def _marks(explored: Explored, points: list[SweepPoint]) -> dict[str, Any]:
    return {
        "x": [point.epsilon for point in points],
        "y": [point.records for point in points],
        "z": [point.distance for point in points],
        "mode": "markers",
        "text": [_describe_point(explored, point) for point in points],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _describe_point(explored: Explored, point: SweepPoint) -> str:
    return "<br>".join(
        (
            _settings(explored, point),
            f"total ε = {numerals.epsilon(point.epsilon)}",
            f"about {point.records:,.0f} records",
            f"a typical pair differs by {numerals.percent(point.distance)}",
        )
    )


def _settings(explored: Explored, point: SweepPoint) -> str:
    return ", ".join(name_setting(point, name) for name in explored.varied) or "every plan"


def _layout(*, internal: bool) -> dict[str, Any]:
    axes = {
        axis: {
            "title": {"text": title},
            "type": kind,
            "tickformat": form,
            "gridcolor": QUIET,
            "showbackground": False,
            "zeroline": False,
        }
        for axis, (title, kind, form) in _SPACE_AXES.items()
    }
    return {
        "height": _SPACE_HEIGHT,
        "margin": {"l": 0, "r": 0, "t": 40, "b": 30},
        "title": {"text": NOT_FOR_RELEASE if internal else "", "font": {"size": 13}},
        "legend": {"orientation": "h", "y": 0, "itemsizing": "constant"},
        "scene": {**axes, "aspectmode": "cube", "dragmode": "turntable", "camera": _CAMERA},
    }
