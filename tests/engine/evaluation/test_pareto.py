from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from understudy.evaluation.run_comparison import pareto_front, pareto_optimal

# Few different values, so that ties are common.
_NUMBER = st.sampled_from([0.5, 1.0, 2.0, 3.0, -1.0, math.nan, math.inf, -math.inf])
_POINTS = st.lists(st.tuples(_NUMBER, _NUMBER), max_size=12)


def by_hand(points: list[tuple[float, float]], higher: bool) -> list[bool]:
    """Every point against every other, as the sentence says it."""
    there = [all(math.isfinite(value) for value in point) for point in points]

    def beats(one: int, other: int) -> bool:
        (epsilon, given_), (its_epsilon, its_given) = points[one], points[other]
        better = given_ >= its_given if higher else given_ <= its_given
        return there[one] and epsilon <= its_epsilon and better and points[one] != points[other]

    return [
        there[each] and not any(beats(other, each) for other in range(len(points)))
        for each in range(len(points))
    ]


@given(points=_POINTS)
def test_it_is_what_no_other_point_beats(points: list[tuple[float, float]]) -> None:
    epsilons, utility = np.array(points, dtype=np.float64).reshape(-1, 2).T
    assert pareto_front(epsilons, utility, "lower").tolist() == by_hand(points, higher=False)
    assert pareto_front(epsilons, utility, "higher").tolist() == by_hand(points, higher=True)


def test_points_that_are_alike_both_stand_on_it() -> None:
    epsilons, utility = np.array([1.0, 1.0, 2.0, 0.5]), np.array([0.2, 0.2, 0.3, 0.4])
    assert pareto_front(epsilons, utility, "lower").tolist() == [True, True, False, True]
    assert pareto_front(epsilons, utility, "higher").tolist() == [False, False, False, True]


@given(points=_POINTS)
def test_in_two_respects_both_ways_agree(points: list[tuple[float, float]]) -> None:
    costs = np.array(points, dtype=np.float64).reshape(-1, 2)
    assert pareto_optimal(costs).tolist() == pareto_front(*costs.T, "lower").tolist()


def test_what_is_best_in_one_respect_of_three_is_beaten_by_nothing() -> None:
    costs = np.array([[1, 5, 5], [5, 1, 5], [5, 5, 1], [5, 5, 5], [1, 5, 6], [np.nan, 0, 0]])
    assert pareto_optimal(costs.astype(float)).tolist() == [True, True, True, False, False, False]
