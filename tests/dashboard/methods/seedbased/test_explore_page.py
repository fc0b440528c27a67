"""Many plans at once: whose scores, what is varied, the chart, and adopting a point."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.support import holding
from understudy.core.home import home
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.inquiries.pooling import Pooling
from understudy.mechanisms.seedbased.promise import promise
from understudy.projects.state import Sizes
from understudy.runs.control import runs, wait
from understudy.runs.folder import ABOUT, About, RecordsOf, RunFolder
from understudy.runs.inquiry import inquiry_of
from understudy.runs.work import Job, Purpose, work
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased import many_plans, score_sources
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.methods.seedbased.privacy import MANY
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

INTERNAL = ":orange-badge[:material/visibility_lock: INTERNAL]"


_MADE: dict[str, Path] = {}


@pytest.fixture
def scored(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., RunFolder]:
    """Puts a rehearsal, or a run, on the tiny table into the home folder. Each is done once."""

    def make(
        purpose: Purpose = "rehearsal", records_of: RecordsOf = "confidential", **changed: Any
    ) -> RunFolder:
        key = f"{purpose} {changed}"
        if key not in _MADE:
            _MADE[key] = done(purpose, changed)
        run = RunFolder(home() / f"{20260101 + len(runs(home()))}T000000-{purpose}-0")
        shutil.copytree(_MADE[key], run.path)
        named = "open.csv" if records_of == "public" else ""
        about = About("2026-01-01T00:00:00+00:00", purpose, False, records_of, named)
        run.write_text(ABOUT, json.dumps(asdict(about)))
        return run

    def done(purpose: Purpose, changed: dict[str, Any]) -> Path:
        assert session.settings.schema is not None
        plan = (
            _draft(session).copy(**changed).plan(session.settings.schema, session.settings.policies)
        )
        run = RunFolder(tmp_path_factory.mktemp("made"))
        run.write_text("plan.json", plan.to_json())
        run.write_text("schema.json", session.records().schema.to_json())
        job = Job(session.records(), plan, purpose=purpose)
        work(job, holding(job, run), os.getpid())
        return run.path

    return make


def _draft(session: Session) -> Draft:
    return plan_choice(session).draft


def shown(page: AppTest) -> pd.DataFrame:
    """What the chart says as a table."""
    if not page.toggle(key="table-tradeoff").value:
        page.toggle(key="table-tradeoff").set_value(True).run()
    found: pd.DataFrame = page.dataframe[0].value
    return found


def test_without_a_table_it_leads_to_one(opened: Opened, said: Said) -> None:
    page = opened("explore")
    assert not page.exception
    assert "There is no table yet" in said(page)


def test_without_scores_it_offers_to_make_some(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, detail=MANY)
    text = said(page)
    assert not page.exception
    assert not page.error
    assert "There are no scores of these columns yet" in text
    assert text.index("On another table") < text.index("On your own table")
    assert words.TUNING in text
    keys = {button.key for button in page.button}
    assert "explore-rehearse" in keys
    assert "explore-simulated" not in keys  # these are not the columns of the census
    assert "No private run of these columns has finished yet." in text


def test_what_passed_in_a_rehearsal_stands_beside_the_slider_a_stand_in_first(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    page = opened("privacy", session)
    assert "pass, as rehearsed" in said(page)
    assert INTERNAL in said(page)
    assert words.TUNING in said(page)
    scored(records_of="public")
    page.run()
    assert "pass, as rehearsed" in said(page)
    assert INTERNAL not in said(page)
    assert "rehearse-passing" not in {button.key for button in page.button}


@pytest.mark.process
def test_a_rehearsal_on_the_own_table_ends_in_the_chart(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, detail=MANY)
    page.button(key="explore-rehearse").click().run()
    (run,) = runs(home())
    assert run.about().records_of == "confidential"
    assert session.scores == session.rehearsal == run.identity
    assert wait(run).state == "finished"
    page.run()
    assert not page.exception
    text = said(page)
    assert "are not covered by the guarantee" in text
    assert INTERNAL in text
    assert len(shown(page)) > 3


def test_scores_of_the_confidential_table_are_warned_of_and_marked(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    page = opened("privacy", session, detail=MANY)
    assert not page.exception
    assert not page.error
    assert "not covered by the guarantee" in page.warning[0].value
    assert INTERNAL in said(page)
    assert not page.success


@pytest.mark.parametrize(
    ("records_of", "why"),
    [
        ("simulated", "none of whom exists"),
        ("public", "open.csv, which you said is public"),
        ("synthetic", "released and paid for"),
    ],
)
def test_scores_of_another_table_are_neither_and_it_is_said_why(
    opened: Opened,
    said: Said,
    session: Session,
    scored: Callable[..., RunFolder],
    records_of: RecordsOf,
    why: str,
) -> None:
    scored(records_of=records_of)
    page = opened("privacy", session, detail=MANY)
    assert why in page.success[0].value.replace("\\", "")
    assert not page.warning
    assert INTERNAL not in said(page)
    page.selectbox(key="explore-frontier").set_value(0).run()
    if not page.button(key="explore-adopt").disabled:
        page.button(key="explore-adopt").click().run()
    assert not page.exception
    assert not session.settings.plan().chosen_by_looking


def test_the_table_says_what_was_swept(
    opened: Opened, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    page = opened("privacy", session, detail=MANY)
    page.multiselect(key="explore-varied-False").set_value(["k", "attempts"]).run()
    page.text_input(key="explore-k").set_value("20, 30 ;40")
    page.text_input(key="explore-attempts").set_value("100 200").run()
    assert not page.error
    table = shown(page)
    assert [*zip(table["k"], table["N"], strict=True)] == [
        (k, n) for k in ("20", "30", "40") for n in ("100", "200")
    ]
    base = session.settings.plan()
    assert session.settings.schema is not None
    expected = promise(
        base.changed(
            session.settings.schema,
            test=base.test.__class__(k=30, gamma=4.0, epsilon0=1.0),
            attempts=100,
        ),
        session.settings.schema,
    )
    assert table["Total ε"][2] == expected.total.epsilon


def test_the_three_axes_are_drawn_when_asked_for_and_have_a_table(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    page = opened("privacy", session, detail=MANY)
    assert not page.get("plotly_chart")
    page.toggle(key="explore-space").set_value(True).run()
    assert not page.exception
    assert len(page.get("plotly_chart")) == 1
    page.toggle(key="table-space").set_value(True).run()
    assert not page.get("plotly_chart")
    assert "Beaten by none" in page.dataframe[-1].value.columns


def test_choosing_from_the_frontier_and_adopting_changes_the_settings(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    page = opened("privacy", session, detail=MANY)
    page.multiselect(key="explore-varied-False").set_value(["k", "attempts"]).run()
    page.text_input(key="explore-k").set_value("25, 60")
    page.text_input(key="explore-attempts").set_value("50, 400")
    page.selectbox(key="explore-utility").set_value("records").run()
    assert "choose one from the frontier" in said(page)
    best = shown(page).query("`On the frontier`").sort_values("Total ε")
    listed = page.selectbox(key="explore-frontier")
    assert len(listed.options) == len(best) > 0
    listed.set_value(0).run()
    text = said(page)
    chosen = best.iloc[0]
    assert f"k = {chosen['k']}, " in text
    assert f"N = {chosen['N']}, " in text
    assert f"{words.epsilon(chosen['Total ε'])}, δ = " in text
    assert not page.button(key="explore-adopt").disabled
    page.button(key="explore-adopt").click().run()
    assert not page.exception
    plan = session.settings.plan()
    assert plan.chosen_by_looking
    assert "chosen by looking at your own table" in said(page)
    assert (f"{plan.test.k}", f"{plan.attempts}") == (chosen["k"], chosen["N"])
    assert plan_choice(session).promise().total.epsilon == chosen["Total ε"]
    assert page.button(key="explore-adopt").disabled
    assert "The settings are adopted" in said(page)


def test_a_click_chooses_the_point_it_was_on(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    points = [SimpleNamespace(plan=name) for name in "abc"]
    monkeypatch.setattr(many_plans.st, "session_state", state)
    many_plans._pick_point(points)  # type: ignore[arg-type]
    assert "explore-chosen" not in state
    for clicked, chosen in (([{"point": 1}], "b"), ([], "b"), ([{"point": 9}], "b")):
        state["chart-tradeoff"] = SimpleNamespace(selection={"picked": clicked})
        many_plans._pick_point(points)  # type: ignore[arg-type]
        assert state["explore-chosen"] == chosen


def test_a_list_that_cannot_be_tried_is_refused_beside_it(
    opened: Opened, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    page = opened("privacy", session, detail=MANY)
    page.text_input(key="explore-k").set_value("50, x").run()
    assert not page.exception
    assert ["“x” is no whole number" in each.value for each in page.error] == [True]
    page.text_input(key="explore-k").set_value("20, 30").run()
    assert not page.error


def test_too_many_combinations_are_refused(
    opened: Opened, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    page = opened("privacy", session, detail=MANY)
    page.multiselect(key="explore-varied-False").set_value(["k", "attempts"]).run()
    many = " ".join(str(each) for each in range(20, 120))
    page.text_input(key="explore-k").set_value(many)
    page.text_input(key="explore-attempts").set_value(many).run()
    assert "10,000 combinations" in page.error[0].value


def test_nothing_chosen_of_what_there_are_scores_of_is_refused(
    opened: Opened, session: Session, scored: Callable[..., RunFolder]
) -> None:
    run = scored()
    page = opened("privacy", session, detail=MANY)
    page.multiselect(key=f"explore-omega-{run.identity}-4").set_value([]).run()
    assert "no value to try" in page.error[0].value


def test_a_plan_that_there_are_no_scores_of_is_said_to_have_none(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored(omega_low=3, omega_high=3, model_epsilon=0.7)
    page = opened("privacy", session, detail=MANY)
    assert not page.exception
    text = said(page)
    assert "There are no scores of the present plan" in text
    assert "ε of the model = 0.7" in text
    plan_choice(session).use(_draft(session).copy(omega_low=3, omega_high=3, model_epsilon=0.7))
    assert "no scores of the present plan" not in said(opened("privacy", session, detail=MANY))


def test_scores_of_other_columns_and_of_older_runs_are_not_offered(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    run = scored()
    said_of = json.loads(run.read_text("plan.json"))
    run.write_text("plan.json", json.dumps({**said_of, "domain": "another"}))
    assert "There are no scores of these columns yet" in said(
        opened("privacy", session, detail=MANY)
    )
    older = scored()
    figures = Figures.load(older.internal)
    assert figures is not None
    replace(figures, pools=None).save(older.internal)
    session.cache.clear()
    page = opened("privacy", session, detail=MANY)
    assert "kept no candidates" in page.error[0].value
    assert "explore-rehearse" in {button.key for button in page.button}


@pytest.mark.process
def test_more_scores_are_asked_for_and_then_varied(
    opened: Opened, session: Session, scored: Callable[..., RunFolder]
) -> None:
    run = scored()
    page = opened("privacy", session, detail=MANY)
    page.text_input(key="explore-more-epsilons").set_value("0.2, 1")
    page.text_input(key="explore-more-omegas").set_value("1-3")
    page.button(key="explore-more").click().run()
    assert not page.exception
    assert not page.error
    asked = inquiry_of(run, Pooling)
    assert asked is not None
    assert wait(asked).state == "finished"
    page.run()
    table = shown(page)
    assert set(table["ε of the model"]) == {"0.2", "1"}
    assert set(table["ω"]) == {"1", "2", "3", "2–3", "1–3"}


def test_more_scores_of_another_table_than_the_open_one_are_refused(
    opened: Opened, session: Session, scored: Callable[..., RunFolder]
) -> None:
    run = scored()
    about = {**asdict(run.about()), "records_of": "public", "named": "open.csv"}
    run.write_text(ABOUT, json.dumps(about))
    page = opened("privacy", session, detail=MANY)
    page.button(key="explore-more").click().run()
    assert "open.csv is no longer open" in page.error[0].value


def test_a_released_table_stands_in_where_it_keeps_a_promise(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    seedless: dict[str, Any] = {"omega_low": 3, "omega_high": 3, "attempts": 800}
    good, stained, free = (scored("release", **seedless) for _ in range(3))
    about = {**asdict(stained.about()), "stained": True}
    stained.write_text(ABOUT, json.dumps(about))
    guarantee = json.loads(free.guarantee.read_text(encoding="utf-8"))
    guarantee["guarantee"]["epsilon"] = None
    free.guarantee.write_text(json.dumps(guarantee), encoding="utf-8")
    assert [run.identity for run in score_sources.list_released(session)] == [good.identity]
    page = opened("privacy", session, detail=MANY)
    page.button(key="explore-synthetic").click().run()
    assert not page.exception
    assert not page.error
    rehearsed = next(run for run in runs(home()) if run.about().purpose == "rehearsal")
    assert (rehearsed.about().records_of, rehearsed.about().named) == ("synthetic", good.identity)
    assert wait(rehearsed).state == "finished"
    page.run()
    assert "released and paid for" in page.success[0].value


def test_a_release_that_was_changed_does_not_stand_in(
    opened: Opened, session: Session, scored: Callable[..., RunFolder]
) -> None:
    run = scored("release", omega_low=3, omega_high=3)
    run.table.write_bytes(b"age,job,pay\n20,cook,low\n")
    page = opened("privacy", session, detail=MANY)
    page.button(key="explore-synthetic").click().run()
    assert "not the one that its statement is about" in page.error[0].value
    assert len(runs(home())) == 1


def test_where_nothing_fits_many_plans_are_tried_and_one_is_adopted(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    session.settings.set_sizes(Sizes(records=900))
    plan_choice(session).asked(None).purpose = "alike"
    page = opened("privacy", session, detail=MANY)
    assert "Nothing fits" in page.error[0].value
    page.selectbox(key="explore-frontier").set_value(0).run()
    page.button(key="explore-adopt").click().run()
    assert not page.exception
    assert not page.error
    assert plan_choice(session).planned.by_hand
    assert plan_choice(session).promise().total.bounded
