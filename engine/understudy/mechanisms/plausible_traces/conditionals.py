"""The law of a candidate given the key that it kept: what is drawn of what, in which order.

All of it follows from the law of made days (`understudy.models.mobility.law`), the key, and what
was drawn before. In turn: whether one works, the pattern, the start of each stay, home, work, and
the cell of each stay elsewhere. Whoever draws and whoever scores walk the same steps (`walk`), so
that a candidate is drawn with the very chance that it is said to have.

Chances are whole numbers out of 2^48 (`integer_weights`), each row of them by itself: what a row
comes to does not depend on which others are asked about at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.mechanisms.plausible_traces.keys import (
    NONE,
    SORTS,
    STARTS,
    WORKS,
    Keeps,
    Schedules,
    outline,
    sorts_of,
    width_of_a_part,
)
from understudy.models.categorical import integer_weights
from understudy.models.mobility.law import Law
from understudy.models.mobility.stays import (
    HOME,
    LETTERS,
    LISTED,
    LONGEST,
    OTHER,
    OTHER_PATTERN,
    WORK,
)
from understudy.models.mobility.tables import WEEKDAY, WORKDAY, outing, state
from understudy.models.mobility.timing import moves_of
from understudy.table.positions.slots import SLOTS

_LEAST: Final = 1e-12
_AT_ONCE: Final = 4096
"""Rows of a map that are held at once."""


@dataclass(eq=False)
class Drafts:
    """Candidates, while they are drawn or scored.

    Attributes:
        works: (n,) 0 or 1.
        pattern: (n,) the place in the list of patterns; `OTHER_PATTERN` for the one in the key.
        sort: (n, longest) of each stay; −1 beyond the last. Follows from the pattern and the key.
        start: (n, longest) the slot each begins in; 72 beyond the last.
        home, work: (n,) cells; the work is 0 where there is none.
        cell: (n, longest) of each stay elsewhere; 0 for every other.
    """

    works: IntArray
    pattern: IntArray
    sort: IntArray
    start: IntArray
    home: IntArray
    work: IntArray
    cell: IntArray

    @classmethod
    def blank(cls, count: int) -> Drafts:
        """Return so many of which nothing is settled but that a day begins at midnight."""
        nothing, stays = (count,), (count, LONGEST)
        start = np.full(stays, SLOTS, dtype=np.int64)
        start[:, 0] = 0
        works, pattern, home, work = (np.zeros(nothing, dtype=np.int64) for _ in range(4))
        return cls(
            works, pattern, np.full(stays, NONE, dtype=np.int64), start,
            home, work, np.zeros(stays, dtype=np.int64),
        )  # fmt: skip

    @property
    def schedules(self) -> Schedules:
        """What a key is taken of."""
        return Schedules(self.works == 1, self.sort, self.start)

    @property
    def cells(self) -> IntArray:
        """(n, longest) the cell of each stay."""
        home, work = self.home[:, None], self.work[:, None]
        return np.where(
            self.sort == OTHER, self.cell, np.where(self.sort == WORK, work, home)
        )  # fmt: skip


class Settling(Protocol):
    """Settles one number of each of some candidates: draws it, or asks how likely it was."""

    def __call__(self, rows: IntArray, weights: IntArray, values: IntArray) -> None:
        """Settle it.

        Args:
            rows: (r,) which candidates.
            weights: (r, values) how likely each value is, out of 2^48.
            values: (n,) where the value of every candidate stands, or is to.
        """
        ...


def walk(law: Law, keys: CodeArray, keeps: Keeps, drafts: Drafts, settle: Settling) -> None:
    """Go through everything that is drawn of candidates, in order.

    Args:
        law, keys, keeps, drafts, settle: as of `walk_schedules`.
    """
    walk_schedules(law, keys, keeps, drafts, settle)
    _anchors(law, drafts, settle)
    _elsewhere(law, drafts, settle)


def walk_schedules(
    law: Law, keys: CodeArray, keeps: Keeps, drafts: Drafts, settle: Settling
) -> None:
    """Go through all of it but the places.

    Args:
        law: how made people live.
        keys: (n, WIDTH) what each candidate kept; of a usable day.
        keeps: what is kept.
        drafts: n candidates, which `settle` fills or looks into.
        settle: what is done about each number.
    """
    every = np.arange(len(keys))
    kept, of = np.unique(keys[:, : SORTS.stop], axis=0, return_inverse=True)
    of = of.reshape(len(keys))
    settle(every, np.stack([_works(law, key) for key in kept])[of], drafts.works)
    options = np.stack([[_patterns(law, key, works, keeps) for works in (0, 1)] for key in kept])
    settle(every, options[of, drafts.works], drafts.pattern)
    drafts.sort[:] = _spell_patterns(drafts.pattern, keys)
    _starts(law, keys, keeps, drafts, settle)


def _read_pattern(key: CodeArray) -> str:
    """Return the pattern, or the outline of one, in a key."""
    return "".join(LETTERS[each - 1] for each in key[SORTS] if each)


def _works(law: Law, key: CodeArray) -> IntArray:
    """Return (2,) how likely it is that one has a place of work."""
    pattern = _read_pattern(key)
    if key[WORKS]:
        chances = np.array([key[WORKS] == 1, key[WORKS] == 2], dtype=np.float64)
    elif "W" in pattern:
        chances = np.array([0.0, 1.0])
    else:
        shares = np.array([1 - law.works, law.works])
        if pattern in LISTED:
            shares = shares * law.patterns[[WEEKDAY, WORKDAY], LISTED.index(pattern)]
        chances = np.maximum(shares, 0) + _LEAST
    found: IntArray = integer_weights(chances[None])[0]
    return found


def _patterns(law: Law, key: CodeArray, works: int, keeps: Keeps) -> IntArray:
    """Return (patterns + 1,) how likely each pattern is; the last is the one in the key itself."""
    pattern = _read_pattern(key)
    chances = np.zeros(OTHER_PATTERN + 1)
    alike = [place for place in _alike(pattern) if works or "W" not in LISTED[place]]
    if keeps == "outline" and alike:
        context = WORKDAY if works else WEEKDAY
        chances[alike] = np.maximum(law.patterns[context][alike], 0) + _LEAST
    else:
        chances[OTHER_PATTERN] = 1
    found: IntArray = integer_weights(chances[None])[0]
    return found


@cache
def _alike(pattern: str) -> tuple[int, ...]:
    """Return which listed patterns have this outline."""
    return tuple(place for place, text in enumerate(LISTED) if outline(text) == pattern)


def _spell_patterns(pattern: IntArray, keys: CodeArray) -> IntArray:
    """Return (n, longest) the sorts of patterns of the list, or of those in the keys."""
    listed = np.array([sorts_of(text) for text in LISTED])
    own = keys[:, SORTS].astype(np.int64) - 1
    other = pattern == OTHER_PATTERN
    return np.where(other[:, None], own, listed[np.where(other, 0, pattern)])


def _starts(law: Law, keys: CodeArray, keeps: Keeps, drafts: Drafts, settle: Settling) -> None:
    sort, start = drafts.sort, drafts.start
    low, high = slot_bounds(sort, keys[:, STARTS].astype(np.int64), width_of_a_part(keeps))
    for turn in range(1, LONGEST):
        on = np.flatnonzero(sort[:, turn] != NONE)
        if not len(on):
            return
        begun = start[on, turn - 1]
        weights = start_weights(law, drafts, on, turn)
        slots = np.arange(SLOTS)
        least = np.maximum(low[on, turn], begun + 2)[:, None]
        fits = (slots >= least) & (slots <= high[on, turn][:, None])
        weights = np.where(fits, weights + _LEAST, 0)
        settle(on, integer_weights(np.ascontiguousarray(weights)), start[:, turn])


def slot_bounds(sort: IntArray, parts: IntArray, width: int) -> tuple[IntArray, IntArray]:
    """Return (n, longest) and (n, longest) the first and the last slot in which each stay can
    begin, so that those after it have their two slots each, and begin in what is kept of them.

    Args:
        sort: (n, longest) of each stay; −1 beyond the last.
        parts: (n, longest − 1) the kept part of the day of each after the first, and 1; 0 for any.
        width: how many slots a part has.
    """
    low, high = np.zeros(sort.shape, dtype=np.int64), np.full(sort.shape, SLOTS + 2)
    low[:, 1:] = np.where(parts > 0, (parts - 1) * width, 0)
    for turn in range(LONGEST - 1, 0, -1):
        after = high[:, turn + 1] if turn + 1 < LONGEST else np.full(len(sort), SLOTS + 2)
        there = sort[:, turn] != NONE
        last = np.minimum(after, SLOTS) - 2
        kept = parts[:, turn - 1]
        last = np.where(kept > 0, np.minimum(last, kept * width - 1), last)
        high[:, turn] = np.where(there, last, SLOTS + 2)
    return low, high


def start_weights(law: Law, drafts: Drafts, on: IntArray, turn: int) -> FloatArray:
    """Return (r, 72) how much each slot draws the start of a stay, whether or not it fits.

    Args:
        law: how made people live.
        drafts: with everything before settled.
        on: (r,) which of them.
        turn: which stay of the day, from 1.
    """
    before, after = drafts.sort[on, turn - 1], drafts.sort[on, turn]
    if turn == 1:
        weights = law.times.first(np.where(drafts.works[on] == 1, WORKDAY, WEEKDAY), after)
    else:
        own = state(before, drafts.sort[on, turn - 2])
        weights = law.times.later(drafts.start[on, turn - 1], own, after)
    moves = moves_of(drafts.sort[on])
    then = moves[:, turn + 1] if turn + 1 < LONGEST else np.full(len(on), NONE)
    found: FloatArray = np.maximum(weights * law.ahead[then], 0)
    return found


def _anchors(law: Law, drafts: Drafts, settle: Settling) -> None:
    every = np.arange(len(drafts.home))
    home = integer_weights(law.home[None])
    settle(every, np.broadcast_to(home, (len(every), home.shape[1])), drafts.home)
    works = np.flatnonzero(drafts.works == 1)
    for some in _some(works):
        lines, of = np.unique(drafts.home[some], return_inverse=True)
        settle(some, integer_weights(_or_even(law.work[lines]))[of], drafts.work)


def _elsewhere(law: Law, drafts: Drafts, settle: Settling) -> None:
    for turn in range(LONGEST):
        for some in _some(np.flatnonzero(drafts.sort[:, turn] == OTHER)):
            home = drafts.home[some]
            last = drafts.cells[some, turn - 1] if turn else home
            nothing = np.full(len(some), HOME)
            before = drafts.sort[some, turn - 1] if turn else nothing
            after = drafts.sort[some, turn + 1] if turn + 1 < LONGEST else nothing
            how = outing(before, np.where(after == NONE, HOME, after))
            pairs, of = np.unique(np.stack([last, home, how]), axis=1, return_inverse=True)
            pull = _or_even(law.other.pull(*pairs))
            settle(some, integer_weights(pull)[of.ravel()], drafts.cell[:, turn])


def _some(which: IntArray) -> list[IntArray]:
    return [which[first : first + _AT_ONCE] for first in range(0, len(which), _AT_ONCE)]


def _or_even(weights: FloatArray) -> FloatArray:
    """Return the same, where a row draws nobody anywhere every cell alike."""
    nowhere = ~(weights > 0).any(axis=1, keepdims=True)
    return np.ascontiguousarray(np.where(nowhere, 1.0, weights))
