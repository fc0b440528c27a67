"""A model that can only propose and score is chosen and set on the page."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from dashboard.session import Session
from engine.mechanisms.scored.plan import ScoredPlan

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_a_proposer_is_chosen_and_its_settings_are_read(
    opened: Opened, said: Said, session: Session
) -> None:
    session.method = ScoredPlan.kind
    page = opened("privacy", session)
    assert not page.exception
    choice = page.radio(key="proposer-choice")
    assert choice.options[:2] == ["redrawn", "projected"]
    choice.set_value("projected").run()
    page.text_input(key="numbers-text").set_value('{"directions": 1}').run()
    assert not page.exception
    plan = session.plan()
    assert isinstance(plan, ScoredPlan)
    assert (plan.proposer, plan.numbers) == ("projected", {"directions": 1.0})
    page.text_input(key="numbers-text").set_value('{"directions": 1.5}').run()
    assert "a whole number from 1 to 16" in said(page)
    assert not page.exception
