"""Synthetic days: people drawn from a law, many at once."""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.law import Law
from understudy.models.mobility.stays import (
    HOME,
    LONGEST,
    NONE,
    OTHER,
    OTHER_PATTERN,
    SHORTEST,
    WORK,
    Days,
    sorts_of_listed,
)
from understudy.models.mobility.tables import WEEKDAY, WEEKEND, WORKDAY, outing, state
from understudy.models.mobility.timing import fit_stays, list_patterns
from understudy.privacy.randomness import RandomSource
from understudy.table.positions.slots import SLOTS

_AT_ONCE: Final = 8192


def made_people(law: Law, people: int, weekend: tuple[bool, ...], source: RandomSource) -> Days:
    """Return so many people, each with these days.

    Args:
        law: how they live.
        people: how many.
        weekend: of each day in turn, whether it is a Saturday or a Sunday.
        source: where all of it is drawn from.
    """
    each = len(weekend)
    home = _pick(np.broadcast_to(law.home, (people, len(law.home))), source)
    works = source.uniforms(people) < law.works
    work = np.where(works, _pick(law.work[home], source), NONE)
    person = np.repeat(np.arange(people), each)
    ends = np.tile(np.array(weekend), people)
    context = np.where(ends, WEEKEND, np.where(works[person], WORKDAY, WEEKDAY))
    pattern, sort = _draw_patterns(law, context, work[person] >= 0, source)
    cells = _draw_places(law, sort, home, work, each, source)
    way = ways(law.where, sort, cells)
    start = _draw_starts(law, context, pattern, sort, _least(law.where, sort, cells), way, source)
    return Days(drawn_out(law.where, start, cells, way), ends, person)


