"""How alike lives are: closed forms and assignments against slow, obvious ones."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tests.engine.models.mobility.town import TOWN, commuters, lives, of_lives
from understudy.core.arrays import FloatArray
from understudy.studies.traces.fakes.profiles import (
    PERIODS,
    Profile,
    aggregate,
    geographic,
    nearness,
    profile,
    profiles,
    semantic,
)

PLACES = 5
LIVES = lives(cells=PLACES - 1, most_days=2)


def visits(each: Profile) -> FloatArray:
    found = np.zeros((PERIODS, PLACES))
    found[:, each.places] = each.visits
    return found


def steps(each: Profile) -> tuple[FloatArray, FloatArray]:
    """(changes, from, to) chances and (changes, from) weights."""
    chances = np.zeros((PERIODS**2, PLACES, PLACES))
    chances[each.steps, each.start, each.end] = each.chance
    weights = np.zeros((PERIODS**2, PLACES))
    weights[each.steps, each.start] = each.weight
    return chances, weights


def of(life: list[list[int]]) -> Profile:
    return profile(np.array(life))


@given(LIVES)
def test_a_twin_who_lives_elsewhere_means_the_same_and_moves_otherwise(
    life: list[list[int]],
) -> None:
    one, twin = of(life), profile(np.array(life) + 100)
    assert semantic(one, twin).similarity == pytest.approx(1)
    assert geographic(one, twin) == 0
    assert geographic(one, one) == pytest.approx(1)


@given(LIVES, LIVES)
def test_the_matching_is_the_best_of_all(mine: list[list[int]], theirs: list[list[int]]) -> None:
    one, other = of(mine), of(theirs)
    first, second = visits(one), visits(other)
    best = max(
        np.minimum(first, second[:, list(order)]).sum() / PERIODS
        for order in permutations(range(PLACES))
    )
    found = semantic(one, other)
    assert found.similarity == pytest.approx(best)
    assert semantic(other, one).similarity == pytest.approx(best)
    assert (np.minimum(first[:, found.one], second[:, found.other]).sum(axis=0) > 0).all()


@given(LIVES, LIVES)
def test_places_are_compared_by_transport(mine: list[list[int]], theirs: list[list[int]]) -> None:
    """sim_G = 1 − Σ weight · earth mover's distance, solved as a linear programme where the other
    has a chance of steps too; where not, nothing is alike."""
    one, other = of(mine), of(theirs)
    (p, weight), (q, _) = steps(one), steps(other)
    expected = 0.0
    for change, start in zip(*np.nonzero(weight), strict=True):
        if q[change, start].any():
            moved = transport(p[change, start], q[change, start])
            expected += weight[change, start] * (1 - moved)
    assert geographic(one, other) == pytest.approx(expected, abs=1e-7)


def transport(p: FloatArray, q: FloatArray) -> float:
    cost = (~np.eye(PLACES, dtype=bool)).astype(float)
    rows = np.kron(np.eye(PLACES), np.ones(PLACES))
    columns = np.kron(np.ones(PLACES), np.eye(PLACES))
    solved = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, q]))
    return float(solved.fun)


def test_shares_and_chances_sum_to_one_and_those_who_are_one_person_count_once() -> None:
    told = commuters(5)
    found = aggregate(told, TOWN, TOWN.cells)
    assert found.shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1)
    slow = np.zeros((TOWN.cells, TOWN.cells))
    for each in range(told.people):
        counts = np.zeros_like(slow)
        for day in told.cells[told.person == each]:
            np.add.at(counts, (day[:-1], day[1:]), 1)
        total = counts.sum(axis=1, keepdims=True)
        slow += np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    slow += 1e-3 * nearness(TOWN, TOWN.cells)
    np.testing.assert_allclose(found.chances, slow / slow.sum(axis=1, keepdims=True))


@given(st.lists(LIVES, min_size=1, max_size=4))
def test_a_profile_follows_from_ones_own_days(people: list[list[list[int]]]) -> None:
    for each, life in zip(profiles(of_lives(people)), people, strict=True):
        np.testing.assert_array_equal(each.keys, of(life).keys)
        np.testing.assert_array_equal(each.chance, of(life).chance)
        assert each.visits.sum(axis=1) == pytest.approx(np.ones(PERIODS))
