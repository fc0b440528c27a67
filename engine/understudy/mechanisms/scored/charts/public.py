"""How many other records must be able to have made each row, at each ε: from public numbers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import pandas as pd

from understudy.charts.over_epsilon import ACROSS, against_epsilon
from understudy.charts.public import PictureShape, PublicPicture
from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.scored.spending import spend
from understudy.table.schema import Schema

NEEDED: Final = "Needed for each row"
THERE: Final = "There for certain"
UP: Final = "Other real records"
EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)


def pictures(decided: PlannedRun[ScoredPlan]) -> Iterator[PublicPicture]:
    """Yield one, where some of these ε can be kept to."""
    plan, here = decided.plan, decided.guarantee.total
    table = tabulate_needed(plan, decided.schema)
    if len(table) < 2 or not here.bounded:
        return
    every = table[[NEEDED, THERE]].to_numpy()
    ends = (float(every.min()) / 1.5, 1.5 * float(every.max()))
    yield PublicPicture(
        name="needed",
        title="How many others each row is like",
        said=(
            f"A row is released only where about {count(plan.test.k, 'other real record')} could "
            "as well have made it. The less is spent, the more it takes, and the fewer of "
            f"{count(plan.attempts, 'attempt')} come out; where the lines meet, none does."
        ),
        draw=partial(against_epsilon, table, UP, ends=ends, powers=True,
                     here=here.epsilon),
        table=table,
        alt="How many other records have to be able to have made each row, by ε.",
        shape=PictureShape("lines", ACROSS, (NEEDED, THERE), UP, powers=True, marked=here.epsilon),
        foresees=True,
        in_short=(
            f"A row comes out only where about {count(plan.test.k, 'other real record')} could as "
            "well have made it. A larger ε takes fewer, so that more come out."
        ),
    )  # fmt: skip


def tabulate_needed(plan: ScoredPlan, schema: Schema) -> pd.DataFrame:
    """Return, for each ε that as many attempts can keep to, k and the seeds counted on."""
    rows = []
    for epsilon in EPSILONS:
        try:
            found = spend(plan, schema, epsilon)
        except Refusal:
            continue
        rows.append((epsilon, float(found["test.k"]), float(found["seeds_at_least"])))
    return pd.DataFrame(rows, columns=[ACROSS, NEEDED, THERE])
