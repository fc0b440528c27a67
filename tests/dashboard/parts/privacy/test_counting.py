"""How many records there are and are made is said once, on Data; forms of methods follow it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from understudy.projects.state import Answers, Sizes
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]

FOLLOWS = {
    "pmse": ("public_records", "rows"),
    "latent": ("public_records", "rows"),
    "imputation": ("records",),
    "scored": ("public_records",),
}


@pytest.fixture
def session() -> Session:
    """Two columns that every method takes."""
    both = Categories(values=("no", "yes"))
    columns = (Column(name="one", domain=both), Column(name="other", domain=both))
    session = Session()
    session.settings.schema = Schema(columns=columns).declare_public()
    return session


def counts(session: Session, kind: str) -> tuple[Any, ...]:
    return tuple(getattr(session.settings.of_method(kind).held, name) for name in FOLLOWS[kind])


@pytest.mark.parametrize("kind", FOLLOWS)
def test_a_form_begins_with_what_was_said_and_follows_it(session: Session, kind: str) -> None:
    session.settings.set_sizes(Sizes(records=5_000))
    many = len(FOLLOWS[kind])
    assert counts(session, kind) == (5_000, 5_000)[:many]
    session.settings.set_sizes(Sizes(records=7_000, rows=800))
    assert counts(session, kind) == (7_000, 800)[:many]
    session.settings.asleep, session.settings.chosen = session.settings.kept_settings(), {}
    session.settings.set_sizes(Sizes(records=9_000, rows=80))
    assert counts(session, kind) == (9_000, 80)[:many]


def test_rows_that_cost_more_are_asked_beside_their_cost(session: Session) -> None:
    before = session.settings.of_method("imputation").held.rows
    session.settings.set_sizes(Sizes(records=5_000, rows=800))
    assert session.settings.of_method("imputation").held.rows == before


def test_a_number_of_some_records_only_is_not_that_of_the_table(session: Session) -> None:
    session.settings.set_sizes(Sizes(records=5_000))
    held = session.settings.of_method("scored").held
    held.seeds_among, held.public_records = "one = yes", 40
    session.settings.set_sizes(Sizes(records=7_000))
    assert held.public_records == 40


def test_a_plan_of_other_numbers_says_so_and_takes_those_of_data(
    opened: Opened, session: Session
) -> None:
    session.settings.method = "latent"
    session.settings.set_sizes(Sizes(records=5_000))
    session.settings.of_method().held.rows = 12
    session.answers = Answers(several=False)
    page = opened("privacy", session, by_hand=True)
    shown = [each.value for each in page.markdown]
    assert "**Records in the table, publicly known:** 5,000" in shown
    assert "**Rows to draw:** 12" in shown
    assert not any(each.key == "rows-box" for each in page.number_input)
    page.button(key="said-rows").click().run()
    assert session.settings.of_method().held.rows == 5_000
