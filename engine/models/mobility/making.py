"""Made days: people drawn from a law, many at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.models.mobility.fitting import Floats
from engine.models.mobility.geography import Places
from engine.models.mobility.law import Law
from engine.models.mobility.patterns import LETTERS, LISTED, LONGEST, OTHER_PATTERN
from engine.models.mobility.stays import HOME, OTHER, WORK, Days
from engine.models.mobility.tables import HOURS, WEEKDAY, WEEKEND, WORKDAY, during, period
from engine.privacy.randomness import RandomSource
from engine.table.positions.slots import SLOTS

Flags = npt.NDArray[np.bool_]

_NONE: Final = -1
_AT_ONCE: Final = 8192


@dataclass(frozen=True, eq=False)
class Plans:
    """Days before places are found for them.

    Attributes:
        sort: (days, longest) of each stay; −1 beyond the last.
        start: (days, longest) its first slot; 72 beyond the last.
    """

    sort: Places
    start: Places


def made(law: Law, people: int, weekend: tuple[bool, ...], source: RandomSource) -> Days:
    """So many people, each with these days.

    Args:
        law: how they live.
        people: how many.
        weekend: of each day in turn, whether it is a Saturday or a Sunday.
        source: where all of it is drawn from.
    """
    each = len(weekend)
    home = _picked(np.broadcast_to(law.home, (people, len(law.home))), source)
    works = source.uniforms(people) < law.works
    work = np.where(works, _picked(law.work[home], source), _NONE)
    person = np.repeat(np.arange(people), each)
    ends = np.tile(np.array(weekend), people)
    context = np.where(ends, WEEKEND, np.where(works[person], WORKDAY, WEEKDAY))
    plans = _planned(law, context, work[person] >= 0, source)
    cells = _placed(law, plans, home, work, each, source)
    return Days(drawn_out(law, plans, cells), ends, person)


def _picked(weights: Floats, source: RandomSource) -> Places:
    """(n,) of each row, one place in proportion to its weight."""
    found = np.empty(len(weights), dtype=np.int64)
    draws = source.uniforms(len(weights))
    for first in range(0, len(weights), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        sums = np.cumsum(weights[some], axis=1)
        level = draws[some, None] * sums[:, -1:]
        found[some] = np.minimum((sums <= level).sum(axis=1), weights.shape[1] - 1)
    return found


def _planned(law: Law, context: Places, works: Flags, source: RandomSource) -> Plans:
    pattern = _picked(law.patterns[context], source)
    listed = np.full((OTHER_PATTERN + 1, LONGEST), _NONE)
    for number, text in enumerate(LISTED):
        listed[number, : len(text)] = [LETTERS.index(letter) for letter in text]
    sort = listed[pattern]
    free = np.flatnonzero(pattern == OTHER_PATTERN)
    sort[free] = _unlisted(law, works[free], source)
    sort[~works] = np.where(sort[~works] == WORK, OTHER, sort[~works])
    return Plans(sort, _started(law, context, sort, source))


def _unlisted(law: Law, works: Flags, source: RandomSource) -> Places:
    """Patterns of days that are not listed: one sort after another, by what follows what."""
    steps = law.follows.mean(axis=1)
    found = np.full((len(works), LONGEST), _NONE)
    if not len(works):
        return found
    found[:, 0] = HOME
    lengths = 5 + source.below(LONGEST - 5, len(works))
    for turn in range(1, LONGEST):
        weights = steps[found[:, turn - 1]].copy()
        weights[~works, WORK] = 0
        weights += 1e-9
        found[:, turn] = _picked(weights, source)
    return np.where(np.arange(LONGEST) < lengths[:, None], found, _NONE)


def _started(law: Law, context: Places, sort: Places, source: RandomSource) -> Places:
    """(days, longest) the first slot of each stay, one after another, so that the rest fits."""
    start = np.full(sort.shape, SLOTS)
    start[:, 0] = 0
    slots, count = np.arange(SLOTS), (sort != _NONE).sum(axis=1)
    hours = np.minimum(slots // 3, HOURS - 1)
    for turn in range(1, sort.shape[1]):
        on = np.flatnonzero(sort[:, turn] != _NONE)
        if not len(on):
            break
        before = sort[on, turn - 1]
        earlier = sort[on, turn - 2] if turn > 1 else np.full(len(on), HOME)
        begun, rest = start[on, turn - 1], count[on] - turn
        keys = np.stack([context[on], during(before, earlier), begun, sort[on, turn], rest, before])
        kinds, inverse = np.unique(keys, axis=1, return_inverse=True)
        c, d, s, after, left, own = kinds
        if turn == 1:
            weights = law.departures[c]
        else:
            lasting = slots - s[:, None]
            weights = law.durations[d, period(s)]
            weights = np.take_along_axis(weights, np.maximum(lasting, 0), axis=1)
            weights = np.where(lasting >= 2, weights, 0)
        follows = law.follows[own][:, hours, :]
        follows = np.take_along_axis(follows, after[:, None, None], axis=2)[:, :, 0]
        fits = (slots >= s[:, None] + 2) & (slots <= SLOTS - 2 * left[:, None])
        possible = np.where(fits, weights * follows + 1e-12, 0)
        # Where nothing fits, the stay begins as late as it can.
        possible[~fits.any(axis=1), SLOTS - 1] = 1
        start[on, turn] = _picked(possible[inverse.ravel()], source)
    return start


def _placed(
    law: Law, plans: Plans, home: Places, work: Places, each: int, source: RandomSource
) -> Places:
    """(days, longest) the cell of each stay; of a person, day after day, so that they return."""
    people = len(home)
    sort = plans.sort.reshape(people, each, LONGEST)
    cells = np.where(sort == WORK, work[:, None, None], home[:, None, None])
    seen = np.zeros((people, each * LONGEST), dtype=np.int64)
    known = np.zeros(people, dtype=np.int64)
    for day in range(each):
        so_far = known.copy()
        for turn in range(LONGEST):
            who = np.flatnonzero(sort[:, day, turn] == OTHER)
            if not len(who):
                continue
            last = cells[who, day, turn - 1] if turn else home[who]
            back = (so_far[who] > 0) & (source.uniforms(len(who)) < law.returns)
            place = np.minimum(
                (source.uniforms(len(who)) * so_far[who]).astype(np.int64),
                np.maximum(so_far[who] - 1, 0),
            )
            found = seen[who, place]
            fresh = ~back | (found == last)
            found[fresh] = _gone(law, last[fresh], home[who[fresh]], source)
            cells[who, day, turn] = found
            seen[who, known[who]] = found
            known[who] += 1
    return cells.reshape(-1, LONGEST)


def _gone(law: Law, last: Places, home: Places, source: RandomSource) -> Places:
    found = np.empty(len(last), dtype=np.int64)
    for first in range(0, len(last), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        found[some] = _picked(law.drawn_to(last[some], home[some]), source)
    return found


def drawn_out(law: Law, plans: Plans, cells: Places) -> Places:
    """(days, 72) the cell of each slot, with what lies on the way."""
    turn = (plans.start[:, :, None] <= np.arange(SLOTS)).sum(axis=1) - 1
    found = np.take_along_axis(cells, turn, axis=1)
    days, turns = np.nonzero(plans.start[:, 1:] < SLOTS)
    first, last = cells[days, turns], cells[days, turns + 1]
    arrives, begun = plans.start[days, turns + 1], plans.start[days, turns]
    steps = (law.where.apart[first, last] // law.where.km_a_slot).astype(np.int64)
    steps = np.minimum(steps, arrives - begun - 1)
    for step in range(1, int(steps.max(initial=0)) + 1):
        on = steps >= step
        share = (steps[on] - step + 1) / (steps[on] + 1)
        found[days[on], arrives[on] - step] = law.where.between(first[on], last[on], share)
    return found
