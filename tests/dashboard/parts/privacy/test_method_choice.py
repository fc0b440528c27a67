"""The method that suits the columns is suggested beside the one in use."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from understudy.mechanisms.expected_utility import Strength, Suit
from understudy.mechanisms.scored import expected_utility as scored
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_nothing_is_suggested_where_the_method_in_use_is_the_one_to_begin_with(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    assert not page.exception
    assert "Suggested for these columns: " not in said(page)
    captions = page.radio(key="method").proto.captions
    assert sum("**Suggested for these columns.**" in each for each in captions) == 1
    assert any("records near real ones" in each for each in captions)


def test_another_is_suggested_and_one_press_takes_it(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = "scored"
    page = opened("privacy", session)
    assert "Suggested for these columns: **Seedbased synthesis**. Its calibrated model" in said(
        page
    )
    page.button(key="use-suggested").click().run()
    assert not page.exception
    assert session.settings.method == "seedbased"
    assert "Suggested for these columns: " not in said(page)


def test_one_that_is_only_good_is_not_pushed(
    opened: Opened, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scored, "suits", lambda _: Suit(Strength.BEST, "So it is."))
    session.settings.method = "seedbased"
    page = opened("privacy", session)
    assert not [each for each in page.button if each.key == "use-suggested"]
