"""As many candidates pass as the coins let that the accountant was told, and no other is thrown."""

from __future__ import annotations

import pytest

from understudy.assurance.finding import Check, Effort
from understudy.assurance.scored.runs import list_coin_checks, list_coin_mutants


@pytest.mark.parametrize(
    "check", [*list_coin_checks(), *list_coin_mutants()], ids=lambda each: each.name
)
def test_coins_are_those_that_were_paid_for(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found
