"""The Privacy page: settings, live figures, refusals at their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import epsilon_of_six_tenths
from understudy.core.home import home
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.proposal import shares_for
from understudy.models.omega import Omega
from understudy.privacy.strength import DEPLOYMENTS
from understudy.runs.control import list_runs, wait
from understudy.table.schema import Schema
from understudy.table.split import Shares
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased import privacy
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.parts import plan_decision as folded
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def total(page: AppTest) -> str:
    return str(next(metric.value for metric in page.metric if metric.label == "Total ε"))


def test_without_a_table_it_leads_back(opened: Opened) -> None:
    page = opened("privacy")
    assert len(page.info) == 1
    assert not page.exception


def test_the_meter_moves_with_a_box_and_with_a_slider(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    first = total(page)
    page.number_input(key="attempts-box").set_value(2).run()
    second = total(page)
    assert second != first
    page.select_slider(key="attempts-slider").set_value(100).run()
    assert session.settings.plan().attempts == 100
    assert page.number_input(key="attempts-box").value == 100
    assert total(page) not in (first, second)


def test_a_box_takes_what_the_slider_has_no_stop_for(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    page.number_input(key="k-box").set_value(37).run()
    assert session.settings.plan().test.k == 37
    assert page.select_slider(key="k-slider").value == 40


def test_settings_survive_a_visit_to_another_page(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    page.number_input(key="k-box").set_value(23).run()
    page.switch_page("views/buckets.py").run()
    page.switch_page("views/privacy.py").run()
    page.session_state[folded.KEY] = folded.BY_HAND
    page.run()
    assert page.number_input(key="k-box").value == 23


@pytest.mark.parametrize(
    ("box", "value", "beside"),
    [
        ("k-box", 61, "k"),
        ("k-box", 0, "k"),
        ("gamma-box", 1.0, "γ"),
        ("epsilon0-box", 0.0, "ε0"),
        ("epsilon0-box", -2.0, "ε0"),
        ("attempts-box", 0, "attempts"),
        ("delta-box", 0.02, "δ"),
        ("omega_high-box", 4, "ω"),
        ("seeds_at_least-box", 0, "seeds"),
        ("model_epsilon-box", 0.0, "epsilon"),
    ],
)
def test_a_setting_out_of_range_is_answered_once_and_the_figures_wait(
    opened: Opened, said: Said, session: Session, box: str, value: Any, beside: str
) -> None:
    page = opened("privacy", session, by_hand=True)
    page.number_input(key=box).set_value(value).run()
    assert not page.exception
    assert len(page.error) == 1
    assert beside in page.error[0].value
    assert "Correct the field" in said(page)
    assert not any(metric.label == "Total ε" for metric in page.metric)
    assert page.download_button(key="plan-download").disabled


def test_gamma_is_asked_for_by_the_test_that_has_one(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    assert any(each.key == "gamma-box" for each in page.number_input)
    before = total(page)
    page.radio(key="test-choice").set_value("relative-sensitivity").run()
    assert session.settings.plan().test.kind == "relative-sensitivity"
    assert not any(each.key == "gamma-box" for each in page.number_input)
    assert total(page) != before


def test_hiding_the_attempts_counts_records_and_asks_for_a_pass_floor(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    page.radio(key="protocol-choice").set_value("releases").run()
    page.number_input(key="pass_floor-box").set_value(0.3).run()
    assert (session.settings.plan().protocol, session.settings.plan().pass_floor) == (
        "releases",
        0.3,
    )
    assert "m · records to release" in [each.label for each in page.select_slider]
    assert "200 records, their attempts kept secret" in said(page)
    assert "After" in said(page)
    page.number_input(key="pass_floor-box").set_value(0.0).run()
    assert "pass floor" in page.error[0].value


def test_several_records_per_person_raise_the_total(opened: Opened, session: Session) -> None:
    plan_choice(session).draft.attempts, plan_choice(session).draft.model_epsilon = 1, 0.1
    page = opened("privacy", session, by_hand=True)
    before = float(total(page))
    page.number_input(key="records_per_person-box").set_value(2).run()
    assert float(total(page)) > before


def test_a_refusal_stands_right_below_its_box(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    page.number_input(key="gamma-box").set_value(0.5).run()
    order = [
        getattr(element, "key", None) or element.type
        for element in page.main
        if element.type in ("error", "number_input", "select_slider")
    ]
    assert order[order.index("error") - 1] == "gamma-box"
    assert order[order.index("error") + 1] == "epsilon0-slider"


def test_t_by_hand_has_to_stay_below_k(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    page.checkbox(key="t_by_hand-switch").check().run()
    page.number_input(key="t-box").set_value(5).run()
    assert session.settings.plan().t == 5
    assert not page.error
    page.number_input(key="t-box").set_value(20).run()
    assert "t has to be" in page.error[0].value


def test_the_seedless_preset_puts_the_whole_table_under_the_models_epsilon(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    page.button(key="preset-seedless").click().run()
    assert session.settings.plan().omega == Omega(low=3, high=3)
    assert total(page) == "0.9348"
    assert "Choose a smaller δ" in said(page)
    assert "fewer attempts" not in said(page)
    page.button(key="preset-published").click().run()
    test = session.settings.plan().test
    assert (test.k, test.gamma, test.epsilon0) == (50, 4.0, 1.0)
    assert "next to nothing is promised" in said(page)
    assert "fewer attempts" in said(page)


def test_without_noise_nothing_is_promised_and_it_says_so(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    page.checkbox(key="deterministic-switch").check().run()
    assert session.settings.plan().test.epsilon0 is None
    text = said(page)
    assert "Nothing is promised" in text
    assert "no differential privacy" in text
    assert not page.error


def test_sampling_adds_a_figure_of_its_own_when_claimed_and_leaves_the_total(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    before = total(page)
    assert not page.checkbox(key="sampled-switch").value
    page.checkbox(key="sampled-switch").check().run()
    assert session.settings.plan().sampling == 0.01
    assert total(page) == before
    population = plan_choice(session).promise().population
    assert population is not None
    assert words.format_budget(population) in said(page)
    assert "says nothing about who is in the table" in said(page)


def test_omega_can_be_one_number_or_an_announced_range(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    page.radio(key="reading-choice").set_value("announced").run()
    assert session.settings.plan().omega == Omega(low=2, high=3, reading="announced")
    page.slider(key="omega-slider-range").set_value((1, 2)).run()
    assert session.settings.plan().omega == Omega(low=1, high=2, reading="announced")
    page.radio(key="omega_ranges-choice").set_value(False).run()
    page.slider(key="omega-slider").set_value(1).run()
    assert session.settings.plan().omega.values == (1,)


def test_a_plan_file_is_taken_over(opened: Opened, session: Session, schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=1, high=1), attempts=321, seeds_at_least=70)
    page = opened("privacy", session, by_hand=True)
    uploader = next(each for each in page.file_uploader if "plan" in each.label)
    uploader.upload("plan.json", plan.to_json().encode()).run()
    assert session.settings.plan() == plan
    assert page.number_input(key="attempts-box").value == 321


@pytest.mark.parametrize("content", [b"{}", b"nonsense", b"\xff\xfe"])
def test_a_bad_plan_file_is_refused(opened: Opened, session: Session, content: bytes) -> None:
    before = session.settings.plan()
    page = opened("privacy", session)
    uploader = next(each for each in page.file_uploader if "plan" in each.label)
    uploader.upload("plan.json", content).run()
    assert len(page.error) == 1
    assert session.settings.plan() == before


def test_a_plan_for_another_schema_is_refused(
    opened: Opened, session: Session, schema: Schema
) -> None:
    other = Plan.of(Schema(columns=schema.columns[:2]))
    page = opened("privacy", session)
    uploader = next(each for each in page.file_uploader if "plan" in each.label)
    uploader.upload("plan.json", other.to_json().encode()).run()
    assert "another schema" in page.error[0].value


def test_an_undeclared_schema_is_pointed_out(
    opened: Opened, said: Said, sessions: Callable[..., Session], schema: Schema
) -> None:
    page = opened("privacy", sessions(schema=Schema(columns=schema.columns)))
    assert "Nobody has confirmed" in said(page)
    assert total(page)


def test_a_rehearsal_shows_what_passes_and_follows_the_sliders(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    page.button(key="rehearse").click().run()
    (run,) = list_runs(home())
    assert wait(run).state == "finished"
    assert not run.release.exists()
    page.run()
    first = {metric.label: metric.value for metric in page.metric}
    assert "Records released, about" in first
    page.number_input(key="k-box").set_value(55).run()
    second = {metric.label: metric.value for metric in page.metric}
    assert second["Candidates that pass"] != first["Candidates that pass"]
    assert "not covered by the guarantee" in said(page)
    page.number_input(key="model_epsilon-box").set_value(0.5).run()
    assert "changed since the rehearsal" in said(page)


def test_what_a_reader_may_learn_follows_the_belief_and_the_plan(
    opened: Opened, said: Said, session: Session
) -> None:
    plan_choice(session).draft.omega_ranges, plan_choice(session).draft.omega_high = False, 3
    plan_choice(session).draft.model_epsilon = epsilon_of_six_tenths(1.0)
    page = opened("privacy", session, detail=folded.MEANING)
    assert plan_choice(session).promise().total.epsilon == pytest.approx(1, rel=1e-6)
    assert "A belief of 10\N{NO-BREAK SPACE}% becomes **at most 23.4" in said(page)
    page.select_slider(key="belief-prior").set_value(0.5).run()
    assert "A belief of 50\N{NO-BREAK SPACE}% becomes **at most 73.4" in said(page)
    page.radio(key="belief-about").set_value("value").run()
    assert "**at most 88.2" in said(page)
    assert (session.prior, session.about) == (0.5, "value")
    plan_choice(session).hand.model_epsilon = epsilon_of_six_tenths(0.5)
    assert "**at most 73.4" in said(page.run())
    page.switch_page("views/generate.py").run()
    page.switch_page("views/privacy.py").run()
    page.session_state[folded.KEY] = folded.MEANING
    assert page.run().select_slider(key="belief-prior").value == 0.5
    plan_choice(session).draft.noiseless = True
    assert "anything may become of a belief" in said(page.run())


def test_what_others_published_stands_beside_the_plan_without_a_verdict(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, detail=folded.MEANING)
    table = page.table[0].value
    assert table.index[0] == "**This plan**"
    assert len(table) == 1 + len(DEPLOYMENTS)
    for each in DEPLOYMENTS:
        row = table.loc[f"{each.name} ({each.year})"]
        assert row["Source"] == f"[{each.source}]({each.address})"
        assert row["What is protected"] == each.unit
        assert (row["δ"] == "not given") == (each.delta is None)
    assert "They do not rank" in said(page)


def test_of_a_plan_without_seeds_nothing_about_seeds_is_shown(
    opened: Opened, said: Said, session: Session
) -> None:
    plan_choice(session).draft.omega_ranges, plan_choice(session).draft.omega_high = False, 3
    page = opened("privacy", session, by_hand=True)
    offered = {each.label for each in page.expander}
    assert folded.MEANING in offered
    assert privacy.TEST not in offered
    text = said(page)
    assert "The test" not in text
    assert "pass" not in text
    assert not any(each.key.startswith(("k-", "epsilon0-", "t-")) for each in page.number_input)


def test_only_a_model_that_has_one_is_asked_for_its_estimate(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    assert "learned from the two middle parts together" in said(page)
    assert not any(each.key == "estimate-choice" for each in page.radio)
    page.radio(key="kind-choice").set_value("network").run()
    page.radio(key="estimate-choice").set_value("sampled").run()
    assert session.settings.plan().model.estimate == "sampled"
    assert "from the third" in said(page)
    page.radio(key="kind-choice").set_value("calibrated").run()
    assert not page.error
    assert session.settings.plan().model.estimate == "mean"


def test_each_model_gets_the_records_it_needs(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    page.button(key="preset-seedless").click().run()
    assert session.settings.plan().shares == shares_for("calibrated", 0.0)
    for kind in ("network", "marginals", "calibrated"):
        page.radio(key="kind-choice").set_value(kind).run()
        assert not page.error
        assert session.settings.plan().model.kind == kind


def test_the_published_preset_is_the_published_procedure(opened: Opened, session: Session) -> None:
    page = opened("privacy", session, by_hand=True)
    page.button(key="preset-seedless").click().run()
    page.number_input(key="attempts-box").set_value(60_000).run()
    page.button(key="preset-published").click().run()
    plan = session.settings.plan()
    assert plan.model.kind == "network"
    assert plan.shares == Shares()
    assert (plan.omega.low, plan.omega.high) == (1, 3)
    assert plan.attempts == plan_choice(session).wish.count


def test_a_plan_set_by_hand_is_what_the_page_speaks_of(
    opened: Opened, said: Said, session: Session
) -> None:
    """The preset copies none to two of three columns; the planner would copy one, at ε = 1."""
    plan_choice(session).wish.purpose = "alike"
    page = opened("privacy", session, by_hand=True)
    page.button(key="preset-published").click().run()
    text = said(page)
    assert "copies 0 to 2 columns" in text
    assert "copies 1 column" not in text
    assert page.number_input(key="wish-kept").value == 2
    assert page.number_input(key="wish-count").value == session.settings.plan().attempts
    shown = page.number_input(key="wish-epsilon")
    assert shown.label.startswith("ε of this plan")
    assert shown.value == pytest.approx(plan_choice(session).promise().total.epsilon)
    assert not [each for each in page.select_slider if each.label.startswith("ε at most")]
    page.button(key="preset-seedless").click().run()
    assert "Each candidate copies" not in said(page)
    asked = next(each for each in page.radio if "synthetic table for" in each.label)
    assert asked.value == "table"


def test_a_plan_without_a_promise_shows_no_epsilon(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session, by_hand=True)
    page.checkbox(key="deterministic-switch").check().run()
    assert "This plan promises no ε." in said(page)
    assert not [each for each in page.number_input if each.key == "wish-epsilon"]
