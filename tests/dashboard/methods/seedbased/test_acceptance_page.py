"""An acceptance test named on the Privacy page, and what it measured on the Release page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.runs.control import start, wait
from understudy.runs.work import Job
from understudy_dashboard.methods.seedbased.method_settings import SETTINGS, plan_choice
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
ASKED = AcceptanceTest(
    epsilon=0.8,
    statistics=(
        ShareOf(column="job", values=("cook",), limit=0.4),
        MeanOf(column="age"),
        DistanceOf(columns=("job", "pay"), limit=0.9),
    ),
)


def test_statistics_are_named_and_taken_back(opened: Opened, session: Session, said: Said) -> None:
    page = opened("privacy", session)
    page.multiselect("acceptance-values-age").set_value(["18", "19"]).run()
    page.number_input("acceptance-limit-share").set_value(5.0).run()
    page.button("acceptance-add").click().run()
    assert not page.exception
    found = plan_choice(session).plan().acceptance
    assert found is not None
    assert found.statistics == (ShareOf(column="age", values=("18", "19"), limit=0.05),)
    assert "Share of “Age”: 18, 19, to within about" in said(page)
    page.number_input("acceptance-epsilon").set_value(2.0).run()
    assert plan_choice(session).promise().total.epsilon >= 2.0
    page.button("acceptance-remove-0").click().run()
    assert plan_choice(session).plan().acceptance is None
    page.checkbox("release-noisy-tables").check().run()
    assert plan_choice(session).plan().noisy_tables


def test_a_share_of_nothing_is_refused_where_it_was_typed(
    opened: Opened, session: Session, said: Said
) -> None:
    page = opened("privacy", session)
    page.button("acceptance-add").click().run()
    assert not page.exception
    assert page.error
    assert plan_choice(session).plan().acceptance is None


def test_a_test_stays_with_the_project_and_with_another_proposal(session: Session) -> None:
    planned = plan_choice(session).planned
    planned.draft = planned.draft.copy(acceptance=ASKED.model_dump(mode="json"))
    kept = json.loads(json.dumps(planned.as_dict()))
    assert session.settings.schema is not None
    again = SETTINGS.restore(session.settings.schema, kept)
    assert again.draft.shown()["acceptance"] == ASKED.model_dump(mode="json")
    bare = planned.draft.copy(acceptance=None)
    assert bare.keeping(planned.draft).plan(session.settings.schema, {}).acceptance == ASKED


def test_what_was_measured_stands_on_the_release_page(
    opened: Opened, session: Session, said: Said, home: Path
) -> None:
    planned = plan_choice(session).planned
    asked = ASKED.model_dump(mode="json")
    planned.draft = planned.draft.copy(acceptance=asked, noisy_tables=True)
    run = start(Job(session.records(), session.settings.plan()), home, dataset=dataset_of(session))
    assert wait(run).state == "finished"
    page = opened("release", session)
    assert not page.exception
    text = said(page)
    assert "How near it comes, measured with noise" in text
    assert "Limits kept:" in text
    (frame,) = (each.value for each in page.dataframe if "Held-out records" in each.value)
    assert frame["What"].tolist() == [
        "Share of “job”: cook",
        "Mean of “Age”",
        "Distance of “job” with “pay”",
    ]
