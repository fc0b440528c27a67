"""What made days disclose: who was counted, what a few points give away, and what tells made days
from real ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.intervals import clopper_pearson, two_groups, wilson
from understudy.evaluation.measure import FEWEST, About, BreakdownEntry, SubjectResult
from understudy.evaluation.measures.inference import attack, better_attack
from understudy.evaluation.mobility.days import DaysStudy, Seen, people_of
from understudy.evaluation.nearest import surroundings
from understudy.table.positions.slots import SLOTS

# Membership inference: telling people who were counted from others by means of made days.

NEAREST, AROUND = "nearest day", "days around"
"""The two attacks: by the distances to the nearest day, and by how many days are near."""

PEOPLE: Final = 500
DAYS_EACH: Final = 4
MOST_DAYS: Final = 10_000


@dataclass(frozen=True)
class _Membership:
    """The advantage 2a − 1 of the better of two attacks.

    An attack gives each real person a score from up to `DAYS_EACH` of their days: the mean over
    them of how few slots the nearest of the table's days is elsewhere in, or of how many of the
    table's days are near. Thresholds are found on one half of the people and tried on the other.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, SubjectResult]:
        """Return every table; parts are the attacks.

        Raises:
            Refusal: there are too few people of either kind.
        """
        sides = [
            _some_days(each, study.random("membership")) for each in counted_peers(study, PEOPLE)
        ]

        def of(name: str, seen: Seen) -> SubjectResult:
            random = study.random(f"membership, {name}")
            rows = random.permutation(len(seen.days.cells))[:MOST_DAYS]
            days = seen.days.cells[rows].astype(np.uint16)
            (near, around), (far, apart) = (_scores(*each, days) for each in sides)
            found = [attack(NEAREST, near, far), attack(AROUND, around, apart)]
            best = better_attack(found)
            return SubjectResult(best.value, best.interval, tuple(part for _, part in found))

        return study.each(lambda table: of(table.name, table.seen))


def _some_days(seen: Seen, random: np.random.Generator) -> tuple[CodeArray, IntArray]:
    """Up to `DAYS_EACH` days of each person, and whose they are."""
    shuffled = random.random(len(seen.days.cells))
    order = np.lexsort((shuffled, seen.days.person))
    person = seen.days.person[order]
    kept = np.arange(len(person)) - np.searchsorted(person, person) < DAYS_EACH
    return seen.days.cells[order[kept]].astype(np.uint16), person[kept]


def _scores(these: CodeArray, whose: IntArray, days: CodeArray) -> tuple[FloatArray, FloatArray]:
    around = surroundings(these, days)
    each = np.bincount(whose)
    nearest = np.bincount(whose, weights=around.nearest.astype(np.float64)) / each
    return -nearest, np.bincount(whose, weights=around.density) / each


MEMBERSHIP = _Membership(
    About(
        key="membership-of-people",
        name="Guessing who was counted",
        sentence=(
            "Somebody holds the table and some days of a real person, and guesses whether the "
            "person was counted from how near the table's days come to theirs: how much more often "
            "right than wrong. 0 % is a coin, 100 % is never wrong; a little less than 0 % is "
            "chance."
        ),
        low=-1.0,
        high=1.0,
        better="lower",
        group="disclosure",
        parts="attack",
        ideal=0.0,
        headline=True,
    )
)


# What a few points, or a few places, of a person give away.

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


def count_matching(points: Points, among: Seen) -> IntArray:
    """Return (people, points) how many people of a table have a day on which the first so many
    points of each person hold, all of them."""
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

    def measure(self, study: DaysStudy) -> Mapping[str, SubjectResult]:
        """Return every table; parts are by how many points are known."""

        def of(name: str, seen: Seen) -> SubjectResult:
            random = study.random(f"singled out, {name}")
            some = random.permutation(len(seen))[:MOST]
            points = points_of(people_of(seen, some), random)
            alone = count_matching(points, seen) == 1
            told = [_share(f"{place + 1}", alone[:, place]) for place in range(POINTS)]
            return SubjectResult(told[-1].value, told[-1].interval, tuple(told))

        return study.each(lambda table: of(table.name, table.seen))


