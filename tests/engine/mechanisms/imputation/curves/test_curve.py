"""What is read from a curve: δ at an ε, and the least ε at a δ."""

from __future__ import annotations

import math

import numpy as np
import pytest

from understudy.core.arrays import FloatArray
from understudy.mechanisms.imputation.curves.curve import (
    Amplified,
    GaussianCurve,
    delta_at,
    solve_epsilon,
)


class Certain:
    """Gives everything away, one way."""

    largest = math.inf

    def forward(self, epsilons: FloatArray) -> FloatArray:
        """δ of the first input against the second."""
        return np.ones_like(epsilons)

    def backward(self, epsilons: FloatArray) -> FloatArray:
        """δ of the second against the first."""
        return np.zeros_like(epsilons)


def test_what_gives_everything_away_has_a_delta_of_one() -> None:
    assert delta_at(Certain(), 3.0) == 1.0


def test_nothing_is_spent_where_delta_pays_for_all() -> None:
    assert solve_epsilon(lambda _: 0.05, 0.1, 5.0) == 0.0
    assert solve_epsilon(lambda epsilon: math.exp(-epsilon), 0.1, 50.0) == pytest.approx(
        math.log(10)
    )


@pytest.mark.parametrize("share", [0.1, 0.7])
def test_what_sees_some_of_the_records_has_their_share_of_delta(share: float) -> None:
    whole = GaussianCurve(0.5)
    epsilons = np.array([0.1, 1.0, 3.0])
    smaller = np.log1p(share * np.expm1(epsilons))
    part = Amplified(whole, share)
    np.testing.assert_allclose(part.forward(smaller), share * whole.forward(epsilons), rtol=1e-9)
    np.testing.assert_allclose(part.backward(smaller), share * whole.backward(epsilons), rtol=1e-9)
