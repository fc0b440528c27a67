"""What the start of a run would refuse keeps Generate from being pressed, for every method. The
history on the Generate page: each run, two of them compared, one of them made again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import agree, left_behind
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import mechanisms
from understudy.projects.state import Sizes
from understudy.runs.control import check_start, list_runs
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress
from understudy.samples.city import SCHEMA
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.methods.method_settings import FormSettings
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
RECORDS: Final = 400
_PEOPLE: Final = 60
_OF_PEOPLE: Final = ("traces", "plausible-traces")
_KINDS: Final = sorted(mechanisms())
_FIELD: Final = re.compile(r"\b[a-z]+_[a-z_]+\b")


@pytest.fixture
def choose(sessions: Callable[..., Session], city: bytes) -> Callable[[str], Session]:
    """A table that a method takes, and the method chosen with settings that suit it."""

    def chosen(kind: str) -> Session:
        if kind in _OF_PEOPLE:
            session = sessions(city, Schema.load(SCHEMA))
        else:
            both = Categories(values=("no", "yes"))
            columns = tuple(Column(name=name, domain=both) for name in ("one", "other"))
            flags = np.random.default_rng(5).integers(0, 2, (RECORDS, 2))
            lines = ["one,other", *(",".join(("no", "yes")[each] for each in row) for row in flags)]
            session = sessions("\n".join(lines).encode(), Schema(columns=columns).declare_public())
        session.settings.method = kind
        session.settings.chosen.clear()
        session.settings.set_sizes(Sizes(records=RECORDS, rows=RECORDS))
        settings = session.settings.of_method()
        small = {"epsilon": 60.0, "ratio": 1, "depends": 1, "locating": 0.5, "candidates": 1600}
        if kind == "pmse":
            assert isinstance(settings, FormSettings)
            for name, value in small.items():
                setattr(settings.held, name, value)
        return session

    return chosen


def refused(session: Session) -> bool:
    """Whether the start of a run would be."""
    try:
        decided = session.settings.planned_run()
        check_start(Job(session.records(), decided.plan, made=decided), decided)
    except Refusal:
        return True
    return False


def offered(page: AppTest) -> bool:
    assert not page.exception
    return any(each.key == "generate" and not each.disabled for each in page.button)


def agreed(page: AppTest) -> AppTest:
    """The page, with that what is spent was read, where that is asked."""
    return agree(page) if any("I have read" in each.label for each in page.checkbox) else page


def public(page: AppTest) -> list[str]:
    """The boxes about what everybody may know."""
    return [str(each.key) for each in page.checkbox if str(each.key).startswith("public-")]


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("confirmed", ["as said", None, "too many"])
def test_what_would_be_refused_is_refused_before(
    opened: Opened, choose: Callable[[str], Session], kind: str, confirmed: str | None
) -> None:
    session = choose(kind)
    count = _PEOPLE if kind in _OF_PEOPLE else RECORDS
    told = {"as said": count, "too many": 100 * count}.get(confirmed or "")
    if confirmed == "too many":
        session.settings.set_sizes(Sizes(records=told))
    session.settings.of_method().confirm(told)
    page = agreed(opened("generate", session))
    assert offered(page) != refused(session)
    for each in page.error:
        assert not _FIELD.search(each.value.replace("\\", "")), each.value


def test_the_box_stays_when_it_is_unticked(
    opened: Opened, choose: Callable[[str], Session]
) -> None:
    for kind in ("pmse", "imputation"):
        session = choose(kind)
        session.settings.of_method().confirm(RECORDS)
        page = agreed(opened("generate", session))
        (box,) = public(page)
        assert page.checkbox(key=box).value
        assert offered(page)
        page.checkbox(key=box).uncheck().run()
        assert public(page) == [box]
        assert not offered(page)
        page.checkbox(key=box).check().run()
        assert offered(page)


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
        next(run.identity for run in list_runs(session.runs_at))
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
