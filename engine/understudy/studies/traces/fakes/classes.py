"""Semantic classes: locations that mean the same to many people (Algorithm 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.profiles import Profile
from understudy.studies.traces.fakes.similarity import semantic

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
    for first, second in pairs(len(people), most_pairs, source):
        matched = semantic(people[first], people[second])
        # A place is matched once, so no entry is added to twice.
        found[matched.one, matched.other] += matched.similarity
    return found + found.T


def pairs(people: int, most: int, source: RandomSource) -> Iterator[tuple[int, int]]:
    """Pairs of two people, each once: all of them, or so many drawn by chance."""
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
    """(locations,) the class of each, by K-means over the rows of the graph; `NO_CLASS` for one
    that means the same as none, such as where nobody ever was.

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
