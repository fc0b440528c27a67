"""How much of what there is to keep a run's table will lose, as its method foresees it.

A method that foresees it brings a module `foresight` (`understudy.mechanisms.companions`) with a
function `stakes_of`, from a `PlannedRun` to `Stakes`, or None where nothing is known beforehand.
Public numbers only.
"""

from __future__ import annotations

from understudy.evaluation.stakes import Stakes
from understudy.mechanisms.companions import companion
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.registry import mechanism_of


def foreseen_stakes(decided: PlannedRun) -> Stakes | None:
    """Return what a run's method foresees; None where it foresees nothing."""
    found = companion(mechanism_of(decided.plan), "foresight")
    if found is None:
        return None
    foreseen: Stakes | None = found.stakes_of(decided)
    return foreseen
