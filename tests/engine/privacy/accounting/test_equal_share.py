from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, LaplaceDpEvent
from dp_accounting.pld import PLDAccountant
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr

from understudy.privacy.accounting.budget_shares import Composition, EqualShare, equal_share
from understudy.privacy.accounting.composition import (
    advanced,
    approximate_dp,
    largest_epsilon,
    largest_rho,
    optimal,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, gaussian_measurement
from understudy.privacy.randomness import RandomSource

budgets = st.builds(
    Budget,
    st.floats(0.01, 20),
    st.sampled_from([1e-12, 1e-9, 1e-6, 1e-3]),
)


@given(budgets, st.integers(1, 2_000))
def test_a_share_stays_within_its_budget_and_no_other_composition_does_better(
    budget: Budget, queries: int
) -> None:
    share = equal_share(budget, queries)
    assert share.cost.epsilon <= budget.epsilon * (1 + 1e-9)
    assert share.cost.delta <= budget.delta
    added_up = math.sqrt(2) * queries / budget.epsilon
    concentrated = math.sqrt(queries / (2 * largest_rho(budget)))
    composed = math.sqrt(2) / largest_epsilon(budget.epsilon, queries, budget.delta)
    assert share.deviation <= added_up * (1 + 1e-12)
    assert 0.99 * share.deviation <= min(added_up, concentrated, composed) * (1 + 1e-12)


@given(st.floats(1e-4, 3), st.integers(1, 3_000), st.sampled_from([1e-12, 1e-9, 1e-5]))
def test_optimal_composition_always_does_at_least_as_well_as_advanced(
    epsilon: float, queries: int, delta: float
) -> None:
    """So no share needs advanced composition."""
    each = Budget(epsilon)
    best = optimal(each, queries, delta)
    assert best.epsilon <= advanced(each, queries, delta).epsilon * (1 + 1e-9)
    assert best.delta <= delta


@pytest.mark.parametrize("composed_by", ["sequential", "optimal", "zero-concentrated"])
@pytest.mark.parametrize("queries", [11, 187])
def test_the_cost_of_a_share_is_no_lower_than_what_the_noise_costs(
    composed_by: Composition, queries: int
) -> None:
    """Against an independent accountant, which knows the law of the noise."""
    share = EqualShare(queries, composed_by, 60.0, 1e-9)
    event = (
        GaussianDpEvent(share.scale)
        if composed_by == "zero-concentrated"
        else LaplaceDpEvent(share.scale)
    )
    accountant = PLDAccountant().compose(event, queries)
    assert accountant.get_epsilon(1e-9) <= share.cost.epsilon * (1 + 1e-3) + 1e-3


def test_few_queries_add_up_and_many_are_concentrated() -> None:
    assert equal_share(Budget(1.0, 1e-9), 2).composed_by == "sequential"
    assert equal_share(Budget(1.0, 1e-9), 200).composed_by == "zero-concentrated"
    assert equal_share(Budget(1.0, 0.0), 200).composed_by == "sequential"
    # What it would gain is nothing to pay a δ for.
    assert equal_share(Budget(1.0, 1e-9), 11).cost.delta == 0
    assert not equal_share(Budget.unbounded(), 5).private


@given(st.floats(1e-4, 5), st.sampled_from([1e-12, 1e-9, 1e-5]))
def test_concentrated_privacy_converts_no_lower_than_the_exact_gaussian(
    rho: float, delta: float
) -> None:
    """Balle and Wang 2018, Theorem 8, with μ = √(2ρ):
    δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)."""
    ours, mu = approximate_dp(rho, delta).epsilon, math.sqrt(2 * rho)
    below = math.exp(ours + log_ndtr(-mu / 2 - ours / mu))
    assert ndtr(mu / 2 - ours / mu) - below <= delta * (1 + 1e-6)
    assert ours <= rho + 2 * math.sqrt(rho * math.log(1 / delta))


@given(budgets)
def test_the_largest_rho_comes_back_to_the_budget(budget: Budget) -> None:
    back = approximate_dp(largest_rho(budget), budget.delta).epsilon
    assert 0.999 * budget.epsilon <= back <= budget.epsilon


@pytest.mark.parametrize("sigma", [0.7, 5.0, 57.5])
def test_gaussian_noise_is_what_opendp_says_it_is(sigma: float) -> None:
    assert gaussian_measurement(sigma).map(1.0) == pytest.approx(1 / (2 * sigma**2), rel=1e-9)


@pytest.mark.parametrize("begin", [partial(RandomSource.fixed, 1), RandomSource.secure])
def test_noise_of_either_kind_has_the_spread_of_its_share(
    begin: Callable[[], RandomSource],
) -> None:
    noise = Noise(begin())
    for share in (
        EqualShare(1, "sequential", 3.0, 0.0),
        EqualShare(1, "optimal", 5.0, 1e-9),
        EqualShare(1, "zero-concentrated", 4.0, 1e-9),
    ):
        drawn = share.noised(np.zeros(20_000, dtype=np.int64), 5, noise)
        assert np.std(drawn) == pytest.approx(5 * share.deviation, rel=0.06)
        assert abs(np.mean(drawn)) < 0.05 * 5 * share.deviation


def test_a_share_without_noise_changes_nothing() -> None:
    values = np.arange(5)
    share = equal_share(Budget.unbounded(), 3)
    assert share.noised(values, 1, Noise(RandomSource.fixed(1))).tolist() == values.tolist()
    assert not share.cost.bounded
