"""A model that can only propose and score is chosen and set on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from streamlit.testing.v1 import AppTest

from dashboard.methods.choosing import Filled
from dashboard.session import Session
from engine.mechanisms.registry import named
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


def test_seeds_are_drawn_among_whom_a_custodian_says(
    opened: Opened, said: Said, session: Session
) -> None:
    session.method = ScoredPlan.kind
    page = opened("privacy", session)
    page.text_input(key="seeds_among-text").set_value("NOBODY = there").run()
    assert not page.exception
    assert "does not begin with the name of a column" in said(page)
    assert session.schema is not None
    column = session.schema.columns[0]
    few = f"{column.name} = {column.texts[0]}"
    page.text_input(key="seeds_among-text").set_value(few).run()
    assert not page.exception
    assert "does not begin" not in said(page)
    assert f"made from a record whose {column.name} is {column.texts[0]}" in said(page)
    page.text_input(key="seeds_among-text").set_value("").run()
    plan = session.plan()
    assert isinstance(plan, ScoredPlan)
    assert plan.seeds_among is None


def chosen(session: Session) -> tuple[str, Mapping[str, float]]:
    """The proposer of the plan, and its settings."""
    plan = session.plan()
    assert isinstance(plan, ScoredPlan)
    return plan.proposer, plan.numbers


def test_a_plan_is_taken_over_with_the_settings_of_its_proposer(session: Session) -> None:
    table = named("scored").fields
    plan = ScoredPlan(domain="d", proposer="projected", numbers={"directions": 3, "public": 1})
    held = Filled(plan).held
    assert (getattr(held, "projected.directions"), getattr(held, "projected.public")) == (3, True)
    assert getattr(held, "redrawn.redrawn") == table["redrawn.redrawn"].usual
    assert {each.name for each in table.told(table.values(plan))} >= {"Directions"}
