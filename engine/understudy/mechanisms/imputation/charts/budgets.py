"""How much of what is released is made up beforehand, at each ε: from public numbers alone."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from understudy.charts.over_epsilon import ACROSS, against_epsilon
from understudy.charts.public import PublicPicture, Shape
from understudy.core.numerals import significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.guarantee import guarantee
from understudy.mechanisms.imputation.parts import Histogram, histograms
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.mechanism import PlannedRun
from understudy.table.schema import Schema

UP: Final = "Made-up records, of 100"
TYPICAL: Final = "Typical column"
_STRENGTHS: Final = tuple(float(f"{10 ** (place / 3):.3g}") for place in range(-3, 10))
_SHOWN: Final = (0.05, 20.0)


def over_epsilon(decided: PlannedRun[ImputationPlan]) -> PublicPicture | None:
    """Return the picture; None where nothing is counted, or ε does not follow from the prior."""
    plan = decided.plan
    if plan.release == "noised-mode" or not decided.guarantee.total.bounded:
        return None
    table = tabulate_made_up(plan, decided.schema)
    if table is None:
        return None
    here = decided.guarantee.total.epsilon
    worst = str(table.columns[1])
    now = _shares(histograms(plan, decided.schema))
    most = max(now.values())
    low = float(table.iloc[:, 1:].to_numpy().min())
    said = (
        "So that nobody's record shows, made-up records stand in every cell before the real ones "
        f"are counted. With this plan they are {significant(100 * most, 2)} of 100 that the shares "
        f"of {worst} are made of. A larger ε takes fewer of them, and more records outweigh them."
    )
    return PublicPicture(
        name="made-up",
        title="How much is made up beforehand",
        said=said,
        draw=partial(against_epsilon, table, UP, ends=(max(0.01, low / 1.5), 100.0), powers=True,
                     here=here),
        table=table,
        alt="How many of 100 records that shares are made of are made up, by ε.",
        shape=Shape("lines", ACROSS, tuple(map(str, table.columns[1:])), UP, powers=True,
                    marked=here),
        foresees=True,
        in_short=(
            f"Of 100 records behind the shares of “{worst}”, {significant(100 * most, 2)} are made "
            "up, to hide the real ones. A larger ε takes fewer."
        ),
    )  # fmt: skip


def tabulate_made_up(plan: ImputationPlan, schema: Schema) -> pd.DataFrame | None:
    """Return, for each ε, how many of 100 records are made up: of the column with the most, and of
    a typical one; None where no column is counted, or no prior keeps to any of these ε."""
    every = histograms(plan, schema)
    if not every:
        return None
    rows = []
    for strength in sorted({*_STRENGTHS, plan.strength}):
        other = plan.model_copy(update={"strength": strength})
        try:
            epsilon = guarantee(other, schema).total.epsilon
        except Refusal:
            continue
        if not math.isfinite(epsilon) or not _SHOWN[0] <= epsilon <= _SHOWN[1]:
            continue
        shares = _shares(histograms(other, schema))
        worst = max(shares, key=lambda place: shares[place])
        rows.append((epsilon, 100 * shares[worst], 100 * float(np.median(list(shares.values())))))
    if len(rows) < 2:
        return None
    widest = max(every, key=lambda each: each.mass)
    name = " × ".join(
        schema.columns[place].title or schema.names[place]
        for place in (*widest.columns, *widest.given)
    )
    table = pd.DataFrame(sorted(rows), columns=[ACROSS, name, TYPICAL])
    return table if len(every) > 1 else table.drop(columns=TYPICAL)


def _shares(every: tuple[Histogram, ...]) -> dict[int, float]:
    """Return, by histogram, the share of the counted records that are made up."""
    return {place: each.mass / (each.mass + each.records) for place, each in enumerate(every)}
