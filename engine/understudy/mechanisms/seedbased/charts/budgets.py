"""How near each kind of model comes at each ε, the nearer the higher. Public figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREEN, LETTERS, QUIET, VERMILLION
from understudy.mechanisms.seedbased.charts.tradeoff import PICKED
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.proposal import Choice

UP: Final = "Expected of a typical pair (nearer is higher)"
ACROSS: Final = "ε, what may be spent"
CHANCE: Final = "as many other real people, at most"
_LOOKS: Final = (
    scales.Look(BLUE, (1, 0)), scales.Look(VERMILLION, (8, 4)), scales.Look(GREEN, (2, 3)),
)  # fmt: skip
_HEIGHT: Final = 320


def budgets_table(every: Sequence[Choice]) -> pd.DataFrame:
    """Return a row for each choice."""
    return pd.DataFrame(
        {
            "ε": [each.epsilon for each in every],
            "Model": [MODELS[each.kind].title for each in every],
            "Expected of a typical pair (%)": [round(100 * each.off, 3) for each in every],
            "Proposed": ["yes" if each.proposed else "" for each in every],
        }
    )


def draw_budgets(every: Sequence[Choice], here: float | None) -> alt.LayerChart:
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
            "y": [each.off for each in every],
            "name": [MODELS[each.kind].title for each in every],
            "told": ["yes" if each.proposed else "no" for each in every],
        }
    )
    kinds = dict.fromkeys(rows["name"])
    domain = scales.log_domain(rows["x"], room=1.05)
    most, least, chance = float(rows["y"].max()), float(rows["y"].min()), every[0].chance
    x = scales.log_x("x", ACROSS, domain, ".3~g")
    y = alt.Y(
        "y:Q",
        title=UP,
        scale=alt.Scale(domain=[1.05 * most, 0.95 * min(least, chance)], nice=False),
        axis=alt.Axis(format=".2~%", tickCount=6),
    )
    looks = dict(zip(kinds, _LOOKS, strict=False))
    layers: list[Any] = [
        scales.curves(rows, x, y, looks),
        _draw_points(rows, x, y),
        *_chance(chance, most, y),
    ]
    if here is not None and domain[0] <= here <= domain[1]:
        layers += scales.plan_mark(here, "x", "this plan", domain)
    return scales.stacked(
        *layers,
        title=scales.note(""),
        height=_HEIGHT,
        description="How far off a typical pair of columns will be by ε, for each kind of model.",
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
                alt.Tooltip("y:Q", title="expected of a typical pair", format=".2~%"),
                alt.Tooltip("told:N", title="proposed at this ε"),
            ],
        )
        .add_params(picked)
    )
    return drawn


def _chance(chance: float, most: float, y: alt.Y) -> list[alt.Chart]:
    """Return how far off real people are from one another."""
    if not 0 < chance < most:
        return []
    here = alt.Chart(pd.DataFrame({"y": [chance], "said": [CHANCE]}))
    return [
        here.mark_rule(strokeDash=[2, 3], strokeWidth=2, color=QUIET, tooltip=None).encode(y=y),
        here.mark_text(align="left", dx=4, dy=12, fontSize=12, color=LETTERS, tooltip=None).encode(
            x=alt.XValue(0), y=y, text=alt.Text("said:N")
        ),
    ]
