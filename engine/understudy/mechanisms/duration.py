"""How long a run takes, as its method foresees it from public numbers.

A method whose work takes long has a module `duration` (`understudy.mechanisms.companions`) with a
function `seconds`, from a planned run to seconds of one core of a usual machine, or None where
nothing is known beforehand. No record is looked at, so what is said costs nothing and is no secret.
"""

from __future__ import annotations

from understudy.mechanisms.companions import companion
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.registry import mechanism_of


def foresee_seconds(decided: PlannedRun) -> float | None:
    """Return about how many seconds a run takes; None where its method does not say."""
    found = companion(mechanism_of(decided.plan), "duration")
    seconds: float | None = None if found is None else found.seconds(decided)
    return seconds
