"""The figures of days beside real ones, all at once and without intervals.

All of it is internal where one side is real.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from understudy.evaluation.mobility.difference import Difference
from understudy.evaluation.mobility.measures import moves, places
from understudy.evaluation.mobility.seen import Seen

FIGURES: Final[Mapping[str, Difference]] = {
    "places": places.BY_TIME,
    "stays": moves.STAYS,
    "hours": moves.HOURS,
    "zones": places.ZONES,
    "flows": moves.FLOWS,
    "jumps": moves.JUMPS,
    "entering": places.ENTERING,
    "kept": places.TOP_KEPT,
}
"""The measures that figures come from, by the names that they are compared under."""


def compare_days(made: Seen, real: Seen) -> dict[str, float]:
    """Return each of `FIGURES` of days beside real ones."""
    everybody = np.zeros(0, dtype=np.int64)

    def of(measure: Difference) -> float:
        sides = (measure.tallied(each).left_out(everybody, 0) for each in (made, real))
        return float(measure.formula(*sides)[0])

    return {name: of(measure) for name, measure in FIGURES.items()}
