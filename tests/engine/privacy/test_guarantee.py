"""Theorem 1's figures and the pass cap."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.privacy.coin import FINEST_DELTA
from engine.privacy.guarantee import (
    attempt_delta,
    attempt_epsilon,
    pass_cap,
    plausible_deniability,
)
from engine.refusal import Refusal


def test_the_published_census_setting() -> None:
    # k = 50, ε0 = 1, γ = 4 at t = 29: ε = 1.13 and δ = 2^−30 (§8 of the dissertation).
    budget = plausible_deniability(k=50, gamma=4, epsilon0=1, t=29)
    assert budget.epsilon == pytest.approx(1 + math.log(1 + 4 / 29), rel=1e-15)
    assert budget.delta == pytest.approx(math.exp(-21), rel=1e-14)
    assert budget.delta < 2**-30


def test_every_t_at_once() -> None:
    t = np.arange(1, 20)
    one_by_one = [plausible_deniability(k=20, gamma=2, epsilon0=0.5, t=int(i)) for i in t]
    epsilon = attempt_epsilon(t, gamma=2, epsilon0=0.5)
    delta = attempt_delta(t, k=20, epsilon0=0.5)
    np.testing.assert_array_equal(epsilon, [budget.epsilon for budget in one_by_one])
    np.testing.assert_array_equal(delta, [budget.delta for budget in one_by_one])
    assert (np.diff(epsilon) < 0).all()
    assert (np.diff(delta) > 0).all()


def test_delta_is_never_stated_finer_than_the_coin() -> None:
    assert plausible_deniability(k=10_000, gamma=4, epsilon0=1, t=1).delta == FINEST_DELTA


@pytest.mark.parametrize(("k", "t"), [(50, 50), (50, 51), (50, 0), (50, -1), (1, 1)])
def test_t_out_of_range(k: int, t: int) -> None:
    with pytest.raises(Refusal) as refusal:
        plausible_deniability(k=k, gamma=4, epsilon0=1, t=t)
    assert refusal.value.field == "t"


@given(
    epsilon=st.floats(1e-6, 40),
    share=st.floats(0.0, 0.99),
    n=st.integers(1, 10**9),
)
@settings(max_examples=100)
def test_pass_cap_is_the_formula_rounded_up(epsilon: float, share: float, n: int) -> None:
    epsilon0 = share * epsilon
    with localcontext(prec=80):
        if Decimal(1) + Decimal(1) / n > (Decimal(epsilon) - Decimal(epsilon0)).exp():
            return
        exact = 1 / ((n + 1) * Decimal(epsilon).exp() - n)
        roughly = float(exact)
    cap = pass_cap(epsilon, n, epsilon0=epsilon0)
    assert exact <= Decimal(cap) or cap == 1
    assert cap <= max(roughly * (1 + 1e-12), 2.0**-64)


def test_pass_cap_of_the_documented_example() -> None:
    assert pass_cap(0.002, 735_000, epsilon0=0.001) == pytest.approx(0.0007, rel=0.05)


@pytest.mark.parametrize("epsilon", [50.0, 709.0, 5_000.0])
def test_pass_cap_is_a_coin_that_can_be_flipped(epsilon: float) -> None:
    assert pass_cap(epsilon, 1000, epsilon0=1.0) == 2.0**-64


@pytest.mark.parametrize(("seeds", "epsilon0"), [(0, 1.0), (-3, 1.0), (10, 1.95), (1, 1.4)])
def test_too_few_seeds_for_a_pass_cap(seeds: int, epsilon0: float) -> None:
    with pytest.raises(Refusal) as refusal:
        pass_cap(2.0, seeds, epsilon0=epsilon0)
    assert refusal.value.field == "seeds_at_least"


def test_just_enough_seeds_for_a_pass_cap() -> None:
    assert 0 < pass_cap(1.0 + math.log1p(1 / 20), 20, epsilon0=1.0) < 1
    with pytest.raises(Refusal):
        pass_cap(1.0 + math.log1p(1 / 20), 19, epsilon0=1.0)
