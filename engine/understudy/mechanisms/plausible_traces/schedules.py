"""Schedules: what sorts of stays a day has, and when each begins, without the places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import LONGEST, Days, anchors, stays
from understudy.privacy.randomness import RandomSource
from understudy.table.positions.slots import SLOTS

NONE = -1


@dataclass(frozen=True, eq=False)
class Schedules:
    """Days without their places. Confidential where the days are real.

    Attributes:
        works: (n,) whether it is a day of somebody who has a place of work.
        sort: (n, longest) of each stay; −1 beyond the last. A day that nothing can be made of has
            none: nobody was on the map, or they had more stays than a pattern tells of.
        start: (n, longest) the slot each begins in; 72 beyond the last.
    """

    works: npt.NDArray[np.bool_]
    sort: IntArray
    start: IntArray

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.works)

    def take(self, which: IntArray | npt.NDArray[np.bool_]) -> Schedules:
        """Return some of them."""
        return Schedules(self.works[which], self.sort[which], self.start[which])

    @property
    def usable(self) -> npt.NDArray[np.bool_]:
        """(n,) whether something can be made of each."""
        return np.asarray(self.sort[:, 0] != NONE)


def schedules_of(days: Days, where: Geography) -> Schedules:
    """Return the schedule of every day, each a function of the days of its person alone.
    Confidential."""
    at = anchors(days, where.cells)
    told = stays(days, at, where.cells)
    turn = np.arange(len(told.day)) - np.searchsorted(told.day, told.day)
    short = np.bincount(told.day, minlength=len(days.cells))[told.day] <= LONGEST
    day, turn = told.day[short], turn[short]
    sort = np.full((len(days.cells), LONGEST), NONE, dtype=np.int64)
    start = np.full((len(days.cells), LONGEST), SLOTS, dtype=np.int64)
    sort[day, turn], start[day, turn] = told.sort[short], told.start[short]
    return Schedules(at.work[days.person] >= 0, sort, start)


def one_weekday(days: Days, where: Geography, source: RandomSource) -> Schedules:
    """Return the schedule of one weekday of each person, by the person's own coin. Confidential.

    All weekdays that something can be made of are as likely. Somebody without any has a schedule
    without stays.

    Args:
        days: of people.
        where: the map.
        source: of the coins; a word for each person.
    """
    every = schedules_of(days, where)
    fits = np.flatnonzero(every.usable & ~days.weekend)
    count = np.bincount(days.person[fits], minlength=days.people)
    first = np.searchsorted(days.person[fits], np.arange(days.people))
    drawn = (source.uniforms(days.people) * count).astype(np.int64)
    found = Schedules(
        np.zeros(days.people, dtype=bool),
        np.full((days.people, LONGEST), NONE, dtype=np.int64),
        np.full((days.people, LONGEST), SLOTS, dtype=np.int64),
    )
    who = np.flatnonzero(count)
    chosen = every.take(fits[(first + drawn)[who]])
    found.works[who], found.sort[who], found.start[who] = chosen.works, chosen.sort, chosen.start
    return found
