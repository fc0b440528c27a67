from __future__ import annotations

import pytest

from engine.audit.finding import Check, Effort
from engine.mechanisms.pmse.audit import AUDIT

CHECKS = (*AUDIT.claims(), *AUDIT.mutants())


@pytest.mark.parametrize("check", CHECKS, ids=lambda each: each.name)
def test_claims_hold_and_mutants_are_caught(check: Check) -> None:
    found = check.find(Effort(0.5, 3))
    assert found.passed, found


def test_there_is_a_mutant_for_everything_that_is_broken_first() -> None:
    names = " ".join(each.name for each in AUDIT.mutants())
    for said in ("greedy", "threshold", "bins", "whole ε", "from the data", "again"):
        assert said in names
