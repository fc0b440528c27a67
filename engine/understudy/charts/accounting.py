"""Charts of the guarantee: ε against the number of attempts, and ε against δ over t."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREEN, LETTERS, PURPLE, QUIET, VERMILLION
from understudy.core import numerals
from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.accounting.growth import Growth

SEQUENTIAL, ADVANCED = "Added up one by one (sequential)", "Advanced composition"
OPTIMAL = "Optimal composition"
WITHIN, BEYOND = "δ within the target", "δ too large"

_TOTAL = "Total ε of the whole run"
_LOOKS = {
    SEQUENTIAL: scales.CurveLook(VERMILLION, (7, 4)),
    ADVANCED: scales.CurveLook(PURPLE, (2, 3)),
    OPTIMAL: scales.CurveLook(BLUE, (1, 0)),
}
_MOST_LARGE_POINTS = 60


def epsilon_against_count_table(growth: Growth, what: str = "attempt") -> pd.DataFrame:
    """Return one row for each number of attempts, or of records; empty where nothing is
    promised."""
    return pd.DataFrame(
        {
            _number_of(what): growth.count,
            f"{_TOTAL}: sequential": _finite(growth.sequential),
            f"{_TOTAL}: advanced": _finite(growth.advanced),
            f"{_TOTAL}: optimal": _finite(growth.optimal),
            f"{_TOTAL}: the smallest, which counts": _finite(growth.total),
            "t": pd.array([t if t > 0 else None for t in growth.t.tolist()], dtype="Int64"),
        }
    )


def epsilon_against_count(growth: Growth, now: int, what: str = "attempt") -> alt.LayerChart:
    """Return how the total ε grows with the number of attempts, or of records, both axes
    logarithmic.

    Args:
        growth: the figures, in any order of their number.
        now: the number in the present plan. Its ε is written beside it where it is one of
            `growth.count`.
        what: what is counted.
    """
    points = _compose_curves(growth)
    if points.empty:
        return scales.saying("Nothing is promised at this δ, so there is no ε to draw.")
    domain = scales.log_domain([*points["count"], now])
    x = scales.log_x("count", _number_of(what), domain)
    y = scales.log_y("epsilon", _TOTAL, scales.log_domain(points["epsilon"], room=1.3))
    return scales.stack_layers(
        scales.curves(points, x, y, _LOOKS),
        _reader(growth, set(points["count"]), x, what),
        *_present(growth, now, domain, x, y, what),
        title=scales.note("Of the three, the smallest counts."),
        description=f"Three lines: total ε of a run by its number of {what}s, logarithmic.",
    )


def unit_tradeoff_table(
    t: IntArray, epsilon: FloatArray, delta: FloatArray, target_delta: float, what: str = "attempt"
) -> pd.DataFrame:
    """Return one row for each t: ε and δ of one attempt, or record, and whether δ is within the
    target."""
    return pd.DataFrame(
        {
            "t": t,
            f"ε of one {what}": _finite(epsilon),
            f"δ of one {what}": _finite(delta),
            WITHIN: np.asarray(delta) <= target_delta,
        }
    )


def chart_unit_tradeoff(
    t: IntArray,
    epsilon: FloatArray,
    delta: FloatArray,
    chosen_t: int,
    target_delta: float,
    what: str = "attempt",
) -> alt.LayerChart:
    """Return what each t states for the same attempt, or record: a smaller ε is paid for with more
    δ.

    Args:
        t, epsilon, delta: (T,) the figures of one of them at every t, or at some t.
        chosen_t: the t of the present plan, marked. Between two of `t` its place is
            interpolated, and no ε is written beside it.
        target_delta: the largest δ that one may have: the target of the run divided by their
            number.
        what: what is counted.
    """
    points = _statable(t, epsilon, delta, target_delta)
    if points.empty:
        return scales.saying("This test states no ε, so there is nothing to weigh.")
    x = _epsilon_axis(points["epsilon"].to_numpy(), what)
    low, high = scales.log_domain([*points["delta"], target_delta], room=10)
    y = scales.log_y("delta", f"δ of one {what}", [low, min(1.0, high)], ".0e")
    return scales.stack_layers(
        *_target(target_delta, y, what),
        *_mark_plan(points, chosen_t, x, y),
        _every_t(points, x, y, what),
        _ends(points, chosen_t, x, y),
        title=scales.note("Each point is a t: a smaller ε is paid for with a larger δ."),
        description=f"Points: ε and δ of one {what} for each t; δ is on a logarithmic axis.",
    )


def _finite(values: npt.ArrayLike) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _number_of(what: str) -> str:
    return f"Number of {what}s"


def _compose_curves(growth: Growth) -> pd.DataFrame:
    """Return all curves, one under the other, without the numbers at which nothing is promised."""
    drawn = [
        pd.DataFrame({"count": growth.count, "epsilon": _finite(values), "name": name})
        for name, values in (
            (SEQUENTIAL, growth.sequential),
            (ADVANCED, growth.advanced),
            (OPTIMAL, growth.optimal),
        )
    ]
    points = pd.concat(drawn, ignore_index=True)
    return points.loc[points["epsilon"] > 0]


def _reader(growth: Growth, promised: set[int], x: alt.X, what: str) -> alt.Chart:
    columns = {
        "sequential": growth.sequential,
        "advanced": growth.advanced,
        "optimal": growth.optimal,
        "total": growth.total,
    }
    reading = pd.DataFrame(
        {"count": growth.count}
        | {name: [numerals.epsilon(each) for each in values] for name, values in columns.items()}
    )
    said = [
        alt.Tooltip("count:Q", title=f"{what}s".capitalize(), format=","),
        alt.Tooltip("sequential:N", title="Total ε, sequential"),
        alt.Tooltip("advanced:N", title="Total ε, advanced"),
        alt.Tooltip("optimal:N", title="Total ε, optimal"),
        alt.Tooltip("total:N", title="Total ε that counts"),
    ]
    return scales.hover_rule(reading.loc[reading["count"].isin(promised)], "count", x, said)


def _present(
    growth: Growth, now: int, domain: list[float], x: alt.X, y: alt.Y, what: str
) -> list[alt.Chart]:
    """Return where the present plan stands."""
    total = _finite(growth.total)[growth.count == now]
    said = f"This plan: {numerals.count(now, what)}"
    if not np.isfinite(total).any():
        return [*scales.plan_mark(now, "count", said, domain)]
    here = pd.DataFrame({"count": [now], "epsilon": total[:1]})
    point = (
        alt.Chart(here)
        .mark_point(shape="diamond", size=170, filled=True, opacity=1, color=GREEN, tooltip=None)
        .encode(x=x, y=y)
    )
    said += f", ε = {numerals.epsilon(float(total[0]))}"
    return [*scales.plan_mark(now, "count", said, domain), point]


def _statable(
    t: IntArray, epsilon: FloatArray, delta: FloatArray, target_delta: float
) -> pd.DataFrame:
    """Return the points that a logarithmic axis can show, by t, with what hovering says."""
    points = pd.DataFrame({"t": t, "epsilon": _finite(epsilon), "delta": _finite(delta)})
    points = points.loc[(points["epsilon"] > 0) & (points["delta"] > 0)].sort_values("t")
    return points.assign(state=np.where(points["delta"] <= target_delta, WITHIN, BEYOND))


def _epsilon_axis(epsilon: FloatArray, what: str) -> alt.X:
    """Logarithmic where a few small t would push all others to one edge."""
    title = f"ε of one {what}"
    low, high = float(epsilon.min()), float(epsilon.max())
    if high > 10 * low:
        return scales.log_x("epsilon", title, scales.log_domain(epsilon, room=1.2))
    edge = 0.06 * (high - low) or 0.1 * high
    return alt.X(
        "epsilon:Q",
        title=title,
        scale=alt.Scale(domain=[low - edge, high + edge], zero=False, nice=False),
        axis=alt.Axis(format="~g", tickCount=8),
    )


def _every_t(points: pd.DataFrame, x: alt.X, y: alt.Y, what: str) -> alt.Chart:
    states = [WITHIN, BEYOND]
    drawn: alt.Chart = (
        alt.Chart(points)
        .mark_point(size=60 if len(points) <= _MOST_LARGE_POINTS else 14, filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "state:N",
                scale=alt.Scale(domain=states, range=[BLUE, VERMILLION]),
                legend=scales.key(states),
            ),
            shape=alt.Shape(
                "state:N",
                scale=alt.Scale(domain=states, range=["circle", "cross"]),
                legend=scales.key(states),
            ),
            tooltip=[
                alt.Tooltip("t:Q", format=","),
                alt.Tooltip("epsilon:Q", title=f"ε of one {what}", format=".4~g"),
                alt.Tooltip("delta:Q", title=f"δ of one {what}", format=".2~e"),
                alt.Tooltip("state:N", title="This t has its"),
            ],
        )
    )
    return drawn


def _target(target_delta: float, y: alt.Y, what: str) -> list[alt.Chart]:
    said = f"One {what} may have at most δ = {numerals.delta(target_delta)}"
    line = alt.Chart(pd.DataFrame({"delta": [target_delta], "said": [said]}))
    return [
        line.mark_rule(strokeDash=[6, 4], color=QUIET, tooltip=None).encode(y=y),
        line.mark_text(align="right", dy=-8, fontSize=12, color=LETTERS, tooltip=None).encode(
            x=alt.XValue("width"), y=y, text=alt.Text("said:N")
        ),
    ]


def _ends(points: pd.DataFrame, chosen_t: int, x: alt.X, y: alt.Y) -> alt.Chart:
    """Return the smallest and the largest t, named, so that the direction can be read."""
    ends = points.iloc[sorted({0, len(points) - 1})]
    ends = ends.loc[ends["t"] != chosen_t]
    drawn: alt.Chart = (
        alt.Chart(ends.assign(said=[f"t = {each:,}" for each in ends["t"]]))
        .mark_text(align="left", dx=8, dy=-8, fontSize=12, color=LETTERS, tooltip=None)
        .encode(x=x, y=y, text=alt.Text("said:N"))
    )
    return drawn


def _mark_plan(points: pd.DataFrame, chosen_t: int, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the t of the present plan; nothing where no neighbour says where it would be."""
    every, epsilon = points["t"].to_numpy(), points["epsilon"].to_numpy()
    if not every[0] <= chosen_t <= every[-1]:
        return []
    here = float(np.interp(chosen_t, every, epsilon))
    log_delta = np.interp(chosen_t, every, np.log(points["delta"].to_numpy()))
    said = f"This plan: t = {chosen_t:,}"
    if chosen_t in every:
        said += f", ε = {numerals.epsilon(here)}"
    left = here > (epsilon.min() + epsilon.max()) / 2
    lean: dict[str, Any] = {"align": "right", "dx": -16} if left else {"align": "left", "dx": 16}
    place = pd.DataFrame({"epsilon": [here], "delta": [np.exp(log_delta)], "said": [said]})
    mark = alt.Chart(place)
    return [
        mark.mark_point(
            shape="diamond", size=320, strokeWidth=3, opacity=1, color=GREEN, tooltip=None
        ).encode(x=x, y=y),
        mark.mark_text(**lean, fontSize=13, fontWeight="bold", color=LETTERS, tooltip=None).encode(
            x=x, y=y, text=alt.Text("said:N")
        ),
    ]
