"""Whether one release of published fakes tells that somebody was among the people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import IntArray
from understudy.models.mobility.geography import Geography
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.learning import fakes, learned
from understudy.studies.traces.fakes.naming import shows_own
from understudy.studies.traces.fakes.profiles import locations_of
from understudy.studies.traces.fakes.showing import as_days


@dataclass(frozen=True)
class Told:
    """How well somebody does who knows all people's days, and says of one person that they were
    counted where a release is in a place in which that person alone was.

    Attributes:
        hits: the share of people of whom it is said where they were counted.
        alarms: the share of whom it is said where they were not.
    """

    hits: float
    alarms: float

    @property
    def right(self) -> float:
        """The share of right answers where a coin decides who is counted; .5 is by chance."""
        return (1 + self.hits - self.alarms) / 2


def told_present(days: IntArray, where: Geography, source: RandomSource) -> Told:
    """Release a fake of each person, and once more without each of them. Whoever guesses better
    than this simple rule is right more often.

    Args:
        days: (people, 72) one day of each person; simulated or public ones, as the figures are
            internal otherwise.
        where: the map.
        source: where chance comes from.
    """
    size = locations_of(as_days(days), where)
    all_of_them = _released(days, where, size, source)
    hits, alarms = [], []
    for at, person in enumerate(days):
        others = np.delete(days, at, axis=0)
        hits.append(shows_own(others, all_of_them, person))
        alarms.append(shows_own(others, _released(others, where, size, source), person))
    return Told(float(np.mean(hits)), float(np.mean(alarms)))


def _released(days: IntArray, where: Geography, size: int, source: RandomSource) -> IntArray:
    """(people, 72) a fake of each."""
    model = learned(as_days(days), where, source, locations=size)
    return fakes(days, model, 1, source)[:, 0]
