"""The best t against a look at every t."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.privacy.best_t import EveryT
from engine.privacy.composition import advanced_epsilon


def every_total(figures: EveryT, attempts: int, delta: float) -> np.ndarray:
    """Total ε at t = 1 … k − 1, infinite where the target is missed."""
    t = np.arange(1, figures.k)
    spent = attempts * figures.delta(t)
    slack = np.maximum(delta - spent, 0)
    advanced = advanced_epsilon(figures.epsilon(t), attempts, slack)
    total = np.minimum(attempts * figures.epsilon(t), advanced)
    return np.where(spent <= delta, total, math.inf)


@given(
    k=st.integers(2, 3_000),
    gamma=st.sampled_from([1.0, 1.5, 4.0, 50.0, 1e200]),
    epsilon0=st.one_of(st.floats(0.01, 3), st.sampled_from([1e-3, 40.0, 800.0])),
    attempts=st.integers(0, 40).map(lambda i: int(1.9**i)),
    exponent=st.floats(-29, -0.1),
)
@settings(max_examples=100, deadline=None)
def test_no_other_t_does_better(
    k: int, gamma: float, epsilon0: float, attempts: int, exponent: float
) -> None:
    figures, delta = EveryT(k, gamma, epsilon0), 10.0**exponent
    totals = every_total(figures, attempts, delta)
    best = figures.best(attempts, delta)
    if best == 0:
        assert not np.isfinite(totals).any()
    else:
        assert figures.meets(best, attempts, delta)
        assert totals[best - 1] <= totals.min() * (1 + 1e-12)


@pytest.mark.parametrize("attempts", [1, 100, 40_000])
def test_a_large_k_with_a_small_epsilon0(attempts: int) -> None:
    figures = EveryT(50_000, 4.0, 0.001)
    totals = every_total(figures, attempts, 1e-9)
    assert totals[figures.best(attempts, 1e-9) - 1] == totals.min()


@given(
    k=st.integers(2, 500),
    epsilon0=st.floats(0.01, 5),
    attempts=st.integers(1, 10**6),
    exponent=st.floats(-20, -0.1),
)
@settings(max_examples=100, deadline=None)
def test_the_last_t_is_the_last(k: int, epsilon0: float, attempts: int, exponent: float) -> None:
    figures, delta = EveryT(k, 4.0, epsilon0), 10.0**exponent
    meets = [t for t in range(1, k) if figures.meets(t, attempts, delta)]
    assert figures.last(attempts, delta) == max(meets, default=0)


def test_a_target_met_to_the_last_bit() -> None:
    figures = EveryT(50, 4.0, 1.0)
    assert figures.last(1, float(figures.delta(np.array(29)))) == 29


@given(t=st.integers(1, 100), epsilon0=st.floats(0.01, 50), exponent=st.floats(-20, -0.1))
@settings(max_examples=100, deadline=None)
def test_the_smallest_k_is_the_smallest(t: int, epsilon0: float, exponent: float) -> None:
    delta = 10.0**exponent
    k = EveryT(2, 4.0, epsilon0).smallest_k(t, 1_000, delta)
    assert EveryT(k, 4.0, epsilon0).meets(t, 1_000, delta)
    assert k == t + 1 or not EveryT(k - 1, 4.0, epsilon0).meets(t, 1_000, delta)
