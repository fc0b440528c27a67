"""Whether the records decide what is chosen, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts.over_epsilon import ACROSS, against_epsilon
from understudy.charts.palette import BLUE, VERMILLION
from understudy.charts.public import PictureShape, PublicPicture
from understudy.charts.scales import key
from understudy.core.numerals import significant
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.pmse.guarantee import Costs
from understudy.mechanisms.pmse.model_search import CERTAIN
from understudy.mechanisms.pmse.plan import PmsePlan

_SIGNAL, _NEEDED = "What the records say", "What the choice takes"
_CHOICE: Final = "Choice"
_STRENGTH: Final = "Strength"
HARDEST: Final = "The hardest choice"
ENOUGH: Final = "Just enough"
DECIDING: Final = "Times what it takes"
EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
_POWERS: Final = tuple(10.0**power for power in range(10))


def pictures(decided: PlannedRun[PmsePlan]) -> Iterator[PublicPicture]:
    """Yield two where the number of records is known: whether the records decide, at each ε, and
    every choice at this one."""
    paying = decided.guarantee.account_as(Costs)
    if paying.plan.public_records is None:
        return
    table = signals(paying, [each.name for each in decided.schema.columns])
    tight = table.iloc[int(np.argmin(table[_SIGNAL] / table[_NEEDED]))]
    times = float(tight[_SIGNAL] / tight[_NEEDED])
    here = decided.guarantee.total.epsilon
    over = tabulate_hardest(decided)
    yield PublicPicture(
        name="deciding",
        title="Whether the records decide",
        said=(
            f"At this ε the records say {significant(times, 2)} times what the hardest choice "
            f"takes ({tight[_CHOICE]}). Below 1, chance would choose the model and not the "
            "records, and the plan is refused; well above it, the closest model is found that "
            "this method has."
        ),
        draw=partial(against_epsilon, over, DECIDING,
                     ends=(min(0.5, float(over[HARDEST].min())), float(over[HARDEST].max())),
                     powers=True, here=here),
        table=over,
        alt="What the records say in the hardest choice, in times of what it takes, by ε.",
        shape=PictureShape("lines", ACROSS, (HARDEST, ENOUGH), DECIDING, powers=True, marked=here),
        foresees=True,
        in_short=(
            f"At this ε the records say {significant(times, 2)} times what it takes to find the "
            "closest model. Below 1, chance would decide, and the plan is refused."
        ),
    )  # fmt: skip
    yield PublicPicture(
        name="signal",
        title="What each choice takes",
        said=(
            "A model is chosen part by part. Each choice takes a certain strength to tell the "
            "models near the records from the many that are not; the records have the other. "
            f"The hardest is {tight[_CHOICE]}: {significant(tight[_SIGNAL])} of the "
            f"{significant(tight[_NEEDED])} that it takes. Both are logarithms of how much "
            "likelier the best model is than the worst."
        ),
        draw=partial(_figure, table),
        table=table,
        alt="Bars for each choice of a model: what the records say, and what it takes.",
        shape=PictureShape("pairs", _CHOICE, (_SIGNAL, _NEEDED)),
    )


def tabulate_hardest(decided: PlannedRun[PmsePlan]) -> pd.DataFrame:
    """Return, for each ε, what the records say in the hardest choice, in times of what it takes."""
    plan = decided.plan
    whole = decided.guarantee.total.epsilon / plan.epsilon
    rows = []
    for epsilon in sorted({*EPSILONS, decided.guarantee.total.epsilon}):
        other = plan.model_copy(update={"epsilon": epsilon / whole})
        paying = Costs.of(other, decided.schema)
        told = signals(paying, [each.name for each in decided.schema.columns])
        rows.append((epsilon, float((told[_SIGNAL] / told[_NEEDED]).min()), 1.0))
    return pd.DataFrame(rows, columns=[ACROSS, HARDEST, ENOUGH])


def signals(paying: Costs, names: list[str]) -> pd.DataFrame:
    """Return a row for each choice of one model: its name, how many candidates, its ε, what the
    records say, and what it takes."""
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
    long = table.melt([_CHOICE], [_SIGNAL, _NEEDED], "What", _STRENGTH)
    chart: alt.Chart = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            y=alt.Y(_CHOICE, sort=None, title=None, axis=alt.Axis(labelLimit=0)),
            yOffset=alt.YOffset("What:N", sort=[_SIGNAL, _NEEDED]),
            x=alt.X(
                _STRENGTH,
                scale=alt.Scale(type="symlog", domainMin=0),
                axis=alt.Axis(values=[0, *_POWERS], format=",~g"),
                title="Strength",
            ),
            color=alt.Color(
                "What:N",
                scale=alt.Scale(domain=[_SIGNAL, _NEEDED], range=[BLUE, VERMILLION]),
                legend=key([_SIGNAL, _NEEDED]),
            ),
            tooltip=[
                alt.Tooltip(_CHOICE),
                alt.Tooltip("What"),
                alt.Tooltip(_STRENGTH, format=".3g"),
            ],
        )
    )
    return chart
