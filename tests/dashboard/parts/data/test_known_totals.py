"""Known totals on the Data page: pasted, checked, listed, and what the next pages say of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import session_of
from understudy.core.home import home
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy.table.known_totals import KnownTotals
from understudy.table.rules.rule import Rule
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

TOTALS = KnownTotals(
    columns=("job",),
    of="table",
    source="Staff list",
    lines=((("cook",), 70), (("nurse",), 50), (("clerk",), 0)),
)


def paste(page: AppTest, text: str, source: str = "Yearbook, table 3") -> AppTest:
    page.text_area(key="totals-text").set_value(text).run()
    page.text_input(key="totals-source").set_value(source).run()
    return page


def test_totals_are_pasted_checked_and_added(opened: Opened, said: Said, session: Session) -> None:
    page = paste(opened("data", session), "job\ttotal\ncook\t70\nnurs\t50\n")
    assert not page.exception
    assert any("name “nurs”" in each.value for each in page.error), [e.value for e in page.error]
    assert page.button(key="totals-keep").disabled
    page = paste(page, "job\ttotal\ncook\t70\nnurse\t50\n")
    assert "Still to be said: what they count." in said(page)
    page = opened("data", session_of(page))
    assert page.text_area(key="totals-text").value == "job\ttotal\ncook\t70\nnurse\t50\n"
    page.radio(key="totals-of").set_value("table").run()
    assert any("Everybody will learn" in each.value for each in page.warning)
    page.button(key="totals-keep").click().run()
    assert not page.exception
    (found,) = session_of(page).settings.require_schema().totals
    assert (found.of, found.source, found.total) == ("table", "Yearbook, table 3", 120)
    assert "120 together: counts of this very table" in said(page)
    assert any("The open table has other counts" in each.value for each in page.warning)
    assert page.text_area(key="totals-text").value == ""
    page.button(key="totals-remove-0").click().run()
    assert not session_of(page).settings.require_schema().totals


def known(session: Session) -> Session:
    """The session with totals, and a plan that follows the planner."""
    schema = session.settings.require_schema().with_totals((TOTALS,))
    session.describe(schema.declare_public("-"))
    plan_choice(session).planned.by_hand = False
    return session


def test_privacy_lists_them_and_asks_for_as_many_rows(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", known(session))
    assert not page.exception
    assert any("known totals exactly: nothing is paid" in each.label for each in page.expander)
    assert "**120 rows**" in said(page)
    assert "As many as the known totals count" in said(page)


@pytest.mark.thorough("test_privacy_lists_them_and_asks_for_as_many_rows")
def test_inspect_compares_them_with_what_was_released(
    opened: Opened, said: Said, session: Session
) -> None:
    known(session)
    job = Job(session.records(), session.settings.plan())
    run = start(job, home(), dataset=dataset_of(session))
    assert wait(run).state == "finished"
    page = opened("inspect", session)
    page.session_state["inspect-Overview"] = "Known totals"
    page.run()
    assert not page.exception
    assert "are hit exactly." in said(page)
    shown = next(each.value for each in page.dataframe if "Declared" in each.value.columns)
    assert shown["Declared"].tolist() == shown["Released"].tolist()


def test_totals_that_rules_came_to_forbid_are_named_and_can_be_taken_out(
    opened: Opened, said: Said, session: Session
) -> None:
    schema = session.settings.require_schema().with_totals((TOTALS,))
    session.describe(schema.with_rules((Rule(text='job != "cook"', origin="law"),)))
    page = opened("data", session)
    assert not page.exception
    assert any("which the rules forbid" in each.value for each in page.error)
    page.button(key="totals-remove-0").click().run()
    assert not page.exception
    assert not page.error
