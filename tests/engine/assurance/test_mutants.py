"""Learning that all methods share, broken on purpose, and what must notice."""

from __future__ import annotations

import pytest

from understudy.assurance import mutants
from understudy.assurance.finding import Check, Effort

LESS = Effort(0.2)


@pytest.mark.usefixtures("small_tables")
@pytest.mark.parametrize("check", mutants.list_learning_mutants(), ids=lambda each: each.name)
def test_mutants_are_caught(check: Check) -> None:
    found = check.find(LESS)
    assert found.verdict == "caught", found.measured
