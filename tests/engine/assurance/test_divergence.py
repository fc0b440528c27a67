from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.random_inputs import Drawing


@given(st.integers(0, 10**6), st.floats(0, 3))
def test_the_hockey_stick_is_the_worst_of_all_events(seed: int, epsilon: float) -> None:
    first, second = Drawing(seed).distributions(2, 5)
    events = chain.from_iterable(combinations(range(5), size) for size in range(6))
    worst = max(
        one[list(event)].sum() - math.exp(epsilon) * other[list(event)].sum()
        for event in events
        for one, other in ((first, second), (second, first))
    )
    assert hockey_stick(first, second, epsilon) == pytest.approx(worst, abs=1e-12)


def test_equal_laws_are_not_apart_and_rounding_is_no_difference() -> None:
    law = np.array([0.3, 0.7])
    assert hockey_stick(law, law * (1 + 5e-14), 0.0) == 0
    assert hockey_stick(law, law * (1 + 5e-13), 0.0) > 0


def test_probabilities_far_under_the_rounding_of_others_still_count() -> None:
    first, second = np.array([1.0, 1e-30]), np.array([1.0, 4e-30])
    assert hockey_stick(first, second, math.log(2)) == pytest.approx(2e-30)


def test_many_epsilons_and_neighbours_at_once() -> None:
    first, second, third = Drawing(2).distributions(3, 4)
    epsilon = np.array([0.1, 1.0])
    found = hockey_stick(first, np.stack([second, third])[:, None], epsilon)
    assert found.shape == (2, 2)
    assert found[1, 0] == hockey_stick(first, third, 0.1)


def test_a_divergence_over_a_delta() -> None:
    found = over(np.array([0.0, 0.0, 2e-9, 1e-9]), np.array([0.0, 1e-9, 1e-9, 0.0]))
    np.testing.assert_array_equal(found, [0, 0, 2, np.inf])
