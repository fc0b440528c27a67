"""Many plans at once: whose scores, what is varied, the chart, and adopting a point. Lists of
values to try, as people write them. Another table that stands in for the confidential one where
many plans are tried at once. The tab that says how much the test can have changed the table.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.support import holding
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.evaluation.bounds import list_bounds, place
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.evaluation.sweep import combine_settings
from understudy.mechanisms.seedbased.inquiries.pools import Pooling
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.projects.state import Sizes
from understudy.runs.control import list_runs, wait
from understudy.runs.folder import ABOUT, RecordsOf, RunAbout, RunFolder
from understudy.runs.inquiry import find_inquiry
from understudy.runs.work import Job, Purpose, work
from understudy.samples import census
from understudy.table.categories import Categories
from understudy.table.encoding import to_csv_bytes
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased import many_plans, score_sources
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.page import describe_bounds, describe_triangle
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.methods.seedbased.privacy import MANY
from understudy_dashboard.methods.seedbased.score_sources import (
    parse_numbers,
    parse_omegas,
    suggest_values,
)
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
        run = RunFolder(home() / f"{20260101 + len(list_runs(home()))}T000000-{purpose}-0")
        shutil.copytree(_MADE[key], run.path)
        named = "open.csv" if records_of == "public" else ""
        about = RunAbout("2026-01-01T00:00:00+00:00", purpose, False, records_of, named)
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
    (run,) = list_runs(home())
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
        base.change(
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
    weak = f"With ε = {words.epsilon(chosen['Total ε'])} in all, next to nothing is promised"
    assert any(each.value.startswith(weak) for each in page.warning)
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
    figures = RunFigures.load(older.internal)
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
    asked = find_inquiry(run, Pooling)
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
    rehearsed = next(run for run in list_runs(home()) if run.about().purpose == "rehearsal")
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
    assert len(list_runs(home())) == 1


def test_where_nothing_fits_many_plans_are_tried_and_one_is_adopted(
    opened: Opened, said: Said, session: Session, scored: Callable[..., RunFolder]
) -> None:
    scored()
    session.settings.set_sizes(Sizes(records=900))
    plan_choice(session).ask_questions(None).purpose = "alike"
    page = opened("privacy", session, detail=MANY)
    assert "Nothing fits" in page.error[0].value
    page.selectbox(key="explore-frontier").set_value(0).run()
    page.button(key="explore-adopt").click().run()
    assert not page.exception
    assert not page.error
    assert plan_choice(session).planned.by_hand
    assert plan_choice(session).promise().total.bounded


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "no value to try"),
        ("1,000", "“000” is no whole number"),
        ("0", "cannot be tried"),
        ("-4", "cannot be tried"),
        ("2.5", "no whole number"),
        (", ".join(str(each) for each in range(1, 202)), "at most 200"),
    ],
)
def test_lists_that_cannot_be_tried(typed: str, answer: str) -> None:
    with pytest.raises(Refusal, match=answer) as refused:
        parse_numbers(typed, "k")
    assert refused.value.field == "k"


def test_lists_are_read_in_words_that_people_write() -> None:
    assert parse_numbers("50, 100;200  25", "k") == (25, 50, 100, 200)
    assert parse_numbers("0.5,1e-2, 0.5", "epsilon0") == (0.01, 0.5)
    assert parse_omegas("9, 5-11") == (Omega(low=9, high=9), Omega(low=5, high=11))
    with pytest.raises(Refusal, match="ω cannot be read"):
        parse_omegas("nine")
    for typed in ("inf", "nan", "-1"):
        with pytest.raises(Refusal):
            parse_numbers(typed, "epsilon0")


@pytest.mark.parametrize("name", ["k", "epsilon0", "attempts"])
def test_the_usual_values_lie_around_the_present_one(session: Session, name: str) -> None:
    plan, schema = session.settings.plan(), session.settings.schema
    assert schema is not None
    found = parse_numbers(suggest_values(plan, schema, name), name)  # type: ignore[arg-type]
    now = {"k": 20, "epsilon0": 1.0, "attempts": 200}[name]
    assert now in found
    assert len(found) >= 2
    for value in found:
        varied = {name: [int(value) if name != "epsilon0" else value]}
        (made,) = combine_settings(plan, schema, varied).plans  # type: ignore[arg-type]
        assert promise(made, schema).total.bounded


def test_a_public_table_is_read_by_the_same_schema(session: Session, csv: bytes) -> None:
    found = score_sources._read_records(session, csv, "open.csv")
    assert found.codes.tolist() == session.records().codes.tolist()
    with pytest.raises(Refusal, match="pay"):
        score_sources._read_records(session, b"age,job\n20,cook\n", "open.csv")
    with pytest.raises(Refusal, match="job"):
        score_sources._read_records(session, b"age,job,pay\n20,king,low\n", "open.csv")


def test_a_table_that_was_released_here_is_read_back(
    sessions: Callable[..., Session], csv: bytes, schema: Schema
) -> None:
    age, job, pay = schema.columns
    jobs = Categories(values=tuple(each.replace("cook", "=cook") for each in job.domain.texts))
    renamed = Schema(columns=(age, job.changed(domain=jobs), pay)).declare_public()
    session = sessions(csv.replace(b"cook", b"=cook"), renamed)
    written = to_csv_bytes(session.records())
    assert b"'=cook" in written
    found = score_sources._read_records(session, written, "synthetic.csv")
    assert found.codes.tolist() == session.records().codes.tolist()


def test_the_simulated_people_are_others_than_those_of_the_sample(
    sessions: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(census, "SHIPPED_ROWS", 700)
    shipped = census.TABLE.read_bytes().splitlines()[:701]
    session = sessions(b"\n".join(shipped), census.schema())
    found = score_sources._simulate_records(session)
    assert len(found) == 700
    assert isinstance(found.schema, Schema)
    ours = {row.tobytes() for row in session.records().codes}
    assert sum(row.tobytes() in ours for row in found.codes) < 350
    assert to_csv_bytes(found) != to_csv_bytes(session.records())


def test_an_upload_stands_in_once_it_is_said_to_be_public(
    opened: Opened, session: Session, csv: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[Job] = []

    def started(job: Job, place: Path) -> RunFolder:
        jobs.append(job)
        return RunFolder(place / "20270101T000000-rehearsal-0")

    monkeypatch.setattr(score_sources, "start", started)
    page = opened("privacy", session, detail=MANY)
    next(each for each in page.file_uploader if "public" in each.label).upload("open.csv", csv)
    page.run()
    assert page.button(key="explore-take-public").disabled
    page.checkbox(key="explore-public-0").set_value(True).run()
    page.button(key="explore-take-public").click().run()
    assert not page.exception
    (job,) = jobs
    assert (job.purpose, job.records_of, job.named) == ("rehearsal", "public", "open.csv")
    assert job.records.codes.tolist() == session.records().codes.tolist()
    assert job.plan == session.settings.plan()
    next(each for each in page.file_uploader if "public" in each.label).upload(
        "few.csv", b"\n".join(csv.splitlines()[:100])
    )
    page.run()
    page.checkbox(key="explore-public-1").set_value(True).run()
    page.button(key="explore-take-public").click().run()
    assert "99 records, which is too few" in page.error[0].value
    assert len(jobs) == 1


TEST = RelativeSensitivity(k=20, epsilon0=1.0)


def sample_of(counts: np.ndarray, omega: int = 2) -> ScoreSample:
    return ScoreSample(
        Omega(low=omega, high=omega), counts, np.full(len(counts), omega == 3, dtype=bool)
    )


def plan_of(schema: Schema) -> Plan:
    return Plan.of(
        schema, test=TEST, omega=Omega(low=2, high=2), attempts=20, delta=1e-4,
        seeds_at_least=500, model=ModelPlan(epsilon=1.0),
    )  # fmt: skip


def drawn(figures: RunFigures, plan: Plan, schema: Schema) -> AppTest:
    def page(figures, plan, schema):  # type: ignore[no-untyped-def]
        from understudy.mechanisms.seedbased.promise import promise
        from understudy_dashboard.methods.seedbased.page import draw_bounds

        draw_bounds(figures, plan, promise(plan, schema))

    return AppTest.from_function(
        page, default_timeout=30, kwargs={"figures": figures, "plan": plan, "schema": schema}
    ).run()


def figures_of(*samples: ScoreSample) -> RunFigures:
    return RunFigures(((), (), ()), (0, 1, 2), (), samples)


def test_the_tab_draws_everything_and_says_what_it_means(schema: Schema, said: Said) -> None:
    counts = np.repeat([5, 60], [40, 960])
    page = drawn(figures_of(sample_of(counts)), plan_of(schema), schema)
    text = said(page)
    assert not page.exception
    assert "has changed the table by at most" in text
    assert "percentage points" in text
    assert "1,000 candidates" in text
    assert [each.label for each in page.expander] == [
        "How many candidates score low",
        "Privacy, change, and how much one record matters",
    ]
    assert len(page.toggle) == 3
    for toggle in page.toggle:
        toggle.set_value(True)
    page.run()
    assert len(page.dataframe) == 3


def test_the_sample_of_the_plans_own_omega_is_looked_at(schema: Schema, said: Said) -> None:
    other, own = sample_of(np.full(300, 1), 1), sample_of(np.full(300, 900))
    text = said(drawn(figures_of(other, own), plan_of(schema), schema))
    assert "next to nothing" in text


def test_without_a_sample_it_says_so(schema: Schema, said: Said) -> None:
    page = drawn(figures_of(), plan_of(schema), schema)
    assert not page.exception
    assert "nothing to tell from" in said(page)
    assert not page.toggle


def test_without_noise_there_is_a_bound_and_no_triangle_point(schema: Schema, said: Said) -> None:
    plan = plan_of(schema).change(schema, test=RelativeSensitivity(k=20, epsilon0=None))
    page = drawn(figures_of(sample_of(np.full(400, 60))), plan, schema)
    assert not page.exception
    assert "at most" in said(page)


def test_the_number_said_is_the_smallest_bound() -> None:
    found = list_bounds(sample_of(np.repeat([5, 60], [40, 960])), TEST)
    text = " ".join(describe_bounds(found))
    assert f"{100 * found.best.value:.3g} %" in text
    assert f"{100 * found.distance:.3g} %" in text


@pytest.mark.parametrize(
    ("value", "distance", "expected"),
    [
        (0.01, 0.005, "next to nothing"),
        (0.1, 0.05, "A smaller k"),
        (0.5, 0.1, "wide margin"),
        (0.5, 0.4, "That is a lot"),
    ],
)
def test_the_verdict_goes_with_the_numbers(value: float, distance: float, expected: str) -> None:
    found = list_bounds(sample_of(np.full(300, 900)), TEST)
    found = replace(found, best=replace(found.best, value=value), distance=distance)
    assert expected in " ".join(describe_bounds(found))


def test_the_triangle_is_said_in_words() -> None:
    found = list_bounds(sample_of(np.repeat([5, 60], [40, 960])), TEST)
    here = place(found, TEST, True, 1.1)
    text = " ".join(describe_triangle(here))
    assert f"a score of {here.t:,} or more" in text
    assert f"by at most a factor of {here.alpha:.3g}" in text
    nothing = " ".join(describe_triangle(replace(here, alpha=float("inf"), gamma=1.0)))
    assert "does not bound" in nothing
    assert "inf" not in nothing
