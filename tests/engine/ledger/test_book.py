"""What is read off the chain."""

from __future__ import annotations

import pytest

from understudy.ledger.book import Balance, Book, Dataset, fold
from understudy.ledger.chain import GENESIS
from understudy.ledger.totals import Spend
from understudy.privacy.budget import Budget

SPEND = Spend(Budget(0.1, 1e-9))
CENSUS = Dataset("d-1", "census")


def test_an_empty_chain_is_an_empty_book() -> None:
    assert fold([]) == Book()
    assert (Book().head, Book().balances, Book().unended) == (GENESIS, (), ())
    assert Book().balance(CENSUS) == Balance(CENSUS)


def test_a_balance_with_one_run_more() -> None:
    before = Balance(CENSUS, (SPEND,), 1)
    assert before.adding(SPEND) == Balance(CENSUS, (SPEND, SPEND), 1)
    assert before.adding(None) == Balance(CENSUS, (SPEND,), 2)
    assert (before.runs, before.adding(None).runs) == (2, 3)


def test_without_a_budget_nothing_is_left_or_lacking() -> None:
    assert Balance(CENSUS, (SPEND,)).left is None
    assert Balance(CENSUS, (SPEND,) * 3).spent == Budget(0.3, 3e-9)


def test_what_is_left_is_up_to_the_budget_at_its_delta() -> None:
    budgeted = Dataset("d-1", "census", Budget(1.0, 1e-6))
    assert Balance(budgeted).left == 1.0
    balance = Balance(budgeted, (SPEND,) * 5)
    assert balance.spent == Budget(0.5, 5e-9)
    assert balance.left == pytest.approx(0.5)
    assert Balance(budgeted, (SPEND,) * 50).left == 0.0
    too_fine = Dataset("d-1", "census", Budget(1.0, 1e-10))
    assert Balance(too_fine, (SPEND,)).left == 0.0


def test_many_runs_would_have_come_to_less_had_all_been_fixed_beforehand() -> None:
    budgeted = Dataset("d-1", "census", Budget(50.0, 1e-6))
    balance = Balance(budgeted, (SPEND,) * 400)
    assert balance.spent.epsilon == pytest.approx(40)
    assert balance.fixed_beforehand.epsilon < 20
    assert balance.fixed_beforehand.delta == 1e-6
    assert Balance(CENSUS).fixed_beforehand.epsilon == 0


def test_capitals_and_blanks_do_not_make_another_name() -> None:
    book = Book(datasets={"d-1": Dataset("d-1", "Straße")})
    assert book.named(" STRASSE ") == Dataset("d-1", "Straße")
    assert book.named("Gasse") is None
