"""Chart of the bounds on a belief about one person after a release, against the belief before."""

from __future__ import annotations

from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import BLUE, GREEN, LETTERS, QUIET, VERMILLION
from understudy.charts.scales import LayoutChart, Rows
from understudy.core import numerals
from understudy.core.numerals import round_down, round_up
from understudy.privacy.budget import Budget
from understudy.privacy.strength import About, Belief, belief

AT_MOST, AT_LEAST, UNCHANGED = "At most", "At least", "Nothing learned"

_BEFORE, _AFTER = "Believed before the release", "Believed after it"
_LOOKS = {
    AT_MOST: scales.CurveLook(VERMILLION, (1, 0)),
    UNCHANGED: scales.CurveLook(QUIET, (2, 3)),
    AT_LEAST: scales.CurveLook(BLUE, (8, 4)),
}
_SHARES = alt.Scale(domain=[0, 1], nice=False)
_PER_CENT = alt.Axis(format="~%", tickCount=6)
_ENDS = {"shape": "diamond", "size": 150, "color": GREEN, "filled": True, "opacity": 1}
_ALL, _CURVES, _CHOSEN = "beliefs", "curves", "chosen"
_STEPS = 24
_TABLE = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)


def spelled_at_most(share: float) -> str:
    """Return an upper bound in per cent, rounded up."""
    if 0.9995 < share < 1:
        return f"almost 100{numerals.FIXED}%"
    return f"{round_up(100 * share, 3)}{numerals.FIXED}%"


def spelled_at_least(share: float) -> str:
    """Return a lower bound in per cent, rounded down."""
    if share < 1e-4:
        return f"0{numerals.FIXED}%"
    return f"{round_down(100 * share, 3)}{numerals.FIXED}%"


def belief_change_table(total: Budget, about: About = "presence") -> pd.DataFrame:
    """Return one row for some beliefs beforehand: what may become of each, in per cent."""
    found = [belief(prior, total, about) for prior in _TABLE]
    return pd.DataFrame(
        {
            f"{_BEFORE}, %": [100 * each.prior for each in found],
            f"{_AFTER}, at least, %": [100 * each.at_least for each in found],
            f"{_AFTER}, at most, %": [100 * each.at_most for each in found],
        }
    )


def belief_change(total: Budget, prior: float, about: About = "presence") -> LayoutChart:
    """Return what may become of every belief, and of one in particular.

    Args:
        total: the guarantee for one person, of the whole release.
        prior: the belief that is marked, between 0 and 1.
        about: what is believed.
    """
    found = [belief(float(each), total, about) for each in _priors(total, about)]
    chosen = belief(prior, total, about)
    numbers = {_ALL: _list_readings(found), _CURVES: _curves(found), _CHOSEN: _list_ends(chosen)}
    return LayoutChart(_layout(left=prior > 0.5), numbers)


@cache
def _layout(*, left: bool) -> str:
    """Return the figure without its numbers, the words of its mark to the left of it or to the
    right."""
    x = alt.X("before:Q", title=_BEFORE, scale=_SHARES, axis=_PER_CENT)
    y = alt.Y("after:Q", title=_AFTER, scale=_SHARES, axis=_PER_CENT)
    said = [
        alt.Tooltip("was:N", title=_BEFORE),
        alt.Tooltip("least:N", title=f"{_AFTER}, at least"),
        alt.Tooltip("most:N", title=f"{_AFTER}, at most"),
    ]
    every, curves = alt.NamedData(_ALL), alt.NamedData(_CURVES)
    layout = scales.stack_layers(
        alt.Chart(every)
        .mark_area(opacity=0.12, color=BLUE, tooltip=None)
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        scales.curves(curves, x, y, _LOOKS),
        scales.hover_rule(every, "before", x, said),
        *_mark(x, y, left=left),
        title=scales.note("Between the two lines lies whatever a reader may come to believe."),
        description="Two lines around the diagonal: the most and the least that a belief about "
        "one person may become, by what it was before the release was read.",
    )
    return layout.to_json(validate=False, indent=None)


def _mark(x: alt.X, y: alt.Y, *, left: bool) -> list[alt.Chart]:
    """Return the belief that is looked at: a rule from the least to the most, with both written."""
    lean: dict[str, Any] = {"align": "right", "dx": -9} if left else {"align": "left", "dx": 9}
    mark = alt.Chart(alt.NamedData(_CHOSEN))
    return [
        mark.mark_line(color=GREEN, strokeWidth=3, point=_ENDS, tooltip=None).encode(x=x, y=y),
        # Above the upper line and under the lower one, so that neither crosses the words.
        *(
            mark.transform_filter(chosen)
            .mark_text(**lean, dy=dy, fontSize=13, fontWeight="bold", color=LETTERS, tooltip=None)
            .encode(x=x, y=y, text=alt.Text("said:N"))
            for chosen, dy in (("datum.upper", -9), ("!datum.upper", 11))
        ),
    ]


def _priors(total: Budget, about: About) -> np.ndarray:
    """Priors at which both curves are smooth: evenly spread before, and after either way."""
    evenly = np.linspace(0, 1, _STEPS + 1)
    tops = [belief(float(each), total, about) for each in evenly]
    drawn = [*evenly, *(each.at_least for each in tops), *(each.at_most for each in tops)]
    return np.unique(np.round(drawn, 6))


def _list_readings(found: list[Belief]) -> Rows:
    """Return a row for each belief beforehand, with what is read out of it."""
    return [
        {
            "before": each.prior,
            "low": each.at_least,
            "high": each.at_most,
            "was": numerals.percent(each.prior),
            "least": spelled_at_least(each.at_least),
            "most": spelled_at_most(each.at_most),
        }
        for each in found
    ]


def _curves(found: list[Belief]) -> Rows:
    sides = {
        AT_MOST: [each.at_most for each in found],
        UNCHANGED: [each.prior for each in found],
        AT_LEAST: [each.at_least for each in found],
    }
    return [
        {"before": each.prior, "after": after, "name": name}
        for name, afters in sides.items()
        for each, after in zip(found, afters, strict=True)
    ]


def _list_ends(chosen: Belief) -> Rows:
    ends = (
        (chosen.at_least, spelled_at_least(chosen.at_least), False),
        (chosen.at_most, spelled_at_most(chosen.at_most), True),
    )
    return [
        {"before": chosen.prior, "after": end, "said": said, "upper": upper}
        for end, said, upper in ends
    ]
