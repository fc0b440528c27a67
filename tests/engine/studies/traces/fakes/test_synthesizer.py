"""The synthesizer: ways through sets against all of them, and what may be where."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.mobility.town import TOWN, commuters
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.profiles import (
    NO_CLASS,
    Aggregate,
    best_number,
    inside_over_across,
    pairs,
    profiles,
    semantic_classes,
    semantic_graph,
)
from understudy.studies.traces.fakes.synthesizer import (
    USUAL,
    Settings,
    allow_locations,
    fakes,
    learn_days,
    likeliest,
)

SLOTS, PLACES = 4, 3


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, Aggregate]:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sets = random.random((SLOTS, PLACES)) < 0.6
    sets[~sets.any(axis=1)] = True
    chances = random.dirichlet(np.ones(PLACES), PLACES)
    return sets, Aggregate(random.dirichlet(np.ones(PLACES)), chances)


@given(problems(), st.sampled_from([1.0, 4.0]))
def test_the_way_is_the_likeliest_of_all(
    problem: tuple[np.ndarray, Aggregate], spread: float
) -> None:
    sets, known = problem
    found = likeliest(sets, known, spread, RandomSource.fixed(1))
    source = RandomSource.fixed(1)
    times = np.ones((SLOTS - 1, PLACES, PLACES))
    for at in range(SLOTS - 1):
        here, there = np.flatnonzero(sets[at]), np.flatnonzero(sets[at + 1])
        if spread > 1:
            draws = source.uniforms(len(here) * len(there)).reshape(len(here), -1)
            times[at][np.ix_(here, there)] = 1 + (spread - 1) * draws

    def weight(way: tuple[int, ...]) -> float:
        steps = [known.chances[a, b] * times[t, a, b] for t, (a, b) in enumerate(pairwise(way))]
        return float(known.shares[way[0]] * np.prod(steps))

    ways = product(*(np.flatnonzero(each).tolist() for each in sets))
    assert weight(tuple(found.tolist())) == pytest.approx(max(map(weight, ways)))


def test_without_carrying_a_slot_has_its_class_less_the_truth() -> None:
    classes = np.array([0, 0, 0, 1, 1, NO_CLASS])
    seed = np.array([0, 1, 3, 5, 5])
    how = Settings(leave_out=0, hide=1, carry=0)
    expected = [{1, 2}, {0, 2}, {4}, set(range(6)), set(range(6))]
    sets = allow_locations(seed, classes, how, RandomSource.fixed(1))
    assert [set(np.flatnonzero(each).tolist()) for each in sets] == expected
    shown = allow_locations(
        seed, classes, how.model_copy(update={"hide": 0.0}), RandomSource.fixed(1)
    )
    assert shown[np.arange(3), seed[:3]].all()


def test_places_are_carried_as_far_as_the_chance_says() -> None:
    """The second slot's class is carried over the change; q slots on with the chance p_m^q."""
    classes = np.array([0, 0, 1, 1])
    seed = np.array([0, 0, 2, 2, 2])
    how, source = Settings(leave_out=0, hide=1, carry=0.5), RandomSource.fixed(4)
    runs = 1500
    counts = sum(allow_locations(seed, classes, how, source).astype(int) for _ in range(runs))
    assert isinstance(counts, np.ndarray)
    assert counts[2:, 1] / runs == pytest.approx([0.5, 0.25, 0.125], abs=0.05)
    assert counts[1::-1, 3] / runs == pytest.approx([0.5, 0.25], abs=0.05)
    assert not counts[:, [0, 2]].any()


def test_classes_gather_what_means_the_same_and_leave_out_where_nobody_was() -> None:
    told = commuters(24)
    graph = semantic_graph(profiles(told), TOWN.cells, RandomSource.fixed(1))
    np.testing.assert_array_equal(graph, graph.T)
    never = np.setdiff1d(np.arange(TOWN.cells), told.cells)
    assert not graph[never].any()
    blocks = np.kron(np.eye(2), np.ones((3, 3)))
    padded = np.pad(blocks, (0, 1))
    classes = semantic_classes(padded, 5, RandomSource.fixed(2))
    assert classes[6] == NO_CLASS
    assert len(set(classes[:3])) == len(set(classes[3:6])) == 1
    assert classes[0] != classes[3]
    assert best_number(graph, (2, 3), RandomSource.fixed(1)) in (2, 3)


def test_weight_inside_over_across_by_hand() -> None:
    graph = np.array([[9.0, 4, 1, 0], [4, 9, 1, 0], [1, 1, 9, 0], [0, 0, 0, 0]])
    assert inside_over_across(graph, np.array([0, 0, 1, NO_CLASS])) == 4
    assert inside_over_across(graph, np.array([0, 1, 2, NO_CLASS])) == 0
    assert np.isinf(inside_over_across(graph, np.array([0, 0, 0, NO_CLASS])))


def test_pairs_are_all_or_a_sample_each_once() -> None:
    source = RandomSource.fixed(1)
    assert list(pairs(4, 6, source)) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    some = list(pairs(40, 100, source))
    assert len(some) == len(set(some)) == 100
    assert all(0 <= one < other < 40 for one, other in some)


def test_a_fake_is_never_where_its_seed_is_alone_in_a_class_and_differs_by_chance() -> None:
    told = commuters(8)
    model = learn_days(told, TOWN, RandomSource.fixed(1), 4)
    made = fakes(told.cells[:3], model, 2, RandomSource.fixed(2), USUAL)
    assert made.shape == (3, 2, 72)
    assert made.max() < TOWN.cells
    again = fakes(told.cells[:3], model, 2, RandomSource.fixed(2), USUAL)
    np.testing.assert_array_equal(made, again)
