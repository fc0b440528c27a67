"""Parts of line charts: named curves, a rule with a tooltip, and a mark for the present plan.

Channels are named in full where they can be: of others, Altair takes milliseconds to find the kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from understudy.charts import scales
from understudy.charts.palette import LETTERS, QUIET

_MOST_DOTTED = 12


@dataclass(frozen=True)
class Look:
    """How a curve is told from the others."""

    colour: str
    dash: Sequence[int]


def curves(
    lines: pd.DataFrame | alt.NamedData, x: alt.X, y: alt.Y, looks: Mapping[str, Look]
) -> alt.Chart:
    """Return a line for each name in the column `name`; dots on it where there are known to be
    few."""
    names = list(looks)
    legend = scales.key(names, lines=True)
    dotted = isinstance(lines, pd.DataFrame) and len(lines) <= _MOST_DOTTED * len(names)
    drawn: alt.Chart = (
        alt.Chart(lines)
        .mark_line(strokeWidth=2.5, point={"size": 40} if dotted else False, tooltip=None)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "name:N",
                scale=alt.Scale(domain=names, range=[look.colour for look in looks.values()]),
                legend=legend,
            ),
            strokeDash=alt.StrokeDash(
                "name:N",
                scale=alt.Scale(domain=names, range=[list(look.dash) for look in looks.values()]),
                legend=legend,
            ),
        )
    )
    return drawn


def hover_rule(
    reading: pd.DataFrame | alt.NamedData, field: str, x: alt.X, said: Sequence[alt.Tooltip]
) -> alt.Chart:
    """Return a rule that follows the pointer to the nearest value of `field` and reads out all
    curves.

    Args:
        reading: one row for each value of `field`.
        field: the column that the axis across shows.
        x: that axis.
        said: what is read out of each row.
    """
    near = alt.selection_point(
        nearest=True, on="pointermove", fields=[field], empty=False, clear="pointerout"
    )
    rule: alt.Chart = (
        alt.Chart(reading)
        .mark_rule(color=QUIET)
        .encode(
            x=x,
            opacity=alt.OpacityValue(**alt.condition(near, alt.value(0.7), alt.value(0.0))),
            tooltip=list(said),
        )
        .add_params(near)
    )
    return rule


def plan_mark(
    place: float, field: str, said: str, domain: Sequence[float]
) -> tuple[alt.Chart, alt.Chart]:
    """Return a rule where the present plan stands on a logarithmic axis, and words above it.

    Args:
        place: where it stands.
        field: the column that the axis across shows.
        said: the words.
        domain: the ends of that axis; the words lean towards its middle.
    """
    left = place > math.sqrt(domain[0] * domain[1])
    lean: dict[str, Any] = {"align": "right", "dx": 4} if left else {"align": "left", "dx": -4}
    here = alt.Chart(pd.DataFrame({field: [place], "said": [said]}))
    across = alt.X(f"{field}:Q")
    return (
        here.mark_rule(strokeDash=[3, 3], color=QUIET, tooltip=None).encode(x=across),
        here.mark_text(
            **lean, dy=-9, fontSize=13, fontWeight="bold", color=LETTERS, tooltip=None
        ).encode(x=across, y=alt.YValue(0), text=alt.Text("said:N")),
    )
