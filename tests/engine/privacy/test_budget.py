"""An (ε, δ) adds, multiplies and joins as the composition theorems say."""

import math

import pytest

from understudy.core.refusal import Refusal
from understudy.privacy.budget import Budget


@pytest.mark.parametrize("epsilon", [-1e-9, math.nan])
def test_epsilon_that_is_none_is_refused(epsilon: float) -> None:
    with pytest.raises(Refusal) as refusal:
        Budget(epsilon)
    assert refusal.value.field == "epsilon"


@pytest.mark.parametrize("delta", [-1e-30, 1.5, math.nan])
def test_delta_that_is_none_is_refused(delta: float) -> None:
    with pytest.raises(Refusal) as refusal:
        Budget(1.0, delta)
    assert refusal.value.field == "delta"


def test_sums_and_multiples_and_joins() -> None:
    small, large = Budget(0.5, 1e-6), Budget(2.0, 1e-9)
    assert small + large == Budget(2.5, 1e-6 + 1e-9)
    assert small * 4 == Budget(2.0, 4e-6)
    assert small | large == Budget(2.0, 1e-6)


def test_delta_never_exceeds_one() -> None:
    assert (Budget(1.0, 0.6) + Budget(1.0, 0.6)).delta == 1
    assert (Budget(1.0, 0.1) * 100).delta == 1


def test_nothing_promised() -> None:
    assert not Budget.unbounded().bounded
    assert Budget.unbounded() == Budget(math.inf, 1.0)
    assert Budget.unbounded().stated() == {"epsilon": None, "delta": None}
    assert Budget(1.0, 0.5).stated() == {"epsilon": 1.0, "delta": 0.5}
    assert not Budget(1.0, 1.0).bounded
    assert Budget(1.0, 0.5).bounded
    assert not (Budget.unbounded() * 3).bounded


def test_no_use_of_anything_costs_nothing() -> None:
    assert Budget(3.0, 1e-3) * 0 == Budget(0.0)
    assert Budget.unbounded() * 0 == Budget(0.0)
