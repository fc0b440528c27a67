from __future__ import annotations

import math

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent
from dp_accounting.pld import PLDAccountant
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.privacy.budget import Budget
from engine.privacy.concentrated import approximate, largest_rho
from engine.privacy.noise import Noise, gaussian_measurement
from engine.privacy.randomness import RandomSource
from engine.privacy.sharing import Share, best_share

budgets = st.builds(
    Budget,
    st.floats(0.01, 20),
    st.sampled_from([1e-12, 1e-9, 1e-6, 1e-3]),
)


@settings(max_examples=60, deadline=None)
@given(budgets, st.integers(1, 2_000))
def test_a_share_stays_within_its_budget_and_no_other_composition_does_better(
    budget: Budget, queries: int
) -> None:
    share = best_share(budget, queries)
    assert share.cost.epsilon <= budget.epsilon * (1 + 1e-9)
    assert share.cost.delta <= budget.delta
    assert share.deviation <= math.sqrt(2) * queries / budget.epsilon * (1 + 1e-12)


def test_few_queries_add_up_and_many_are_concentrated() -> None:
    assert best_share(Budget(1.0, 1e-9), 2).composed_by == "sequential"
    assert best_share(Budget(1.0, 1e-9), 200).composed_by == "zero-concentrated"
    assert best_share(Budget(1.0, 0.0), 200).composed_by == "sequential"
    assert not best_share(Budget.unbounded(), 5).private


@settings(max_examples=40, deadline=None)
@given(st.floats(1e-4, 5), st.sampled_from([1e-12, 1e-9, 1e-5]))
def test_concentrated_privacy_converts_no_lower_than_the_exact_gaussian(
    rho: float, delta: float
) -> None:
    exact = PLDAccountant().compose(GaussianDpEvent(1 / math.sqrt(2 * rho))).get_epsilon(delta)
    ours = approximate(rho, delta).epsilon
    assert exact <= ours * (1 + 1e-3) + 1e-3
    assert ours <= rho + 2 * math.sqrt(rho * math.log(1 / delta))


@given(budgets)
def test_the_largest_rho_comes_back_to_the_budget(budget: Budget) -> None:
    back = approximate(largest_rho(budget), budget.delta).epsilon
    assert 0.999 * budget.epsilon <= back <= budget.epsilon


@pytest.mark.parametrize("sigma", [0.7, 5.0, 57.5])
def test_gaussian_noise_is_what_opendp_says_it_is(sigma: float) -> None:
    assert gaussian_measurement(sigma).map(1.0) == pytest.approx(1 / (2 * sigma**2), rel=1e-9)


@pytest.mark.parametrize("source", [RandomSource.fixed(1), RandomSource.secure()])
def test_noise_of_either_kind_has_the_spread_of_its_share(source: RandomSource) -> None:
    noise = Noise(source)
    for share in (
        Share(1, "sequential", 3.0, 0.0),
        Share(1, "zero-concentrated", 4.0, 1e-9),
    ):
        drawn = share.noised(np.zeros(20_000, dtype=np.int64), 5, noise)
        assert np.std(drawn) == pytest.approx(5 * share.deviation, rel=0.06)
        assert abs(np.mean(drawn)) < 0.05 * 5 * share.deviation


def test_a_share_without_noise_changes_nothing() -> None:
    values = np.arange(5)
    share = best_share(Budget.unbounded(), 3)
    assert share.noised(values, 1, Noise(RandomSource.fixed(1))).tolist() == values.tolist()
    assert not share.cost.bounded