def _pick(weights: FloatArray, source: RandomSource) -> IntArray:
    """Return (n,) of each row, one place in proportion to its weight."""
    found = np.empty(len(weights), dtype=np.int64)
    draws = source.uniforms(len(weights))
    for first in range(0, len(weights), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        sums = np.cumsum(weights[some], axis=1)
        level = draws[some, None] * sums[:, -1:]
        found[some] = np.minimum((sums <= level).sum(axis=1), weights.shape[1] - 1)
    return found


def _draw_patterns(
    law: Law, context: IntArray, works: BoolArray, source: RandomSource
) -> tuple[IntArray, IntArray]:
    """Return (days,) the pattern of each day, and (days, longest) the sort of each stay; −1 beyond
    the last."""
    pattern = _pick(law.patterns[context], source)
    known = np.concatenate([sorts_of_listed(), np.full((1, LONGEST), NONE)])
    sort = known[pattern]
    free = np.flatnonzero(pattern == OTHER_PATTERN)
    sort[free] = _draw_unlisted(law, works[free], source)
    # Who has no work is elsewhere.
    elsewhere = ~works[:, None] & (sort == WORK)
    sort[elsewhere] = OTHER
    return np.where(elsewhere.any(axis=1), OTHER_PATTERN, pattern), sort


def _draw_unlisted(law: Law, works: BoolArray, source: RandomSource) -> IntArray:
    """Return patterns of days that are not listed: one sort after another, by what follows what."""
    found = np.full((len(works), LONGEST), NONE)
    if not len(works):
        return found
    found[:, 0] = HOME
    lengths = 5 + source.below(LONGEST - 5, len(works))
    for turn in range(1, LONGEST):
        earlier = found[:, turn - 2] if turn > 1 else np.full(len(works), HOME)
        weights = law.follows[state(found[:, turn - 1], earlier)]
        weights[~works, WORK] = 0
        weights += 1e-9
        found[:, turn] = _pick(weights, source)
    return np.where(np.arange(LONGEST) < lengths[:, None], found, NONE)


def ways(where: Geography, sort: IntArray, cells: IntArray) -> IntArray:
    """Return (days, longest) how many slots the way to each stay takes.

    Args:
        where: the map.
        sort: (days, longest) of each stay; −1 beyond the last.
        cells: (days, longest) where each is.
    """
    found = np.zeros(sort.shape, dtype=np.int64)
    apart = where.apart[cells[:, :-1], cells[:, 1:]]
    found[:, 1:] = np.where(sort[:, 1:] != NONE, apart // where.km_a_slot, 0)
    return found


def _least(where: Geography, sort: IntArray, cells: IntArray) -> IntArray:
    """Return (days, longest) how many slots of each stay are spent in its place at least: two, but
    where one tells it from the way; see `visits`."""
    found = np.full(cells.shape, SHORTEST)
    one, at, other = cells[:, :-2], cells[:, 1:-1], cells[:, 2:]
    far = where.apart[one, at] + where.apart[at, other] - where.apart[one, other]
    found[:, 1:-1][(far >= where.km_a_slot) & (sort[:, 2:] != NONE)] = 1
    return found


def _draw_starts(
    law: Law,
    context: IntArray,
    pattern: IntArray,
    sort: IntArray,
    least: IntArray,
    way: IntArray,
    source: RandomSource,
) -> IntArray:
    """Return (days, longest) the first slot of each stay, one after another, so that the rest
    fits."""
    start = np.full(sort.shape, SLOTS)
    start[:, 0] = 0
    takes = np.where(sort != NONE, least + way, 0)
    rest = takes[:, ::-1].cumsum(axis=1)[:, ::-1] - way
    moves = np.vstack([list_patterns().move, np.full((1, LONGEST), NONE)])
    for turn in range(1, LONGEST):
        on = np.flatnonzero(sort[:, turn] != NONE)
        if not len(on):
            break
        before = sort[on, turn - 1]
        earlier = sort[on, turn - 2] if turn > 1 else np.full(len(on), HOME)
        then = moves[pattern[on], turn + 1] if turn + 1 < LONGEST else np.full(len(on), NONE)
        keys = np.stack(
            [context[on], state(before, earlier), start[on, turn - 1], sort[on, turn],
             least[on, turn - 1] + way[on, turn], rest[on, turn], then]
        )  # fmt: skip
        kinds, inverse = np.unique(keys, axis=1, return_inverse=True)
        c, own, begun, after, until, left, then = kinds
        weights = law.times.first(c, after) if turn == 1 else law.times.later(begun, own, after)
        possible = fit_stays(weights, begun, until, left) * law.ahead[then]
        start[on, turn] = _pick(possible[inverse.ravel()], source)
    return start


def _draw_places(
    law: Law, sort: IntArray, home: IntArray, work: IntArray, each: int, source: RandomSource
) -> IntArray:
    """Return (days, longest) the cell of each stay; of a person, day after day, so that they
    return."""
    people = len(home)
    sort = sort.reshape(people, each, LONGEST)
    cells = np.where(sort == WORK, work[:, None, None], home[:, None, None])
    seen = np.full((people, each * LONGEST), NONE)
    known = np.zeros(people, dtype=np.int64)
    for day in range(each):
        earlier = int(known.max(initial=0))
        before = seen[:, :earlier].copy()
        for turn in range(LONGEST):
            who = np.flatnonzero(sort[:, day, turn] == OTHER)
            if not len(who):
                continue
            last = cells[who, day, turn - 1] if turn else home[who]
            how = outing(
                sort[who, day, turn - 1] if turn else np.full(len(who), HOME),
                sort[who, day, turn + 1] if turn + 1 < LONGEST else np.full(len(who), HOME),
            )
            found = _draw_trips(law, last, home[who], how, source)
            back = source.uniforms(len(who)) < law.returns
            if earlier:
                again = _draw_returns(
                    law, last[back], home[who[back]], how[back], before[who[back]], source
                )
                found[back] = np.where(again == NONE, found[back], again)
            cells[who, day, turn] = found
            seen[who, known[who]] = found
            known[who] += 1
    return cells.reshape(-1, LONGEST)


def _draw_trips(
    law: Law, last: IntArray, home: IntArray, how: IntArray, source: RandomSource
) -> IntArray:
    found = np.empty(len(last), dtype=np.int64)
    for first in range(0, len(last), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        found[some] = _pick(law.other.pull(last[some], home[some], how[some]), source)
    return found


def _draw_returns(
    law: Law, last: IntArray, home: IntArray, how: IntArray, before: IntArray, source: RandomSource
) -> IntArray:
    """Return (n,) where each returns to, of the places of their earlier days, each as often as they
    were there, and the nearer the likelier, as distances have it; −1 where there is none."""
    bins = law.where.bin
    there = (before != NONE) & (before != last[:, None])
    weights = law.other.from_last[how[:, None], bins[last[:, None], before]]
    weights = np.where(there, weights, 0)
    found = np.take_along_axis(before, _pick(weights, source)[:, None], axis=1)[:, 0]
    return np.where(weights.sum(axis=1) > 0, found, NONE)


def drawn_out(where: Geography, start: IntArray, cells: IntArray, way: IntArray) -> IntArray:
    """Return (days, 72) the cell of each slot, with what lies on the way.

    Args:
        where: the map.
        start: (days, longest) the first slot of each stay; 72 beyond the last.
        cells: (days, longest) where it is.
        way: (days, longest) how many slots the way there takes; see `ways`.
    """
    turn = (start[:, :, None] <= np.arange(SLOTS)).sum(axis=1) - 1
    found = np.take_along_axis(cells, turn, axis=1)
    days, turns = np.nonzero(start[:, 1:] < SLOTS)
    first, last = cells[days, turns], cells[days, turns + 1]
    arrives, begun = start[days, turns + 1], start[days, turns]
    steps = np.clip(way[days, turns + 1], 0, arrives - begun - 1)
    for step in range(1, int(steps.max(initial=0)) + 1):
        on = steps >= step
        share = (steps[on] - step + 1) / (steps[on] + 1)
        found[days[on], arrives[on] - step] = where.between(first[on], last[on], share)
    return found
