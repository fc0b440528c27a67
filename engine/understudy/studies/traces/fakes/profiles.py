"""Mobility profiles (section 6.1), how alike two of them are, and the semantic classes of locations
that follow (Algorithm 6.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.privacy.randomness import RandomSource
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
    chances = summed.reshape(locations, locations) + _FLOOR * location_nearness(where, locations)
    return Aggregate(shares.mean(axis=0), chances / chances.sum(axis=1, keepdims=True))


def locations_of(days: Days, where: Geography) -> int:
    """Return how many locations there are: the cells of the map, and one off it where somebody
    was."""
    return where.cells + int((days.cells >= where.cells).any())


def location_nearness(where: Geography, locations: int) -> FloatArray:
    """Return (locations, locations) the inverse square of kilometres between them, 1 at the most.
    Off the map is as far as the map is wide."""
    apart = np.full((locations, locations), where.apart.max())
    apart[: where.cells, : where.cells] = where.apart
    np.fill_diagonal(apart, 0)
    found: FloatArray = np.maximum(1.0, apart) ** -2
    return found


@dataclass(frozen=True, eq=False)
class Matched:
    """How alike the lives of two people are, and which places mean the same to both.

    Attributes:
        similarity: sim_S, from 0 to 1.
        one, other: (m,) places of the first person, and what each is to the second; only pairs
            in which both spend time in the same period.
    """

    similarity: float
    one: IntArray
    other: IntArray


def geographic(one: Profile, other: Profile) -> float:
    """Return sim_G of (6.7), from 0 to 1: how far the second person moves from where the first is
    as the first does. The earth mover's distance is 1 − Σ min where any two places are equally far
    apart, so that no transport has to be solved. Not symmetric."""
    _, at, beside = np.intersect1d(one.keys, other.keys, assume_unique=True, return_indices=True)
    both = np.minimum(one.chance[at], other.chance[beside])
    return float((one.weight[at] * both).sum())


def semantic(one: Profile, other: Profile) -> Matched:
    """Return sim_S of (6.10), with one matching for all periods: the most time that both people
    spend in the same periods in matched places. It is symmetric, and exact by a linear assignment
    between the places where they were, as all others add nothing."""
    shared = _together(one, other)
    at, beside = linear_sum_assignment(shared, maximize=True)
    matched = shared[at, beside]
    kept = matched > 0
    return Matched(float(matched.sum()), one.places[at[kept]], other.places[beside[kept]])


def _together(one: Profile, other: Profile) -> FloatArray:
    """Return (m, m′) of every two places, the share of the time that both people spend there in the
    same periods."""
    found = np.zeros((len(one.places), len(other.places)))
    for mine, theirs in zip(one.visits, other.visits, strict=True):
        found += np.minimum(mine[:, None], theirs)
    return found / PERIODS


CLASSES: Final = 20
NO_CLASS: Final = -1
MOST_PAIRS: Final = 20_000
"""How many pairs of people are compared at most: all of up to 200 people, of more a sample."""
_STARTS: Final = 10


def semantic_graph(
    people: Sequence[Profile],
    locations: int,
    source: RandomSource,
    most_pairs: int = MOST_PAIRS,
) -> FloatArray:
    """Return (locations, locations) how much every two locations mean the same: the sum of sim_S
    over pairs of people who match them. Symmetric.

    Args:
        people: whose profiles are compared.
        locations: how many there are.
        source: which pairs are compared, where there are more than `most_pairs`.
        most_pairs: how many pairs are compared at most.
    """
    found = np.zeros((locations, locations))
    for first, second in person_pairs(len(people), most_pairs, source):
        matched = semantic(people[first], people[second])
        # A place is matched once, so no entry is added to twice.
        found[matched.one, matched.other] += matched.similarity
    return found + found.T


def person_pairs(people: int, most: int, source: RandomSource) -> Iterator[tuple[int, int]]:
    """Yield pairs of two people, each once: all of them, or so many drawn by chance."""
    if people * (people - 1) // 2 <= most:
        yield from zip(*(each.tolist() for each in np.triu_indices(people, 1)), strict=True)
        return
    drawn = set[tuple[int, int]]()
    while len(drawn) < most:
        one, other = source.below(people, 2).tolist()
        pair = (min(one, other), max(one, other))
        if one != other and pair not in drawn:
            drawn.add(pair)
            yield pair


def semantic_classes(graph: FloatArray, number: int, source: RandomSource) -> IntArray:
    """Return (locations,) the class of each, by K-means over the rows of the graph; `NO_CLASS` for
    one that means the same as none, such as where nobody ever was.

    Args:
        graph: as of `semantic_graph`.
        number: how many classes; fewer where there are fewer unlike rows.
        source: where K-means starts.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    found = np.full(len(graph), NO_CLASS)
    known = np.flatnonzero(graph.any(axis=1))
    if len(known):
        unlike = len(np.unique(graph[known], axis=0))
        start = int(source.below(2**31, 1)[0])
        model = KMeans(min(number, unlike), n_init=_STARTS, random_state=start)
        with threadpool_limits(1):
            found[known] = model.fit_predict(graph[known])
    return found


def inside_over_across(graph: FloatArray, classes: IntArray) -> float:
    """Return the mean weight between two locations of one class, over that between two of different
    classes: how the number of classes is chosen. (Printed the other way round.) Infinite where
    nothing lies across."""
    known = np.flatnonzero(classes != NO_CLASS)
    weight = graph[np.ix_(known, known)]
    same = classes[known][:, None] == classes[known]
    apart = ~np.eye(len(known), dtype=bool)
    inside, across = weight[same & apart], weight[~same]
    if not across.any():
        return np.inf
    return float(inside.mean() / across.mean()) if inside.size else 0.0


def best_number(graph: FloatArray, numbers: Sequence[int], source: RandomSource) -> int:
    """Of some numbers of classes, that with the most weight inside over across."""
    found = [inside_over_across(graph, semantic_classes(graph, n, source)) for n in numbers]
    return numbers[int(np.argmax(found))]
