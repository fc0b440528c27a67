"""The pass cap."""

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.unit import pass_cap


@given(
    epsilon=st.floats(1e-6, 40),
    share=st.floats(0.0, 0.99),
    n=st.integers(1, 10**9),
)
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
