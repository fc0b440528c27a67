"""How much further off than other real records a run's table will be, as its method foresees it.

A method that foresees it brings a module `foresight` (`engine.mechanisms.companions`) with a
function `excess_foreseen`, from a `PlannedRun` to an `Excess`, or None where nothing is known
beforehand. Public numbers only.
"""

from __future__ import annotations

from engine.evaluation.excess import Excess
from engine.mechanisms.companions import companion
from engine.mechanisms.planned_run import PlannedRun
from engine.mechanisms.registry import mechanism_of


def excess_foreseen(decided: PlannedRun) -> Excess | None:
    """What a run's method foresees; None where it foresees nothing."""
    found = companion(mechanism_of(decided.plan), "foresight")
    if found is None:
        return None
    foreseen: Excess | None = found.excess_foreseen(decided)
    return foreseen
