"""The rules by which guarantees add up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.composition import (
    advanced,
    advanced_epsilon,
    amplified_by_sampling,
    optimal,
    parallel,
    sequential,
)
from understudy.privacy.budget import Budget


def test_sequential_is_the_sum() -> None:
    assert sequential(Budget(0.1, 1e-9), 7) == Budget(0.1 * 7, 1e-9 * 7)


def test_advanced_is_theorem_2_2() -> None:
    total = advanced(Budget(0.01, 1e-12), 5_000, 1e-6)
    expected = 0.01 * math.sqrt(2 * 5_000 * math.log(1e6)) + 5_000 * 0.01 * (math.exp(0.01) - 1)
    assert total.epsilon == pytest.approx(expected, rel=1e-12)
    assert total.delta == pytest.approx(5_000 * 1e-12 + 1e-6)


@pytest.mark.parametrize("slack", [0.0, -1e-9, 1.0, math.nan])
def test_advanced_needs_slack(slack: float) -> None:
    with pytest.raises(Refusal) as refusal:
        advanced(Budget(0.1), 10, slack)
    assert refusal.value.field == "delta"


def test_advanced_of_many_at_once() -> None:
    epsilon, slack = np.array([0.1, 0.2, 0.1]), np.array([1e-6, 1e-9, 0.0])
    totals = advanced_epsilon(epsilon, 100, slack)
    assert totals[:2].tolist() == [
        advanced(Budget(e), 100, s).epsilon
        for e, s in zip(epsilon[:2].tolist(), slack[:2].tolist(), strict=True)
    ]
    assert totals[2] == math.inf


def test_optimal_stays_within_its_delta() -> None:
    each = Budget(0.01, 1e-12)
    total = optimal(each, 5_000, 1e-6)
    assert total.delta == 1e-6
    assert (
        total.epsilon < advanced(each, 5_000, 1e-6 - 5e-9).epsilon < sequential(each, 5_000).epsilon
    )


def test_optimal_that_does_no_better_than_the_sum_is_the_sum() -> None:
    each = Budget(0.5, 1e-9)
    alone = -math.expm1(3 * math.log1p(-1e-9))
    assert optimal(each, 3, alone) == Budget(1.5, alone)
    assert optimal(each, 1, 1e-9) == each


def test_optimal_of_uses_that_exceed_the_target() -> None:
    assert optimal(Budget(0.1, 1e-9), 1_001, 1e-6) == Budget.unbounded()
    assert optimal(Budget(0.1, 1.0), 1, 0.5) == Budget.unbounded()
    assert optimal(Budget(0.1, 1e-9), 999, 1e-6).bounded


def test_optimal_of_nothing_costs_nothing() -> None:
    assert optimal(Budget(0.1, 1e-9), 0, 1e-6) == Budget(0.0)
    assert optimal(Budget(0.0), 100, 1e-6) == Budget(0.0)


def test_disjoint_parts_cost_the_maximum() -> None:
    assert parallel(Budget(1, 1e-9), Budget(0.5, 1e-6), Budget(0.1)) == Budget(1, 1e-6)
    assert parallel() == Budget(0)
    assert not parallel(Budget(1), Budget.unbounded()).bounded


@given(
    epsilon=st.floats(0, 30), p=st.floats(1e-6, 1), delta=st.floats(0, 0.1), more=st.floats(0, 1)
)
def test_sampling_amplifies(epsilon: float, p: float, delta: float, more: float) -> None:
    total = amplified_by_sampling(Budget(epsilon, delta), p)
    assert total.epsilon == pytest.approx(math.log1p(p * math.expm1(epsilon)), rel=1e-12, abs=1e-15)
    assert total.delta == p * delta
    assert amplified_by_sampling(Budget(epsilon + more, delta), p).epsilon >= total.epsilon - 1e-14


def test_sampling_at_the_extremes() -> None:
    assert amplified_by_sampling(Budget(2.0, 1e-9), 1.0) == Budget(2.0, 1e-9)
    assert amplified_by_sampling(Budget(5_000.0), 0.5).epsilon == pytest.approx(5_000 - math.log(2))
    assert amplified_by_sampling(Budget(1e-12), 0.5).epsilon == pytest.approx(5e-13)
    assert not amplified_by_sampling(Budget.unbounded(), 0.01).bounded


@pytest.mark.parametrize("p", [0.0, -0.1, 1.01, math.nan])
def test_a_sampling_probability_that_is_none_is_refused(p: float) -> None:
    with pytest.raises(Refusal) as refusal:
        amplified_by_sampling(Budget(1.0), p)
    assert refusal.value.field == "sampling"
