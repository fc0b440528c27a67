"""Every method's runs, held against its guarantee; and what is broken in them is noticed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.method_audits import run_checks, runs
from understudy.mechanisms.registry import mechanisms

LESS = Effort(0.5)


def _checks() -> Iterator[object]:
    for each in runs():
        for check in (*each.checks(), *each.mutants()):
            yield pytest.param(check, id=f"{each.kind}-{check.name}")


@pytest.mark.parametrize("check", [*_checks()])
def test_runs_keep_to_their_guarantee_and_breaks_are_noticed(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found


@pytest.mark.thorough("test_runs_keep_to_their_guarantee_and_breaks_are_noticed")
@pytest.mark.parametrize("check", run_checks(), ids=lambda each: each.name)
def test_runs_that_take_longer_keep_to_their_guarantee(check: Check) -> None:
    found = check.find(Effort(1.0))
    assert found.passed, found


def test_every_method_brings_runs() -> None:
    own = {
        kind
        for kind, each in mechanisms().items()
        if type(each).__module__.startswith("understudy.mechanisms.")
    }
    assert own == {each.kind for each in runs()}
