"""What is turned into figures for other neighbours holds there, and can be attained."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.assurance.divergence import hockey_stick
from understudy.privacy.accounting.guarantee import common, converted
from understudy.privacy.budget import Budget, Neighbours

TABLES, REPLACEMENTS = Neighbours.TABLES, Neighbours.REPLACEMENTS
LAWS = st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(any)


def law(weights: list[int]) -> np.ndarray:
    return np.array(weights) / sum(weights)


@given(LAWS, LAWS, LAWS, st.floats(0, 3))
def test_a_replacement_costs_no_more_than_is_said(
    with_one: list[int], without: list[int], with_other: list[int], epsilon: float
) -> None:
    first, middle, last = map(law, (with_one, without, with_other))
    delta = max(
        float(hockey_stick(first, middle, epsilon)), float(hockey_stick(middle, last, epsilon))
    )
    found = converted(Budget(epsilon, min(1.0, delta)), TABLES, REPLACEMENTS)
    assert found is not None
    if found.bounded:
        assert float(hockey_stick(first, last, found.epsilon)) <= found.delta + 1e-12


def test_it_is_attained() -> None:
    """What is rare with the other record is e^ε times as likely without, and again with the one."""
    epsilon, rare = 0.5, 0.01
    laws = [np.array([p, 1 - p]) for p in (rare * math.exp(k * epsilon) for k in (2, 1, 0))]
    first, middle, last = laws
    for one, other in ((first, middle), (middle, last)):
        assert float(hockey_stick(one, other, epsilon)) == 0
    found = converted(Budget(epsilon), TABLES, REPLACEMENTS)
    assert found == Budget(2 * epsilon)
    assert float(hockey_stick(first, last, found.epsilon)) == 0
    assert float(hockey_stick(first, last, found.epsilon - 1e-3)) > 0


def test_a_delta_is_reached_whole() -> None:
    """The record shows with probability δ, whichever it is; then nothing else is drawn."""
    delta, epsilon = 0.01, 0.7
    e = math.exp(epsilon)
    middle = np.array([0.0, 0.0, 1.0])
    first = np.array([delta, 0.0, 1 - delta])
    last = np.array([0.0, delta, 1 - delta])
    found = converted(Budget(epsilon, delta), TABLES, REPLACEMENTS)
    assert found is not None
    assert (found.epsilon, found.delta) == (2 * epsilon, pytest.approx((1 + e) * delta))
    assert float(hockey_stick(first, middle, epsilon)) == pytest.approx(delta)
    assert float(hockey_stick(first, last, 2 * epsilon)) == pytest.approx(delta)


@pytest.mark.parametrize(
    ("holds", "wanted"),
    [
        (REPLACEMENTS, TABLES),
        (Neighbours.POPULATIONS, TABLES),
        (TABLES, Neighbours.POPULATIONS),
        (REPLACEMENTS, Neighbours.POPULATIONS),
    ],
)
def test_nothing_follows_the_other_way(holds: Neighbours, wanted: Neighbours) -> None:
    assert converted(Budget(0.1), holds, wanted) is None


@given(st.floats(0, 50), st.floats(0, 1))
def test_what_is_promised_to_nobody_stays_so(epsilon: float, delta: float) -> None:
    found = converted(Budget(epsilon, delta), TABLES, REPLACEMENTS)
    assert found is not None
    assert converted(Budget(epsilon, delta), TABLES, TABLES) == Budget(epsilon, delta)
    if found.bounded:
        assert found.epsilon == 2 * epsilon
        assert found.delta == pytest.approx((1 + math.exp(epsilon)) * delta)
    assert converted(Budget.unbounded(), TABLES, REPLACEMENTS) == Budget.unbounded()


def test_the_weaker_kind_is_what_all_can_be_added_for() -> None:
    assert common([TABLES, TABLES]) is TABLES
    assert common([]) is TABLES
    assert common([TABLES, REPLACEMENTS]) is REPLACEMENTS
