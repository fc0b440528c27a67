"""Made traces on the pages, from the settings to a packet that is verified. What is published of
Inspect's pictures depends on made people alone.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.home import home
from understudy.mechanisms.traces.charts.fakes import FOLD, NO_GUARANTEE, WARNING
from understudy.mechanisms.traces.inspection import HOURS, Whereabouts
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.geography import Geography
from understudy.report.cover import Cover
from understudy.report.packet import make_packet
from understudy.report.verify import verify
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy.samples.city import SCHEMA
from understudy.table.schema import Schema
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.methods.privacy import PICTURES
from understudy_dashboard.methods.traces import page
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
_PEOPLE = 60


@pytest.fixture
def chosen(sessions: Callable[..., Session], city: bytes) -> Session:
    """Some people of the simulated city, and the method chosen."""
    session = sessions(city, Schema.load(SCHEMA))
    session.settings.method = "traces"
    held = session.settings.of_method().held  # type: ignore[attr-defined]
    held.traces, held.days, held.held_out = 80, 6, 0.5
    return session


def plan_of(session: Session) -> TracesPlan:
    plan = session.settings.plan()
    assert isinstance(plan, TracesPlan)
    return plan


def test_what_the_people_cannot_carry_is_offered_coarser(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("privacy", chosen, detail=PICTURES)
    assert not page.exception
    text = said(page)
    assert "What is protected: a person, with all of their days" in text
    assert "Could anybody tell that somebody is in it?" in text
    assert WARNING not in text
    page = opened("privacy", chosen, detail=FOLD)
    assert [each.value for each in page.error] == [WARNING]
    page = opened("privacy", chosen)
    text = said(page)
    assert "Say how many people are publicly known" in text
    assert "400 places of 1 by 1 km" in text
    assert "take-gathered" not in {each.key for each in page.button}
    page.button(key="take-public_people").click().run()
    assert plan_of(chosen).public_people == _PEOPLE
    assert "finer than 60 people can carry" in said(page)
    page.button(key="take-gathered").click().run()
    assert not page.exception
    assert plan_of(chosen).gathered == 10
    text = said(page)
    assert "finer than" not in text
    assert "4 places of 10 by 10 km" in text
    assert "of 100 moments of made days, about" in text.casefold()
    assert "take-gathered" not in {each.key for each in page.button}


def test_a_run_is_looked_at_and_goes_into_a_packet(
    opened: Opened, said: Said, chosen: Session
) -> None:
    chosen.settings.of_method().held.gathered = 2  # type: ignore[attr-defined]
    page = opened("generate", chosen)
    assert not page.exception
    assert "80 made people with 6 days each" in said(page)
    run = start(Job(chosen.records(), chosen.settings.plan()), home(), dataset=dataset_of(chosen))
    assert wait(run).state == "finished"
    page = opened("inspect", chosen)
    assert not page.exception
    text = said(page)
    assert "as many other real people" in text
    assert "This is the short version" in text
    names = [each.label for each in page.tabs]
    assert names[:3] == ["Overview", "Maps", "A made person"]
    assert names.count("Overview") == 1
    page.session_state["inspect-tab"] = "Maps"
    page.run()
    text = said(page)
    assert "never to be shown or exported" in text
    assert "Real people" in text
    page.slider(key="traces-hour").set_value(3).run()
    assert not page.exception
    assert "3:00\N{EN DASH}4:00" in said(page)
    page.session_state["inspect-tab"] = "A made person"
    page.run()
    assert not page.exception
    assert "Nobody you see here exists" in said(page)
    page = opened("present", chosen)
    assert not page.exception
    titles = said(page)
    for title in ("What is protected: a person, with all of their days",
                  "Could anybody tell that somebody is in it?", "What was kept"):  # fmt: skip
        assert title in titles
    page.button(key="present").click().run()
    assert not page.exception
    assert "The days of 80 people with 6 days each, none of whom exists" in said(page)
    next(each for each in page.button if each.label == "Next").click().run()
    assert "four places tell most people apart" in said(page)
    made = make_packet(run, home() / "packets", Cover(title="A city"), pdf=False)
    assert verify(made.path).passed
    names = [path.name for path in made.path.rglob("*")]
    (report,) = made.path.rglob("*.html")
    told = report.read_text(encoding="utf-8")
    assert "Could anybody tell that somebody is in it?" in told
    assert "Fakes" not in told
    assert NO_GUARANTEE not in told
    assert not any(secret in name for name in names for secret in ("density", "days", "flows"))


TOWN = Geography(rows=3, columns=4, zones=2)


def whereabouts(seed: int) -> Whereabouts:
    random = np.random.default_rng(seed)
    zones = TOWN.zones**2
    hours = random.dirichlet(np.ones(TOWN.cells), (2, HOURS))
    return Whereabouts(hours, random.dirichlet(np.ones(zones**2), 2).reshape(2, zones, zones))


def test_a_picture_of_made_people_is_the_same_whoever_the_real_ones_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: dict[str, list[Any]] = {}

    def keep(figure: Any, table: Any, *, key: str, **_: Any) -> None:
        shown.setdefault(key, []).append((figure.to_dict(), table.to_dict()))

    decided = SimpleNamespace(plan=SimpleNamespace(where=TOWN))
    looked = cast(RunInspection, SimpleNamespace(decided=decided))
    monkeypatch.setattr(page, "draw_picture", keep)
    for seed in (1, 2):
        real, made = whereabouts(seed), whereabouts(0)
        monkeypatch.setattr(page, "_find_both", lambda *_, both=(real, made): both)
        page.draw_density(looked, None)
        page.draw_flows(looked, None)
    for name in ("density", "flows"):
        first, second = shown[f"{name}-Made people"]
        assert first == second
        first, second = shown[f"{name}-Real people"]
        assert first != second
