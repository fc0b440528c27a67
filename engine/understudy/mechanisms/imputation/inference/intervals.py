"""The intervals that go with released rows; they are made from what is released alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr

from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.inference.estimate import Interval, Rows, mean, share
from understudy.mechanisms.imputation.parts import Histogram, Mean
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.table.column import Column

CONFIDENCE: Final = 0.95
NOTE: Final = (
    "Intervals for the people that the records are a random sample of, each by itself. They know "
    "what the prior moves and what was drawn; those for means take σ to be right."
)
_DIGITS = 6

Whole = npt.NDArray[np.int64]


def rows_of(plan: ImputationPlan) -> Rows:
    """Return how the rows of a plan come about."""
    if plan.release == "rows-from-mode":
        return Rows(plan.kept, None, plan.rows)
    drawn = Drawing.of(plan).drawn
    return Rows(plan.kept, drawn.times, drawn.rows or 1)


def of_shares(
    plan: ImputationPlan, part: Histogram, counted: Whole, columns: Sequence[Column]
) -> dict[str, Any]:
    """Return an interval for each cell of a histogram.

    Args:
        plan: what was decided.
        part: the histogram, which depends on nothing.
        counted: (cells,) rows in each cell, of all tables.
        columns: of the histogram.
    """
    alpha = float(part.alpha) - (plan.release == "rows-from-mode")
    rows, total = rows_of(plan), int(counted.sum())
    found = []
    for cell, count in enumerate(counted.tolist()):
        made = share(count / total, part.count, alpha, rows, CONFIDENCE)
        found.append({"is": _texts(cell, part, columns), **_said(made)})
    return {"columns": [each.name for each in columns], "shares": found}


def _texts(cell: int, part: Histogram, columns: Sequence[Column]) -> list[str]:
    texts = []
    for column, size in zip(reversed(columns), reversed(part.sizes), strict=True):
        texts.append(column.texts[cell % size])
        cell //= size
    return texts[::-1]


def of_mean(plan: ImputationPlan, part: Mean, places: Whole, name: str) -> dict[str, Any]:
    """Return an interval for the mean of a column.

    Args:
        plan: what was decided.
        part: the column.
        places: (rows,) of all tables.
        name: of the column.
    """
    found = float(places.mean()) - part.steps / 2
    unit, middle = float(part.step), float(part.minimum) + part.steps / 2 * float(part.step)
    made = _unmoved(plan, part, interval(plan, part, found))
    scaled = Interval(*(middle + unit * each for each in (made.estimate, made.low, made.high)))
    return {"column": name, "mean": _said(scaled)}


def interval(plan: ImputationPlan, part: Mean, found: float) -> Interval:
    """Return the mean among people, in steps from the middle, from that of rows that met no
    bound."""
    rows, model = rows_of(plan), part.model
    sampling = model.weight**2 * model.sigma**2 / part.records
    between = 0.0 if rows.draws is None else model.deviation**2 / rows.draws
    # The rounding of every row to a step.
    within = (model.sigma**2 + 1 / 12) / rows.total
    return mean(found, model.weight, sampling + between + within, CONFIDENCE)


def _unmoved(plan: ImputationPlan, part: Mean, made: Interval) -> Interval:
    """Return an interval for the mean, from one for the mean of numbers that were moved to the
    bounds, or drawn until they lay within."""
    model = part.model
    deviation = model.sigma
    if plan.release == "rows-from-own-draws":
        deviation = math.hypot(deviation, model.deviation)
    inside = plan.conditioned and plan.release in ("rows-from-mode", "rows-from-own-draws")

    def moved(centre: float) -> float:
        low, high = (-model.radius - centre) / deviation, (model.radius - centre) / deviation
        below, above = float(ndtr(low)), float(ndtr(-high))
        held = centre * (1 - below - above) + deviation * (_bell(low) - _bell(high))
        if inside:
            return held / (1 - below - above)
        return held + model.radius * (above - below)

    def back(value: float) -> float:
        """From a mean of people, through that of rows, to the mean that such rows are drawn of."""
        aim, reach = value * model.weight, 2 * model.radius
        if moved(-reach) >= aim or moved(reach) <= aim:
            return math.copysign(model.radius, value)
        centre = float(brentq(lambda at: moved(at) - aim, -reach, reach, xtol=1e-9 * model.radius))
        return min(max(centre / model.weight, -model.radius), model.radius)

    return Interval(back(made.estimate), back(made.low), back(made.high))


def _bell(at: float) -> float:
    return math.exp(-at * at / 2) / math.sqrt(2 * math.pi)


def _said(made: Interval) -> dict[str, float]:
    return {
        "estimate": float(f"{made.estimate:.{_DIGITS}g}"),
        "low": float(f"{made.low:.{_DIGITS}g}"),
        "high": float(f"{made.high:.{_DIGITS}g}"),
    }
