"""Claims about moments hold, are nearly attained, and every mutant is caught at little effort."""

from __future__ import annotations

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.latent.moments import list_moment_checks, list_moment_mutants

LITTLE = Effort(times=0.34, seed=3)


@pytest.mark.parametrize("check", list_moment_checks(), ids=lambda each: each.name)
def test_claims_hold_and_are_nearly_attained(check: Check) -> None:
    found = check.find(LITTLE)
    assert found.passed
    assert found.measured.worst > 0.9


@pytest.mark.parametrize("check", list_moment_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught(check: Check) -> None:
    assert check.find(LITTLE).verdict == "caught"
