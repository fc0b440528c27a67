"""What a noisy count of flags costs holds, is attained, and every mutant is caught."""

from __future__ import annotations

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.latent.moments import list_ones_checks, list_ones_mutants

LITTLE = Effort(times=0.34, seed=3)


@pytest.mark.parametrize("check", list_ones_checks(), ids=lambda each: each.name)
def test_claims_hold_and_are_nearly_attained(check: Check) -> None:
    found = check.find(LITTLE)
    assert found.passed
    assert found.measured.worst > 0.9


@pytest.mark.parametrize("check", list_ones_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught(check: Check) -> None:
    assert check.find(LITTLE).verdict == "caught"
