from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.bayesnet.structure import Correlations, CostCap, merit, select


def random_correlations(seed: int, attributes: int) -> Correlations:
    rng = np.random.default_rng(seed)
    parents = rng.random((attributes, attributes))
    return Correlations(rng.random((attributes, attributes)), (parents + parents.T) / 2)


def test_merit_is_the_published_score() -> None:
    child_parent = np.array([[0, 0.4, 0.6], [0, 0, 0], [0, 0, 0]])
    parents = np.array([[1, 0, 0], [0, 1, 0.25], [0, 0.25, 1]])
    correlations = Correlations(child_parent, parents)
    assert merit(correlations, 0, ()) == 0
    assert merit(correlations, 0, (1,)) == pytest.approx(0.4)
    assert merit(correlations, 0, (1, 2)) == pytest.approx(1.0 / math.sqrt(2 + 2 * 0.25))


@given(st.integers(0, 2**31), st.integers(2, 7), st.floats(4, 500))
def test_the_choice_is_acyclic_under_the_cap_and_cannot_be_bettered_by_an_edge(
    seed: int, attributes: int, most_cells: float
) -> None:
    correlations = random_correlations(seed, attributes)
    rng = np.random.default_rng(seed)
    cap = CostCap(rng.integers(2, 9, attributes), rng.integers(2, 5, attributes), most_cells)
    structure = select(correlations, cap)
    place = {attribute: at for at, attribute in enumerate(structure.order)}
    for child, parents in enumerate(structure.parents):
        assert not parents or cap.allows(child, parents)
        for parent in range(attributes):
            if parent == child or parent in parents or not cap.allows(child, (*parents, parent)):
                continue
            if _reaches(structure.parents, child, parent):
                continue
            more = merit(correlations, child, (*parents, parent))
            assert more <= merit(correlations, child, parents)
    assert len(place) == attributes


def _reaches(parents: tuple[tuple[int, ...], ...], start: int, goal: int) -> bool:
    """Whether `start` is an ancestor of `goal`, so that the edge goal → start closes a cycle."""
    return goal == start or any(_reaches(parents, start, each) for each in parents[goal])


def test_no_correlation_no_edges() -> None:
    none = Correlations(np.zeros((4, 4)), np.eye(4))
    cap = CostCap(np.full(4, 3), np.full(4, 3), 1e9)
    assert select(none, cap).edges == ()


def test_a_cap_below_every_pair_leaves_the_marginals() -> None:
    cap = CostCap(np.full(4, 3), np.full(4, 3), 8)
    assert select(random_correlations(1, 4), cap).edges == ()


def test_among_equals_the_coarsest_attribute_comes_first() -> None:
    none = Correlations(np.zeros((4, 4)), np.eye(4))
    cap = CostCap(np.array([80, 2, 5, 2]), np.full(4, 2), 1e9)
    assert select(none, cap).order == (1, 3, 2, 0)
