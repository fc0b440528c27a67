from __future__ import annotations

import math
from functools import reduce

import numpy as np
import pytest

from understudy.assurance import composition
from understudy.assurance.composition import extreme_coin, product_law, repeated_divergence
from understudy.assurance.divergence import hockey_stick
from understudy.assurance.finding import Check, Effort
from understudy.privacy.budget import Budget


@pytest.mark.parametrize("seed", [1, 9])
@pytest.mark.parametrize("check", composition.list_checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check, seed: int) -> None:
    found = check.find(Effort(0.3, seed=seed))
    assert found.passed, found.measured
    assert found.measured.cases >= 15


@pytest.mark.parametrize("budget", [Budget(1.0, 0.01), Budget(0.3), Budget(2.0, 1e-6)])
def test_the_coin_spends_a_budget_to_the_last(budget: Budget) -> None:
    law = extreme_coin(budget)
    np.testing.assert_allclose(law.sum(axis=1), 1)
    assert hockey_stick(*law, budget.epsilon) == pytest.approx(budget.delta, abs=1e-12)
    assert hockey_stick(*law, 0.9 * budget.epsilon) > budget.delta + 0.01


def test_two_coins_by_hand() -> None:
    """Two coins that tell the truth e times as often as not, at ε′ = 1."""
    law = product_law(extreme_coin(Budget(1.0)), extreme_coin(Budget(1.0)))
    right, wrong = math.e / (1 + math.e), 1 / (1 + math.e)
    assert hockey_stick(*law, 1.0) == pytest.approx(right**2 - math.e * wrong**2)


@pytest.mark.parametrize("times", [1, 2, 5])
def test_many_coins_are_those_written_out(times: int) -> None:
    budget = Budget(0.4, 1e-3)
    law = reduce(product_law, [extreme_coin(budget)] * times)
    for total in (0.0, 0.3, 0.9):
        assert repeated_divergence(budget, times, total) == pytest.approx(
            float(hockey_stick(*law, total)), rel=1e-9
        )


def test_an_optimal_composition_that_promises_a_little_too_much_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = composition.composition.optimal

    def hasty(budget: Budget, times: int, delta: float) -> Budget:
        found = real(budget, times, delta)
        return Budget(found.epsilon * 0.999, found.delta) if found.bounded else found

    monkeypatch.setattr(composition.composition, "optimal", hasty)
    verdicts = {check.name: check.find(Effort(0.3)).verdict for check in composition.list_checks()}
    assert verdicts["optimal composition"] == "broken"
    assert verdicts["the sum"] == "holds"


def test_an_optimal_composition_that_promises_too_little_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = composition.composition.optimal

    def timid(budget: Budget, times: int, delta: float) -> Budget:
        found = real(budget, times, delta)
        return Budget(found.epsilon * 1.001, found.delta) if found.bounded else found

    monkeypatch.setattr(composition.composition, "optimal", timid)
    verdicts = {check.name: check.find(Effort(0.3)).verdict for check in composition.list_checks()}
    assert verdicts["optimal composition"] == "holds"
    assert verdicts["optimal composition, attained"] == "broken"
