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

from understudy.privacy.accounting.budget_shares import (
    HALF_NORMAL,
    Allowance,
    Composition,
    EqualShare,
    equal_share,
)
from understudy.privacy.accounting.composition import (
    approximate_dp,
    compose_advanced,
    largest_epsilon,
    largest_rho,
    optimal,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise, gaussian_measurement
from understudy.privacy.randomness import RandomSource

FREE = Allowance(0.0, "none")
PURE, CONCENTRATED = Allowance(0.8, "epsilon"), Allowance(0.05, "rho")
BOTH = pytest.mark.parametrize("spend", [PURE, CONCENTRATED], ids=["ε", "ρ"])


class Asked(Noise):
    """Keeps which law is asked for at what scale, and adds nothing."""

    def __init__(self) -> None:
        super().__init__(RandomSource.fixed(1))
        self.scales: list[tuple[str, float]] = []

    def integers(self, values: np.ndarray, scale: float) -> np.ndarray:
        self.scales.append(("geometric", scale))
        return values

    def gaussians(self, values: np.ndarray, scale: float) -> np.ndarray:
        self.scales.append(("Gaussian", scale))
        return values

    def choose_best(self, scores: np.ndarray, scale: float, *, concentrated: bool) -> int:
        self.scales.append(("exponential" if concentrated else "permute and flip", scale))
        return 0


def test_the_scales_are_those_of_the_theorems() -> None:
    asked, counts = Asked(), np.arange(4)
    for spend in (PURE, CONCENTRATED):
        spend.table(counts, asked)
        spend.scores(counts, 16, asked)
        spend.choose_best(counts, 16, asked)
    sigma = 1 / math.sqrt(2 * 0.05)
    assert [law for law, _ in asked.scales] == [
        "geometric",
        "geometric",
        "permute and flip",
        "Gaussian",
        "Gaussian",
        "exponential",
    ]
    assert [scale for _, scale in asked.scales] == pytest.approx(
        [1 / 0.8, 4 * 16 / 0.8, 2 * 16 / 0.8, sigma, 2 * 16 * sigma, 16 * sigma]
    )


def test_without_noise_nothing_is_drawn() -> None:
    asked, counts = Asked(), np.array([3, 9, 2])
    assert np.array_equal(FREE.table(counts, asked), counts)
    assert np.array_equal(FREE.scores(counts, 5, asked), counts)
    assert FREE.choose_best(counts, 5, asked) == 1
    assert asked.scales == []
    assert FREE.spread == FREE.deviation == FREE.scores_deviation(3, 1.0) == 0
    assert FREE.total_error(7.0) == 0
    assert not FREE.cost(1e-9).bounded


@BOTH
def test_no_scores_cost_nothing(spend: Allowance) -> None:
    asked = Asked()
    assert spend.scores(np.empty(0, dtype=np.int64), 16, asked).size == 0
    assert asked.scales == []


@given(
    st.floats(1e-6, 50),
    st.sampled_from(["epsilon", "rho"]),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=40),
)
def test_parts_add_up_to_no_more_than_the_whole(
    amount: float, currency: str, sizes: list[int]
) -> None:
    spend = Allowance(amount, "epsilon" if currency == "epsilon" else "rho")
    parts = spend.divide(sizes)
    assert math.fsum(each.amount for each in parts) <= amount * (1 + 1e-14)
    assert math.fsum(each.amount for each in parts) == pytest.approx(amount)
    assert all(each.currency == currency for each in parts)


@BOTH
def test_the_division_leaves_the_smallest_error(spend: Allowance) -> None:
    sizes = np.array([3, 40, 1_000])

    def error(amounts: np.ndarray) -> float:
        scales = [spend.part(each).scale(1.0, 1.0) for each in amounts.tolist()]
        mean = 1.0 if spend is PURE else HALF_NORMAL
        return float(mean * (sizes * scales).sum())

    best = np.array([each.amount for each in spend.divide(sizes.tolist())]) / spend.amount
    weight = math.fsum(spend.weight(each) for each in sizes.tolist())
    assert spend.total_error(weight) == pytest.approx(error(best))
    for other in np.random.default_rng(1).dirichlet(np.ones(3), 300):
        assert error(other) >= error(best) * (1 - 1e-12)


@BOTH
def test_noise_is_as_large_as_it_is_told(spend: Allowance) -> None:
    noise, zeros = Noise(RandomSource.fixed(2)), np.zeros(20_000, dtype=np.int64)
    assert spend.table(zeros, noise).std() == pytest.approx(spend.deviation, rel=0.03)
    told = spend.part(0.1).scores_deviation(20_000, 16)
    assert spend.part(0.1).scores(zeros, 16, noise).std() == pytest.approx(told, rel=0.03)
    assert spend.deviation == pytest.approx(spend.spread, rel=0.1)


@given(st.floats(0.01, 20), st.sampled_from([0.0, 1e-12, 1e-6, 1e-2]), st.integers(1, 3_000))
def test_an_allowance_stays_within_its_budget_in_the_cheaper_currency(
    epsilon: float, delta: float, queries: int
) -> None:
    budget = Budget(epsilon, delta)
    made = Allowance.of(budget, queries)
    cost = made.cost(delta)
    assert cost.epsilon <= epsilon
    assert cost.delta <= delta
    assert cost.epsilon > 0.999 * epsilon
    spreads = [math.sqrt(2) * queries / epsilon]
    if delta > 0:
        spreads.append(math.sqrt(queries / (2 * largest_rho(budget))))
    assert made.part(1 / queries).spread == pytest.approx(min(spreads))


def test_a_pure_budget_is_spent_in_epsilon_and_none_is_free() -> None:
    assert Allowance.of(Budget(2.0), 10_000) == Allowance(2.0, "epsilon")
    assert Allowance.of(Budget.unbounded(), 3) == FREE
    assert Allowance.of(Budget(1.0, 1e-9), 500).currency == "rho"


@pytest.mark.parametrize("delta", [1e-9, 1e-5])
@pytest.mark.parametrize("rho", [0.001, 0.05, 1.0])
def test_the_cost_is_no_lower_than_an_independent_accountant_finds(
    rho: float, delta: float
) -> None:
    """Seven tables that share a ρ, by their privacy loss distributions."""
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    parts = Allowance(rho, "rho").divide([1, 5, 5, 30, 200, 200, 4_000])
    for each in parts:
        accountant.compose(GaussianDpEvent(each.scale(1.0, 1.0)))
    stated = Allowance(rho, "rho").cost(delta)
    assert stated == approximate_dp(rho, delta)
    assert 0.6 * stated.epsilon < accountant.get_epsilon(delta) <= stated.epsilon * 1.001


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
    assert best.epsilon <= compose_advanced(each, queries, delta).epsilon * (1 + 1e-9)
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
        drawn = share.add_noise(np.zeros(20_000, dtype=np.int64), 5, noise)
        assert np.std(drawn) == pytest.approx(5 * share.deviation, rel=0.06)
        assert abs(np.mean(drawn)) < 0.05 * 5 * share.deviation


def test_a_share_without_noise_changes_nothing() -> None:
    values = np.arange(5)
    share = equal_share(Budget.unbounded(), 3)
    assert share.add_noise(values, 1, Noise(RandomSource.fixed(1))).tolist() == values.tolist()
    assert not share.cost.bounded
