"""What training costs, against exact sums over the noise's law and another accountant."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from scipy.special import logsumexp

from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.accounting.loss_laws import (
    ORDERS,
    Sampled,
    noise_multiplier,
    share_of_rho,
    step_divergence,
)
from understudy.privacy.budget import Budget


@pytest.mark.parametrize(
    ("records", "multiplier"), [(20_000, 13.0), (57_214, 4.63), (200_000, 1.60)]
)
def test_reference_multipliers(records: int, multiplier: float) -> None:
    found = noise_multiplier(Budget(1.0, 1e-9), 1000 / records, 2000)
    assert found == pytest.approx(multiplier, rel=3e-3)


@pytest.mark.parametrize("rate", [1e-3, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("multiplier", [0.7, 2.0, 15.0])
@pytest.mark.parametrize("steps", [1, 700])
def test_as_another_accountant_has_it(rate: float, multiplier: float, steps: int) -> None:
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