@dataclass(frozen=True)
class PointsMatched:
    """How many more of the people who were counted than of those held out have some person of the
    table pass all of their points.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, SubjectResult]:
        """Return every table; parts are the two shares.

        Raises:
            Refusal: there are too few people of either kind.
        """
        members, control = counted_peers(study, MOST)
        sides = [
            points_of(each, study.random(f"points, {name}"))
            for name, each in ((MEMBERS, members), (CONTROL, control))
        ]

        def of(seen: Seen) -> SubjectResult:
            ours, theirs = (count_matching(each, seen)[:, -1] > 0 for each in sides)
            return _difference(ours, theirs)

        return study.each(lambda table: of(table.seen))


@dataclass(frozen=True)
class TopPairs:
    """How many more of the people who were counted than of those held out have their two main
    places, home and work for most, in common with some person of the table.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, SubjectResult]:
        """Return every table; parts are the two shares.

        Raises:
            Refusal: there are too few people of either kind.
        """
        sides = [top_pairs(each) for each in counted_peers(study, MOST)]

        def of(seen: Seen) -> SubjectResult:
            there = top_pairs(seen)
            ours, theirs = (np.isin(each, there[there >= 0]) for each in sides)
            return _difference(ours, theirs)

        return study.each(lambda table: of(table.seen))


def top_pairs(seen: Seen) -> IntArray:
    """Return (people,) a number for the two cells that each spends most time in, in either order;
    of equals, those of lower number. −1 for who has stays in fewer than two."""
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


def counted_peers(study: DaysStudy, most: int) -> tuple[Seen, Seen]:
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


def _difference(members: BoolArray, control: BoolArray) -> SubjectResult:
    """Return what is true of members, less what is true of the control, with Newcombe's
    interval."""
    counts = int(members.sum()), len(members), int(control.sum()), len(control)
    parts = tuple(
        BreakdownEntry((name,), float(each.mean()), wilson(int(each.sum()), len(each)))
        for name, each in ((MEMBERS, members), (CONTROL, control))
    )
    return SubjectResult(float(members.mean() - control.mean()), two_groups(*counts), parts)


def _share(name: str, yes: BoolArray) -> BreakdownEntry:
    return BreakdownEntry((name,), float(yes.mean()), clopper_pearson(int(yes.sum()), len(yes)))


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
        headline=True,
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
        headline=True,
    )
)


# How often a forest tells a day of a table from one of a held-out person.

MOST_TOLD_APART: Final = 3_000
"""So many days of either side are enough."""


@dataclass(frozen=True)
class ToldApart:
    """How often a forest is right, on days of people it has not learned from.

    One day of each person is looked at, drawn at random, so that no person is on both sides. Half
    of the days of each table are learned from.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, SubjectResult]:
        """Return every table.

        Raises:
            Refusal: there are too few people to tell apart.
        """
        if min([len(study.held_out), *map(len, study.tables)]) < FEWEST:
            raise Refusal(
                f"There are fewer than {FEWEST} people to tell from others.",
                "Use a larger table, or hold out a larger share of it.",
            )
        real = one_day_each(study.held_out, study.random("telling, held out"))
        seed = int(study.random("telling").integers(2**31))

        def of(name: str, seen: Seen) -> SubjectResult:
            made = one_day_each(seen, study.random(f"telling, {name}"))
            right, tried = told_apart(made, real, seed)
            return SubjectResult(right / tried, clopper_pearson(right, tried))

        return study.each(lambda table: of(table.name, table.seen))


def one_day_each(seen: Seen, random: np.random.Generator) -> FloatArray:
    """Return (people, 11) the features of a day of each person."""
    each = seen.days.per_person
    begins = np.cumsum(each) - each
    found: FloatArray = seen.features[begins + (random.random(len(each)) * each).astype(np.int64)]
    return found


def told_apart(one: FloatArray, other: FloatArray, seed: int) -> tuple[int, int]:
    """Return how often a forest rightly says which of two tables a day is from, and of how many.

    Args:
        one, other: (days, features) of either, of which as many are looked at.
        seed: where chance begins.
    """
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(seed)
    size = min(len(one), len(other), MOST_TOLD_APART)
    days = np.concatenate([random.permutation(each)[:size] for each in (one, other)])
    which = np.repeat([0, 1], size)
    order = random.permutation(2 * size)
    forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=seed)
    model = forest.fit(days[order[:size]], which[order[:size]])
    right = model.predict(days[order[size:]]) == which[order[size:]]
    return int(right.sum()), len(right)


TOLD_APART = ToldApart(
    About(
        key="days-told-apart",
        name="Days told from real ones",
        sentence=(
            "Shown a day of the table or of a held-out person, by a coin, how often a forest of "
            "decision trees is right which it is. A coin is right half of the time."
        ),
        low=0,
        high=1,
        better="lower",
        group="distinguishing",
        ideal=0.5,
        headline=True,
    )
)
