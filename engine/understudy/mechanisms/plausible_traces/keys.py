"""Days by their weekday schedules: the keys that attempts are compared by.

A key is a row of small whole numbers, a function of the schedule of the day: two keys are the same
where the rows are. What is not kept is 0 in every row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import LETTERS, LONGEST, Days, anchors, stays
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

    works: BoolArray
    sort: IntArray
    start: IntArray

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.works)

    def take(self, which: IntArray | BoolArray) -> Schedules:
        """Return some of them."""
        return Schedules(self.works[which], self.sort[which], self.start[which])

    @property
    def usable(self) -> BoolArray:
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


Keeps = Literal["outline", "pattern", "departure", "hours"]
"""What is kept: an outline of the pattern, and whether one has a place of work; the pattern; also
in which three hours one first leaves; also the hour in which every stay begins."""

KEEPS: Final[tuple[Keeps, ...]] = get_args(Keeps)
SLOTS_AN_HOUR: Final = 3
SLOTS_AWAY: Final = 9
"""How many slots are one where only the three hours of the first departure are kept."""

WORKS: Final = 0
SORTS: Final = slice(1, 1 + LONGEST)
STARTS: Final = slice(1 + LONGEST, 2 * LONGEST)
WIDTH: Final = 2 * LONGEST
CARDINALITIES: Final = np.array(
    [3, *[len(LETTERS) + 1] * LONGEST, *[SLOTS // SLOTS_AN_HOUR + 1] * (LONGEST - 1)]
)


def keys_of(told: Schedules, keeps: Keeps) -> CodeArray:
    """Return (n, WIDTH) the key of each schedule.

    The first number is 1 or 2 where it is kept whether one works; then a number for each stay, its
    sort and 1; then, for each stay after the first, the part of the day that it begins in, and 1.
    A schedule without stays has a key of zeros: nothing is made of it.
    """
    found = np.zeros((len(told), WIDTH), dtype=np.uint16)
    usable = told.usable
    if keeps == "outline":
        found[usable, WORKS] = 1 + told.works[usable]
        found[:, SORTS] = _outlines(told.sort) + 1
        return found
    found[:, SORTS] = told.sort + 1
    later = told.sort[:, 1:] != NONE
    if keeps == "hours":
        found[:, STARTS] = np.where(later, told.start[:, 1:] // SLOTS_AN_HOUR + 1, 0)
    if keeps == "departure":
        found[:, STARTS.start] = np.where(later[:, 0], told.start[:, 1] // SLOTS_AWAY + 1, 0)
    return found


def width_of_a_part(keeps: Keeps) -> int:
    """Return how many slots one kept part of the day has."""
    return SLOTS_AWAY if keeps == "departure" else SLOTS_AN_HOUR


def _outlines(sort: IntArray) -> IntArray:
    """Return (n, longest) the sorts of the outline of each pattern."""
    numbers = (sort + 1) @ (len(LETTERS) + 1) ** np.arange(LONGEST)
    _, first, of = np.unique(numbers, return_index=True, return_inverse=True)
    found = [
        sorts_of(outline("".join(LETTERS[each] for each in kind if each != NONE)))
        for kind in sort[first]
    ]
    return np.array(found, dtype=np.int64).reshape(-1, LONGEST)[of]


@cache
def outline(pattern: str) -> str:
    """Return a pattern where several stays elsewhere in a row count as one, and so do several ways
    from home, or from work, to elsewhere and back: HOOHOH and HOH are HOH. That of an outline is
    it."""
    return re.sub("(HO)+", "HO", re.sub("(WO)+", "WO", re.sub("O+", "O", pattern)))


@cache
def sorts_of(pattern: str) -> tuple[int, ...]:
    """Return the sorts of a pattern's stays, −1 beyond the last."""
    known = [LETTERS.index(letter) for letter in pattern]
    return (*known, *[NONE] * (LONGEST - len(known)))
