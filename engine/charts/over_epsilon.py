"""How far off a plan will be at each ε, foreseen. Public figures."""

from __future__ import annotations

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from engine.charts import lines, scales
from engine.charts.palette import BLUE, GREEN, QUIET, VERMILLION
from engine.core import numerals

Reals = npt.NDArray[np.float64]

PROPOSED, INDEPENDENT, CHANCE = "Proposed plan", "Columns by themselves", "Other real records"
_OFF = "A typical pair of columns is off by"
_EPSILON = "ε, what may be spent"
_LOOKS = {
    PROPOSED: lines.Look(BLUE, (1, 0)),
    INDEPENDENT: lines.Look(VERMILLION, (8, 4)),
    CHANCE: lines.Look(QUIET, (2, 3)),
}


def over_epsilon_table(
    epsilons: Reals, proposed: Reals, independent: Reals, chance: float
) -> pd.DataFrame:
    """One row for each ε: how far off a typical pair will be, in per cent."""
    return pd.DataFrame(
        {
            "ε": epsilons,
            f"{PROPOSED} (%)": 100 * proposed,
            f"{INDEPENDENT} (%)": 100 * independent,
            f"{CHANCE}, at most (%)": np.full(len(epsilons), 100 * chance),
        }
    ).round(3)


def over_epsilon(
    epsilons: Reals,
    proposed: Reals,
    independent: Reals,
    chance: float,
    here: tuple[float, float] | None,
) -> alt.LayerChart:
    """A curve over ε, its references, and a point where the plan in use stands.

    Args:
        epsilons: (E,) ascending, above 0.
        proposed: (E,) how far off, 0 to 1; not a number where no plan fits.
        independent: (E,) the same for columns that are drawn each by itself.
        chance: how far off as many other real records may be, by chance alone.
        here: ε of the plan in use, and how far off it will be; None where that is not known.
    """
    ends = [*epsilons, *([here[0]] if here else [])]
    x = scales.log_x("epsilon", _EPSILON, scales.log_domain(ends, room=1.05))
    y = alt.Y(
        "off:Q", title=_OFF, scale=alt.Scale(zero=True), axis=alt.Axis(format=".2~%", tickCount=5)
    )
    layers = [
        lines.curves(_long(epsilons, proposed, independent, chance), x, y, _LOOKS),
        lines.hover_rule(_reading(epsilons, proposed, independent, chance), "epsilon", x, _SAID),
    ]
    if here is not None and np.isfinite(here[1]):
        layers += _point(here, x, y)
    return scales.stacked(
        *layers,
        title=scales.note(f"{CHANCE}: no more than that, by chance alone."),
        description="Lines: how far off a typical pair of columns will be, by ε; a point: the "
        "plan in use.",
        height=scales.HEIGHT - 90,
    )


_SAID = (
    alt.Tooltip("epsilon:Q", title="ε"),
    alt.Tooltip("proposed:N", title=PROPOSED),
    alt.Tooltip("independent:N", title=INDEPENDENT),
    alt.Tooltip("chance:N", title=f"{CHANCE}, at most"),
)


def _long(epsilons: Reals, proposed: Reals, independent: Reals, chance: float) -> pd.DataFrame:
    level = np.full(len(epsilons), chance)
    parts = zip(_LOOKS, (proposed, independent, level), strict=True)
    whole = pd.concat(
        [pd.DataFrame({"epsilon": epsilons, "off": off, "name": name}) for name, off in parts],
        ignore_index=True,
    )
    return whole.loc[whole["off"].notna()]


def _reading(epsilons: Reals, proposed: Reals, independent: Reals, chance: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "epsilon": epsilons,
            "proposed": [_percent(each) for each in proposed],
            "independent": [_percent(each) for each in independent],
            "chance": _percent(chance),
        }
    )


def _point(here: tuple[float, float], x: alt.X, y: alt.Y) -> tuple[alt.Chart, alt.Chart]:
    frame = pd.DataFrame(
        {
            "epsilon": [here[0]],
            "off": [here[1]],
            "said": [f"This plan: {_percent(here[1])}"],
        }
    )
    base = alt.Chart(frame).encode(x=x, y=y)
    point = base.mark_point(shape="diamond", size=220, color=GREEN, filled=True, opacity=1)
    text = base.mark_text(dy=-18, fontSize=14, fontWeight="bold", color=GREEN)
    return point.encode(tooltip=alt.Tooltip("said:N")), text.encode(text="said:N")


def _percent(share: float) -> str:
    return numerals.percent(float(share)) if np.isfinite(share) else "no plan fits"
