"""The signal of every choice beside the prior that it is up against, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from engine.charts.palette import BLUE, VERMILLION
from engine.charts.public import PublicPicture, Shape
from engine.core.numerals import significant
from engine.mechanisms.planned_run import PlannedRun
from engine.mechanisms.pmse.paying import Costs
from engine.mechanisms.pmse.stages import CERTAIN

_SIGNAL, _NEEDED = "Signal", "Prior, and what a choice needs beyond it"
_CHOICE: Final = "Choice"
_NATS: Final = "Nats"
_POWERS: Final = tuple(10.0**power for power in range(10))


def pictures(decided: PlannedRun) -> Iterator[PublicPicture]:
    """One, where the number of records is known."""
    paying = decided.guarantee.account_as(Costs)
    if paying.plan.public_records is None:
        return
    table = signals(paying, [each.name for each in decided.schema.columns])
    tight = table.iloc[int(np.argmin(table[_SIGNAL] - table[_NEEDED]))]
    yield PublicPicture(
        name="signal",
        title="The signal, against the prior",
        said=(
            "Each choice can tell the best model from the worst by its signal, and has to find "
            "the models near the records among many that are not. Where the signal is below the "
            "other bar, the prior decides and not the records; such a plan is refused. The "
            f"tightest choice is {tight[_CHOICE]}: {significant(tight[_SIGNAL])} nats "
            f"against {significant(tight[_NEEDED])}."
        ),
        draw=partial(_figure, table),
        table=table,
        alt="Bars for each choice of a model: its signal in nats, and what it has to exceed.",
        shape=Shape("pairs", _CHOICE, (_SIGNAL, _NEEDED)),
    )


def signals(paying: Costs, names: list[str]) -> pd.DataFrame:
    """A row for each choice of one model: its name, how many candidates, its ε, its signal, and
    what that has to exceed, in nats."""
    records = paying.deciding
    rows = []
    for number, stage in enumerate(paying.stages, 1):
        of = names[paying.units[stage.units[0]].column] if len(stage.units) == 1 else "all together"
        rows.append(
            {
                _CHOICE: f"{number}. {of}, round {stage.round + 1}",
                "Candidates": stage.candidates,
                "ε": paying.epsilon(stage.share),
                _SIGNAL: paying.nats(stage, records),
                _NEEDED: stage.volume + CERTAIN,
            }
        )
    return pd.DataFrame(rows)


def _figure(table: pd.DataFrame) -> alt.Chart:
    long = table.melt([_CHOICE], [_SIGNAL, _NEEDED], "What", _NATS)
    chart: alt.Chart = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            y=alt.Y(_CHOICE, sort=None, title=None, axis=alt.Axis(labelLimit=0)),
            yOffset=alt.YOffset("What:N", sort=[_SIGNAL, _NEEDED]),
            x=alt.X(
                _NATS,
                scale=alt.Scale(type="symlog", domainMin=0),
                axis=alt.Axis(values=[0, *_POWERS], format=",~g"),
                title="nats",
            ),
            color=alt.Color(
                "What:N",
                scale=alt.Scale(domain=[_SIGNAL, _NEEDED], range=[BLUE, VERMILLION]),
                legend=alt.Legend(orient="bottom", title=None, labelLimit=0),
            ),
            tooltip=[alt.Tooltip(_CHOICE), alt.Tooltip("What"), alt.Tooltip(_NATS, format=".3g")],
        )
    )
    return chart
