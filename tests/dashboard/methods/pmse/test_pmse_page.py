"""The pMSE mechanism on the Privacy page and through a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.home import home
from understudy.projects.state import Sizes
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy_dashboard.methods.page import FOR_YOUR_TABLE
from understudy_dashboard.methods.pmse.page import PUBLISHED, ROAD
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def chosen(session: Session) -> Session:
    """The tiny table, and the method chosen with settings that suit its size."""
    session.settings.method = "pmse"
    held = session.settings.of_method().held
    small = {"epsilon": 60.0, "public_records": 900, "candidates": 1600, "rows": 200, "ratio": 1,
             "depends": 1, "locating": 0.5}  # fmt: skip
    for name, value in small.items():
        setattr(held, name, value)
    return session


def test_a_plan_shows_its_signal_and_a_run_is_looked_at(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("privacy", chosen)
    assert not page.exception
    assert "times what it takes to find the" in said(page)
    text = said(opened("privacy", chosen, detail=PUBLISHED))
    assert "One record moves the score of a candidate by at most" in text
    made = start(Job(chosen.records(), chosen.settings.plan()), home(), dataset=dataset_of(chosen))
    assert wait(made).state == "finished"
    for name in ("generate", "inspect"):
        page = opened(name, chosen)
        assert not page.exception


def test_why_chance_would_decide_is_said_once(opened: Opened, said: Said, chosen: Session) -> None:
    chosen.settings.of_method().held.epsilon = 0.5  # type: ignore[attr-defined]
    text = said(opened("privacy", chosen))
    assert text.count("Chance would decide") == 1
    assert "No total yet" in text


def test_a_number_that_is_not_public_is_asked_for_in_words(opened: Opened, chosen: Session) -> None:
    chosen.settings.of_method().held.public_records = None
    page = opened("generate", chosen)
    assert not page.exception
    page.checkbox(
        key=next(each.key for each in page.checkbox if "agreed" in str(each.key))
    ).check().run()
    assert page.button(key="generate").disabled
    asked = page.checkbox(key=f"public-{chosen.settings.sizes.records}")
    assert asked.label == "It is public knowledge that the table has 400 records"


def test_it_says_which_road_to_take_and_why_the_published_one_is_not_offered(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = "pmse"
    session.settings.set_sizes(Sizes(records=100_000))
    assert ROAD.split(".")[0] in said(opened("privacy", session, detail=FOR_YOUR_TABLE))
    page = opened("privacy", session, detail=PUBLISHED)
    assert not page.exception
    assert "Markov chain" in said(page)
    page.toggle(key="pmse-pairs").set_value(True).run()
    assert not page.exception
    (pairs,) = (each.value for each in page.table if "Times the bound" in each.value.columns)
    assert float(pairs["Times the bound"].iloc[0].replace(",", "")) > 1200
