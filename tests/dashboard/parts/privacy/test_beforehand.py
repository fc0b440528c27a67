"""The methods side by side on the Privacy page, before anything is spent."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from dashboard.parts.privacy.beforehand import table
from dashboard.session import Session
from engine.mechanisms.beforehand import Foreseen
from engine.mechanisms.registry import mechanisms

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_each_says_what_it_would_keep_once_the_records_are_known(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    records = page.number_input(key="beforehand-records")
    if records.value is None:
        assert "Say how many records the table is publicly known to have" in said(page)
    records.set_value(60_000).run()
    assert not page.exception
    assert "seeds are certain" in said(page)
    assert not page.error


def test_that_nothing_can_be_released_is_said(opened: Opened, said: Said, session: Session) -> None:
    page = opened("privacy", session)
    page.number_input(key="beforehand-each").set_value(20)
    page.number_input(key="beforehand-records").set_value(200).run()
    assert not page.exception
    assert any("nothing can be released" in each.value for each in page.error)


def test_what_is_not_foreseen_is_not_made_up() -> None:
    told = {"scored": Foreseen("up to 3 records", "Few.")}
    (row,) = table(told, mechanisms()).to_dict("records")
    assert row["A typical column off"] == "not foreseen"
    assert row["Pairs counted"] == ""
