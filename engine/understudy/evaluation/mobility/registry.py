"""All measures of people's days, in the order in which they are shown. Cheap to import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from understudy.evaluation.measure import Measure
from understudy.evaluation.mobility.days import DaysStudy, Seen
from understudy.evaluation.mobility.difference import PeopleDifference
from understudy.evaluation.mobility.measures import disclosure, lives, peers, population

MEASURES: Final[tuple[Measure[DaysStudy], ...]] = (
    *population.EVERY,
    *lives.EVERY,
    disclosure.SINGLED_OUT,
    *peers.EVERY,
    disclosure.TOLD_APART,
    disclosure.POINTS_MATCHED,
    disclosure.TOP_PAIRS,
    disclosure.MEMBERSHIP,
)
"""Group by group, of methods that make people's days."""


# The figures of days beside real ones, all at once and without intervals.
#
# All of it is internal where one side is real.

FIGURES: Final[Mapping[str, PeopleDifference]] = {
    "places": population.BY_TIME,
    "stays": population.STAYS,
    "hours": population.HOURS,
    "zones": population.ZONES,
    "flows": population.FLOWS,
    "jumps": population.JUMPS,
    "entering": population.ENTERING,
    "kept": population.TOP_KEPT,
}
"""The measures that figures come from, by the names that they are compared under."""


def compare_days(made: Seen, real: Seen) -> dict[str, float]:
    """Return each of `FIGURES` of days beside real ones."""
    everybody = np.zeros(0, dtype=np.int64)

    def of(measure: PeopleDifference) -> float:
        sides = (measure.tallied(each).left_out(everybody, 0) for each in (made, real))
        return float(measure.formula(*sides)[0])

    return {name: of(measure) for name, measure in FIGURES.items()}
