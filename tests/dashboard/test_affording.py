"""What the budget of a dataset holds, before a run is started on the Generate page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.left_behind import agree, left_behind, small
from understudy.core.home import home
from understudy.privacy.budget import Budget
from understudy.runs.control import home_ledger, runs
from understudy.runs.watched import Progress
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_a_run_beyond_the_budget_is_refused_beside_the_button_with_a_way_on(
    opened: Opened, said: Said, session: Session
) -> None:
    small(session)
    home_ledger().budget("tiny", Budget(0.5, 1e-4))
    left_behind(session, Progress("finished", 10))
    page = agree(opened("generate", session))
    assert "The budget of “tiny” is ε = 0.5" in page.error[0].value
    assert "Left: ε = 0.1" in page.error[0].value
    assert page.button(key="generate").disabled
    home_ledger().budget("tiny", Budget(5.0, 1e-4))
    page.run()
    assert not page.error
    assert not page.button(key="generate").disabled


def test_a_demonstration_fits_into_no_budget(opened: Opened, session: Session) -> None:
    small(session)
    home_ledger().budget("tiny", Budget(5.0, 1e-4))
    page = opened("generate", session)
    assert not page.error
    next(each for each in page.checkbox if "fixed seed" in each.label).check().run()
    assert "promises nothing" in page.error[0].value


def test_a_budget_spent_by_another_page_meanwhile_is_refused_at_the_start(
    opened: Opened, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(session)
    page = agree(opened("generate", session))
    monkeypatch.setattr("understudy_dashboard.parts.run_start._draw_affordable", lambda *_: True)
    home_ledger().budget("tiny", Budget(0.3, 1e-4))
    page.button(key="generate").click().run()
    assert "The budget of “tiny” is ε = 0.3" in page.error[0].value
    assert runs(home()) == ()
    assert session.run is None


def test_what_the_budget_still_holds_is_offered_and_taken(
    opened: Opened, said: Said, session: Session
) -> None:
    plan_choice(session).draft.omega_ranges, plan_choice(session).draft.omega_high = False, 2
    plan_choice(session).draft.epsilon0, plan_choice(session).draft.model_epsilon = 0.2, 1.0
    plan_choice(session).draft.delta, plan_choice(session).draft.k = 1e-3, 45
    home_ledger().budget("tiny", Budget(3.0, 1e-2))
    page = opened("generate", session)
    assert "The budget of “tiny” is ε = 3" in page.error[0].value
    ways = [each for each in page.button if str(each.key).startswith("within-")]
    assert [each.label.split(" ")[0] for each in ways] == [str(session_attempts(ways)), "No"]
    ways[0].click().run()
    assert not page.error
    assert 1 <= plan_choice(session).draft.attempts < 200
    assert plan_choice(session).promise().total.epsilon <= 3


def session_attempts(ways: list[Any]) -> int:
    """The number of attempts that the first way offers."""
    return int(ways[0].label.split(" ")[0].replace(",", ""))


def test_where_nothing_is_left_only_the_budget_helps(
    opened: Opened, said: Said, session: Session
) -> None:
    small(session)
    home_ledger().budget("tiny", Budget(0.4, 1e-6))
    left_behind(session, Progress("finished", 10))
    page = opened("generate", session)
    assert "holds no plan like this one" in said(page)
    assert not [each for each in page.button if str(each.key).startswith("within-")]
