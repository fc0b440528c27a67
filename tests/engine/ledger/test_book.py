"""What is read off the chain. Events as they stand in the chain. Figures in sentences: what is
spent is never understated, what is left never overstated.
"""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.numerals import round_down
from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Book, Dataset, fold
from understudy.ledger.chain import GENESIS, next_link
from understudy.ledger.events import (
    ENDED,
    Abandoned,
    Budgeted,
    Cancelled,
    Debited,
    Event,
    Failed,
    Opened,
    Recognised,
    Released,
    Running,
    read_event,
    read_moment,
)
from understudy.ledger.totals import Spend
from understudy.ledger.words import budget_in_words, refuse_over_budget
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
    assert book.find_dataset(" STRASSE ") == Dataset("d-1", "Straße")
    assert book.find_dataset("Gasse") is None


PLAN = {"test": {"k": 50}, "attempts": 10}


def debited(**changed: object) -> Debited:
    settings = {
        "purpose": "release", "plan": PLAN, "protocol": "attempts", "count": 10,
        "record": Budget(0.1, 1e-9), "records_per_person": 2, "sampling": 0.5,
    }  # fmt: skip
    return Debited(**{**settings, **changed})


@pytest.mark.parametrize(
    "event",
    [
        Opened(key="ab"),
        Recognised(name="census"),
        Recognised(name="census", fingerprint="cd"),
        Budgeted(epsilon=1.0, delta=1e-9),
        debited(),
        debited(record=None, stained=True, sampling=None),
        Running(),
        Released(artefacts={"synthetic.csv": "ef"}),
        Failed(),
        Cancelled(),
        Abandoned(),
    ],
)
def test_every_event_reads_back(event: Event) -> None:
    link = next_link(None, "2026-01-01T10:00:00.000001+00:00", event.kind, "d", "r", event.body())
    assert read_event(link) == event
    assert read_moment(link).isoformat() == link.at


def test_a_debit_is_a_spend_unless_it_promises_nothing() -> None:
    assert debited().spend == Spend(Budget(0.1, 1e-9), 2, 0.5)
    assert debited(record=None, stained=True).spend is None


@pytest.mark.parametrize(
    "changed",
    [
        {"stained": True},
        {"record": Budget.unbounded()},
        {"plan": {**PLAN, "policies": {"age": "clip"}}},
        {"records_per_person": 0},
        {"sampling": 0.0},
        {"count": -1},
    ],
)
def test_a_debit_that_contradicts_itself_or_tells_too_much_is_refused(
    changed: dict[str, object],
) -> None:
    with pytest.raises(Refusal):
        debited(**changed)


def test_events_of_another_version_are_refused() -> None:
    for kind, body in (("teleported", {}), ("running", {"speed": 9}), ("budget", {"epsilon": -1})):
        with pytest.raises(Refusal) as refused:
            read_event(next_link(None, "2026-01-01", kind, None, None, body))
        assert refused.value.field == "ledger"


def test_planned_and_running_are_not_ends() -> None:
    assert {"released", "failed", "cancelled", "abandoned"} == ENDED


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
    refusal = refuse_over_budget(Balance(dataset, (Spend(Budget(0.1, 1e-9)),)), Spend(Budget(0.1)))
    assert "Left: ε = 0, δ = 0." in refusal.problem
    torn = Spend(Budget(1.0, 1e-9), 1_000)
    assert "leave nothing" in refuse_over_budget(Balance(dataset, (torn,)), torn).problem
    fresh = refuse_over_budget(Balance(dataset), Spend(Budget(2.0)))
    assert "Nothing of it is spent yet." in fresh.problem


def test_a_run_for_more_records_per_person_says_that_earlier_runs_then_count_for_more() -> None:
    dataset = Dataset("d", "census", Budget(2.0, 1e-8))
    one, two = Spend(Budget(1.0, 1e-9)), Spend(Budget(0.5, 1e-10), 2)
    said = refuse_over_budget(Balance(dataset, (one,)), two).problem
    assert "up to 2 records per person, so the earlier ones" in said
    assert "with it the total would be ε = 3" in said
    assert "earlier ones" not in refuse_over_budget(Balance(dataset, (two,)), two).problem
    assert "earlier ones" not in refuse_over_budget(Balance(dataset), two).problem
