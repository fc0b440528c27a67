"""What a run will lose and how long it will take, as its method foresees it from public numbers.

A method that foresees what its table will lose brings a module `foresight`
(`understudy.mechanisms.companions`) with a function `stakes_of`, from a `PlannedRun` to `Stakes`;
one whose work takes long, a module `duration` with a function `seconds`, to seconds of one core of
a usual machine. Both return None where nothing is known beforehand. Neither looks at records, so
the figures cost nothing and are no secret.
"""

from __future__ import annotations

from understudy.evaluation.excess import Stakes
from understudy.mechanisms.companions import companion
from understudy.mechanisms.mechanism import PlannedRun


def foreseen_stakes(decided: PlannedRun) -> Stakes | None:
    """Return what a run's method foresees; None where it foresees nothing."""
    found = companion(decided.mechanism, "foresight")
    if found is None:
        return None
    foreseen: Stakes | None = found.stakes_of(decided)
    return foreseen


def foresee_seconds(decided: PlannedRun) -> float | None:
    """Return about how many seconds a run takes; None where its method does not say."""
    found = companion(decided.mechanism, "duration")
    seconds: float | None = None if found is None else found.seconds(decided)
    return seconds
