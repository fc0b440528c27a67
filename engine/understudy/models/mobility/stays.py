"""Days as stays: where somebody was for two slots or longer, and what the place is to them.

Stays are a public function of one person's days alone. The pattern of a day is the sorts of its
stays in order, such as home, work, home. The list of patterns is public: the commonest of the
simulated city. `python -m benchmarks traces` says how many of its days have one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.table.positions.slots import SLOTS

HOME, WORK, OTHER = range(3)
NIGHT: Final = slice(0, 18)
OFFICE: Final = slice(27, 51)
SHORTEST: Final = 2
_ENOUGH: Final = 0.25


@dataclass(frozen=True, eq=False)
class Days:
    """What people did, day by day. Confidential, except for made people.

    Attributes:
        cells: (days, 72) the cell of each slot; the number of cells for who is not on the map.
        weekend: (days,) whether it is a Saturday or a Sunday.
        person: (days,) whose day it is, counted from 0; rising.
    """

    cells: IntArray
    weekend: BoolArray
    person: IntArray

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.person.max(initial=-1)) + 1

    @property
    def per_person(self) -> IntArray:
        """(people,) how many days each has."""
        return np.bincount(self.person, minlength=self.people)


@dataclass(frozen=True, eq=False)
class Anchors:
    """Where somebody lives and works.

    Attributes:
        home: (people,) the cell; −1 for who was on the map in no night.
        work: (people,) the cell; −1 where there is none.
    """

    home: IntArray
    work: IntArray


@dataclass(frozen=True, eq=False)
class Stays:
    """All stays, day by day, in order.

    Attributes:
        day: (stays,) the day.
        start: (stays,) the slot that each begins in; 0 for the first of a day.
        cell: (stays,) where it is; the next one is elsewhere.
        sort: (stays,) `HOME`, `WORK` or `OTHER`.
    """

    day: IntArray
    start: IntArray
    cell: IntArray
    sort: IntArray

    @property
    def first(self) -> BoolArray:
        """(stays,) whether it is the first of its day."""
        return np.r_[True, self.day[1:] != self.day[:-1]] if len(self.day) else np.zeros(0, bool)

    @property
    def last(self) -> BoolArray:
        """(stays,) whether it is the last of its day."""
        return np.r_[self.first[1:], True] if len(self.day) else np.zeros(0, bool)

    @property
    def end(self) -> IntArray:
        """(stays,) the slot that the next one begins in; 72 for the last of a day."""
        return np.where(self.last, SLOTS, np.r_[self.start[1:], SLOTS])


def anchors(days: Days, cells: int) -> Anchors:
    """Return the home, where most night slots are spent, and the work, the place but the home where
    most office slots of weekdays are spent, where it is a quarter of them or more. Of equals, the
    lower number."""
    everyone = np.arange(days.people)
    counts = _count_slots(days, NIGHT, np.ones(len(days.cells), bool), cells)[:, :-1]
    home = np.where(counts.any(axis=1), counts.argmax(axis=1), -1)
    counts = _count_slots(days, OFFICE, ~days.weekend, cells)
    total = counts.sum(axis=1)
    # The last one is of who is not on the map, and of who has no home.
    counts[everyone, home] = 0
    counts = counts[:, :-1]
    work = counts.argmax(axis=1)
    most = counts[everyone, work]
    return Anchors(home, np.where((most > 0) & (most >= _ENOUGH * total), work, -1))


def _count_slots(days: Days, slots: slice, which: BoolArray, cells: int) -> IntArray:
    """Return (people, cells + 1) in how many slots of these days each person is in each cell, and
    off the map."""
    seen = days.cells[which][:, slots]
    keys = days.person[which][:, None] * (cells + 1) + seen
    counts = np.bincount(keys.ravel(), minlength=days.people * (cells + 1))
    return counts.reshape(days.people, cells + 1)


def stays(days: Days, at: Anchors, cells: int) -> Stays:
    """Return the stays of all days. What lies between two is the way there, or off the map; a day
    that has none on the map has no stays.

    Args:
        days: whose stays.
        at: where they live and work.
        cells: how many cells the map has.
    """
    runs = _runs(days.cells)
    return _classify_stays(runs, runs.stays(cells), days, at)


def visits(days: Days, at: Anchors, where: Geography) -> Stays:
    """Return the stays of all days, and between two of them the one slot that lies furthest off the
    way, where that makes the way longer by what people get in a slot, or more.

    Args:
        days: whose visits.
        at: where they live and work.
        where: the map.
    """
    runs = _runs(days.cells)
    kept = runs.stays(where.cells)
    return _classify_stays(runs, kept | runs.detours(kept, where), days, at)


@dataclass(frozen=True, eq=False)
class _Runs:
    """The longest runs of one cell, day by day.

    Attributes:
        day, start, cell: (runs,) of each its day, its first slot and its cell.
        length: (runs,) in slots.
    """

    day: IntArray
    start: IntArray
    cell: IntArray
    length: IntArray

    def stays(self, cells: int) -> BoolArray:
        """Return (runs,) which are stays on the map."""
        return (self.length >= SHORTEST) & (self.cell < cells)

    def detours(self, kept: BoolArray, where: Geography) -> BoolArray:
        """Return (runs,) which are furthest off the way between two kept ones of a day, and far."""
        far = np.full(len(kept), -1.0)
        stays = np.flatnonzero(kept)
        before = np.cumsum(kept) - 1
        between = np.flatnonzero(~kept & (self.cell < where.cells) & (before >= 0))
        between = between[before[between] + 1 < len(stays)]
        one, other = stays[before[between]], stays[before[between] + 1]
        same = (self.day[one] == self.day[between]) & (self.day[other] == self.day[between])
        between, one, other = between[same], one[same], other[same]
        at, first, last = self.cell[between], self.cell[one], self.cell[other]
        far[between] = where.apart[first, at] + where.apart[at, last] - where.apart[first, last]
        most = np.full(len(stays), where.km_a_slot)
        np.maximum.at(most, before[between], far[between])
        furthest = between[far[between] == most[before[between]]]
        # Of equals, the first.
        _, first_of = np.unique(before[furthest], return_index=True)
        found = np.zeros(len(kept), dtype=bool)
        found[furthest[first_of]] = True
        return found


def _classify_stays(runs: _Runs, kept: BoolArray, days: Days, at: Anchors) -> Stays:
    """Return those runs as stays; two in one cell with a way between them are one."""
    day, start, cell = runs.day[kept], runs.start[kept], runs.cell[kept]
    moved = np.r_[True, (day[1:] != day[:-1]) | (cell[1:] != cell[:-1])][: len(day)]
    day, start, cell = day[moved], start[moved], cell[moved]
    start = np.where(np.r_[True, day[1:] != day[:-1]][: len(day)], 0, start)
    person = days.person[day]
    sort = np.where(cell == at.home[person], HOME, np.where(cell == at.work[person], WORK, OTHER))
    return Stays(day, start, cell, sort)


def _runs(cells: IntArray) -> _Runs:
    begins = np.ones(cells.shape, dtype=bool)
    begins[:, 1:] = cells[:, 1:] != cells[:, :-1]
    day, start = np.nonzero(begins)
    length = np.diff(np.r_[start + day * SLOTS, len(cells) * SLOTS])
    return _Runs(day, start, cells[day, start], length)


LETTERS: Final = "HWO"
LONGEST: Final = 12
"""How many stays of a day a pattern tells of; later ones follow one another as any do."""
_LISTED: Final = """
HWH HOH H HOHOH HWOWH HWOH HOOH HOHOHOH HOHOOH HOOHOH HWHOH HWOWOH HWOOH HOWH HOHWH HOHOHOOH
HOOHOHOH HOHOOHOH HOOHOOH HWOWHOH HWOWOOH HWOHOH HOOOH HWOOOH HOWOWH HOWOH HOHOHOHOH HWHWH HOHOOOH
HOHOOHOOH HOOHOHOOH HOOOHOH HWOWOHOH HOWHOH HWOWOOOH HOOHOOHOH HOOOOH HOWOWOH HOWOOH HWOOOOH
HWOOHOH HOHOHOHOOH HOHWHOH HWHOHOH HOHWOH HWHOOH HOOHWH HOHOHWH
"""
LISTED: Final = tuple(_LISTED.split())
OTHER_PATTERN: Final = len(LISTED)
NONE: Final = -1


def sorts_of_listed() -> IntArray:
    """Return (patterns, longest) the sorts of stays of each listed pattern; −1 beyond its last."""
    found = np.full((len(LISTED), LONGEST), NONE)
    for number, text in enumerate(LISTED):
        found[number, : len(text)] = [LETTERS.index(letter) for letter in text]
    return found


def patterns_of(stays: Stays, days: int) -> list[str]:
    """Return the pattern of each day."""
    texts = np.array(list(LETTERS))[stays.sort]
    bounds = np.searchsorted(stays.day, np.arange(days + 1))
    return ["".join(texts[a:b]) for a, b in pairwise(bounds)]


def numbers(stays: Stays, days: int) -> IntArray:
    """Return (days,) the place of each day's pattern in the list; `OTHER_PATTERN` where it is
    not."""
    place = {text: number for number, text in enumerate(LISTED)}
    found = [place.get(text, OTHER_PATTERN) for text in patterns_of(stays, days)]
    return np.array(found, dtype=np.int64)
