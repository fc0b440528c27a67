"""The methods side by side on the Privacy page, before anything is spent."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from understudy.mechanisms.expected_utility import Foreseen
from understudy.mechanisms.registry import mechanisms
from understudy.projects.state import Sizes
from understudy_dashboard.parts.method_choice import KEY, foresight_table
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def unfolded(opened: Opened, session: Session) -> AppTest:
    page = opened("privacy", session)
    page.session_state[KEY] = True
    return page.run()


def test_each_says_what_it_would_keep_once_the_records_are_known(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.set_sizes(Sizes(records=60_000))
    page = unfolded(opened, session)
    assert not page.exception
    assert "seeds are certain" in said(page)
    assert not page.error


def test_it_tells_what_the_page_does_of_the_rows_that_are_asked_for(
    opened: Opened, session: Session
) -> None:
    page = unfolded(opened, session)
    off = []
    for rows in (500, 60_000):
        session.settings.set_sizes(Sizes(records=60_000, rows=rows))
        page.run()
        told = next(each.value for each in page.table if "Makes" in each.value)
        off.append(told.loc["Seedbased synthesis", "A typical column off"])
    assert off[0] != off[1]


def test_that_nothing_can_be_released_is_said(opened: Opened, session: Session) -> None:
    page = unfolded(opened, session)
    session.settings.set_sizes(Sizes(records=200))
    page.number_input(key="beforehand-epsilon").set_value(0.01).run()
    assert not page.exception
    assert any("nothing can be released" in each.value for each in page.error)


def test_nothing_is_worked_out_while_it_is_folded(opened: Opened, session: Session) -> None:
    page = opened("privacy", session)
    assert "beforehand-epsilon" not in {each.key for each in page.number_input}


def test_what_is_not_foreseen_is_not_made_up() -> None:
    told = {"scored": Foreseen("up to 3 records", "Few.")}
    (row,) = foresight_table(told, mechanisms()).to_dict("records")
    assert row["A typical column off"] == "not foreseen"
    assert row["Pairs counted"] == ""
