"""When the stays of a day begin: weights, and their fit to noisy counts of moves.

The pattern of a day is known. Its times are drawn in proportion to a product over its moves: how
long the stay lasts that ends, times how much that hour draws people from one sort of stay to the
next. So what is still to come has its say in when a stay begins: `ahead` sums the products of all
ways in which the day may go on, and with it times are drawn one after another.

The weights are found so that departures, durations and moves come out as they were counted, over
all patterns together: iterative proportional fitting, with each expected count summed exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.shrinkage import towards
from understudy.models.mobility.stays import HOME, LISTED, NONE, SHORTEST, sorts_of_listed
from understudy.models.mobility.tables import (
    CONTEXTS,
    HOURS,
    LENGTHS,
    PERIODS,
    SORTS,
    STATES,
    period,
    state,
)
from understudy.table.positions.slots import SLOTS

_ROUNDS: Final = 12
_LEAST: Final = 1e-12
_LAST: Final = 1e-18
_RARE: Final = 1e-5
_SLOTS: Final = np.arange(SLOTS)
_HOUR: Final = _SLOTS * HOURS // SLOTS


@dataclass(frozen=True, eq=False)
class Timing:
    """What slots the stays of a day begin in, up to a factor for each row.

    Attributes:
        departures: (contexts, 72) of the slot in which the second stay begins.
        durations: (states, periods, 72) of how many slots a later stay lasts.
        pulls: (states, sorts, hours) how much an hour draws people from one to another.
    """

    departures: FloatArray
    durations: FloatArray
    pulls: FloatArray

    def first(self, context: IntArray, after: IntArray) -> FloatArray:
        """Return (n, 72) the weight of each slot in which the second stay of a day may begin.

        Args:
            context: (n,) of the day.
            after: (n,) the sort of its second stay.
        """
        found: FloatArray = self.departures[context] * self.pulls[HOME, after][:, _HOUR]
        return found

    def later(self, begun: IntArray, own: IntArray, after: IntArray) -> FloatArray:
        """Return (n, 72) the weight of each slot in which a later stay may begin.

        Args:
            begun: (n,) the slot in which the one before it began.
            own: (n,) its state.
            after: (n,) the sort of the one that begins.
        """
        lasting = _SLOTS - begun[:, None]
        lasts = self.durations[own, period(begun)]
        found = np.take_along_axis(lasts, np.maximum(lasting, 0), axis=1)
        weights: FloatArray = np.where(lasting > 0, found, 0) * self.pulls[own, after][:, _HOUR]
        return weights


def fit_stays(weights: FloatArray, begun: IntArray, least: IntArray, rest: IntArray) -> FloatArray:
    """Return (n, 72) weights cut so that a stay lasts long enough and what comes after fits in the
    day.

    Args:
        weights: (n, 72) as of `Timing`.
        begun: (n,) the slot in which the stay began.
        least: (n,) how many slots it takes at least.
        rest: (n,) how many all after it take at least.
    """
    fits = ((begun + least)[:, None] <= _SLOTS) & (SLOTS - rest[:, None] >= _SLOTS)
    possible = np.where(fits, weights + _LEAST, 0)
    # Where nothing fits, the next stay begins as late as it can.
    possible[~fits.any(axis=1), SLOTS - 1] = _LAST
    return possible


@dataclass(frozen=True, eq=False)
class _Listed:
    """The later moves of all listed patterns; those of one state with the same to come are one.

    Attributes:
        own: (moves,) the state of the stay that ends.
        after: (moves,) the sort of the one that begins.
        rest: (moves,) how many slots that and all after it take at least.
        then: (moves,) the move after it; −1 where there is none. It has a lower number.
        move: (patterns, longest) the move to each stay of a pattern from the third on; else −1.
    """

    own: IntArray
    after: IntArray
    rest: IntArray
    then: IntArray
    move: IntArray

    @property
    def first(self) -> tuple[IntArray, IntArray, IntArray]:
        """Of each pattern that leaves home its number, the sort of its second stay, and how many
        slots that and all after it take at least."""
        sorts = sorts_of_listed()
        leaves = np.flatnonzero(sorts[:, 1] != NONE)
        return leaves, sorts[leaves, 1], SHORTEST * (sorts[leaves, 1:] != NONE).sum(axis=1)


@cache
def list_patterns() -> _Listed:
    """Return the sorts and lengths of every listed pattern."""
    sorts = sorts_of_listed()
    length = (sorts != NONE).sum(axis=1)
    keys: dict[tuple[int, str], tuple[int, int, int, int]] = {}
    move = np.full(sorts.shape, NONE)
    for number, text in sorted(enumerate(LISTED), key=lambda each: len(each[1])):
        then = NONE
        for turn in range(length[number] - 1, 1, -1):
            before, own, after = sorts[number, turn - 2 : turn + 1].tolist()
            told = int(state(np.array(own), np.array(before)))
            rest = SHORTEST * (len(text) - turn)
            keys.setdefault((told, text[turn:]), (told, after, rest, then))
            then = move[number, turn] = list(keys).index((told, text[turn:]))
    own, after, rest, then = np.array(list(keys.values()), dtype=np.int64).T
    return _Listed(own, after, rest, then, move)


def moves_of(sort: IntArray) -> IntArray:
    """Return (n, longest) the move of `listed` to each stay of a day; −1 for the second, and where
    the day's pattern is not listed.

    Args:
        sort: (n, longest) of each stay; −1 beyond the last.
    """
    rows, inverse = np.unique(sort, axis=0, return_inverse=True)
    same = (rows[:, None, :] == sorts_of_listed()).all(axis=2)
    found = np.where(same.any(axis=1)[:, None], list_patterns().move[same.argmax(axis=1)], NONE)
    return found[inverse.ravel()]


def ahead(timing: Timing) -> FloatArray:
    """Return (moves + 1, 72) of each move of `listed`, and of none, the summed weights of all ways
    in which a day may go on whose stay before it begins in a slot, up to a factor for each move."""
    return _ahead(_weights(timing))


def _weights(timing: Timing) -> FloatArray:
    """Return (moves, 72, 72) of each move, from when the stay that ends began, of when the next
    does."""
    of = list_patterns()
    own, after, rest = (np.repeat(each, SLOTS) for each in (of.own, of.after, of.rest))
    begun = np.tile(_SLOTS, len(of.own))
    least = np.full(len(begun), SHORTEST)
    return fit_stays(timing.later(begun, own, after), begun, least, rest).reshape(-1, SLOTS, SLOTS)


def _ahead(weights: FloatArray) -> FloatArray:
    found = np.ones((len(weights) + 1, SLOTS))
    for number, then in enumerate(list_patterns().then):
        summed = weights[number] @ found[then]
        found[number] = summed / summed.max()
    return found


@dataclass(frozen=True, eq=False)
class _Moves:
    """How many moves there are of each sort, expected or counted.

    Attributes:
        departures: (contexts, 72) by the slot of the first move of a day.
        durations: (states, periods, 72) by how many slots the later stay lasted that ends.
        hours: (states, sorts, hours) all, by the hour.
    """

    departures: FloatArray
    durations: FloatArray
    hours: FloatArray


def expect_moves(timing: Timing, patterns: FloatArray) -> _Moves:
    """Return the moves of days whose patterns have these weights.

    Args:
        timing: when stays begin.
        patterns: (contexts, listed patterns) how many days have each.
    """
    of = list_patterns()
    step = _weights(timing)
    onward = _ahead(step)
    step *= onward[of.then][:, None, :]
    step /= step.sum(axis=2, keepdims=True)
    number, after, rest = (np.tile(each, CONTEXTS) for each in of.first)
    context = np.repeat(np.arange(CONTEXTS), len(of.first[0]))
    none = np.zeros_like(number)
    at = fit_stays(timing.first(context, after), none, none + SHORTEST, rest)
    at = at * onward[of.move[number, 2]]
    at *= (patterns[context, number] / at.sum(axis=1))[:, None]
    departures, hours = np.zeros((CONTEXTS, SLOTS)), np.zeros((STATES, SORTS, SLOTS))
    np.add.at(departures, context, at)
    np.add.at(hours, (none + HOME, after), at)
    begun = np.zeros((len(LISTED), SLOTS))
    np.add.at(begun, number, at)
    flow = _flow(begun, step)[:, :, None] * step
    np.add.at(hours, (of.own, of.after), flow.sum(axis=1))
    return _Moves(departures, _count_durations(flow, of.own), _by_hour(hours))


def _flow(begun: FloatArray, step: FloatArray) -> FloatArray:
    """Return (moves, 72) how many stays that a move ends began in each slot."""
    move = list_patterns().move
    found = np.zeros((len(step), SLOTS))
    for turn in range(2, move.shape[1]):
        on = np.flatnonzero(move[:, turn] != NONE)
        number = move[on, turn]
        np.add.at(found, number, begun[on])
        begun[on] = np.einsum("ps,pst->pt", begun[on], step[number])
    return found


def _count_durations(flow: FloatArray, own: IntArray) -> FloatArray:
    """Return (states, periods, 72) flows by the state of the stay, the period it began in, its
    length."""
    lasting = np.maximum(_SLOTS - _SLOTS[:, None], 0)
    row = own[:, None] * PERIODS + period(_SLOTS)
    keys = row[:, :, None] * SLOTS + lasting
    size = STATES * PERIODS * SLOTS
    found: FloatArray = np.bincount(keys.ravel(), weights=flow.ravel(), minlength=size).astype(
        float
    )
    return found.reshape(STATES, PERIODS, SLOTS)


def _by_hour(slots: FloatArray) -> FloatArray:
    found: FloatArray = slots.reshape(*slots.shape[:-1], HOURS, -1).sum(axis=-1)
    return found


def fit_timing(start: Timing, patterns: FloatArray, hours: FloatArray, sigma: float) -> Timing:
    """Return weights by which departures, durations and moves come out.

    Args:
        start: shares of departures and durations as they are to come out, and no pulls.
        patterns: (contexts, listed patterns) how many days have each.
        hours: (states, sorts, hours) noisy counts of moves. They are shrunk towards what would
            follow from the other two, as far as noise and chance explain what lies between them.
        sigma: the deviation of their noise.
    """
    plain = expect_moves(start, patterns).hours
    total = np.maximum(hours.sum(axis=-1, keepdims=True), 0)
    wanted = np.maximum(towards(hours, total * _normalise_rows(plain), sigma), 0)
    found = start
    for _ in range(_ROUNDS):
        now = expect_moves(found, patterns)
        found = Timing(
            found.departures * _ratio(start.departures, now.departures),
            found.durations * _ratio_of_classes(start.durations, now.durations),
            found.pulls * _ratio(wanted, now.hours),
        )
    return found


def _normalise_rows(rows: FloatArray) -> FloatArray:
    total = rows.sum(axis=-1, keepdims=True)
    found: FloatArray = rows / np.where(total > 0, total, 1)
    return found


def _ratio(wanted: FloatArray, now: FloatArray) -> FloatArray:
    """Return by how much to change weights for shares to come out; half the way, as all three
    change."""
    one, other = _normalise_rows(wanted), _normalise_rows(now)
    found = np.sqrt((one + _RARE) / (other + _RARE))
    # What cannot come out whatever the weights, or is not known at all, is left alone.
    known = (one.sum(axis=-1, keepdims=True) > 0) & (other > 0)
    return np.where(known, found, 1)


def _ratio_of_classes(wanted: FloatArray, now: FloatArray) -> FloatArray:
    """Return the same for durations, which are told apart in classes."""
    begins = np.r_[0, LENGTHS]
    one, other = (np.add.reduceat(each, begins, axis=-1) for each in (wanted, now))
    return np.repeat(_ratio(one, other), np.diff(np.r_[begins, SLOTS]), axis=-1)
