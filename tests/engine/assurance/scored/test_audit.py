"""Claims about seeds of a sub-population hold, and every mutant is caught, at little effort too.
As many candidates pass as the coins let that the accountant was told, and no other is thrown.
Claims about codes disturbed by a posterior hold, and the mutant is caught. Claims about disturbed
codes hold, and every mutant is caught, at little effort too.
"""

from __future__ import annotations

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.scored.among import list_checks, list_mutants
from understudy.assurance.scored.runs import list_coin_checks, list_coin_mutants
from understudy.assurance.scored.small_space import (
    list_grid_checks,
    list_grid_mutants,
    list_posterior_checks,
    list_posterior_mutants,
)

EFFORTS = (Effort(times=0.25, seed=1), Effort(times=0.25, seed=8))


@pytest.mark.parametrize("check", list_checks(), ids=lambda each: each.name)
def test_claims_hold(check: Check) -> None:
    for effort in EFFORTS:
        found = check.find(effort)
        assert found.passed
        assert found.measured.worst > 0.01


@pytest.mark.parametrize("check", list_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught(check: Check) -> None:
    for effort in EFFORTS:
        assert check.find(effort).verdict == "caught"


@pytest.mark.parametrize(
    "check", [*list_coin_checks(), *list_coin_mutants()], ids=lambda each: each.name
)
def test_coins_are_those_that_were_paid_for(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found


@pytest.mark.parametrize("check", list_posterior_checks(), ids=lambda each: each.name)
def test_claims_hold_of_posterior(check: Check) -> None:
    for effort in EFFORTS:
        found = check.find(effort)
        assert found.passed
        assert found.measured.worst > 1e-5


@pytest.mark.parametrize("check", list_posterior_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught_of_posterior(check: Check) -> None:
    for effort in EFFORTS:
        assert check.find(effort).verdict == "caught"


@pytest.mark.parametrize("check", list_grid_checks(), ids=lambda each: each.name)
def test_claims_hold_of_small_space(check: Check) -> None:
    for effort in EFFORTS:
        found = check.find(effort)
        assert found.passed
        assert found.measured.worst > 0.01


@pytest.mark.parametrize("check", list_grid_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught_of_small_space(check: Check) -> None:
    for effort in EFFORTS:
        assert check.find(effort).verdict == "caught"
