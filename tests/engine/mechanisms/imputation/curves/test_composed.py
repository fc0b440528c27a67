"""Several draws together, against an independent accountant and its trap."""

from __future__ import annotations

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy.stats import betabinom, binom

from understudy.mechanisms.imputation.curves.curve import Composed, delta_at, epsilon_at
from understudy.mechanisms.imputation.curves.drawn import one_draw, own_draws

N, ALPHA, AT = 1000, 20.0, 0.5
A, B = 1 + ALPHA, N - 1 + ALPHA
FINE = 1e-5


def theirs(
    first: object, second: object, rows: int, *, symmetric: bool
) -> pld.PrivacyLossDistribution:
    """The same law as an independent accountant keeps it."""
    counts = np.arange(rows + 1)
    laws = [law.logpmf(counts) for law in (first, second)]  # type: ignore[attr-defined]
    lower, upper = ({int(n): float(p) for n, p in enumerate(law) if p > -600} for law in laws)
    return pld.from_two_probability_mass_functions(
        lower,
        upper,
        pessimistic_estimate=True,
        value_discretization_interval=FINE,
        symmetric=symmetric,
    )


def test_one_direction_is_not_both() -> None:
    """6.2: with its usual `symmetric=True` the accountant says 1.72e-5 of rows from one draw, where
    3.18e-5 holds. Ours is the larger of both ways."""
    laws = betabinom(N, A, B), betabinom(N, A - 1, B + 1)
    one_way, both_ways = (
        theirs(*laws, N, symmetric=each).get_delta_for_epsilon(AT) for each in (True, False)
    )
    curve = one_draw(A, B, 0.0, N)
    ways = float(curve.forward(np.array([AT]))[0]), float(curve.backward(np.array([AT]))[0])
    assert one_way == pytest.approx(1.72e-5, abs=5e-8)
    assert min(ways) == pytest.approx(1.72e-5, abs=5e-8)
    assert both_ways == pytest.approx(3.18e-5, abs=1e-7)
    assert delta_at(curve, AT) == pytest.approx(3.18e-5, abs=5e-8)


def test_rows_with_draws_of_their_own_as_an_independent_accountant_composes_them() -> None:
    """6.2: exactly 1.8088e-3, and 1.833e-3 composed in steps of 1e-5."""
    once = theirs(binom(1, A / (A + B)), binom(1, (A - 1) / (A + B)), 1, symmetric=False)
    coarse = once.self_compose(N).get_delta_for_epsilon(AT)
    assert coarse == pytest.approx(1.833e-3, abs=5e-7)
    exact = delta_at(own_draws(A, B, 0.0, N), AT)
    ours = delta_at(Composed(((own_draws(A, B, 0.0, 1), N),)), AT)
    assert exact == pytest.approx(1.8088e-3, abs=5e-8)
    assert exact <= ours <= coarse


def test_a_composed_curve_is_above_every_direction_of_its_parts() -> None:
    one, other = one_draw(A, B, 0.0, 300), own_draws(4.0, 30.0, 5.0, 40)
    whole = Composed(((one, 2), (other, 1)))
    for each in (one, other):
        assert epsilon_at(whole, 1e-4) > epsilon_at(each, 1e-4)
    assert epsilon_at(whole, 1e-4) < 2 * epsilon_at(one, 1e-5) + epsilon_at(other, 1e-5)
