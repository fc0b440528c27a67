"""The history on the Generate page: each run, two of them compared, one of them made again."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from tests.dashboard.left_behind import left_behind
from understudy.runs.control import runs
from understudy.runs.watched import Progress
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def unfolded(opened: Opened, session: Session) -> AppTest:
    """The page with the history open."""
    page = opened("generate", session)
    page.session_state["history"] = True
    return page.run()


def test_the_history_shows_each_run_with_its_settings(opened: Opened, session: Session) -> None:
    left_behind(session, Progress("finished", 200, passed=31))
    plan_choice(session).draft.k = 30
    left_behind(session, Progress("failed", 200))
    page = unfolded(opened, session)
    table = page.dataframe[0].value
    assert table["k"].tolist() == ["30", "20"]
    assert table["State"].tolist() == ["stopped", "finished"]
    assert table["Planned"].tolist() == ["200 attempts"] * 2
    assert table["Released"].tolist() == ["nothing"] * 2
    assert all(value not in ("", "no promise") for value in table["ε"])


def test_two_runs_stand_beside_one_another_with_what_differs(
    opened: Opened, said: Said, session: Session
) -> None:
    left_behind(session, Progress("finished", 200))
    plan_choice(session).draft.k, plan_choice(session).draft.epsilon0 = 30, 0.5
    left_behind(session, Progress("finished", 200))
    page = unfolded(opened, session)
    assert "They differ in **2 settings**" in said(page)
    rows = page.table[0].value
    assert rows[""].tolist() == ["≠", "≠"]
    assert rows["First run"].tolist() == ["**20**", "**1**"]
    assert rows["Second run"].tolist() == ["**30**", "**0.5**"]
    page.toggle(key="history-every").set_value(True).run()
    rows = page.table[0].value
    assert sorted(set(rows[""])) == ["=", "≠"]
    assert len(rows) > 15
    newest = page.selectbox(key="history-Second run").options[0]
    page.selectbox(key="history-First run").set_value(
        next(run.identity for run in runs(session.runs_at))
    ).run()
    assert newest
    assert "They have the same settings" in said(page)


def test_running_again_takes_over_the_settings_and_is_called_a_new_spend(
    opened: Opened, said: Said, session: Session
) -> None:
    run = left_behind(session, Progress("finished", 200))
    plan_choice(session).draft.k = 45
    page = unfolded(opened, session)
    assert "a new spend" in said(page)
    page.selectbox(key="history-again").set_value(run.identity).run()
    page.button(key="take-over").click().run()
    assert plan_choice(session).draft.k == 20
    assert "further spend" in said(page)
    assert page.button(key="generate").disabled


def test_settings_for_other_columns_cannot_be_taken_over(
    opened: Opened, session: Session, sessions: Callable[..., Session], schema: Schema
) -> None:
    left_behind(session, Progress("finished", 200))
    other = sessions(schema=Schema(columns=schema.columns[:2]).declare_public())
    page = unfolded(opened, other)
    page.button(key="take-over").click().run()
    assert "another schema" in page.error[0].value
