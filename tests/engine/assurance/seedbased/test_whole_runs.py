"""The claims about whole runs against exact laws."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.assurance.attempt import pairs, worst
from understudy.assurance.finding import TOLERANCE, Check, Effort
from understudy.assurance.seedbased import mutants, whole_runs
from understudy.assurance.seedbased.universes import (
    KINDS,
    small_test,
)

LESS = Effort(0.1)


@pytest.mark.parametrize("check", whole_runs.list_checks(), ids=lambda each: each.name)
def test_whole_runs(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.cases > 20


def test_noise_of_their_own_is_what_two_attempts_need() -> None:
    """The joint law that catches the shared threshold, with two thresholds: it holds."""
    for kind in KINDS:
        tried = pairs(small_test(kind, 8, 1.0), np.eye(2), [8, 8], equal_likelihood=True)
        assert worst([tried], mutants.noise_reused).worst > 10
        assert worst([tried], whole_runs.compare_attempts).worst <= 1 + TOLERANCE
