from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.special import bdtr

from understudy.assurance.finding import Check, Effort
from understudy.assurance.seedbased import whole_runs
from understudy.assurance.seedbased.whole_runs import binomial_below


@pytest.mark.parametrize("check", whole_runs.list_chance_checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(Effort())
    assert found.passed, found.measured
    assert found.measured.worst > 0.9


def test_a_binomial_tail_in_whole_numbers() -> None:
    assert binomial_below(1, 3, Fraction(1, 2)) == 1 / 8
    assert binomial_below(2, 3, Fraction(1, 2)) == 1 / 2
    assert binomial_below(5, 60, Fraction(3, 10)) == pytest.approx(
        float(bdtr(4, 60, 0.3)), rel=1e-9
    )


def test_one_attempt_too_few_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = whole_runs.attempts_needed
    monkeypatch.setattr(whole_runs, "attempts_needed", lambda *asked: real(*asked) - 1)
    stops, seeds = (check.find(Effort()).verdict for check in whole_runs.list_chance_checks())
    assert (stops, seeds) == ("broken", "holds")


def test_one_record_too_few_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    real = whole_runs.records_needed
    monkeypatch.setattr(whole_runs, "records_needed", lambda *asked: real(*asked) - 1)
    stops, seeds = (check.find(Effort()).verdict for check in whole_runs.list_chance_checks())
    assert (stops, seeds) == ("holds", "broken")
