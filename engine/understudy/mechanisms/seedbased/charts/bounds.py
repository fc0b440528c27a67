"""How much a privacy test can change a table: low scores and bounds, by t, and the Triangle lemma.

The chart of the lemma has the (ε, γ, η) that are possible, and those of a run. Internal figures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, DASHES, GREEN, GREY, LETTERS, PURPLE, QUIET, VERMILLION
from understudy.core import numerals
from understudy.mechanisms.seedbased.evaluation.bounds import (
    BoundPlace,
    DeniabilityBounds,
    Kind,
    lemma_epsilon,
)

LEMMA, SCORES = "Lemma 5.2, at this t", "From low scores alone, at this t"
REJECTIONS, LAYERS = "The share turned down", "Every t at once"
ESTIMATE = "Estimate, not a bound"

NAMES: Final[dict[Kind, str]] = {
    "lemma": LEMMA,
    "scores": SCORES,
    "rejections": REJECTIONS,
    "layers": LAYERS,
}
"""What the bounds are called."""

_T = "t: the score looked at"
_LOW = "Share of candidates with a lower score"
_BOUND = "Change of the table, at most"
_LOOKS: Final = {
    LEMMA: scales.CurveLook(BLUE, (1, 0)),
    SCORES: scales.CurveLook(PURPLE, (2, 3)),
    REJECTIONS: scales.CurveLook(VERMILLION, (8, 4)),
    LAYERS: scales.CurveLook(GREEN, (10, 3, 2, 3)),
    ESTIMATE: scales.CurveLook(GREY, (4, 2, 1, 2, 1, 2)),
}
_LEAST_PASSING = 0.05
_ROOM = 4.0


def low_scores_table(found: DeniabilityBounds) -> pd.DataFrame:
    """Return one row for each t: the share of candidates with a lower score, and where it lies."""
    return pd.DataFrame(
        {
            "t": found.t,
            f"{_LOW} (%)": 100 * found.beta,
            "From (%)": 100 * found.beta_low,
            "To (%)": 100 * found.beta_high,
            "Chance of passing with a score of t (%)": 100 * found.passing,
        }
    )


def low_scores(found: DeniabilityBounds, k: int) -> alt.LayerChart:
    """Return the share of candidates that score less than t, by t on a logarithmic axis, with a
    band.

    Args:
        found: the bounds.
        k: of the test, marked by a rule.
    """
    points = pd.DataFrame(
        {
            "t": found.t,
            "share": found.beta,
            "low": found.beta_low,
            "high": found.beta_high,
            "said": [_between(*each) for each in zip(found.beta_low, found.beta_high, strict=True)],
            "read": [numerals.percent(float(share)) for share in found.beta],
        }
    )
    domain = scales.log_domain([*found.t.tolist(), k])
    x = scales.log_x("t", _T, domain)
    top = float(found.beta_high.max())
    band = (
        alt.Chart(points)
        .mark_area(color=BLUE, opacity=0.25, tooltip=None)
        .encode(x=x, y=_upwards("low", _LOW, top), y2=alt.Y2("high:Q"))
    )
    line = (
        alt.Chart(points)
        .mark_line(color=BLUE, strokeWidth=2.5, tooltip=None)
        .encode(x=x, y=_upwards("share", _LOW, top))
    )
    said = [
        alt.Tooltip("t:Q", format=","),
        alt.Tooltip("read:N", title="Lower scores"),
        alt.Tooltip("said:N", title="Between"),
    ]
    return scales.stack_layers(
        band,
        line,
        scales.hover_rule(points, "t", x, said),
        *scales.plan_mark(k, "t", f"This plan: k = {k:,}", domain),
        title=scales.internal_note("Band: where the share lies, for all t at once."),
        description="A line with a band: the share of candidates with a score below t, by t.",
        height=scales.HEIGHT - 60,
    )


def bounds_table(found: DeniabilityBounds) -> pd.DataFrame:
    """Return one row for each t, and the bounds there; those that are not of one t in every row."""
    return pd.DataFrame(
        {
            "t": found.t,
            f"{LEMMA} (%)": 100 * found.lemma,
            f"{SCORES} (%)": 100 * found.scores,
            f"{REJECTIONS} (%)": 100 * found.rejections,
            f"{LAYERS} (%)": 100 * found.layers,
            f"{ESTIMATE} (%)": 100 * found.distance,
            "α": found.alpha,
        }
    )


def bounds_against_t(found: DeniabilityBounds, k: int) -> alt.LayerChart:
    """Return every bound on how far the test can change the table, by t, the smallest marked.

    Only those t are drawn at which candidates have some chance of passing.

    Args:
        found: the bounds.
        k: of the test, marked by a rule.
    """
    top = min(1.0, _ROOM * found.best.value)
    seen = np.flatnonzero(found.passing >= _LEAST_PASSING)
    points = _curves(found).loc[lambda each: each["t"].isin(found.t[seen])]
    domain = scales.log_domain([*found.t[seen].tolist(), k])
    x = alt.X(
        "t:Q",
        title=_T,
        scale=alt.Scale(domain=domain, nice=False, zero=False),
        axis=alt.Axis(format=scales.COUNTS, tickCount=6),
    )
    y = _upwards("bound", _BOUND, top)
    return scales.stack_layers(
        scales.curves(points.loc[points["bound"] <= _top(top)], x, y, _LOOKS),
        _reader(found, seen, x),
        *scales.plan_mark(k, "t", f"This plan: k = {k:,}", domain),
        _best(found, x, y),
        title=scales.internal_note(
            f"The smallest counts: at most {numerals.percent(found.best.value)}. All hold "
            "together, at all t."
        ),
        description="Lines: bounds on how far the privacy test can change the table, by t.",
        height=scales.HEIGHT + 30,
    )


def _curves(found: DeniabilityBounds) -> pd.DataFrame:
    """Return all bounds, one under the other."""
    level = {REJECTIONS: found.rejections, LAYERS: found.layers, ESTIMATE: found.distance}
    return pd.concat(
        [
            pd.DataFrame({"t": found.t, "bound": values, "name": name})
            for name, values in ((LEMMA, found.lemma), (SCORES, found.scores), *level.items())
        ],
        ignore_index=True,
    )


def _reader(found: DeniabilityBounds, seen: npt.NDArray[np.intp], x: alt.X) -> alt.Chart:
    columns = {
        f"bound{place}": [numerals.percent(float(each)) for each in values]
        for place, values in enumerate((found.lemma, found.scores))
    }
    reading = pd.DataFrame({"t": found.t} | columns).iloc[seen]
    said = [
        alt.Tooltip(f"bound{place}:N", title=name) for place, name in enumerate((LEMMA, SCORES))
    ]
    return scales.hover_rule(reading, "t", x, [alt.Tooltip("t:Q", format=","), *said])


def _best(found: DeniabilityBounds, x: alt.X, y: alt.Y) -> alt.Chart:
    """Return the smallest bound as a point; one of no t stands at the last."""
    t = int(found.t[-1]) if found.best.t is None else found.best.t
    said = f"At most {numerals.percent(found.best.value)}"
    here = pd.DataFrame(
        {
            "t": [t],
            "bound": [found.best.value],
            "said": [said],
            "name": [NAMES[found.best.kind]],
        }
    )
    point: alt.Chart = (
        alt.Chart(here)
        .mark_point(size=130, filled=True, color=QUIET, opacity=1)
        .encode(
            x=x,
            y=y,
            tooltip=[
                alt.Tooltip("said:N", title="The smallest bound"),
                alt.Tooltip("name:N", title="It is"),
            ],
        )
    )
    return point


def _upwards(field: str, title: str, largest: float) -> alt.Y:
    top = _top(largest)
    return alt.Y(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=[0, top], nice=top < 1),
        axis=alt.Axis(format="~%", tickCount=6),
    )


def _top(largest: float) -> float:
    return 1.0 if largest > 0.4 else max(1.15 * largest, 1e-4)


def _between(low: float, high: float) -> str:
    return f"{numerals.percent(float(low))} and {numerals.percent(float(high))}"


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
    points = _lemma_curves(names, across, up)
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


def _lemma_curves(
    names: dict[float, str], across: Sequence[float], up: Sequence[float]
) -> pd.DataFrame:
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
