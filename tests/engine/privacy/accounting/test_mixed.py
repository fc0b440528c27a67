"""Composition of unequal guarantees, against the sum of 2^m terms and an independent accountant."""

from __future__ import annotations

import itertools
import math

import pytest
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.pld.common import DifferentialPrivacyParameters
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.composition import STEPS, optimal_mixed, plain_sum, total_epsilon
from understudy.privacy.budget import Budget

DELTA = 1e-6

budgets = st.builds(Budget, st.floats(1e-3, 3), st.sampled_from([0.0, 1e-9, 1e-7]))
few = st.lists(budgets, min_size=1, max_size=7)


def total_delta(parts: list[Budget], epsilon: float) -> float:
    """1 − Π(1 − δ_i)(1 − Δ(ε')), with Δ written out over all 2^m outcomes."""
    excess = 0.0
    for signs in itertools.product((1, -1), repeat=len(parts)):
        chance = math.prod(
            1 / (1 + math.exp(-sign * part.epsilon))
            for sign, part in zip(signs, parts, strict=True)
        )
        loss = math.fsum(sign * part.epsilon for sign, part in zip(signs, parts, strict=True))
        excess += chance * max(0.0, -math.expm1(epsilon - loss))
    return 1 - math.prod(1 - part.delta for part in parts) * (1 - excess)


@given(few)
def test_the_total_holds_and_no_much_smaller_one_does(parts: list[Budget]) -> None:
    found = optimal_mixed(parts, DELTA)
    assert total_delta(parts, found.epsilon) <= DELTA * (1 + 1e-9)
    coarse = len(parts) * math.fsum(part.epsilon for part in parts) / STEPS
    smaller = found.epsilon - coarse
    if smaller > 0:
        assert total_delta(parts, smaller) > DELTA * (1 - 1e-5)


@given(few, st.floats(1e-12, 0.3))
def test_never_more_than_the_sum(parts: list[Budget], delta: float) -> None:
    plain = plain_sum(parts)
    found = optimal_mixed(parts, max(delta, plain.delta))
    assert found.epsilon <= plain.epsilon


@pytest.mark.parametrize(
    ("epsilon", "times"), [(0.5, 2), (0.1, 10), (0.1, 100), (0.01, 1_000), (3.0, 5), (0.01, 3_000)]
)
def test_equal_parts_come_to_the_closed_form(epsilon: float, times: int) -> None:
    closed = total_epsilon(epsilon, times, DELTA * (1 - 1e-6))
    found = optimal_mixed([Budget(epsilon)] * times, DELTA)
    assert found.epsilon == pytest.approx(min(closed, epsilon * times), rel=1e-9)


@pytest.mark.parametrize(
    "parts",
    [
        [Budget(0.4, 1e-9), Budget(1.1), Budget(0.05, 1e-8)] * 4,
        [Budget(0.02 * place, 1e-10) for place in range(1, 30)],
        [Budget(2.0)] + [Budget(0.1, 1e-8)] * 20,
    ],
)
def test_an_independent_accountant_agrees(parts: list[Budget]) -> None:
    interval = 1e-4
    composed = privacy_loss_distribution.identity(value_discretization_interval=interval)
    for part in parts:
        composed = composed.compose(
            privacy_loss_distribution.from_privacy_parameters(
                DifferentialPrivacyParameters(part.epsilon, part.delta),
                value_discretization_interval=interval,
            )
        )
    accounted = float(composed.get_epsilon_for_delta(DELTA))
    apart = len(parts) * (interval + plain_sum(parts).epsilon / STEPS)
    assert abs(optimal_mixed(parts, DELTA).epsilon - accounted) <= apart


def test_the_sum_is_of_the_numbers_as_they_are_written() -> None:
    assert plain_sum([Budget(0.1, 1e-9)] * 3) == Budget(0.3, 3e-9)
    assert optimal_mixed([Budget(0.1, 1e-9)] * 10, 1e-8) == Budget(1.0, 1e-8)


def test_a_delta_that_the_parts_alone_exceed_holds_nothing() -> None:
    assert not optimal_mixed([Budget(0.1, 1e-9), Budget(0.1, 1e-9)], 1.5e-9).bounded
    assert not optimal_mixed([Budget(0.1), Budget.unbounded()], 0.5).bounded
    assert not plain_sum([Budget(0.1, 0.5), Budget(0.1, 0.5)]).bounded


def test_nothing_costs_nothing_and_one_costs_itself() -> None:
    assert optimal_mixed([], 0.0) == Budget(0.0)
    assert optimal_mixed([Budget(0.7, 1e-9)], 1e-9) == Budget(0.7, 1e-9)
    assert optimal_mixed([Budget(0.0, 1e-9)] * 2, 1e-6) == Budget(0.0, 1e-6)
    # At a larger δ than its own, a single one is worth a smaller ε: that of one coin.
    coin = total_epsilon(0.7, 1, 0.01 * (1 - 1e-6))
    assert optimal_mixed([Budget(0.7)], 0.01).epsilon == pytest.approx(coin, rel=1e-9)


def test_very_large_and_very_small_parts() -> None:
    assert optimal_mixed([Budget(1_000.0), Budget(1_000.0)], DELTA).epsilon == pytest.approx(
        2_000, rel=1e-5
    )
    assert 0 <= optimal_mixed([Budget(1e-4), Budget(1e-4)], 0.4).epsilon <= 2e-4
