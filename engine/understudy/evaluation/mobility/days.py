"""People's days: stays and moves in them, the study that measures are given, and uniform days as
the worst reference.

All of it is internal where the days are real.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.evaluation.intervals import BLOCKS, deal
from understudy.evaluation.measure import Role, StudyOf
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import HOME, Anchors, Days, Stays, anchors, stays
from understudy.table.positions.slots import SLOTS

# Days, and what follows from them that several measures need: stays, moves, a day in figures.
#
# All of it is internal where the days are real.


class _Moves(NamedTuple):
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


class _Runs(NamedTuple):
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
    def moves(self) -> _Moves:
        """From which cell to which people go."""
        told = self.stays
        moved = np.flatnonzero(~told.first)
        one, other = told.cell[moved - 1], told.cell[moved]
        return _Moves(
            told.day[moved],
            self.who[moved],
            one,
            other,
            told.start[moved],
            self.where.apart[one, other],
        )

    @cached_property
    def runs(self) -> _Runs:
        """The cells of each day in order, ways included."""
        cells = self.days.cells
        day, slot = np.nonzero(cells < self.where.cells)
        cell = cells[day, slot]
        new = np.r_[True, (day[1:] != day[:-1]) | (cell[1:] != cell[:-1])][: len(day)]
        day, cell = day[new], cell[new]
        return _Runs(day, cell, np.r_[True, day[1:] != day[:-1]][: len(day)])

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
    return _keep_days(seen, chosen[seen.days.person])


def first_days(seen: Seen, length: int) -> Seen:
    """Return the first days of people who have as many, renumbered; who has fewer is left out."""
    enough = seen.days.per_person >= length
    return _keep_days(seen, enough[seen.days.person] & (seen.number < length))


def _keep_days(seen: Seen, rows: BoolArray) -> Seen:
    days = seen.days
    person = np.unique(days.person[rows], return_inverse=True)[1].astype(np.int64)
    return Seen(Days(days.cells[rows], days.weekend[rows], person), seen.where)


def _most(day: IntArray, value: FloatArray, days: int) -> FloatArray:
    """Return (days,) the largest value of each day; 0 where there is none."""
    found = np.zeros(days)
    np.maximum.at(found, day, value)
    return found


# The input of measures of days: tables of as many people, each with as many days.


@dataclass(frozen=True, eq=False)
class DaysTable:
    """People's days that are measured.

    Attributes:
        name: to a reader.
        role: as of `Table`; a uniform model stands where marginals do.
        seen: the days.
    """

    name: str
    role: Role
    seen: Seen

    def __len__(self) -> int:
        """Return how many people there are."""
        return len(self.seen)


@dataclass(frozen=True, eq=False)
class DaysStudy(StudyOf[DaysTable, Seen]):
    """Everything that a measure of days may use. Confidential.

    Attributes:
        members: real people that the release was made from, as many days of each.
    """

    members: Seen

    def blocks(self, name: str, people: int, blocks: int = BLOCKS) -> IntArray:
        """Return (people,) the block that each person of a table is left out with."""
        return self.once(
            f"blocks {name} {blocks}", lambda: deal(people, self.random(f"blocks {name}"), blocks)
        )


def common_length(real: IntArray, made: int) -> int:
    """Return how many days are compared: no more than made people have, nor than half of the real
    ones.

    What is counted of a person, such as places, grows with the days, so all have equally many.

    Args:
        real: (people,) how many days each has, one or more people.
        made: of a made person.
    """
    half = -np.sort(-real)[(len(real) - 1) // 2]
    return int(min(made, half))


def cut_people(seen: Seen, length: int, most: int, random: np.random.Generator) -> Seen:
    """Return the first days of people who have as many, and of no more than so many people, chosen
    without replacement."""
    found = first_days(seen, length)
    if len(found) <= most:
        return found
    return people_of(found, random.choice(len(found), most, replace=False))


# Days of people who know nothing but the map: the worst that is acceptable.
#
# Each lives in a cell drawn evenly. A day begins and, where it is left, ends at home; between lie 0
# to `MOST_AWAY` stays, evenly as many, in cells drawn evenly, at slots drawn evenly. Nothing in it
# is learned, so that it is the same for every method and every table on one map.

MOST_AWAY: Final = 6


def uniform_days(
    where: Geography, people: int, weekend: Sequence[bool], random: np.random.Generator
) -> Days:
    """So many people, each with these days.

    Args:
        where: the map.
        people: how many.
        weekend: of each day in turn, whether it is a Saturday or a Sunday.
        random: where it is drawn from; nothing of it is released.
    """
    number = people * len(weekend)
    home = np.repeat(random.integers(0, where.cells, people), len(weekend))
    away = random.integers(0, MOST_AWAY + 1, number)
    elsewhere = random.integers(0, where.cells, (number, MOST_AWAY))
    # Of the slots after the first, the lowest few of a random order begin a stay.
    rank = random.random((number, SLOTS - 1)).argsort(axis=1).argsort(axis=1)
    begins = (rank < (away + 1)[:, None]) & (away > 0)[:, None]
    turn = np.c_[np.zeros(number, np.int64), begins.cumsum(axis=1)]
    at_home = (turn == 0) | (turn > away[:, None])
    place = np.clip(turn - 1, 0, MOST_AWAY - 1)
    cells = np.where(at_home, home[:, None], np.take_along_axis(elsewhere, place, axis=1))
    return Days(
        cells.astype(np.int64),
        np.tile(np.array(weekend, dtype=bool), people),
        np.repeat(np.arange(people), len(weekend)),
    )
