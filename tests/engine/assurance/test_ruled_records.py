from __future__ import annotations

import math

import pytest

from understudy.assurance import ruled_records
from understudy.assurance.check import Check, Effort

FEW = Effort(1 / 12)


@pytest.mark.parametrize("check", ruled_records.list_checks(), ids=lambda each: each.name)
def test_what_becomes_of_a_record_is_for_it_alone(check: Check) -> None:
    found = check.find(FEW)
    assert found.passed
    assert found.measured.cases == 32 * 6


@pytest.mark.parametrize("check", ruled_records.list_mutants(), ids=lambda each: each.name)
def test_what_looks_at_other_records_is_caught(check: Check) -> None:
    found = check.find(FEW)
    assert found.verdict == "caught"
    assert found.measured.worst == math.inf
