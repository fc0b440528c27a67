"""Days, and what follows from them that several measures need: stays, moves, a day in figures.

All of it is internal where the days are real.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import HOME, Anchors, Days, Stays, anchors, stays
from understudy.table.positions.slots import SLOTS


class Moves(NamedTuple):
    """Moves between stays of one day, each from a cell to another.

    Attributes:
        day: (moves,) the day.
        person: (moves,) who moves.
        before, after: (moves,) the cells.
        arrives: (moves,) the slot in which the later stay begins.
        km: (moves,) how far apart the middles of both cells are.
    """

    day: IntArray
    person: IntArray
    before: IntArray
    after: IntArray
    arrives: IntArray
    km: FloatArray


class Runs(NamedTuple):
    """Of each day, the cells that follow one another, where somebody is on the map.

    Attributes:
        day: (runs,) the day; a day that is spent off the map has none.
        cell: (runs,) where; the next one of a day is elsewhere.
        first: (runs,) whether it is the first of its day.
    """

    day: IntArray
    cell: IntArray
    first: BoolArray


@dataclass(frozen=True, eq=False)
class Seen:
    """Days, and what is measured of them.

    Attributes:
        days: them.
        where: the map.
    """

    days: Days
    where: Geography

    def __len__(self) -> int:
        """Return how many people there are."""
        return self.days.people

    @cached_property
    def at(self) -> Anchors:
        """Where they live and work."""
        return anchors(self.days, self.where.cells)

    @cached_property
    def stays(self) -> Stays:
        """Their stays."""
        return stays(self.days, self.at, self.where.cells)

    @cached_property
    def who(self) -> IntArray:
        """(stays,) whose each stay is."""
        return self.days.person[self.stays.day]

    @cached_property
    def number(self) -> IntArray:
        """(days,) which of a person's days each is, from 0."""
        person = self.days.person
        found: IntArray = np.arange(len(person)) - np.searchsorted(person, person)
        return found

    @cached_property
    def moves(self) -> Moves:
        """From which cell to which people go."""
        told = self.stays
        moved = np.flatnonzero(~told.first)
        one, other = told.cell[moved - 1], told.cell[moved]
        return Moves(
            told.day[moved],
            self.who[moved],
            one,
            other,
            told.start[moved],
            self.where.apart[one, other],
        )

    @cached_property
    def runs(self) -> Runs:
        """The cells of each day in order, ways included."""
        cells = self.days.cells
        day, slot = np.nonzero(cells < self.where.cells)
        cell = cells[day, slot]
        new = np.r_[True, (day[1:] != day[:-1]) | (cell[1:] != cell[:-1])][: len(day)]
        day, cell = day[new], cell[new]
        return Runs(day, cell, np.r_[True, day[1:] != day[:-1]][: len(day)])

    @cached_property
    def features(self) -> FloatArray:
        """(days, 11) what a classifier sees of a day: stays, first departure, last arrival, way,
        longest move, time at home, whether home at noon, cells, longest and mean time elsewhere,
        radius of gyration."""
        told, days, count = self.stays, self.days, len(self.days.cells)
        moves = self.moves
        lasts, away = told.end - told.start, told.sort != HOME
        home = self.at.home[days.person]
        left = np.full(count, float(SLOTS))
        begins = told.first & ~told.last
        left[told.day[begins]] = told.end[begins]
        back = np.zeros(count)
        back[told.day[told.last]] = told.start[told.last]
        elsewhere = np.bincount(told.day[away], minlength=count)
        time_away = np.bincount(told.day[away], weights=lasts[away], minlength=count)
        kinds = np.sort(days.cells, axis=1)
        return np.column_stack(
            [
                np.bincount(told.day, minlength=count),
                left,
                back,
                np.bincount(moves.day, weights=moves.km, minlength=count),
                _most(moves.day, moves.km, count),
                (days.cells == home[:, None]).sum(axis=1),
                days.cells[:, SLOTS // 2] == home,
                1 + (kinds[:, 1:] != kinds[:, :-1]).sum(axis=1),
                _most(told.day[away], lasts[away].astype(np.float64), count),
                time_away / np.maximum(1, elsewhere),
                self._gyration(),
            ]
        ).astype(np.float64)

    def _gyration(self) -> FloatArray:
        inside = np.minimum(self.days.cells, self.where.cells - 1)
        at = self.where.middles[inside]
        found: FloatArray = np.sqrt(
            ((at - at.mean(axis=1, keepdims=True)) ** 2).sum(-1).mean(axis=1)
        )
        return found


def people_of(seen: Seen, which: IntArray) -> Seen:
    """Return some of the people with all of their days, renumbered in their order.

    Args:
        seen: everybody.
        which: their numbers, each once.
    """
    chosen = np.zeros(len(seen), dtype=bool)
    chosen[which] = True
    return _kept(seen, chosen[seen.days.person])


def first_days(seen: Seen, length: int) -> Seen:
    """Return the first days of people who have as many, renumbered; who has fewer is left out."""
    enough = seen.days.per_person >= length
    return _kept(seen, enough[seen.days.person] & (seen.number < length))


def _kept(seen: Seen, rows: BoolArray) -> Seen:
    days = seen.days
    person = np.unique(days.person[rows], return_inverse=True)[1].astype(np.int64)
    return Seen(Days(days.cells[rows], days.weekend[rows], person), seen.where)


def _most(day: IntArray, value: FloatArray, days: int) -> FloatArray:
    """(days,) the largest value of each day; 0 where there is none."""
    found = np.zeros(days)
    np.maximum.at(found, day, value)
    return found
