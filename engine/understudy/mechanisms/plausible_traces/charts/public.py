"""How many days come out of so many attempts, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from understudy.charts.palette import SERIES
from understudy.charts.public import PublicPicture
from understudy.charts.scales import key
from understudy.core.numerals import count, significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plausible_traces.forecast import foresee_days
from understudy.mechanisms.plausible_traces.guarantee import Promise, promise
from understudy.mechanisms.plausible_traces.keys import KEEPS
from understudy.mechanisms.plausible_traces.plan import KEPT, MOST_ATTEMPTS, PlausiblePlan

_ATTEMPTS: Final = "Attempts"
_K: Final = "k"
_TRIED: Final = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
_DASHES: Final = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])


def pictures(decided: PlannedRun[PlausiblePlan]) -> Iterator[PublicPicture]:
    """Yield one: what comes out by the number of attempts, for each thing that can be kept."""
    plan, made = decided.plan, decided.guarantee.account_as(Promise)
    table = tabulate_attempts(plan)
    yield PublicPicture(
        name="released",
        title="Days that come out, by attempts",
        said=(
            f"Of {count(plan.attempts, 'attempt')}, about "
            f"{significant(foresee_days(plan, made), 2)} "
            f"release a day where people live as in the simulated city and {plan.likely_seeds:,} "
            "of them are seeds. More attempts at the same ε need a larger k, which fewer days "
            "pass; the less is kept of a day, the more come out."
        ),
        draw=partial(_figure, table),
        table=table,
        alt="Lines for all that can be kept of a day: how many days come out over the number of "
        "attempts, at the same ε and δ.",
        foresees=True,
        in_short=(
            f"About {significant(foresee_days(plan, made), 2)} days come out of "
            f"{count(plan.attempts, 'attempt')} where people live as in the simulated city. The "
            "less is kept of a day, the more come out."
        ),
    )


def tabulate_attempts(plan: PlausiblePlan) -> pd.DataFrame:
    """Return a row for each number of attempts that ε, δ and the seeds allow: k, and how many days
    come out for each thing that can be kept."""
    rows = []
    for attempts in sorted({*_TRIED, plan.attempts}):
        other = plan.model_copy(update={"attempts": min(attempts, MOST_ATTEMPTS)})
        try:
            made = promise(other)
        except Refusal:
            continue
        row: dict[str, float] = {_ATTEMPTS: attempts, _K: made.test.k}
        row |= {KEPT[keeps]: round(foresee_days(other, made, keeps), 1) for keeps in KEEPS}
        rows.append(row)
    return pd.DataFrame(rows)


def _figure(table: pd.DataFrame) -> alt.Chart:
    names = list(KEPT.values())
    long = table.melt([_ATTEMPTS, _K], names, "Kept", "Days")
    chart: alt.Chart = (
        alt.Chart(long)
        .mark_line(point=True)
        .encode(
            x=alt.X(f"{_ATTEMPTS}:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format=",d")),
            y=alt.Y("Days:Q", title="Days that come out"),
            color=alt.Color(
                "Kept:N",
                scale=alt.Scale(domain=names, range=list(SERIES)),
                legend=key(names, lines=True),
            ),
            strokeDash=alt.StrokeDash(
                "Kept:N",
                scale=alt.Scale(domain=names, range=[list(each) for each in _DASHES]),
                legend=key(names, lines=True),
            ),
            tooltip=[
                alt.Tooltip("Kept"),
                alt.Tooltip(_ATTEMPTS, format=","),
                alt.Tooltip(_K, format=","),
                alt.Tooltip("Days", format=".1f"),
            ],
        )
    )
    return chart
