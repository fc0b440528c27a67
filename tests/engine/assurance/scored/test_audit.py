"""Claims about seeds of a sub-population, about codes that are disturbed, by a posterior or not,
and about coins hold, and every mutant is caught, at little effort too.
"""

from __future__ import annotations

import pytest

from understudy.assurance.check import Check, Effort
from understudy.assurance.scored.runs import list_coin_checks, list_coin_mutants
from understudy.assurance.scored.small_space import (
    list_grid_checks,
    list_grid_mutants,
    list_posterior_checks,
    list_posterior_mutants,
    list_subpopulation_checks,
    list_subpopulation_mutants,
)

EFFORTS = (Effort(times=0.25, seed=1), Effort(times=0.25, seed=8))


def _named(value: object) -> str | None:
    return value.name if isinstance(value, Check) else None


@pytest.mark.parametrize(
    ("check", "least"),
    [
        *((check, 0.01) for check in (*list_subpopulation_checks(), *list_grid_checks())),
        *((check, 1e-5) for check in list_posterior_checks()),
    ],
    ids=_named,
)
def test_claims_hold(check: Check, least: float) -> None:
    for effort in EFFORTS:
        found = check.find(effort)
        assert found.passed
        assert found.measured.worst > least


@pytest.mark.parametrize(
    "check",
    [*list_subpopulation_mutants(), *list_posterior_mutants(), *list_grid_mutants()],
    ids=_named,
)
def test_mutants_are_caught(check: Check) -> None:
    for effort in EFFORTS:
        assert check.find(effort).verdict == "caught"


@pytest.mark.parametrize("check", [*list_coin_checks(), *list_coin_mutants()], ids=_named)
def test_coins_are_those_that_were_paid_for(check: Check) -> None:
    """As many candidates pass as the coins let that were paid for, and no other coin is thrown."""
    found = check.find(Effort())
    assert found.passed, found
