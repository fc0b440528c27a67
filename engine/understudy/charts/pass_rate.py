"""How many attempts pass the privacy test, against k. Internal figures, but of what is foreseen."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import colour_of, dash_of
from understudy.core import numerals
from understudy.core.arrays import FloatArray, IntArray

Curves = Mapping[str, FloatArray]

_K = "k: plausible seeds that a candidate needs"
_PASS = "Share of attempts that pass"


def pass_rate_curves_table(ks: IntArray, curves: Curves) -> pd.DataFrame:
    """Return one row for each k, one column for each curve: the share of attempts that pass, 0 to
    1."""
    shares = {f"{_PASS}, {name}": _finite(values) for name, values in curves.items()}
    return pd.DataFrame({"k": ks} | shares)


def pass_rate_curves(
    ks: IntArray,
    curves: Curves,
    k_now: int,
    *,
    internal: bool = True,
    height: int = scales.HEIGHT + 30,
) -> alt.LayerChart:
    """Return the share of attempts that pass, by k on a logarithmic axis, one line for each curve.

    Args:
        ks: (P,) values of k, each 1 or more.
        curves: for each name the (P,) shares, 0 to 1; one that is not a number is left out.
        k_now: the k of the present plan, marked by a rule.
        internal: whether a curve is computed from confidential records.
        height: in pixels.
    """
    points = _points(ks, curves)
    if points.empty:
        return scales.saying("No candidates were scored, so there is no pass rate to draw.")
    names = list(curves)
    domain = scales.log_domain([*points["k"], k_now])
    x = scales.log_x("k", _K, domain)
    return scales.stack_layers(
        scales.curves(
            points,
            x,
            _share_axis(float(points["share"].max())),
            {
                name: scales.CurveLook(colour_of(name, names), dash_of(name, names))
                for name in names
            },
        ),
        _reader(ks, curves, x),
        *scales.plan_mark(k_now, "k", f"This plan: k = {k_now:,}", domain),
        title=scales.internal_note() if internal else scales.note(),
        description="Lines: the share of attempts that pass the privacy test, by k.",
        height=height,
    )


def _finite(values: npt.ArrayLike) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _points(ks: IntArray, curves: Curves) -> pd.DataFrame:
    """Return all curves, one under the other, without what is not a number."""
    parts = [
        pd.DataFrame({"k": ks, "share": _finite(shares), "name": name})
        for name, shares in curves.items()
    ]
    if not parts:
        return pd.DataFrame({"k": [], "share": [], "name": []})
    points = pd.concat(parts, ignore_index=True)
    return points.loc[points["share"].notna() & (points["k"] > 0)]


def _share_axis(largest: float) -> alt.Y:
    """Up to 100 %, unless all that would be seen is a line along the bottom."""
    top = 1.0 if largest > 0.4 else max(1.15 * largest, 1e-4)
    return alt.Y(
        "share:Q",
        title=_PASS,
        scale=alt.Scale(domain=[0, top], nice=top < 1),
        axis=alt.Axis(format="~%", tickCount=6),
    )


def _reader(ks: IntArray, curves: Curves, x: alt.X) -> alt.Chart:
    columns = {
        f"curve{place}": [_percent(share) for share in _finite(shares)]
        for place, shares in enumerate(curves.values())
    }
    reading = pd.DataFrame({"k": ks} | columns)
    said = [
        alt.Tooltip(f"curve{place}:N", title=f"Passing, {name}")
        for place, name in enumerate(curves)
    ]
    return scales.hover_rule(
        reading.loc[reading["k"] > 0], "k", x, [alt.Tooltip("k:Q", format=","), *said]
    )


def _percent(share: float) -> str:
    return numerals.percent(float(share)) if np.isfinite(share) else "not known"
