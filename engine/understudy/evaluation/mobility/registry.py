"""All measures of people's days, in the order in which they are shown. Cheap to import."""

from __future__ import annotations

from typing import Final

from understudy.evaluation.measure import Measure
from understudy.evaluation.mobility.measures import (
    lives,
    membership,
    moves,
    peers,
    places,
    reidentification,
    telling,
)
from understudy.evaluation.mobility.study import DaysStudy

MEASURES: Final[tuple[Measure[DaysStudy], ...]] = (
    *places.EVERY,
    *moves.EVERY,
    *lives.EVERY,
    reidentification.SINGLED_OUT,
    *peers.EVERY,
    telling.MEASURE,
    reidentification.POINTS_MATCHED,
    reidentification.TOP_PAIRS,
    membership.MEASURE,
)
"""Group by group, of methods that make people's days."""
