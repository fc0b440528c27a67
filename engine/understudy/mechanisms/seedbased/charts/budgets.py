"""What each budget brings: what a proposed plan counts and how far off it is at most, and how near
each kind of model comes. Public figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREEN, LETTERS, QUIET, VERMILLION
from understudy.charts.scales import LayoutChart, Rows
from understudy.core import numerals
from understudy.core.arrays import FloatArray
from understudy.mechanisms.seedbased.charts.tradeoff import PICKED
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.proposal import OverEpsilon, PlanOption

UP: Final = "Off, beside no relations (nearer is higher)"
ACROSS: Final = "ε, what may be spent"
_LOOKS: Final = (
    scales.CurveLook(BLUE, (1, 0)), scales.CurveLook(VERMILLION, (8, 4)), scales.CurveLook(GREEN,
    (2, 3)),
)  # fmt: skip
_HEIGHT: Final = 320


def budgets_table(every: Sequence[PlanOption]) -> pd.DataFrame:
    """Return a row for each choice."""
    return pd.DataFrame(
        {
            "ε": [each.epsilon for each in every],
            "Model": [MODELS[each.kind].title for each in every],
            "Off in a usual table, beside no relations (%)": [
                round(100 * each.lost, 1) for each in every
            ],
            "Proposed": ["yes" if each.proposed else "" for each in every],
        }
    )


def draw_budgets(every: Sequence[PlanOption], here: float | None) -> alt.LayerChart:
    """Return the chart: ε across, how near upwards, a line for each kind of model; a click picks a
    point.

    Args:
        every: the choices, at least one.
        here: the ε of the plan in use; None where none is.
    """
    rows = pd.DataFrame(
        {
            "point": range(len(every)),
            "x": [each.epsilon for each in every],
            "y": [each.lost for each in every],
            "name": [MODELS[each.kind].title for each in every],
            "told": ["yes" if each.proposed else "no" for each in every],
        }
    )
    kinds = dict.fromkeys(rows["name"])
    domain = scales.log_domain(rows["x"], room=_ROOM)
    most, least = float(rows["y"].max()), float(rows["y"].min())
    x = scales.log_x("x", ACROSS, domain, ".3~g")
    y = alt.Y(
        "y:Q",
        title=UP,
        scale=alt.Scale(domain=[1.05 * most, 0.95 * least], nice=False),
        axis=alt.Axis(format="~%", tickCount=6),
    )
    looks = dict(zip(kinds, _LOOKS, strict=False))
    layers: list[Any] = [
        scales.curves(rows, x, y, looks),
        _draw_points(rows, x, y),
    ]
    if here is not None and domain[0] <= here <= domain[1]:
        layers += scales.plan_mark(here, "x", "this plan", domain)
    return scales.stack_layers(
        *layers,
        title=scales.note(""),
        height=_HEIGHT,
        description="How far off pairs of a usual table will be by ε, for each kind of model.",
    )


def _draw_points(rows: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """Draw points to click, hardly seen where they lie on a line."""
    picked = alt.selection_point(name=PICKED, fields=["point"], on="click", empty=False)
    drawn: alt.Chart = (
        alt.Chart(rows)
        .mark_point(filled=True, opacity=0.01, size=260, cursor="pointer")
        .encode(
            x=x,
            y=y,
            tooltip=[
                alt.Tooltip("name:N", title="model"),
                alt.Tooltip("x:Q", title="ε", format=".3~g"),
                alt.Tooltip("y:Q", title="off in a usual table, beside no relations", format=".0%"),
                alt.Tooltip("told:N", title="proposed at this ε"),
            ],
        )
        .add_params(picked)
    )
    return drawn


# How far off a plan will be at most, at each ε. Public figures.

PAIR, COLUMN, CHANCE = "A typical pair", "A typical column", "A pair of real people"
_OFF: Final = "Off by at most"
_CURVE_LOOKS: Final = {
    PAIR: scales.CurveLook(BLUE, (1, 0)),
    COLUMN: scales.CurveLook(VERMILLION, (8, 4)),
    CHANCE: scales.CurveLook(QUIET, (2, 3)),
}
_CURVES, _READING, _HERE = "curves", "reading", "here"
_ROOM: Final = 1.05
_SIDES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("datum.left", {"align": "left"}),
    ("!datum.left", {"align": "right"}),
)


def _list_curves(found: OverEpsilon) -> dict[str, list[float]]:
    """Return the numbers of each curve by its name."""
    chance = [found.chance] * len(found.epsilons)
    return {PAIR: found.pair.tolist(), COLUMN: found.column.tolist(), CHANCE: chance}


def accuracy_table(found: OverEpsilon) -> pd.DataFrame:
    """Return one row for each ε: how many pairs are counted, and the bounds in per cent."""
    curves = {f"{name}, at most (%)": 100 * np.array(y) for name, y in _list_curves(found).items()}
    counted = {"Pairs counted": found.counted}
    return pd.DataFrame({"ε": found.epsilons, **counted, **curves}).round(3)


def draw_accuracy(found: OverEpsilon, here: tuple[float, float] | None) -> LayoutChart:
    """Return the curves over ε, and a point where the plan in use stands.

    Args:
        found: what the curves show.
        here: ε of the plan in use, and how far off its typical pair, or if few are counted its
            typical column, is at most; None where that is not known.
    """
    epsilons = found.epsilons
    ends = [*epsilons.tolist(), *([here[0]] if here else [])]
    low, high = scales.log_domain(ends, room=_ROOM)
    numbers = {
        _CURVES: _curves(epsilons, _list_curves(found)),
        _READING: _reading(found),
        _HERE: _point(here, low, high),
    }
    return LayoutChart(_layout(low, high), numbers)


@lru_cache(maxsize=32)
def _layout(low: float, high: float) -> str:
    """Return the figure without its numbers, for an axis with these ends."""
    x = scales.log_x("epsilon", ACROSS, [low, high])
    y = alt.Y(
        "off:Q", title=_OFF, scale=alt.Scale(zero=True), axis=alt.Axis(format="~%", tickCount=5)
    )
    said = [
        alt.Tooltip("epsilon:Q", title="ε"),
        alt.Tooltip("counted:N", title="pairs counted"),
        *(alt.Tooltip(f"curve{place}:N", title=name) for place, name in enumerate(_CURVE_LOOKS)),
    ]
    layout = scales.stack_layers(
        scales.curves(alt.NamedData(_CURVES), x, y, _CURVE_LOOKS),
        scales.hover_rule(alt.NamedData(_READING), "epsilon", x, said),
        *_mark(x, y),
        title=scales.note(""),
        description="Lines: how far off a typical pair and column are at most, by ε; a "
        "point: the plan in use.",
        height=scales.HEIGHT,
    )
    return layout.to_json(validate=False, indent=None)


def _mark(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the plan in use, with its figure written towards the middle."""
    here = alt.Chart(alt.NamedData(_HERE)).encode(x=x, y=y)
    text: dict[str, Any] = {
        "dy": -20,
        "fontSize": 14,
        "fontWeight": "bold",
        "color": LETTERS,
        "tooltip": None,
    }
    return [
        here.mark_point(
            shape="diamond", size=220, color=GREEN, filled=True, opacity=1, tooltip=None
        ),
        *(
            here.transform_filter(side).mark_text(**text, **align).encode(text=alt.Text("said:N"))
            for side, align in _SIDES
        ),
    ]


