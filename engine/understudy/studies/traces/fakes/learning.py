"""What fakes are made by, learned from people's days."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.classes import (
    CLASSES,
    semantic_classes,
    semantic_graph,
)
from understudy.studies.traces.fakes.profiles import (
    Aggregate,
    Profile,
    aggregate,
    locations_of,
    profiles,
)
from understudy.studies.traces.fakes.synthesizer import USUAL, Settings, fake


@dataclass(frozen=True, eq=False)
class Model:
    """What fakes are made by. As confidential as the days: nothing hides anybody in it.

    Attributes:
        people: the profile of each person.
        known: how they move together.
        graph: (locations, locations) how much every two locations mean the same.
        classes: (locations,) the class of each.
    """

    people: tuple[Profile, ...]
    known: Aggregate
    graph: FloatArray
    classes: IntArray


def learned(
    days: Days,
    where: Geography,
    source: RandomSource,
    number: int = CLASSES,
    locations: int | None = None,
) -> Model:
    """Learn the model of people's days.

    Args:
        days: of the people, in their order.
        where: the map.
        source: which pairs of people are compared, and where K-means starts.
        number: how many classes there are.
        locations: how many there are; None for those of these days.
    """
    size = locations_of(days, where) if locations is None else locations
    people = profiles(days)
    graph = semantic_graph(people, size, source)
    classes = semantic_classes(graph, number, source)
    return Model(people, aggregate(days, where, size), graph, classes)


def fakes(
    seeds: IntArray, model: Model, each: int, source: RandomSource, how: Settings = USUAL
) -> IntArray:
    """(n, each, 72) so many fakes of each real trace (n, 72)."""
    made = [
        [fake(seed, model.known, model.classes, how, source) for _ in range(each)] for seed in seeds
    ]
    return np.array(made, dtype=np.int64).reshape(len(seeds), each, seeds.shape[1])
