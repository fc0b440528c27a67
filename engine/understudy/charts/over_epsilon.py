"""Curves over ε: figures of a method, and the loss in a table, against what is spent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, DASHES, GREEN, LETTERS, PURPLE, QUIET, VERMILLION
from understudy.charts.scales import Drawn, Rows
from understudy.core import numerals
from understudy.core.arrays import FloatArray

# Lines over ε, the plan marked: what comes of a method at each budget.

ACROSS: Final = "ε"
_COLOURS: Final = (BLUE, VERMILLION, GREEN, PURPLE)


def against_epsilon(
    table: pd.DataFrame, up: str, *, ends: Sequence[float], powers: bool = False,
    here: float | None = None,
) -> alt.LayerChart:  # fmt: skip
    """Return the chart.

    Args:
        table: a row for each ε, which stands under `ACROSS`; a column for each line. What is not
            a number is left out.
        up: what the axis up shows.
        ends: of that axis.
        powers: whether it is logarithmic.
        here: the ε of the plan; None where it is not known.
    """
    names = [name for name in table.columns if name != ACROSS]
    domain = [float(table[ACROSS].min()), float(table[ACROSS].max())]
    long = table.melt([ACROSS], names, "name", "y").dropna().rename(columns={ACROSS: "x"})
    x = scales.log_x("x", "ε in all, for one person", domain, ".3~g")
    y = (
        scales.log_y("y", up, list(ends))
        if powers
        else alt.Y("y:Q", title=up, scale=alt.Scale(domain=list(ends), nice=False))
    )
    looks = {
        name: scales.Look(_COLOURS[place % len(_COLOURS)], DASHES[place % len(DASHES)])
        for place, name in enumerate(names)
    }
    said = [
        alt.Tooltip("x:Q", title=ACROSS, format=".3~g"),
        *(alt.Tooltip(f"{name}:Q", format=",.3~g") for name in names),
    ]
    layers: list[Any] = [
        scales.curves(long, x, y, looks),
        scales.hover_rule(table.rename(columns={ACROSS: "x"}), "x", x, said),
    ]
    if here is not None and domain[0] <= here <= domain[1]:
        layers += scales.plan_mark(here, "x", "this plan", domain)
    return scales.stacked(
        *layers, title=scales.note(""), height=260, description=f"{up}, against ε."
    )


# How far off a plan will be at each ε, foreseen. Public figures.

PROPOSED, INDEPENDENT, CHANCE = "Proposed", "No relations", "Real people"
_OFF = "How far off a typical pair will be"
_EPSILON = "ε, what may be spent"
_LOOKS = {
    PROPOSED: scales.Look(BLUE, (1, 0)),
    INDEPENDENT: scales.Look(VERMILLION, (8, 4)),
    CHANCE: scales.Look(QUIET, (2, 3)),
}
_CURVES, _READING, _HERE = "curves", "reading", "here"
_ROOM = 1.05
_SIDES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("datum.left", {"align": "left"}),
    ("!datum.left", {"align": "right"}),
)


def over_epsilon_table(
    epsilons: FloatArray, proposed: FloatArray, independent: FloatArray, chance: float
) -> pd.DataFrame:
    """Return one row for each ε: how far off a typical pair will be, in per cent."""
    return pd.DataFrame(
        {
            "ε": epsilons,
            f"{PROPOSED} (%)": 100 * proposed,
            f"{INDEPENDENT} (%)": 100 * independent,
            f"{CHANCE}, expected (%)": np.full(len(epsilons), 100 * chance),
        }
    ).round(3)


def over_epsilon(
    epsilons: FloatArray,
    proposed: FloatArray,
    independent: FloatArray,
    chance: float,
    here: tuple[float, float] | None,
) -> Drawn:
    """Return a curve over ε, its references, and a point where the plan in use stands.

    Args:
        epsilons: (E,) ascending, above 0.
        proposed: (E,) how far off, 0 to 1; not a number where no plan fits.
        independent: (E,) the same for columns that are drawn each by itself.
        chance: how far off as many other real records may be, by chance alone.
        here: ε of the plan in use, and how far off it will be; None where that is not known.
    """
    ends = [*epsilons.tolist(), *([here[0]] if here else [])]
    low, high = scales.log_domain(ends, room=_ROOM)
    curves = {
        PROPOSED: proposed.tolist(),
        INDEPENDENT: independent.tolist(),
        CHANCE: [chance] * len(epsilons),
    }
    numbers = {
        _CURVES: _curves(epsilons, curves),
        _READING: _reading(epsilons, curves),
        _HERE: _point(here, low, high),
    }
    return Drawn(_layout(low, high), numbers)


@lru_cache(maxsize=32)
def _layout(low: float, high: float) -> str:
    """Return the figure without its numbers, for an axis with these ends."""
    x = scales.log_x("epsilon", _EPSILON, [low, high])
    y = alt.Y(
        "off:Q", title=_OFF, scale=alt.Scale(zero=True), axis=alt.Axis(format="~%", tickCount=5)
    )
    said = [
        alt.Tooltip("epsilon:Q", title="ε"),
        *(alt.Tooltip(f"curve{place}:N", title=name) for place, name in enumerate(_LOOKS)),
    ]
    layout = scales.stacked(
        scales.curves(alt.NamedData(_CURVES), x, y, _LOOKS),
        scales.hover_rule(alt.NamedData(_READING), "epsilon", x, said),
        *_mark(x, y),
        title=scales.note(""),
        description="Lines: how far off a typical pair of columns will be, by ε; a point: the "
        "plan in use.",
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


def _reading(epsilons: FloatArray, curves: dict[str, list[float]]) -> Rows:
    """Return a row for each ε, with what is read out of it."""
    return [
        {
            "epsilon": epsilon,
            **{f"curve{at}": _percent(offs[place]) for at, offs in enumerate(curves.values())},
        }
        for place, epsilon in enumerate(epsilons.tolist())
    ]


def _point(here: tuple[float, float] | None, low: float, high: float) -> Rows:
    if here is None or not np.isfinite(here[1]):
        return []
    # The curve falls, so that there is room above it to the right, except for the very end.
    left = here[0] ** 4 < low * high**3
    said = f"This plan: {_percent(here[1])}"
    return [{"epsilon": here[0], "off": here[1], "said": said, "left": left}]


def _percent(share: float) -> str:
    return numerals.percent(float(share)) if np.isfinite(share) else "no plan fits"
