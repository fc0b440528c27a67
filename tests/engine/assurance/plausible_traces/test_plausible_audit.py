"""Every claim holds by enumeration, and every mutant is caught."""

from __future__ import annotations

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.plausible_traces import AUDIT

LESS = Effort(0.4)


@pytest.mark.parametrize("check", [*AUDIT.claims(), *AUDIT.mutants()], ids=lambda each: each.name)
def test_claims_hold_and_mutants_are_caught(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
