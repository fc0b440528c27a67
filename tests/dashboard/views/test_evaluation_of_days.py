"""Inspect of a run that made days: other measures, other references, no column to predict."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.spoken_for import say_new
from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import commuters, records, schema
from understudy.core.home import home
from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import (
    PEOPLE,
    RELEASED,
    UNIFORM,
    About,
    Finding,
    Interval,
    Measured,
    Part,
    Role,
)
from understudy.evaluation.mobility.measures.disclosure import CONTROL, MEMBERS
from understudy.evaluation.mobility.registry import MEASURES as OF_DAYS
from understudy.evaluation.registry import abouts
from understudy.runs.control import runs, start, wait
from understudy.runs.inquiry import EvaluationOf, ask
from understudy.runs.work import Job
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.parts.evaluation import FoundEvaluation
from understudy_dashboard.parts.inspect.disclosure import draw_attacks, list_sentences
from understudy_dashboard.parts.inspect.groups import draw_tables
from understudy_dashboard.parts.inspect.summary import numbers_table, scale_values
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
TABLES: dict[str, tuple[Role, float]] = {
    PEOPLE: ("reals", 0.1),
    UNIFORM: ("marginals", 0.6),
    RELEASED: ("released", 0.2),
}


def measured(about: About, value: float) -> Measured:
    """A value; where higher is better, what is missing to one."""
    parts = ()
    if about.parts == "real people":
        parts = (Part((MEMBERS,), 0.7), Part((CONTROL,), 0.5))
    if about.ideal is not None and about.ideal > 0:
        value = about.ideal + value / 2
    value = 1 - value if about.better == "higher" else value
    return Measured(value, Interval(value - 0.01, value + 0.01), parts)


@pytest.fixture
def found() -> FoundEvaluation:
    """Every measure of days; the released ones lie a fifth of the way from real ones."""
    findings = tuple(
        Finding(
            each.about.key,
            {name: measured(each.about, value) for name, (_, value) in TABLES.items()},
        )
        for each in OF_DAYS
    )
    tables = tuple(MeasuredTable(name, role, 70) for name, (role, _) in TABLES.items())
    return FoundEvaluation(Evaluation(tables, 80, "", findings), abouts(), {}, "")


def test_headline_measures_stand_between_uniform_days_and_real_ones(found: FoundEvaluation) -> None:
    on_scale, off = scale_values(found)
    assert not off
    assert {each.about.key for each in on_scale} >= {"places-by-time", "flows", "time-at-home"}
    for each in on_scale:
        if each.about.ideal is None:
            assert each.placed[RELEASED].value == pytest.approx(0.8)
    numbers = numbers_table(found)
    assert list(numbers.columns)[2:4] == ["Other real people", "Uniform model"]
    row = numbers.set_index("Measure").loc["Flows between zones"]
    assert row["Other real people"].startswith("10")
    assert row["Uniform model"].startswith("60")


def test_every_group_can_be_read_as_a_table(found: FoundEvaluation) -> None:
    table = draw_tables(found, "lives")
    assert list(table.columns) == ["Measure", *TABLES, "Which way is better"]
    assert "best as other real people" in set(table["Which way is better"])


def test_attacks_speak_of_people(found: FoundEvaluation) -> None:
    findings = {about.key: finding for about, finding in found.of("disclosure")}
    table = draw_attacks(findings, of_days=True).set_index("Measure")
    row = table.loc["Two main places found"]
    assert row["Of counted"].startswith("70")
    assert row["Of held-out"].startswith("50")
    assert row["Other real people"].startswith("10")
    (said,) = list_sentences(findings, of_days=True)
    assert "People who were counted stand out" in said
    assert "seed" not in said.lower()


@pytest.fixture
def released() -> Session:
    """A session with the days of a town, and a run that made others."""
    told = records(commuters(170))
    assert told.whose is not None
    lines = ["person,moment,day,slot,place"]
    for who, (day, slot, cell) in zip(told.whose.tolist(), told.codes.tolist(), strict=True):
        place = "outside" if cell == 12 else f"p{cell}"
        lines.append(f"{who},{day * 72 + slot},{day},{slot},{place}")
    session = Session()
    raw = read_table("\n".join(lines).encode(), name="town.csv")
    session.open(LoadedTable("town.csv", raw), schema().declare_public())
    say_new(session)
    assert session.settings.schema is not None
    asked = plan(domain=session.settings.schema.fingerprint, held_out=0.5, traces=60, days=2)
    made = start(Job(session.records(), asked), home(), dataset=dataset_of(session))
    assert wait(made).state == "finished"
    return session


def test_a_run_is_measured_on_the_page(opened: Opened, said: Said, released: Session) -> None:
    page = opened("inspect", released)
    assert not page.exception
    assert [each.label for each in page.tabs] == [
        "Overview",
        "Maps",
        "A made person",
        "Places",
        "Moves",
        "Lives",
        "As others measure",
        "Distinguishing",
        "Disclosure",
        "Compare",
    ]
    assert "Not measured yet" in said(page)
    assert not any(each.label == "Column to predict" for each in page.selectbox)
    assert page.button(key="measure").label == "Measure everything"
    (run,) = runs(home())
    assert wait(ask(EvaluationOf(""), released.records(), run)).state == "finished"
    page = opened("inspect", released)
    assert not page.exception
    assert "people of each table" in said(page)
    page.session_state["inspect-Overview"] = "Every measure"
    page.run()
    assert "a uniform model scores" in said(page)
    for section in ("Places", "Lives", "Disclosure"):
        page.session_state["inspect-tab"] = section
        page.run()
        assert not page.exception
    assert "people who were counted" in said(page)
