"""Mobility profiles: how one person moves, and how all of them do together (section 6.1).

Estimates are those of maximum likelihood, of complete days. A day has four periods of six hours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.table.positions.slots import SLOTS

PERIODS: Final = 4
_PERIOD: Final = np.arange(SLOTS) * PERIODS // SLOTS
_STEPS: Final = _PERIOD[:-1] * PERIODS + _PERIOD[1:]
"""(71,) of each step from a slot to the next, the periods that both lie in, as one number."""
_FLOOR: Final = 1e-3
"""How much the distance alone says of a transition, beside what a person does."""
_BITS: Final = 16


@dataclass(frozen=True, eq=False)
class Profile:
    """How one person moves.

    Attributes:
        places: (m,) the locations where they were, rising.
        visits: (periods, m) the share of each period that they spent in each; rows sum to 1.
        steps: (e,) of each transition that occurs, its two periods, as one number.
        start, end: (e,) from which location to which.
        chance: (e,) how likely it is, given where it starts and its periods.
        weight: (e,) the share of all steps that start there in those periods.
    """

    places: IntArray
    visits: FloatArray
    steps: IntArray
    start: IntArray
    end: IntArray
    chance: FloatArray
    weight: FloatArray

    @cached_property
    def keys(self) -> IntArray:
        """(e,) a number for each transition and its periods, rising."""
        return (self.steps << 2 * _BITS) | (self.start << _BITS) | self.end


def profile(cells: IntArray) -> Profile:
    """Return the profile of a person with these days, (days, 72) the location in each slot."""
    places, at = np.unique(cells, return_inverse=True)
    period = np.broadcast_to(_PERIOD, cells.shape).ravel()
    visits = np.bincount(period * len(places) + at.ravel(), minlength=PERIODS * len(places))
    visits = visits.reshape(PERIODS, len(places))
    steps = np.broadcast_to(_STEPS, (len(cells), SLOTS - 1)).ravel()
    start, end = cells[:, :-1].ravel(), cells[:, 1:].ravel()
    keys, count = np.unique((steps << 2 * _BITS) | (start << _BITS) | end, return_counts=True)
    origin, row = np.unique(keys >> _BITS, return_inverse=True)
    together = np.bincount(row, weights=count, minlength=len(origin))[row]
    return Profile(
        places=places,
        visits=visits / visits.sum(axis=1, keepdims=True),
        steps=keys >> 2 * _BITS,
        start=(keys >> _BITS) & ((1 << _BITS) - 1),
        end=keys & ((1 << _BITS) - 1),
        chance=count / together,
        weight=together / count.sum(),
    )


def profiles(days: Days) -> tuple[Profile, ...]:
    """Return the profile of each person, of all their days."""
    cuts = np.searchsorted(days.person, np.arange(1, days.people))
    return tuple(profile(each) for each in np.split(days.cells, cuts))


@dataclass(frozen=True, eq=False)
class Aggregate:
    """How people move together, whatever the time of the day.

    Attributes:
        shares: (locations,) π̄: where they are, the mean over people.
        chances: (locations, locations) p̄: from where to where; every row sums to 1.
    """

    shares: FloatArray
    chances: FloatArray

    @property
    def locations(self) -> int:
        """How many there are."""
        return len(self.shares)


def aggregate(days: Days, where: Geography, locations: int) -> Aggregate:
    """Return the mean of people's profiles, where π̄ is of days and p̄ of steps.

    What nobody does has a chance too, that falls with the square of the distance.

    Args:
        days: of people, in the order of the people.
        where: the map.
        locations: as of `locations_of`.
    """
    people, cells = days.people, days.cells
    person = np.repeat(days.person, SLOTS)
    spent = np.bincount(person * locations + cells.ravel(), minlength=people * locations)
    spent = spent.reshape(people, locations)
    shares = spent / np.maximum(1, spent.sum(axis=1, keepdims=True))
    person = np.repeat(days.person, SLOTS - 1)
    start, end = cells[:, :-1].ravel(), cells[:, 1:].ravel()
    keys, count = np.unique((person * locations + start) * locations + end, return_counts=True)
    _, row = np.unique(keys // locations, return_inverse=True)
    chance = count / np.bincount(row, weights=count)[row]
    summed = np.bincount(keys % locations**2, weights=chance, minlength=locations**2)
    chances = summed.reshape(locations, locations) + _FLOOR * nearness(where, locations)
    return Aggregate(shares.mean(axis=0), chances / chances.sum(axis=1, keepdims=True))


def locations_of(days: Days, where: Geography) -> int:
    """Return how many locations there are: the cells of the map, and one off it where somebody
    was."""
    return where.cells + int((days.cells >= where.cells).any())


def nearness(where: Geography, locations: int) -> FloatArray:
    """(locations, locations) the inverse square of kilometres between them, 1 at the most. Off the
    map is as far as the map is wide."""
    apart = np.full((locations, locations), where.apart.max())
    apart[: where.cells, : where.cells] = where.apart
    np.fill_diagonal(apart, 0)
    found: FloatArray = np.maximum(1.0, apart) ** -2
    return found
