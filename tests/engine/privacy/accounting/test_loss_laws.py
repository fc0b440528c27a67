"""Laws of privacy losses, against a plain sum over all outcomes and against another accountant.
What training costs, against exact sums over the noise's law and another accountant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import RdpAccountant
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.accounting.loss_laws import (
    ORDERS,
    ROUNDING,
    LossLaw,
    Sampled,
    add_losses,
    noise_multiplier,
    share_of_rho,
    step_divergence,
)
from understudy.privacy.budget import Budget


@dataclass(frozen=True)
class Pair:
    """Two laws of finitely many outcomes."""

    one: tuple[float, ...]
    other: tuple[float, ...]

    def forward(self, epsilons: np.ndarray) -> np.ndarray:
        p, q = np.array(self.one), np.array(self.other)
        return np.maximum(p - np.exp(np.atleast_1d(epsilons))[:, None] * q, 0).sum(axis=1)

    def backward(self, epsilons: np.ndarray) -> np.ndarray:
        return Pair(self.other, self.one).forward(epsilons)

    def times(self, count: int) -> Pair:
        """All outcomes of so many of them."""
        p, q = np.ones(1), np.ones(1)
        for _ in range(count):
            p = np.multiply.outer(p, self.one).ravel()
            q = np.multiply.outer(q, self.other).ravel()
        return Pair(tuple(p), tuple(q))


weights = st.lists(st.integers(1, 50), min_size=2, max_size=4)


@given(one=weights, other=weights, times=st.integers(1, 4), epsilon=st.floats(0, 3))
def test_never_below_the_sum_over_outcomes_and_close_to_it(
    one: list[int], other: list[int], times: int, epsilon: float
) -> None:
    size = min(len(one), len(other))
    p, q = np.array(one[:size], float), np.array(other[:size], float)
    pair = Pair(tuple(p / p.sum()), tuple(q / q.sum()))
    exact = float(pair.times(times).forward(np.array([epsilon]))[0])
    found = LossLaw.of(pair, 0.01, 5.0).times(times).delta(epsilon)
    assert exact <= found <= exact + 0.01 * times


def test_epsilon_and_delta_are_of_one_curve() -> None:
    losses = LossLaw.of(Pair((0.6, 0.4), (0.4, 0.6)), 0.001, 1.0).times(20)
    for delta in (1e-2, 1e-4, 1e-6):
        assert losses.delta(losses.epsilon(delta)) == pytest.approx(delta, rel=1e-6)
    assert losses.epsilon(1.0) == 0.0
    assert losses.epsilon(ROUNDING / 2) == math.inf


def test_as_another_accountant_has_it() -> None:
    """Randomised response, 50 times, beside dp-accounting."""
    epsilon = 0.2
    chance = 1 / (1 + math.exp(-epsilon))
    ours = LossLaw.of(Pair((chance, 1 - chance), (1 - chance, chance)), 1e-3, 0.21).times(50)
    theirs = pld.from_randomized_response(
        2 * (1 - chance), 2, value_discretization_interval=1e-4
    ).self_compose(50)
    for at in (0.5, 1.0, 2.0, 3.0):
        rounded_up = theirs.get_delta_for_epsilon(at)
        assert ours.delta(at) <= rounded_up
        assert ours.delta(at) == pytest.approx(rounded_up, rel=2e-2)


def test_unlike_grids_are_not_added() -> None:
    pair = Pair((0.6, 0.4), (0.4, 0.6))
    with pytest.raises(ValueError, match="grids"):
        add_losses([LossLaw.of(pair, 0.01, 1.0), LossLaw.of(pair, 0.02, 1.0)])


def test_an_epsilon_may_be_more_than_a_float_can_raise_e_to() -> None:
    losses = LossLaw(10.0, 100, np.array([0.5, 0.3, 0.2]), 0.0)
    for delta in (0.9, 0.4, 0.1):
        found = losses.epsilon(delta)
        assert 0 < found < 1020.0
        assert losses.delta(found) == pytest.approx(delta, rel=1e-6)


def test_a_law_without_any_bound_stays_one_however_often_it_is_used() -> None:
    found = LossLaw.of(Pair((1.0, 0.0), (0.0, 1.0)), 0.01, 5.0).times(5)
    assert found.delta(3.0) == 1.0
    assert found.epsilon(0.5) == math.inf


@pytest.mark.parametrize(
    ("records", "multiplier"), [(20_000, 13.0), (57_214, 4.63), (200_000, 1.60)]
)
def test_reference_multipliers(records: int, multiplier: float) -> None:
    found = noise_multiplier(Budget(1.0, 1e-9), 1000 / records, 2000)
    assert found == pytest.approx(multiplier, rel=3e-3)


@pytest.mark.parametrize("rate", [1e-3, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("multiplier", [0.7, 2.0, 15.0])
@pytest.mark.parametrize("steps", [1, 700])
def test_as_another_accountant_has_it_of_subsampled(
    rate: float, multiplier: float, steps: int
) -> None:
    theirs = RdpAccountant(ORDERS)
    theirs.compose(PoissonSampledDpEvent(rate, GaussianDpEvent(multiplier)), steps)
    ours = Sampled(rate, steps, multiplier).cost(1e-9).epsilon
    assert ours == pytest.approx(theirs.get_epsilon(1e-9), rel=1e-9, abs=1e-12)


def test_above_what_the_privacy_loss_itself_amounts_to() -> None:
    """The whole distribution of the loss gives a lower ε, and not a much lower one."""
    lower = PLDAccountant(value_discretization_interval=1e-3)
    lower.compose(PoissonSampledDpEvent(0.02, GaussianDpEvent(4.0)), 500)
    ours = Sampled(0.02, 500, 4.0).cost(1e-6).epsilon
    assert lower.get_epsilon(1e-6) < ours < 1.25 * lower.get_epsilon(1e-6)


@pytest.mark.parametrize("sigma", [0.8, 2.0, 5.0])
@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("rate", [0.05, 0.5])
def test_discrete_noise_on_whole_numbers_costs_no_more(
    sigma: float, shift: int, rate: float
) -> None:
    """Exact divergences, both ways, of a step whose sum moves by a whole shift."""
    places = np.arange(-400, 401)
    base, moved = (-((places - at) ** 2.0) / (2 * sigma**2) for at in (0, shift))
    base, moved = (each - logsumexp(each) for each in (base, moved))
    mixed = np.logaddexp(math.log1p(-rate) + base, math.log(rate) + moved)
    for order in (2, 3, 6):
        bound = step_divergence(order, rate, sigma / shift)
        for one, other in ((mixed, base), (base, mixed)):
            exact = float(logsumexp(order * one + (1 - order) * other)) / (order - 1)
            assert exact <= bound * (1 + 1e-9) + 1e-12


def test_taking_everybody_is_a_plain_gaussian() -> None:
    cost = Sampled(1.0, 10, 30.0).cost(1e-9)
    plain = approximate_dp(10 / (2 * 30.0**2), 1e-9)
    assert plain.epsilon <= cost.epsilon <= plain.epsilon * 1.01


@pytest.mark.parametrize("budget", [Budget(0.5, 1e-9), Budget(8.0, 1e-9)])
def test_the_multiplier_stays_within_the_budget_and_near_it(budget: Budget) -> None:
    rho = share_of_rho(budget, 0.2)
    found = noise_multiplier(budget, 0.02, 500, rho)
    assert found is not None
    assert Sampled(0.02, 500, found, rho).cost(budget.delta).epsilon <= budget.epsilon
    nearer = Sampled(0.02, 500, found * 0.999, rho).cost(budget.delta).epsilon
    assert nearer > budget.epsilon or found == 0.5


def test_no_noise_pays_for_a_question_beyond_the_budget() -> None:
    assert noise_multiplier(Budget(1.0, 1e-9), 0.02, 500, rho=1.0) is None


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-3])
def test_what_it_costs_is_stated_at_the_delta_that_it_was_asked_for(delta: float) -> None:
    for each in (Sampled(0.02, 500, 4.0), Sampled(1.0, 10, 30.0, 0.01), Sampled(0.3, 1, 2.0)):
        cost = each.cost(delta)
        assert cost.delta == delta
        theirs = RdpAccountant(ORDERS)
        theirs.compose(
            PoissonSampledDpEvent(each.rate, GaussianDpEvent(each.multiplier)), each.steps
        )
        if each.rho:
            theirs.compose(GaussianDpEvent(math.sqrt(1 / (2 * each.rho))))
        assert cost.epsilon == pytest.approx(theirs.get_epsilon(delta), rel=1e-9, abs=1e-12)
