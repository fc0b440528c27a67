from __future__ import annotations

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.pmse import AUDIT

CHECKS = (*AUDIT.claims(), *AUDIT.mutants())
_LITTLE = pytest.mark.thorough("test_claims_hold_and_mutants_are_caught")


@pytest.mark.parametrize("effort", [Effort(0.25, 3), pytest.param(Effort(0.02, 8), marks=_LITTLE)])
@pytest.mark.parametrize("check", CHECKS, ids=lambda each: each.name)
def test_claims_hold_and_mutants_are_caught(check: Check, effort: Effort) -> None:
    """Whatever the seed and however little is tried."""
    found = check.find(effort)
    assert found.passed, found


def test_these_are_what_is_printed_wrongly() -> None:
    assert [each.name for each in CHECKS if each.kind == "counter-example"] == [
        "as published: how far one record moves a greedy tree of depth two",
        "as published: how far one record moves a single split with cp = 0.01",
        "as published: how far one record moves a single split whose leaves need 50 records",
        "as published: a flat prior does not affect the utility",
    ]


def test_there_is_a_mutant_for_everything_that_is_broken_first() -> None:
    names = " ".join(each.name for each in AUDIT.mutants())
    for said in ("greedy", "threshold", "bins", "whole ε", "from the data", "again", "stopped"):
        assert said in names


def test_every_published_error_breaks() -> None:
    kinds = {each.name: each.kind for each in AUDIT.claims() if "as published" in each.name}
    assert len(kinds) == 4
    assert set(kinds.values()) == {"counter-example"}
