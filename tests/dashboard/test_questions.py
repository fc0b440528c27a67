"""No sequence of answers and edits loses an answer, and nothing goes on while one is open. The
model beside the pages is as plain as can be: the last answer to each question, and what was there
before each step that can be undone. What the budget of a dataset holds, before a run is started on
the Generate page.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import agree, answer_all, left_behind, small
from tests.support import panel_csv
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.privacy.budget import Budget
from understudy.projects.state import Answers, ProjectState, Sizes
from understudy.runs.control import home_ledger, list_runs
from understudy.runs.work_folder import Progress
from understudy.table.people import People
from understudy.table.raw import RawTable
from understudy.table.sources.reading import read_table
from understudy_dashboard import schema_edits
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.open_project import apply_decisions, read_decisions
from understudy_dashboard.questions import (
    QUESTIONS,
    answer,
    check_answered,
    list_open_questions,
    settle,
)
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

_COLUMNS: Final = ("resp", "wave", "sex", "job", "age")
_ORDERS: Final = ("resp", "wave", "age")
"""The columns that hold numbers throughout, so that they order rows."""
_LATER: Final = ("buckets", "privacy", "generate")


@cache
def _panel() -> RawTable:
    return read_table(panel_csv(20), name="panel.csv")


def _opened() -> Session:
    session = Session()
    session.open(LoadedTable("panel.csv", _panel()))
    return session


_COLUMN = st.sampled_from(_COLUMNS)
_STEPS = st.one_of(
    st.tuples(st.just("several"), st.booleans()),
    st.tuples(st.sampled_from(["person", "order"]), st.none() | _COLUMN),
    st.tuples(st.just("records_at_most"), st.sampled_from([None, 1, 3])),
    st.tuples(st.just("records"), st.sampled_from([None, 50])),
    st.tuples(st.just("new"), st.booleans()),
    st.tuples(st.sampled_from(["leave out", "bring back"]), _COLUMN),
    st.tuples(st.sampled_from(["undo", "redo", "draw", "reopen", "confirm"]), st.none()),
)

_ALL: Final = [
    *(("several", True), ("person", "resp"), ("order", "wave"), ("records_at_most", 3)),
    *(("records", 50), ("new", True)),
]
"""Everything answered, which few sequences come to by chance."""


class _Model:
    """What was answered last, and what undoing and doing again come back to."""

    def __init__(self, session: Session) -> None:
        self.said: dict[str, Any] = dict.fromkeys(
            ("several", "person", "order", "records_at_most", "records")
        )
        self.new = False
        self.past: list[tuple[Any, dict[str, Any]]] = []
        self.future: list[tuple[Any, dict[str, Any]]] = []
        self.now = self._there(session)

    def _there(self, session: Session) -> tuple[Any, dict[str, Any]]:
        of_unit = {name: each for name, each in self.said.items() if name != "records"}
        return (session.settings.schema, dict(session.left_out)), of_unit

    def drawn(self, session: Session) -> None:
        there = self._there(session)
        if there != self.now:
            self.past, self.future = [*self.past, self.now], []
            self.now = there

    def moved(self, back: bool) -> None:
        source, target = (self.past, self.future) if back else (self.future, self.past)
        if source:
            target.append(self.now)
            self.now = source.pop()
            self.said.update(self.now[1])

    @property
    def people(self) -> People | None:
        """Whose the rows are by what was said; None where each stands for itself, or it cannot
        be."""
        said = self.said
        order = said["order"]
        whole = None not in (said["person"], order, said["records_at_most"])
        if not (said["several"] and whole) or order not in _ORDERS or order == said["person"]:
            return None
        return People(person=said["person"], order=order, records_at_most=said["records_at_most"])


def _reopened(session: Session) -> Session:
    """What another page knows that opens the project, and is given the table."""
    later = Session()
    apply_decisions(later, ProjectState.read(read_decisions(session).model_dump(mode="json")))
    assert session.data.table is not None
    later.attach_table(session.data.table)
    later.editing.history = session.editing.history
    return later


def _step(session: Session, model: _Model, what: str, value: Any) -> Session:
    """Do one thing to both."""
    if what in ("several", "person", "order", "records_at_most"):
        answer(session, **{what: value})
        model.said[what] = value
    elif what == "records":
        session.settings.set_sizes(session.settings.sizes.model_copy(update={"records": value}))
        model.said["records"] = value
    elif what == "new":
        found = dataset_of(session)
        assert found is not None
        session.new_people, model.new = (found.table if value else None), value
    elif what in ("leave out", "bring back"):
        # Too few columns would remain, or it is not there to be left out or brought back.
        with suppress(Refusal, KeyError):
            (session.leave_out if what == "leave out" else session.bring_back)(value)
    elif what in ("undo", "redo"):
        (schema_edits.undo if what == "undo" else schema_edits.redo)(session)
        model.moved(what == "undo")
    elif what == "reopen":
        session = _reopened(session)
    elif what == "confirm" and not list_open_questions(session):
        assert session.settings.schema is not None
        session.describe(session.settings.schema.declare_public())
    settle(session)
    schema_edits.remember(session)
    model.drawn(session)
    return session


@example(first=_ALL, then=[("undo", None), ("reopen", None), ("redo", None)])
@example(first=_ALL, then=[("several", False), ("bring back", "resp"), ("undo", None)])
@given(st.sampled_from([[], _ALL]), st.lists(_STEPS, max_size=20))
def test_no_sequence_of_answers_and_edits_loses_one(
    first: list[tuple[str, Any]], then: list[tuple[str, Any]]
) -> None:
    session = _opened()
    schema_edits.remember(session)
    model = _Model(session)
    for what, value in [*first, *then]:
        session = _step(session, model, what, value)
        assert session.settings.schema is not None
        said = {name: each for name, each in model.said.items() if name != "records"}
        assert session.answers == Answers(**said)
        assert session.settings.sizes.records == model.said["records"]
        enough = len(set(session.settings.schema.names) - {said["person"]}) >= 2
        if model.people is not None and enough:
            assert session.settings.schema.people == model.people
        if said["several"] is False:
            assert session.settings.schema.people is None
        whole = said["several"] is False or (
            model.people is not None and session.settings.schema.people == model.people
        )
        left = list_open_questions(session)
        assert (not left) == (whole and bool(model.said["records"]) and model.new)
        if left:
            with pytest.raises(Refusal, match="still to be said"):
                check_answered(session)


def _nothing_said(session: Session) -> None:
    session.answers = Answers()


def _half_said(session: Session) -> None:
    session.answers = Answers()
    answer(session, several=True, person="job")


def _no_number(session: Session) -> None:
    session.settings.set_sizes(Sizes())


def _nobody_named(session: Session) -> None:
    session.new_people = session.belongs_to = None


@pytest.mark.parametrize(
    ("forget", "missing"),
    [
        (_nothing_said, "whether one person has several rows"),
        (_half_said, "what orders a person’s rows"),
        (_no_number, "how many records everybody may know"),
        (_nobody_named, "whose records these are"),
    ],
)
@pytest.mark.parametrize("reopened", [False, True])
def test_no_later_step_is_there_while_a_question_is_open(
    opened: Opened,
    said: Said,
    session: Session,
    forget: Callable[[Session], None],
    missing: str,
    *,
    reopened: bool,
) -> None:
    forget(session)
    shown = _reopened(session) if reopened else session
    page = opened("data", shown)
    assert not page.exception
    assert f"Still to be said: {missing}" in said(page)
    assert "What each column may contain" not in said(page)
    assert not [each for each in page.button if str(each.key).startswith("confirm")]
    for name in _LATER:
        page.switch_page(f"views/{name}.py").run()
        assert not page.exception
        assert f"Still to be said: {missing}" in said(page)
        assert not page.main.button
        assert "No total yet" in said(page)
    answer_all(shown)
    assert "What each column may contain" in said(page.switch_page("views/data.py").run())
    for name in _LATER:
        page.switch_page(f"views/{name}.py").run()
        assert "Still to be said" not in said(page)
    assert [each.key for each in page.main.button if each.key == "generate"]


def test_every_question_is_drawn() -> None:
    from understudy_dashboard.parts.table_questions import _DRAWN_BY

    assert set(_DRAWN_BY) == {each.name for each in QUESTIONS}


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
    assert list_runs(home()) == ()
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
