"""A town of two cells, in which everything that people do and everything that can be made of it is
written out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.mechanisms.plausible_traces.conditionals import Drafts, bounds
from understudy.mechanisms.plausible_traces.keys import (
    STARTS,
    WORKS,
    Codes,
    Keeps,
    keys_of,
    width_of_a_part,
)
from understudy.mechanisms.plausible_traces.proposing import KeptSchedules, written
from understudy.mechanisms.plausible_traces.schedules import NONE, schedules_of
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import LONGEST, OTHER, OTHER_PATTERN, WORK, Days
from understudy.models.mobility.tables import added_up, deviations
from understudy.table.positions.slots import SLOTS

TOWN: Final = Geography(rows=1, columns=2, zones=1)

Person = Sequence[int]
"""Somebody's weekdays, each by its place among `KINDS`."""


def _day(*arrivals: tuple[int, int]) -> IntArray:
    row = np.zeros(SLOTS, dtype=np.int64)
    for slot, cell in arrivals:
        row[slot:] = cell
    return row


KINDS: Final = (
    _day((0, 0)),
    _day((0, 0), (30, 1), (36, 0)),
    _day((0, 0), (31, 1), (37, 0)),
    _day((0, 0), (33, 1), (57, 0)),
    _day((0, 1)),
    # Off the map all day: nothing can be made of it.
    _day((0, 2)),
)
"""At home; three times out and back, of which the first two are alike by the hour; at home in the
other cell; away."""


def days_of_people(people: Sequence[Person]) -> Days:
    """Return their days."""
    rows = [KINDS[kind] for person in people for kind in person]
    person = np.repeat(np.arange(len(people)), [len(each) for each in people])
    cells = np.array(rows, dtype=np.int64).reshape(-1, SLOTS)
    return Days(cells, np.zeros(len(rows), dtype=bool), person)


@cache
def keys_of_person(person: tuple[int, ...], keeps: Keeps) -> Codes:
    """(days, WIDTH) the keys of somebody's days, one of which is drawn by their own coin."""
    told = schedules_of(days_of_people([person]), TOWN)
    usable = told.take(told.usable)
    return keys_of(usable if len(usable) else told.take(np.array([0])), keeps)


@cache
def law() -> Law:
    """Return the law of a few people of the town, as it follows from their tables."""
    people = [(0, 0, 1), (1, 2, 1), (3, 3, 0), (4, 4, 4), (0, 3, 1)]
    exact = added_up(days_of_people(people), TOWN)
    return fit_law(exact, deviations(TOWN, 1.0), TOWN)


@dataclass(frozen=True, eq=False)
class Universe:
    """Every candidate of some keys.

    Attributes:
        keys: (kinds, WIDTH).
        codes: (Y, CANDIDATE) the candidates.
        kind: (Y,) the place of the key of each among `keys`.
        chance: (Y,) c(y).
    """

    keys: Codes
    codes: Codes
    kind: IntArray
    chance: FloatArray


@cache
def universe(keeps: Keeps) -> Universe:
    """Return every candidate of the keys that days of `KINDS` have, of people of all kinds."""
    people = [(kind,) for kind in range(len(KINDS))]
    found = np.concatenate([keys_of_person(person, keeps) for person in people])
    keys = np.unique(found[found.any(axis=1)], axis=0)
    model = KeptSchedules(law(), keeps)
    codes = [np.concatenate(list(_candidates(key, keeps))) for key in keys]
    every = np.concatenate(codes)
    kind = np.repeat(np.arange(len(keys)), [len(each) for each in codes])
    return Universe(keys, every, kind, np.exp(model.log_chance(every)))


def _candidates(key: Codes, keeps: Keeps) -> Iterator[Codes]:
    """Yield all candidates of a key that is not an outline."""
    sort = np.full(LONGEST, NONE, dtype=np.int64)
    sort[:] = key[1 : 1 + LONGEST].astype(np.int64) - 1
    stays = int((sort != NONE).sum())
    low, high = bounds(sort[None], key[None, STARTS].astype(np.int64), width_of_a_part(keeps))
    slots = [range(int(low[0, at]), int(high[0, at]) + 1) for at in range(1, stays)]
    starts = [each for each in itertools.product(*slots) if _apart((0, *each))]
    works = range(2) if not key[WORKS] else (int(key[WORKS]) - 1,)
    others = np.flatnonzero(sort == OTHER)
    for at_work, home in itertools.product(works, range(2)):
        for work in range(2) if at_work else (0,):
            for cells in itertools.product(range(2), repeat=len(others)):
                found = Drafts.blank(len(starts))
                found.works[:], found.pattern[:], found.sort[:] = at_work, OTHER_PATTERN, sort
                found.home[:], found.work[:] = home, work
                found.start[:, 1:stays] = np.array(starts).reshape(len(starts), stays - 1)
                found.cell[:, others] = cells
                if at_work or WORK not in sort:
                    yield written(found)


def _apart(starts: tuple[int, ...]) -> bool:
    return all(after - before >= 2 for before, after in itertools.pairwise(starts))
