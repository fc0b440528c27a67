"""Chart of the Triangle lemma: the (ε, γ, η) that are possible, and those of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, DASHES, GREEN, LETTERS, PURPLE, QUIET, VERMILLION
from understudy.core import numerals
from understudy.mechanisms.seedbased.evaluation.bounds import BoundPlace, lemma_epsilon

OTHERS: Final = (1.1, 2.0, 10.0)
"""How much one record may matter, for the curves drawn beside the run's own."""

_GAMMA = "γ: how well a changed candidate can be told, 0 to 1"
_EPSILON = "ε of one attempt"
_POINTS = 160
_COLOURS = (BLUE, VERMILLION, PURPLE, GREEN)


def triangle_table(here: BoundPlace) -> pd.DataFrame:
    """Return one row for each curve and a few γ: the smallest ε that is possible; then the run."""
    gammas = np.array([0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3])
    rows: list[dict[str, Any]] = [
        {"What": _name(eta, here), "η": eta, "γ": gamma, "ε": epsilon}
        for eta in _etas(here)
        for gamma, epsilon in zip(gammas, lemma_epsilon(eta, gammas), strict=True)
    ]
    rows.append({"What": "This run", "η": here.eta, "γ": here.gamma, "ε": here.epsilon})
    return pd.DataFrame(rows)


def triangle(here: BoundPlace) -> alt.LayerChart:
    """Return the smallest ε at each γ, a curve for each η, both axes logarithmic; and the run.

    Under a curve nothing is possible for candidates that depend so on one record.
    """
    if not math.isfinite(here.epsilon):
        return scales.saying("Nothing is promised of one attempt, so there is no ε to draw.")
    across, up = _domains(here)
    x = scales.log_x("gamma", _GAMMA, across, "~g")
    y = scales.log_y("epsilon", _EPSILON, up, "~g")
    names = {eta: _name(eta, here) for eta in _etas(here)}
    points = _curves(names, across, up)
    looks = {
        name: scales.CurveLook(colour, dash)
        for name, colour, dash in zip(names.values(), _COLOURS, DASHES, strict=False)
    }
    return scales.stack_layers(
        _shade(points, x, scales.log_y("epsilon", _EPSILON, up, "~g").stack(None)),
        scales.curves(points, x, y, looks),
        *_run(here, across, x, y),
        title=scales.internal_note(
            "A curve for each: by how much one record can change the chance of a candidate.",
            "Shaded: what is not possible then.",
        ),
        description=(
            "Curves: the smallest ε that is possible for each γ, by how much one record matters; "
            "and a point for this run, above its own curve."
        ),
        height=scales.HEIGHT + 30,
    )


def _etas(here: BoundPlace) -> Sequence[float]:
    return (here.eta, *OTHERS)


def _name(eta: float, here: BoundPlace) -> str:
    if eta == here.eta:
        return f"this run: up to {numerals.percent(eta - 1)}"
    return f"up to {eta:g} times" if eta == round(eta) else f"up to {numerals.percent(eta - 1)}"


def _domains(here: BoundPlace) -> tuple[list[float], list[float]]:
    own = math.log(here.eta)
    low = min(own / 16, here.gamma / 3, 0.003)
    across = [max(low, 1e-7), 1.0]
    up = [max(min(own, here.epsilon) / 5, 1e-7), 1.6 * max(here.epsilon, math.log(OTHERS[-1]))]
    return across, up


def _curves(names: dict[float, str], across: Sequence[float], up: Sequence[float]) -> pd.DataFrame:
    """Return every curve from the left edge down to the lower one."""
    parts = []
    for eta, name in names.items():
        fall = math.exp((math.log(eta) - up[0]) / 2)
        end = min((fall - 1) / (fall + 1), across[1] * 0.999)
        if end > across[0]:
            gamma = np.geomspace(across[0], end, _POINTS)
            epsilon = np.maximum(lemma_epsilon(eta, gamma), up[0])
            parts.append(pd.DataFrame({"gamma": gamma, "epsilon": epsilon, "name": name}))
    drawn = pd.concat(parts, ignore_index=True)
    return drawn.assign(floor=up[0])


def _shade(points: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """Return what is under each curve; under several, so much darker."""
    shade: alt.Chart = (
        alt.Chart(points)
        .mark_area(color=QUIET, opacity=0.14, tooltip=None)
        .encode(x=x, y=y, y2=alt.Y2("floor:Q"), detail=alt.Detail("name:N"))
    )
    return shade


def _run(
    here: BoundPlace, across: Sequence[float], x: alt.X, y: alt.Y
) -> tuple[alt.Chart, alt.Chart]:
    at = pd.DataFrame(
        {
            "gamma": [min(here.gamma, across[1])],
            "epsilon": [here.epsilon],
            "said": ["This run"],
            "alpha": [_times(here.alpha)],
            "eta": [numerals.percent(here.eta - 1)],
            "read": [numerals.epsilon(here.epsilon)],
        }
    )
    chart = alt.Chart(at)
    point = chart.mark_point(size=150, filled=True, color=BLUE, opacity=1).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("read:N", title="ε of one attempt"),
            alt.Tooltip("gamma:Q", title="γ", format=".3~g"),
            alt.Tooltip("alpha:N", title="The test changes it by up to"),
            alt.Tooltip("eta:N", title="One record changes it by up to"),
        ],
    )
    left = here.gamma > math.sqrt(across[0] * across[1])
    text = chart.mark_text(
        align="right" if left else "left",
        dx=-12 if left else 12,
        dy=-10,
        fontSize=13,
        fontWeight="bold",
        color=LETTERS,
        tooltip=None,
    ).encode(x=x, y=y, text=alt.Text("said:N"))
    return point, text


def _times(alpha: float) -> str:
    return f"a factor of {alpha:.3g}" if math.isfinite(alpha) else "any factor"
