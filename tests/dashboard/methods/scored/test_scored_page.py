"""A model that can only propose and score is chosen and set on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from streamlit.testing.v1 import AppTest

from understudy.core.home import home
from understudy.mechanisms.registry import method_named, opening_plan
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy_dashboard.methods.method_settings import FormSettings
from understudy_dashboard.parts.plan_decision import MEANING
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_a_proposer_is_chosen_and_its_settings_are_read(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = ScoredPlan.kind
    page = opened("privacy", session, by_hand=True)
    assert not page.exception
    choice = page.radio(key="proposer-choice")
    assert choice.options[:2] == ["Redrawn", "Projected"]
    page.number_input(key="redrawn.redrawn-box").set_value(0.7).run()
    assert chosen(session) == ("redrawn", {"redrawn": 0.7})
    page.radio(key="proposer-choice").set_value("projected").run()
    page.number_input(key="projected.directions-box").set_value(1).run()
    page.checkbox(key="projected.public-switch").check().run()
    assert not page.exception
    assert not page.error
    usual = {"disturbed": 0.5, "redrawn": 0.5}
    assert chosen(session) == ("projected", {"directions": 1, "public": 1, **usual})
    page.number_input(key="projected.directions-box").set_value(17).run()
    assert "has to be a whole number from 1 to 16" in said(page)
    assert not page.exception
    page.radio(key="proposer-choice").set_value("redrawn").run()
    assert chosen(session) == ("redrawn", {"redrawn": 0.7})


def test_a_run_shows_its_seeds_and_what_is_kept_of_records(
    opened: Opened, said: Said, sessions: Callable[..., Session]
) -> None:
    random = np.random.default_rng(2)
    rows = np.clip(random.normal(5, 2, (900, 1)) + random.normal(0, 1, (900, 3)), 0, 9).round()
    lines = ["a,b,c", *(",".join(f"{each:.0f}" for each in row) for row in rows)]
    grid = Grid(minimum=0, maximum=9)
    schema = Schema(columns=tuple(Column(name=each, domain=grid) for each in "abc"))
    session = sessions("\n".join(lines).encode(), schema.declare_public())
    session.settings.method = ScoredPlan.kind
    test = {"kind": "plausible-deniability", "k": 20, "epsilon0": 1.0, "gamma": 4.0}
    given = {"proposer": "projected", "numbers": {"directions": 2}, "epsilon": 8.0,
             "delta": 1e-3, "attempts": 60, "test": test, "seeds_at_least": 200,
             "public_records": 900}  # fmt: skip
    plan = opening_plan("scored", session.settings.schema, given)
    made = start(Job(session.records(), plan), home(), dataset=dataset_of(session))
    assert wait(made).state == "finished"
    page = opened("inspect", session)
    page.session_state["inspect-tab"] = "Small space"
    page.run()
    assert not page.exception
    assert "asks for k = 20" in said(page)
    page.button(key="another-candidate").click().run()
    assert not page.exception
    page.session_state["inspect-Small space"] = "Records and what is kept"
    page.run()
    assert not page.exception
    assert "without any noise" in said(page)
    session.data.table = None
    page.run()
    assert "This needs the confidential table" in said(page)


def test_seeds_are_drawn_among_whom_a_custodian_says(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = ScoredPlan.kind
    page = opened("privacy", session, by_hand=True)
    page.text_input(key="seeds_among-text").set_value("NOBODY = there").run()
    assert not page.exception
    assert "does not begin with the name of a column" in said(page)
    assert session.settings.schema is not None
    column = session.settings.schema.columns[0]
    few = f"{column.name} = {column.texts[0]}"
    page.text_input(key="seeds_among-text").set_value(few).run()
    assert not page.exception
    assert "does not begin" not in said(page)
    covered = said(opened("privacy", session, detail=MEANING))
    assert f"made from a record whose {column.name} is {column.texts[0]}" in covered
    page = opened("privacy", session, by_hand=True)
    page.text_input(key="seeds_among-text").set_value("").run()
    plan = session.settings.plan()
    assert isinstance(plan, ScoredPlan)
    assert plan.seeds_among is None


def chosen(session: Session) -> tuple[str, Mapping[str, float]]:
    """The proposer of the plan, and its settings."""
    plan = session.settings.plan()
    assert isinstance(plan, ScoredPlan)
    return plan.proposer, plan.numbers


def test_a_plan_is_taken_over_with_the_settings_of_its_proposer(session: Session) -> None:
    table = method_named("scored").fields
    plan = ScoredPlan(domain="d", proposer="projected", numbers={"directions": 3, "public": 1})
    held = FormSettings(plan).held
    assert (getattr(held, "projected.directions"), getattr(held, "projected.public")) == (3, True)
    assert getattr(held, "redrawn.redrawn") == table["redrawn.redrawn"].usual
    assert {each.name for each in table.state_settings(table.values(plan))} >= {"Directions"}


def test_a_table_that_is_too_small_is_told_so_before_anything_is_pressed(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = ScoredPlan.kind
    page = opened("privacy", session)
    assert "records, and the table is known to have 400: it cannot be run" in said(page)
    page.number_input(key="wish-epsilon").set_value(40.0).run()
    assert not page.exception
    assert not page.error
    assert "cannot be run" not in said(page)