def _curves(epsilons: FloatArray, curves: dict[str, list[float]]) -> Rows:
    return [
        {"epsilon": epsilon, "off": off, "name": name}
        for name, offs in curves.items()
        for epsilon, off in zip(epsilons.tolist(), offs, strict=True)
        if np.isfinite(off)
    ]


def _reading(found: OverEpsilon) -> Rows:
    """Return a row for each ε, with what is read out of it."""
    curves = _list_curves(found)
    return [
        {
            "epsilon": epsilon,
            "counted": _count_pairs(found, place),
            **{f"curve{at}": _percent(offs[place]) for at, offs in enumerate(curves.values())},
        }
        for place, epsilon in enumerate(found.epsilons.tolist())
    ]


def _count_pairs(found: OverEpsilon, place: int) -> str:
    fits = bool(np.isfinite(found.column[place]))
    return f"{found.counted[place]:,} of {found.pairs:,}" if fits else "–"


def _point(here: tuple[float, float] | None, low: float, high: float) -> Rows:
    if here is None or not np.isfinite(here[1]):
        return []
    # The curve falls, so that there is room above it to the right, except for the very end.
    left = here[0] ** 4 < low * high**3
    said = f"This plan: at most {_percent(here[1])}"
    return [{"epsilon": here[0], "off": here[1], "said": said, "left": left}]


def _percent(share: float) -> str:
    return numerals.percent(float(share)) if np.isfinite(share) else "–"
