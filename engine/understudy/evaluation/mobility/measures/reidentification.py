"""What a few points, or a few places, of a person give away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.differences import two_groups, wilson
from understudy.evaluation.finding import Measured, Part
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measure import About
from understudy.evaluation.mobility.seen import Seen, people_of
from understudy.evaluation.mobility.study import DaysStudy
from understudy.evaluation.study import FEWEST
from understudy.table.positions.slots import SLOTS

MEMBERS, CONTROL = "people who were counted", "held-out people"
"""The two kinds of real people that parts are about."""

POINTS: Final = 4
"""So many points of a mobile phone tell most people apart (de Montjoye and others, 2013)."""

MOST: Final = 1_000
"""Of so many people at most the points are tried."""


@dataclass(frozen=True, eq=False)
class Points:
    """What somebody knows of people: of each, where they were in some slots of one day.

    Attributes:
        slot: (people, points) the slots, each once.
        cell: (people, points) the cells.
    """

    slot: IntArray
    cell: IntArray


def points_of(seen: Seen, random: np.random.Generator) -> Points:
    """Of each person `POINTS` slots of one day, drawn evenly."""
    each = seen.days.per_person
    day = np.cumsum(each) - each + (random.random(len(each)) * each).astype(np.int64)
    slot = random.random((len(each), SLOTS)).argsort(axis=1)[:, :POINTS]
    return Points(slot, seen.days.cells[day[:, None], slot])


def matched(points: Points, among: Seen) -> IntArray:
    """(people, points) how many people of a table have a day on which the first so many points of
    each person hold, all of them."""
    by_slot = np.ascontiguousarray(among.days.cells.T)
    person = among.days.person
    found = np.zeros(points.slot.shape, dtype=np.int64)
    for row, (slots, cells) in enumerate(zip(points.slot, points.cell, strict=True)):
        days = np.arange(len(person))
        for place, (slot, cell) in enumerate(zip(slots, cells, strict=True)):
            days = days[by_slot[slot, days] == cell]
            found[row, place] = len(np.unique(person[days]))
    return found


@dataclass(frozen=True)
class SingledOut:
    """How many people are alone in their own table with `POINTS` random points of a day.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, Measured]:
        """Return every table; parts are by how many points are known."""

        def of(name: str, seen: Seen) -> Measured:
            random = study.random(f"singled out, {name}")
            some = random.permutation(len(seen))[:MOST]
            points = points_of(people_of(seen, some), random)
            alone = matched(points, seen) == 1
            told = [_share(f"{place + 1}", alone[:, place]) for place in range(POINTS)]
            return Measured(told[-1].value, told[-1].interval, tuple(told))

        return study.each(lambda table: of(table.name, table.seen))


@dataclass(frozen=True)
class PointsMatched:
    """How many more of the people who were counted than of those held out have some person of the
    table pass all of their points.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, Measured]:
        """Return every table; parts are the two shares.

        Raises:
            Refusal: there are too few people of either kind.
        """
        members, control = peers(study, MOST)
        sides = [
            points_of(each, study.random(f"points, {name}"))
            for name, each in ((MEMBERS, members), (CONTROL, control))
        ]

        def of(seen: Seen) -> Measured:
            ours, theirs = (matched(each, seen)[:, -1] > 0 for each in sides)
            return difference(ours, theirs)

        return study.each(lambda table: of(table.seen))


@dataclass(frozen=True)
class TopPairs:
    """How many more of the people who were counted than of those held out have their two main
    places, home and work for most, in common with some person of the table.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, Measured]:
        """Return every table; parts are the two shares.

        Raises:
            Refusal: there are too few people of either kind.
        """
        sides = [top_pairs(each) for each in peers(study, MOST)]

        def of(seen: Seen) -> Measured:
            there = top_pairs(seen)
            ours, theirs = (np.isin(each, there[there >= 0]) for each in sides)
            return difference(ours, theirs)

        return study.each(lambda table: of(table.seen))


def top_pairs(seen: Seen) -> IntArray:
    """(people,) a number for the two cells that each spends most time in, in either order; of
    equals, those of lower number. −1 for who has stays in fewer than two."""
    told, cells = seen.stays, seen.where.cells
    keys, inverse = np.unique(seen.who * cells + told.cell, return_inverse=True)
    time = np.bincount(inverse, weights=told.end - told.start, minlength=len(keys))
    person, cell = np.divmod(keys, cells)
    order = np.lexsort((cell, -time, person))
    person, cell = person[order], cell[order]
    rank = np.arange(len(person)) - np.searchsorted(person, person)
    two = np.full((len(seen), 2), -1, dtype=np.int64)
    top = rank < two.shape[1]
    two[person[top], rank[top]] = cell[top]
    found: IntArray = np.where(two[:, 1] >= 0, two.min(axis=1) * cells + two.max(axis=1), -1)
    return found


def peers(study: DaysStudy, most: int) -> tuple[Seen, Seen]:
    """As many people who were counted as were held out, at most so many, in random order.

    Raises:
        Refusal: there are too few of either.
    """
    size = min(len(study.members), len(study.held_out), most)
    if size < FEWEST:
        raise Refusal(
            f"There are fewer than {FEWEST} people who were counted, or held out, to compare.",
            "Use a larger table, or hold out a larger share of it.",
            field="held_out",
        )

    def make() -> tuple[Seen, Seen]:
        random = study.random(f"peers {most}")
        sides = study.members, study.held_out
        one, other = (people_of(each, random.permutation(len(each))[:size]) for each in sides)
        return one, other

    return study.once(f"peers {most}", make)


def difference(members: BoolArray, control: BoolArray) -> Measured:
    """Return what is true of members, less what is true of the control, with Newcombe's
    interval."""
    counts = int(members.sum()), len(members), int(control.sum()), len(control)
    parts = tuple(
        Part((name,), float(each.mean()), wilson(int(each.sum()), len(each)))
        for name, each in ((MEMBERS, members), (CONTROL, control))
    )
    return Measured(float(members.mean() - control.mean()), two_groups(*counts), parts)


def _share(name: str, yes: BoolArray) -> Part:
    return Part((name,), float(yes.mean()), clopper_pearson(int(yes.sum()), len(yes)))


SINGLED_OUT = SingledOut(
    About(
        key="singled-out",
        name="Singled out by four points",
        sentence=(
            "Somebody knows where a person of the table was at four random times of one day: how "
            "often nobody else of the table fits. It says how alike people are to one another, as "
            "real ones are or not."
        ),
        low=0,
        high=1,
        better="as real",
        group="lives",
        parts="number of points",
        source="de Montjoye, Hidalgo, Verleysen and Blondel, Scientific Reports 2013",
    )
)

POINTS_MATCHED = PointsMatched(
    About(
        key="points-matched",
        name="Points found in the table",
        sentence=(
            "Somebody knows where a real person was at four random times of one day, and looks for "
            "a day of the table that fits: how much more often one is found for people who were "
            "counted than for people who had no part in it."
        ),
        low=-1,
        high=1,
        better="lower",
        group="disclosure",
        parts="real people",
        ideal=0.0,
    )
)

TOP_PAIRS = TopPairs(
    About(
        key="top-places-found",
        name="Two main places found",
        sentence=(
            "Somebody knows the two cells where a real person spends most time, and looks for a "
            "person of the table with the same two: how much more often one is found for people "
            "who were counted than for people who had no part in it."
        ),
        low=-1,
        high=1,
        better="lower",
        group="disclosure",
        parts="real people",
        source="Golle and Partridge, Pervasive 2009 (home and work)",
        ideal=0.0,
    )
)
