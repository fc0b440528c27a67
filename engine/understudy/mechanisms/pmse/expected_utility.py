"""How long choosing the models takes, from public numbers alone.

Every candidate makes n_s records, unit by unit, and counts them in the tables of its partitions:
the time is the candidates times n_s times what one record takes. The rates are of one core of a
usual machine; `python -m benchmarks pmse` holds them beside what it measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.pmse.gini import MOST_MADE
from understudy.mechanisms.pmse.guarantee import Costs
from understudy.mechanisms.pmse.model_search import Class, Stage, columns_of
from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.mechanisms.pmse.units import RegressionUnit

_NUMBER, _CATEGORY = 25e-9, 7e-9
"""Seconds for one record and one regression, of a column of numbers or of a category."""

_COUNTED: Final[Mapping[Class, float]] = {
    "crossed": 3e-9,
    "stump": 3e-9,
    "depth-two": 3e-9,
    "forest": 5e-9,
    "guillotine": 20e-9,
}
"""Seconds for one record and one of the tables that it is counted in."""

_SEARCHED: Final = 5e-4
"""Seconds for one candidate of which every box of a grid is looked at, whatever the records."""

_TREES: Final = 24


def seconds(decided: PlannedRun[PmsePlan]) -> float | None:
    """Return about how many seconds a plan takes before its first record is out; None where nobody
    has said how many records there are."""
    plan, paying = decided.plan, decided.guarantee.account_as(Costs)
    if plan.public_records is None:
        return None
    made = min(plan.ratio * paying.deciding, MOST_MADE)
    each = [
        stage.candidates * seconds_a_candidate(plan.partitions, paying.units, stage, made)
        for stage in paying.stages
    ]
    # All searches score the same candidates in their first stage.
    return each[0] + plan.draws * sum(each[1:])


def seconds_a_candidate(
    partitions: Class, units: tuple[RegressionUnit, ...], stage: Stage, made: int
) -> float:
    """Return about how long making and scoring one candidate takes.

    Args:
        partitions: what tells its records from real ones.
        units: the regressions.
        stage: what is chosen.
        made: n_s.
    """
    tables = _COUNTED[partitions] * _tables(partitions, units, stage)
    making = sum(_NUMBER if units[at].value is None else _CATEGORY for at in stage.units)
    searched = _SEARCHED if partitions == "guillotine" else 0.0
    return made * (making + tables) + searched


def _tables(partitions: Class, units: tuple[RegressionUnit, ...], stage: Stage) -> int:
    """Return in how many tables each record is counted."""
    chosen, others = map(len, columns_of(units, stage))
    every = chosen + others
    if partitions == "crossed":
        return max(1, chosen * (chosen - 1) // 2 + chosen * others)
    if partitions == "depth-two":
        return every * chosen + every + chosen
    return {"stump": chosen, "forest": _TREES, "guillotine": 1}[partitions]
