"""Claims about codes disturbed by a posterior hold, and the mutant is caught."""

from __future__ import annotations

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.scored.small_space import list_posterior_checks, list_posterior_mutants

EFFORTS = (Effort(times=0.25, seed=1), Effort(times=0.25, seed=8))


@pytest.mark.parametrize("check", list_posterior_checks(), ids=lambda each: each.name)
def test_claims_hold(check: Check) -> None:
    for effort in EFFORTS:
        found = check.find(effort)
        assert found.passed
        assert found.measured.worst > 1e-5


@pytest.mark.parametrize("check", list_posterior_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught(check: Check) -> None:
    for effort in EFFORTS:
        assert check.find(effort).verdict == "caught"
