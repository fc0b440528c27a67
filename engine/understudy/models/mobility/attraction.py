"""Where people go who are neither at home nor at work: how much cells and distances draw them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.geography import BINS, Geography
from understudy.models.mobility.tables import (
    BACK_TO_WORK,
    FROM_ELSEWHERE,
    FROM_HOME,
    FROM_WORK,
    OUTINGS,
)

_ROUNDS: Final = 16
_PEOPLE: Final = 600
_LEAST: Final = 1e-15
_RARE: Final = 1e-5
_GOLDEN: Final = (5**0.5 - 1) / 2
_SILVER: Final = 2**0.5 - 1


@dataclass(frozen=True, eq=False)
class Attraction:
    """How much each cell draws people, in proportion.

    Attributes:
        where: the map.
        cells: (cells,) how much each does.
        from_last: (outings, bins) how much a distance from where one was last does, by how one
            comes to be elsewhere.
        from_home: (bins,) how much a distance from home does, for who does not come from there.
    """

    where: Geography
    cells: FloatArray
    from_last: FloatArray
    from_home: FloatArray

    def pull(self, last: IntArray, home: IntArray, how: IntArray) -> FloatArray:
        """(n, cells) how much each cell draws somebody from where they were last; nothing draws
        them to stay, or home.

        Args:
            last, home: (n,) cells.
            how: (n,) how they come to be elsewhere; see `outing`.
        """
        lines, bins = np.arange(len(last)), self.where.bin
        # Of who comes from home, the distance from the last place is that from home.
        of_home = np.vstack([self.from_home, np.ones(BINS)])
        found = np.take(self.from_last, bins[last] + BINS * how[:, None])
        found *= np.take(of_home, bins[home] + BINS * (how == FROM_HOME)[:, None])
        found *= self.cells
        # Where noise left nothing, every other place will do.
        found = np.maximum(found, _LEAST)
        found[lines, last] = 0
        found[lines, home] = 0
        return found


@dataclass(frozen=True, eq=False)
class Wanted:
    """What is to come out.

    Attributes:
        cells: (cells,) shares of stays elsewhere.
        outings: (outings, bins) how many there are of each kind, by the distance from the last
            place.
        from_home: (bins,) shares of the distance from home, of those who do not come from there.
    """

    cells: FloatArray
    outings: FloatArray
    from_home: FloatArray


@dataclass(frozen=True, eq=False)
class _People:
    """Some who set out, in all of the ways that there are.

    Attributes:
        home, last: (n,) cells.
        how: (n,) how they come to be elsewhere.
        weight: (n,) how many they stand for.
    """

    home: IntArray
    last: IntArray
    how: IntArray
    weight: FloatArray


def attraction(wanted: Wanted, home: FloatArray, work: FloatArray, where: Geography) -> Attraction:
    """Return the pulls by which cells and distances come out as wanted; iterative proportional
    fitting.

    Args:
        wanted: the noisy counts, as shares.
        home: (cells,) shares of homes.
        work: (cells, cells) of each home, the shares of places of work.
        where: the map.
    """
    found = Attraction(where, wanted.cells, np.ones((OUTINGS, BINS)), np.ones(BINS))
    people = _setting_out(found, wanted, home, work)
    for turn in range(_ROUNDS):
        if turn == _ROUNDS // 2:
            people = _setting_out(found, wanted, home, work)
        found = _closer(found, wanted, people)
    return found


def _setting_out(now: Attraction, wanted: Wanted, home: FloatArray, work: FloatArray) -> _People:
    """People in all of the ways to set out, as many in each as are wanted.

    Who comes from home is there with every home; the others stand for many, spread evenly.
    """
    many = wanted.outings.sum(axis=1)
    number = np.arange(_PEOPLE)
    spread: FloatArray = (number + 0.5) / _PEOPLE
    homes = _at(np.broadcast_to(home, (_PEOPLE, len(home))), spread)
    works = _at(work[homes], np.mod(number * _GOLDEN, 1.0))
    at_home = np.arange(_PEOPLE) % 2 == 0
    before = np.where(at_home, homes, works)
    out = now.pull(before, homes, np.where(at_home, FROM_HOME, FROM_WORK))
    elsewhere = _at(out, np.mod(number * _SILVER, 1.0))
    cells, each = np.arange(len(home)), np.full(_PEOPLE, 1 / _PEOPLE)
    kinds = (
        (FROM_HOME, cells, cells, home),
        (BACK_TO_WORK, homes, works, each),
        (FROM_WORK, homes, works, each),
        (FROM_ELSEWHERE, homes, elsewhere, each),
    )
    return _People(
        np.concatenate([homes for _, homes, _, _ in kinds]),
        np.concatenate([lasts for _, _, lasts, _ in kinds]),
        np.concatenate([np.full(len(lasts), how) for how, _, lasts, _ in kinds]),
        np.concatenate([many[how] * weight for how, _, _, weight in kinds]),
    )


def _at(weights: FloatArray, levels: FloatArray) -> IntArray:
    """(n,) of each row, the cell at a level of its summed weights."""
    sums = np.cumsum(weights, axis=1)
    found: IntArray = (sums <= levels[:, None] * sums[:, -1:]).sum(axis=1)
    last: IntArray = np.minimum(found, weights.shape[1] - 1)
    return last


def _closer(now: Attraction, wanted: Wanted, people: _People) -> Attraction:
    """Pulls by which what comes out is closer to what is wanted."""
    bins = now.where.bin
    pull = now.pull(people.last, people.home, people.how)
    pull *= (people.weight / np.maximum(pull.sum(axis=1), 1e-300))[:, None]
    lasts = np.bincount(
        (people.how[:, None] * BINS + bins[people.last]).ravel(), pull.ravel(), OUTINGS * BINS
    ).astype(np.float64)
    away = people.how != FROM_HOME
    homes = np.bincount(bins[people.home[away]].ravel(), pull[away].ravel(), BINS).astype(
        np.float64
    )
    return replace(
        now,
        cells=now.cells * _ratio(wanted.cells, pull.sum(axis=0)),
        from_last=now.from_last * _ratio(wanted.outings, lasts.reshape(OUTINGS, BINS)),
        from_home=now.from_home * _ratio(wanted.from_home, homes),
    )


def _ratio(wanted: FloatArray, now: FloatArray) -> FloatArray:
    """By how much to change pulls for shares to come out; half the way, as all change at once."""
    one, other = (
        each / np.maximum(each.sum(axis=-1, keepdims=True), 1e-12) for each in (wanted, now)
    )
    found: FloatArray = np.sqrt((one + _RARE) / (other + _RARE))
    return found
