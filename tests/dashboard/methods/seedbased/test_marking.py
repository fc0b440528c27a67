"""What must survive is marked on the Buckets page, and is then part of the plan."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from understudy.models.marks import Marks
from understudy.models.third_party.claim import Claim
from understudy_dashboard.methods.seedbased.method_settings import SETTINGS, plan_choice
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
MARKS = Marks(target="pay", columns=("age",), together=(("age", "job"),))


def test_marks_are_made_and_taken_away(opened: Opened, session: Session, said: Said) -> None:
    page = opened("buckets", session)
    page.selectbox(key="mark-target").set_value("pay").run()
    page.multiselect(key="mark-columns").set_value(["age"]).run()
    assert page.button(key="mark-together").disabled
    page.selectbox(key="mark-end-0").set_value("age").run()
    page.selectbox(key="mark-end-1").set_value("job").run()
    page.button(key="mark-together").click().run()
    assert not page.exception
    assert plan_choice(session).plan().marks == MARKS
    assert "“Age” with “job”" in said(page)
    assert page.selectbox(key="mark-end-0").value is None
    page.button(key="unmark-0").click().run()
    page.selectbox(key="mark-target").set_value("none").run()
    assert plan_choice(session).plan().marks == Marks(columns=("age",))


@pytest.mark.parametrize("twice", [True, False])
def test_a_pair_is_marked_once_and_of_two_columns(
    opened: Opened, session: Session, twice: bool
) -> None:
    plan_choice(session).use(plan_choice(session).draft.marked(MARKS))
    page = opened("buckets", session)
    page.selectbox(key="mark-end-0").set_value("job").run()
    page.selectbox(key="mark-end-1").set_value("age" if twice else "job").run()
    assert page.button(key="mark-together").disabled


def test_a_third_party_model_is_kept_in_a_project(session: Session) -> None:
    claim = Claim(name="house", source="Its makers.", covers="Any two tables.")
    mine = plan_choice(session)
    mine.use(mine.draft.copy(kind="outside", outside=claim))
    kept = json.loads(json.dumps(mine.planned.as_dict(), default=Claim.model_dump))
    schema = session.settings.schema
    assert schema is not None
    assert SETTINGS.restore(schema, kept).draft.outside == claim


def test_marks_are_kept_in_a_project_and_by_what_is_proposed(session: Session) -> None:
    schema = session.settings.schema
    assert schema is not None
    mine = plan_choice(session)
    mine.use(mine.draft.marked(MARKS))
    kept = json.loads(json.dumps(mine.planned.as_dict()))
    assert SETTINGS.restore(schema, kept).draft.marks == MARKS
    mine.follow()
    assert mine.plan().marks == MARKS
    mine.use(mine.draft)
    fewer = schema.with_columns([each for each in schema.columns if each.name != "age"])
    left = SETTINGS.fit(mine.planned, schema, fewer).draft.marks
    assert left == Marks(target="pay")
