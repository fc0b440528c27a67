"""Laws of privacy losses, against a plain sum over all outcomes and against another accountant."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.loss_laws import ROUNDING, Losses, together


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
    found = Losses.of(pair, 0.01, 5.0).times(times).delta(epsilon)
    assert exact <= found <= exact + 0.01 * times


def test_epsilon_and_delta_are_of_one_curve() -> None:
    losses = Losses.of(Pair((0.6, 0.4), (0.4, 0.6)), 0.001, 1.0).times(20)
    for delta in (1e-2, 1e-4, 1e-6):
        assert losses.delta(losses.epsilon(delta)) == pytest.approx(delta, rel=1e-6)
    assert losses.epsilon(1.0) == 0.0
    assert losses.epsilon(ROUNDING / 2) == math.inf


def test_as_another_accountant_has_it() -> None:
    """Randomised response, 50 times, beside dp-accounting."""
    epsilon = 0.2
    chance = 1 / (1 + math.exp(-epsilon))
    ours = Losses.of(Pair((chance, 1 - chance), (1 - chance, chance)), 1e-3, 0.21).times(50)
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
        together([Losses.of(pair, 0.01, 1.0), Losses.of(pair, 0.02, 1.0)])


def test_an_epsilon_may_be_more_than_a_float_can_raise_e_to() -> None:
    losses = Losses(10.0, 100, np.array([0.5, 0.3, 0.2]), 0.0)
    for delta in (0.9, 0.4, 0.1):
        found = losses.epsilon(delta)
        assert 0 < found < 1020.0
        assert losses.delta(found) == pytest.approx(delta, rel=1e-6)


def test_a_law_without_any_bound_stays_one_however_often_it_is_used() -> None:
    found = Losses.of(Pair((1.0, 0.0), (0.0, 1.0)), 0.01, 5.0).times(5)
    assert found.delta(3.0) == 1.0
    assert found.epsilon(0.5) == math.inf
