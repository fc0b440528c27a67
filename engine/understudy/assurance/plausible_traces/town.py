"""A town of two cells, and the exact law of attempts over its people and their coins."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.mechanisms.plausible_traces.attempts import KeptSchedules, Seeds, encode_candidates
from understudy.mechanisms.plausible_traces.conditionals import Drafts, slot_bounds
from understudy.mechanisms.plausible_traces.keys import (
    NONE,
    STARTS,
    WORKS,
    Keeps,
    keys_of,
    schedules_of,
    width_of_a_part,
)
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import LONGEST, OTHER, OTHER_PATTERN, WORK, Days
from understudy.models.mobility.tables import added_up, table_deviations
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
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
def keys_of_person(person: tuple[int, ...], keeps: Keeps) -> CodeArray:
    """Return (days, WIDTH) the keys of somebody's days, one of which is drawn by their own coin."""
    told = schedules_of(days_of_people([person]), TOWN)
    usable = told.take(told.usable)
    return keys_of(usable if len(usable) else told.take(np.array([0])), keeps)


@cache
def law() -> Law:
    """Return the law of a few people of the town, as it follows from their tables."""
    people = [(0, 0, 1), (1, 2, 1), (3, 3, 0), (4, 4, 4), (0, 3, 1)]
    exact = added_up(days_of_people(people), TOWN)
    return fit_law(exact, table_deviations(TOWN, 1.0), TOWN)


@dataclass(frozen=True, eq=False)
class Universe:
    """Every candidate of some keys.

    Attributes:
        keys: (kinds, WIDTH).
        codes: (Y, CANDIDATE) the candidates.
        kind: (Y,) the place of the key of each among `keys`.
        chance: (Y,) c(y).
    """

    keys: CodeArray
    codes: CodeArray
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


def _candidates(key: CodeArray, keeps: Keeps) -> Iterator[CodeArray]:
    """Yield all candidates of a key that is not an outline."""
    sort = np.full(LONGEST, NONE, dtype=np.int64)
    sort[:] = key[1 : 1 + LONGEST].astype(np.int64) - 1
    stays = int((sort != NONE).sum())
    low, high = slot_bounds(sort[None], key[None, STARTS].astype(np.int64), width_of_a_part(keeps))
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
                    yield encode_candidates(found)


def _apart(starts: tuple[int, ...]) -> bool:
    return all(after - before >= 2 for before, after in itertools.pairwise(starts))


SeedDays = Callable[[Person, Keeps], Sequence[CodeArray]]
"""From somebody to the sets of seeds that their coin may make of them, each as likely."""
Score = Callable[[CodeArray], tuple[CodeArray, IntArray]]
"""From seeds to their different keys, and how many share each."""

_WHOLE = 1 << 128


def one_day(person: Person, keeps: Keeps) -> Sequence[CodeArray]:
    """Return the keys that seeds can get, one day of the person being a seed."""
    return [key[None] for key in keys_of_person(tuple(person), keeps)]


def sharers(seeds: CodeArray) -> tuple[CodeArray, IntArray]:
    """As a run counts them."""
    return Seeds(seeds).distinct


def by_kind(
    test: RelativeSensitivity, seeds: CodeArray, keys: CodeArray, score: Score = sharers
) -> FloatArray:
    """Return (kinds + 1,) how likely one attempt releases a candidate of each key, and none.

    Args:
        test: the privacy test.
        seeds: (S, WIDTH) the key of each.
        keys: (kinds, WIDTH) the different ones there can be; seeds without a usable day have none.
        score: what is counted.
    """
    found = np.zeros(len(keys) + 1)
    distinct, sizes = Seeds(seeds).distinct
    counted = dict(zip(map(bytes, score(seeds)[0]), score(seeds)[1].tolist(), strict=True))
    place = {bytes(key): at for at, key in enumerate(keys)}
    for key, size in zip(distinct, sizes.tolist(), strict=True):
        drawn = size / len(seeds)
        sharing = np.array([counted[bytes(key)]])
        passes, fails = _odds(test, int(test.scores(sharing)[0]))
        if bytes(key) in place:
            found[place[bytes(key)]] = drawn * passes
            found[-1] += drawn * fails
        else:
            found[-1] += drawn
    return found


@cache
def _odds(test: RelativeSensitivity, score: int) -> tuple[float, float]:
    passing = test.coin.threshold(score)
    return passing / _WHOLE, (_WHOLE - passing) / _WHOLE


def cap_attempts(law: FloatArray, rho: float) -> FloatArray:
    """Return the same where every candidate is turned away with probability ρ after the test."""
    found = law * (1 - rho)
    found[..., -1] = law[..., -1] + rho * law[..., :-1].sum(axis=-1)
    return found


def spread_keys(law: FloatArray, over: Universe) -> FloatArray:
    """Return (Y + 1,) the law of candidates, from that of their keys."""
    return np.append(law[over.kind] * over.chance, law[-1])


def of_people(
    people: Sequence[Person],
    keeps: Keeps,
    law: Callable[[CodeArray], FloatArray],
    days: SeedDays = one_day,
) -> FloatArray:
    """Return the law of what is made of people, over everybody's coin.

    Args:
        people: the seeds.
        keeps: what is kept.
        law: of what is made of their days.
        days: what becomes of somebody's days.
    """
    options = [days(person, keeps) for person in people]
    chance = 1 / math.prod(len(each) for each in options)
    return sum(
        (chance * law(np.concatenate(chosen)) for chosen in itertools.product(*options)),
        start=np.zeros(()),
    )


def repeat_law(law: FloatArray, count: int) -> FloatArray:
    """Return the law of so many independent outcomes, (Y,) to (Y^count,)."""
    joint = law
    for _ in range(count - 1):
        joint = np.outer(joint, law).ravel()
    return joint
