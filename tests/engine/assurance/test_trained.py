"""The checks of training hold for what is shipped, and catch what is broken."""

from __future__ import annotations

import pytest

from understudy.assurance import training
from understudy.assurance.finding import Check, Effort

_EFFORT = Effort(times=0.5)


@pytest.mark.parametrize("check", training.list_checks(), ids=lambda check: check.name)
def test_claims_hold(check: Check) -> None:
    found = check.find(_EFFORT)
    assert found.verdict == "holds"
    assert found.measured.cases


@pytest.mark.parametrize("check", list(training.list_mutants()), ids=lambda check: check.name)
def test_mutants_are_caught(check: Check) -> None:
    assert check.find(_EFFORT).verdict == "caught"


def test_the_checks_come_near_to_what_they_claim() -> None:
    """A record whose slope is cut moves a sum by nearly the whole bound, and one at the bounds of
    codes moves moments by all that is paid for."""
    assert training.measure_move(Effort()).worst > 0.999
    assert training.codes_moved(Effort()).worst > 0.9
    assert training.shares_moved(Effort()).worst > 0.999
