"""Figures in sentences: what is spent is never understated, what is left never overstated."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.numerals import round_down
from understudy.ledger.book import Balance, Dataset
from understudy.ledger.totals import Spend
from understudy.ledger.words import budget_in_words, over_budget
from understudy.privacy.budget import Budget


@given(st.floats(1e-12, 1e6))
def test_what_is_left_is_rounded_down(value: float) -> None:
    said = Decimal(round_down(value).replace(",", ""))
    assert said <= Decimal(value) * (1 + Decimal("1e-11"))
    assert said >= Decimal(value) * (1 - Decimal("1e-3"))


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (0.123456, "0.1234"), (1.99999, "1.999"), (12_345.6, "12,345"), (0.3, "0.3")],
)
def test_four_digits(value: float, said: str) -> None:
    assert round_down(value) == said


def test_an_epsilon_and_delta_is_rounded_up() -> None:
    assert budget_in_words(Budget(0.123456, 1.23456e-9)) == "ε = 0.1235, δ = 1.235e-09"
    assert budget_in_words(Budget.unbounded()) == "more than any ε"


def test_a_budget_that_its_runs_exceeded_before_it_was_set() -> None:
    dataset = Dataset("d", "census", Budget(1.0, 1e-12))
    refusal = over_budget(Balance(dataset, (Spend(Budget(0.1, 1e-9)),)), Spend(Budget(0.1)))
    assert "Left: ε = 0, δ = 0." in refusal.problem
    torn = Spend(Budget(1.0, 1e-9), 1_000)
    assert "leave nothing" in over_budget(Balance(dataset, (torn,)), torn).problem
    fresh = over_budget(Balance(dataset), Spend(Budget(2.0)))
    assert "Nothing of it is spent yet." in fresh.problem


def test_a_run_for_more_records_per_person_says_that_earlier_runs_then_count_for_more() -> None:
    dataset = Dataset("d", "census", Budget(2.0, 1e-8))
    one, two = Spend(Budget(1.0, 1e-9)), Spend(Budget(0.5, 1e-10), 2)
    said = over_budget(Balance(dataset, (one,)), two).problem
    assert "up to 2 records per person, so the earlier ones" in said
    assert "with it the total would be ε = 3" in said
    assert "earlier ones" not in over_budget(Balance(dataset, (two,)), two).problem
    assert "earlier ones" not in over_budget(Balance(dataset), two).problem
