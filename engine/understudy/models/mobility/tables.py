"""Tables of people: for each table a vector a person, of bounded length, and the noise on their
sum.

A person adds to each table the mean of their days' counts, scaled down if it is longer than the
table's clip (in the Euclidean norm), in whole units of a 1,024th, cut towards zero. So one person
with all of their days changes a table by no more than its clip, whoever else is there. The noise is
a discrete Gaussian on every cell of every table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.geography import BINS, Geography
from understudy.models.mobility.stays import (
    HOME,
    OTHER,
    OTHER_PATTERN,
    WORK,
    Anchors,
    Days,
    Stays,
    anchors,
    numbers,
    visits,
)
from understudy.privacy.noise import Noise
from understudy.table.positions.slots import SLOTS

UNITS: Final = 1024
CONTEXTS: Final = 3
WORKDAY, WEEKDAY, WEEKEND = range(CONTEXTS)
PERIODS: Final = 4
HOURS: Final = 24
SORTS: Final = 3
LENGTHS: Final = np.array([*range(1, 13), *range(14, 37, 2), 42, 48, 60])
"""The least slots of each class of durations but the first, in which nothing lies below."""
DURATIONS: Final = len(LENGTHS)
STATES: Final = 5
"""Sorts of stays whose durations, and what follows them, are told apart: home, work, and elsewhere
from home, from work and from elsewhere."""

OUTINGS: Final = 4
FROM_HOME, BACK_TO_WORK, FROM_WORK, FROM_ELSEWHERE = range(OUTINGS)
"""How people come to be elsewhere: from home, from work and back to it, from work, from another
place that is neither."""


@dataclass(frozen=True)
class TableOf:
    """One table.

    Attributes:
        name: what it counts.
        cells: how many cells it has.
        clip: C, the longest vector that one person adds.
        share: of ρ.
    """

    name: str
    cells: int
    clip: float
    share: float


def layout(where: Geography) -> tuple[TableOf, ...]:
    """Return the tables over a map, in the order in which they are counted. Public."""
    cells, zones = where.cells, where.zones**2
    times = CONTEXTS * SLOTS + STATES * PERIODS * DURATIONS + STATES * HOURS * SORTS
    return (
        TableOf("home cells", cells, 1.0, 0.28),
        TableOf("home zones", zones, 1.0, 0.08),
        TableOf("work cells", cells, 1.0, 0.12),
        TableOf("work zones", zones, 1.0, 0.05),
        TableOf("commute", BINS + 1, 1.0, 0.03),
        TableOf("other cells", cells, 0.65, 0.09),
        TableOf("other zones", zones, 0.8, 0.04),
        TableOf("from the last place", OUTINGS * BINS, 0.8, 0.05),
        TableOf("from home", BINS, 0.8, 0.02),
        TableOf("patterns", CONTEXTS * (OTHER_PATTERN + 1), 0.6, 0.09),
        TableOf("times", times, 1.3, 0.13),
        TableOf("returns", 2, 1.0, 0.02),
    )


@dataclass(frozen=True, eq=False)
class TableEntries:
    """The entries of one table before they are added up.

    Attributes:
        person: (entries,) who adds it.
        cell: (entries,) where.
        value: (entries,) how much.
    """

    person: IntArray
    cell: IntArray
    value: FloatArray


def added_up(days: Days, where: Geography) -> dict[str, IntArray]:
    """Return each table, (cells,) in units. Confidential."""
    return {
        table.name: sum_entries(each, table, days.people)
        for table, each in zip(layout(where), count_entries(days, where), strict=True)
    }


def sum_entries(entries: TableEntries, table: TableOf, people: int) -> IntArray:
    """Return (cells,) what everybody adds to a table, in units. Confidential.

    Args:
        entries: what is counted of whom.
        table: where it goes, and its clip.
        people: how many people there are.
    """
    keys = entries.person * table.cells + entries.cell
    places, inverse = np.unique(keys, return_inverse=True)
    values = np.bincount(inverse, weights=entries.value, minlength=len(places))
    person, cell = np.divmod(places, table.cells)
    lengths = np.sqrt(np.bincount(person, weights=values**2, minlength=people))
    # A hair below the clip, which rounding in the square root cannot make up for.
    scale = np.minimum(1.0, table.clip * (1 - 1e-9) / np.maximum(lengths, 1e-12))
    units = np.floor(values * scale[person] * UNITS).astype(np.int64)
    found: IntArray = np.zeros(table.cells, dtype=np.int64)
    np.add.at(found, cell, units)
    return found


def count_entries(days: Days, where: Geography) -> Iterator[TableEntries]:
    """Yield the entries of each table of `layout`, in its order. Confidential."""
    at = anchors(days, where.cells)
    told = visits(days, at, where)
    yield from _count_anchors(days, at, where)
    yield from _elsewhere(days, told, at, where)
    yield _patterns(days, told, at)
    yield _times(days, told, at)
    yield _returns(days, told)


def _count_anchors(days: Days, at: Anchors, where: Geography) -> Iterator[TableEntries]:
    at_home, at_work = np.flatnonzero(at.home >= 0), np.flatnonzero(at.work >= 0)
    for people, cells in ((at_home, at.home[at_home]), (at_work, at.work[at_work])):
        yield TableEntries(people, cells, np.ones(len(people)))
        yield TableEntries(people, where.zone[cells], np.ones(len(people)))
    homes, works = at.home[at_home], at.work[at_home]
    commute = np.where(works >= 0, where.bin[homes, works], BINS)
    yield TableEntries(at_home, commute, np.ones(len(at_home)))


def _elsewhere(days: Days, told: Stays, at: Anchors, where: Geography) -> Iterator[TableEntries]:
    other = told.sort == OTHER
    person, cell = days.person[told.day], told.cell
    each_day = (1 / days.per_person)[person]
    yield TableEntries(person[other], cell[other], each_day[other])
    yield TableEntries(person[other], where.zone[cell[other]], each_day[other])
    before = np.r_[0, cell[:-1]]
    moved = other & ~told.first
    after = np.where(told.last, HOME, np.r_[told.sort[1:], HOME])
    kind = outing(np.r_[HOME, told.sort[:-1]], after)
    distance = kind[moved] * BINS + where.bin[before[moved], cell[moved]]
    yield TableEntries(person[moved], distance, each_day[moved])
    # Of who sets out from home, the last place has told it.
    lives = moved & (kind != FROM_HOME) & (at.home[person] >= 0)
    yield TableEntries(
        person[lives], where.bin[at.home[person[lives]], cell[lives]], each_day[lives]
    )


def outing(before: IntArray, after: IntArray) -> IntArray:
    """Return (stays,) how people come to be elsewhere, by the sorts of the stays before and
    after."""
    from_work = np.where(after == WORK, BACK_TO_WORK, FROM_WORK)
    found: IntArray = np.choose(
        before, [np.full_like(before, FROM_HOME), from_work, FROM_ELSEWHERE]
    )
    return found


def contexts(days: Days, at: Anchors) -> IntArray:
    """Return (days,) of each day whether it is a weekday of somebody with a place of work, another
    weekday, or at the weekend."""
    works = at.work[days.person] >= 0
    return np.where(days.weekend, WEEKEND, np.where(works, WORKDAY, WEEKDAY))


def _patterns(days: Days, told: Stays, at: Anchors) -> TableEntries:
    cell = contexts(days, at) * (OTHER_PATTERN + 1) + numbers(told, len(days.cells))
    return TableEntries(days.person, cell, (1 / days.per_person)[days.person])


def state(sort: IntArray, before: IntArray) -> IntArray:
    """Return (stays,) which of `STATES` each is, by its sort and that of the stay before it."""
    found: IntArray = np.where(sort == OTHER, OTHER + before, sort)
    return found


def period(slot: IntArray) -> IntArray:
    """Return the quarter of the waking day that a slot lies in: to 9, to 13, to 17, later."""
    return np.searchsorted(np.array([27, 39, 51]), slot, side="right")


def _times(days: Days, told: Stays, at: Anchors) -> TableEntries:
    """Return first departures, durations of later stays, and what sort of stay follows at which
    hour."""
    person, each_day = days.person[told.day], (1 / days.per_person)[days.person[told.day]]
    leaves = told.first & ~told.last
    departures = contexts(days, at)[told.day] * SLOTS + told.end
    stays_on = ~told.first & ~told.last
    before = np.where(told.first, HOME, np.r_[HOME, told.sort[:-1]])
    length = np.searchsorted(LENGTHS, told.end - told.start, side="right") - 1
    after = np.r_[told.sort[1:], HOME]
    own = state(told.sort, before)
    kept = (own * PERIODS + period(told.start)) * DURATIONS + length
    hour = np.minimum(told.end // 3, HOURS - 1)
    follows = (own * HOURS + hour) * SORTS + after
    first, second = CONTEXTS * SLOTS, STATES * PERIODS * DURATIONS
    moves = ~told.last
    return TableEntries(
        np.concatenate([person[leaves], person[stays_on], person[moves]]),
        np.concatenate(
            [departures[leaves], first + kept[stays_on], first + second + follows[moves]]
        ),
        np.concatenate([each_day[leaves], each_day[stays_on], each_day[moves]]),
    )


def _returns(days: Days, told: Stays) -> TableEntries:
    """Return whether a stay elsewhere on a later day is in a cell of an earlier stay elsewhere."""
    other = np.flatnonzero(told.sort == OTHER)
    person, cell, day = days.person[told.day[other]], told.cell[other], told.day[other]
    keys = person * (cell.max(initial=0) + 1) + cell
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    begins = np.searchsorted(days.person, np.arange(days.people))
    later = day > begins[person]
    new = first[inverse] == np.arange(len(other))
    each = (1 / days.per_person)[person]
    return TableEntries(person[later], new[later].astype(np.int64), each[later])


def table_deviations(where: Geography, rho: float) -> Mapping[str, float]:
    """Return σ_k = C_k / √(2 s_k ρ) of the noise on each cell of each table, in people, so that all
    tables together are ρ-zCDP for one person with all of their days."""
    return {table.name: table.clip / math.sqrt(2 * table.share * rho) for table in layout(where)}


def noisy_tables(days: Days, where: Geography, rho: float, noise: Noise) -> dict[str, IntArray]:
    """Return each table of `layout`, (cells,) in units, with noise. May be published at that ρ."""
    sigma = table_deviations(where, rho)
    return {
        name: noise.gaussians(exact, sigma[name] * UNITS)
        for name, exact in added_up(days, where).items()
    }
