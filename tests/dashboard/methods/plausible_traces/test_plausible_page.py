"""Days like given people's on the pages: the number of people that is confirmed, and a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.home import home
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.report.cover import Cover
from understudy.report.packet import make_packet
from understudy.report.verify import verify
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy.samples.city import SCHEMA
from understudy.table.schema import Schema
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
_PEOPLE = 60


@pytest.fixture
def chosen(sessions: Callable[..., Session], city: bytes) -> Session:
    """Some people of the simulated city, and the method chosen."""
    session = sessions(city, Schema.load(SCHEMA))
    session.settings.method = "plausible-traces"
    return session


def plan_of(session: Session) -> PlausiblePlan:
    plan = session.settings.plan()
    assert isinstance(plan, PlausiblePlan)
    return plan


def test_the_number_of_people_is_asked_for_and_kept(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("privacy", chosen, by_hand=True)
    assert not page.exception
    assert "counts on a number of people that everybody may know" in said(page)
    assert "What is kept of a real person's day" in {each.label for each in page.radio}
    needed = chosen.settings.planned_run().guarantee.people_at_least
    assert needed is not None
    page = opened("generate", chosen)
    assert not page.exception
    (agreed,) = (each for each in page.checkbox if str(each.key).startswith("agreed-"))
    agreed.check().run()
    assert page.button(key="generate").disabled
    asked = page.checkbox(key=f"public-{needed}")
    assert f"at least {needed:,} people" in asked.label
    asked.check().run()
    assert plan_of(chosen).public_people == needed
    # It was confirmed, and the few people of this table do not bear it out.
    assert "fewer people than the plan counts on" in page.error[0].value
    assert page.button(key="generate").disabled
    page.checkbox(
        key=f"public-{chosen.settings.planned_run().guarantee.people_at_least}"
    ).uncheck().run()
    assert plan_of(chosen).public_people is None
    assert page.button(key="generate").disabled


def test_too_few_people_are_told_what_would_do(opened: Opened, said: Said, chosen: Session) -> None:
    page = opened("privacy", chosen, by_hand=True)
    page.button(key="take-public_people").click().run()
    assert not page.exception
    text = said(page)
    assert "made traces" in text
    assert "seedless" not in text


def test_a_refusal_is_not_left_in_a_fold(opened: Opened, chosen: Session) -> None:
    assert not opened("privacy", chosen).error
    chosen.settings.of_method().held.seeds = 0.95  # type: ignore[attr-defined]
    for by_hand in (False, True):
        page = opened("privacy", chosen, by_hand=by_hand)
        assert ["Nobody is left" in each.value for each in page.error] == [True]


def test_a_run_is_looked_at_and_goes_into_a_packet(
    opened: Opened, said: Said, chosen: Session
) -> None:
    held = chosen.settings.of_method().held
    for name, value in {"epsilon": 900.0, "delta": 1e-4, "public_people": _PEOPLE, "k": 5,
                        "epsilon0": 3.0, "seeds_at_least": 10, "attempts": 30}.items():  # fmt: skip
        setattr(held, name, value)
    page = opened("generate", chosen)
    assert not page.exception
    run = start(Job(chosen.records(), chosen.settings.plan()), home(), dataset=dataset_of(chosen))
    assert wait(run).state == "finished"
    page = opened("inspect", chosen)
    assert not page.exception
    assert "release a day on average" in said(page)
    page = opened("present", chosen)
    assert not page.exception
    assert "What came out" in said(page)
    page.button(key="present").click().run()
    assert "Single days like real people’s, from 30 attempts" in said(page)
    made = make_packet(run, home() / "packets", Cover(title="Days of a city"), pdf=False)
    assert verify(made.path).passed
    (report,) = made.path.rglob("*.html")
    text = report.read_text(encoding="utf-8")
    assert "People in the table, publicly known" in text
    assert "Every stay in order" in text
