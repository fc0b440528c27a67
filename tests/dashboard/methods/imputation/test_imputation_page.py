"""Bayesian imputation on the pages, from the choice of a release to a packet that is verified."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.left_behind import agree
from understudy.charts.public import public_pictures
from understudy.core.home import home
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.report.cover import Cover
from understudy.report.packet import make_packet
from understudy.report.verify import verify
from understudy.runs.control import runs, wait
from understudy_dashboard.methods.imputation.page import ORDER, STATISTICIANS, draw_release
from understudy_dashboard.methods.method_settings import FormSettings, FormSettingsFactory
from understudy_dashboard.parts.plan_decision import MEANING
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def chosen(session: Session) -> Session:
    """The tiny table, and the method chosen for its 900 records."""
    session.settings.method = "imputation"
    settings = session.settings.of_method()
    assert isinstance(settings, FormSettings)
    settings.held.records = 900  # type: ignore[attr-defined]
    return session


def plan_of(session: Session) -> ImputationPlan:
    plan = session.settings.plan()
    assert isinstance(plan, ImputationPlan)
    return plan


def test_a_release_is_chosen_by_its_picture(opened: Opened, said: Said, chosen: Session) -> None:
    page = opened("privacy", chosen, by_hand=True)
    assert not page.exception
    assert "release-choice" not in {each.key for each in page.radio}
    page.button(key="release-imputations").click().run()
    assert not page.exception
    assert plan_of(chosen).release == "imputations"
    assert "Several tables, each from a draw" in said(page)
    text = said(opened("privacy", chosen, detail=STATISTICIANS))
    assert "What the prior distorts" in text
    assert "One draw, and more and more rows" in text
    text = said(opened("privacy", chosen, detail=MEANING))
    assert "had any one record said something else" in text


@pytest.mark.parametrize("release", ORDER)
def test_every_release_can_be_shown(opened: Opened, chosen: Session, release: str) -> None:
    chosen.settings.of_method().held.release = release  # type: ignore[attr-defined]
    page = opened("privacy", chosen, by_hand=True)
    assert not page.exception
    assert not page.error
    assert draw_release(release).startswith("<svg")  # type: ignore[arg-type]


def test_a_deviation_makes_a_column_gaussian(opened: Opened, chosen: Session) -> None:
    chosen.settings.of_method().held.columns = []  # type: ignore[attr-defined]
    page = opened("privacy", chosen, by_hand=True)
    page.number_input(key="deviations-of-age").set_value(20.0).run()
    assert not page.exception
    assert plan_of(chosen).deviations == {"age": 20.0}
    page.number_input(key="deviations-of-age").set_value(None).run()
    assert plan_of(chosen).deviations == {}


def test_columns_are_counted_together_by_choosing_them(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("privacy", chosen, by_hand=True)
    page.multiselect(key="joint-group-0").set_value(["job", "pay"]).run()
    assert not page.exception
    assert not page.error
    assert plan_of(chosen).joint == (("job", "pay"),)
    assert "4 × 3 = 12 cells. The prior counts for 120 records in all, beside 900" in said(page)
    page.multiselect(key="joint-group-0").set_value([]).run()
    assert plan_of(chosen).joint == ()


def test_a_column_depends_on_those_chosen_and_never_in_a_circle(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("privacy", chosen, by_hand=True)
    page.multiselect(key="given-on-pay").set_value(["job"]).run()
    assert not page.exception
    assert plan_of(chosen).given == {"pay": ("job",)}
    assert "**pay** × **job**: 3 × 4 = 12 cells" in said(page)
    assert page.multiselect(key="given-on-job").options == []
    page.button(key="release-rows-from-own-draws").click().run()
    assert not page.error
    assert plan_of(chosen).given == {}
    page.button(key="release-imputations").click().run()
    assert plan_of(chosen).given == {"pay": ("job",)}


def test_a_prior_that_the_records_cannot_carry_is_said_where_columns_are_chosen(
    opened: Opened, said: Said, chosen: Session
) -> None:
    held = chosen.settings.of_method().held  # type: ignore[attr-defined]
    held.columns, held.joint = [], [["age", "job"]]
    page = opened("privacy", chosen, by_hand=True)
    assert not page.exception
    assert "72 × 4 = 288 cells" in said(page)
    assert any("Choose fewer columns here." in each.value for each in page.error)


def test_all_may_depend_on_one_as_far_as_the_prior_stays_small(
    opened: Opened, chosen: Session
) -> None:
    held = chosen.settings.of_method().held  # type: ignore[attr-defined]
    held.columns, held.strength = [], 5.0
    page = opened("privacy", chosen, by_hand=True)
    assert page.selectbox(key="all-on").value == "pay"
    page.button(key="let-all-on").click().run()
    assert not page.error
    # age has 72 values, and 72 × 3 cells with 5 records each would be more than a tenth of 900.
    assert plan_of(chosen).given == {"job": ("pay",)}


def test_columns_that_are_there_no_more_are_forgotten(chosen: Session) -> None:
    held = chosen.settings.of_method().held  # type: ignore[attr-defined]
    held.joint, held.given = [["job", "pay"]], {"job": ["pay"], "pay": ["job", "age"]}
    held.deviations = {"pay": 1.0, "age": 2.0}
    choosing = FormSettingsFactory("imputation")
    schema = chosen.settings.schema
    assert schema is not None
    left = schema.with_columns(schema.columns[:2])
    fitted = choosing.fit(chosen.settings.of_method(), schema, left).held  # type: ignore[arg-type]
    found = fitted.shown()
    assert (found["joint"], found["given"]) == ([["job"]], {})
    assert found["deviations"] == {"age": 2.0}


def test_the_smallest_prior_is_found_and_used(opened: Opened, said: Said, chosen: Session) -> None:
    page = opened("privacy", chosen)
    page.number_input(key="wish-epsilon").set_value(2.0).run()
    assert not page.exception
    assert 1.9 < chosen.settings.planned_run().guarantee.total.epsilon <= 2.0
    found = plan_of(chosen).strength
    # More rows cost more, and the prior follows what may be spent.
    chosen.settings.of_method().held.rows = 5000  # type: ignore[attr-defined]
    assert plan_of(chosen).strength > found
    page.number_input(key="wish-epsilon").set_value(0.01).run()
    assert "No strength keeps" in page.error[0].value
    assert len(page.error) == 1


def test_a_prior_set_by_hand_is_kept_and_what_it_costs_is_shown(
    opened: Opened, chosen: Session
) -> None:
    page = opened("privacy", chosen, by_hand=True)
    page.number_input(key="wish-epsilon").set_value(2.0).run()
    page.number_input(key="strength-box").set_value(30.0).run()
    assert not page.exception
    assert plan_of(chosen).strength == 30.0
    cost = chosen.settings.planned_run().guarantee.total.epsilon
    assert page.number_input(key="wish-epsilon").value == pytest.approx(cost, rel=1e-3)


def test_rows_rise_to_the_parameter(opened: Opened, said: Said, chosen: Session) -> None:
    page = opened("privacy", chosen, detail=STATISTICIANS)
    page.select_slider(key="seen-rows").set_value(10).run()
    few = said(page)
    page.select_slider(key="seen-rows").set_value(10_000).run()
    many = said(page)
    assert "with 10 rows from one draw" in few
    assert "with 10,000 rows from one draw" in many
    assert not page.exception


def test_the_average_case_is_broken_by_rare_events(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("privacy", chosen, detail=STATISTICIANS)
    page.select_slider(key="seen-share").set_value(500).run()
    common = said(page)
    page.select_slider(key="seen-share").set_value(1).run()
    assert "no guarantee of the release" in common
    assert "is then **0.4" in said(page)


def test_what_cannot_be_used_is_said_beside_its_field(
    opened: Opened, said: Said, chosen: Session
) -> None:
    chosen.settings.of_method().held.strength = 500.0  # type: ignore[attr-defined]
    page = opened("privacy", chosen, by_hand=True)
    assert not page.exception
    assert "would be the prior" in page.error[0].value


def test_from_the_page_to_a_verified_packet(
    opened: Opened, said: Said, chosen: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    chosen.settings.of_method().held.columns = []  # type: ignore[attr-defined]
    chosen.settings.of_method().held.deviations = {"age": 20.0}  # type: ignore[attr-defined]
    page = opened("generate", chosen)
    assert not page.exception
    public = page.checkbox(key="public-900")
    assert public.label == "It is public knowledge that the table has 900 records"
    public.check().run()
    agree(page)
    page.button(key="generate").click().run()
    (run,) = runs(home())
    assert wait(run).state == "finished"
    for name in ("generate", "inspect", "release"):
        page = opened(name, chosen)
        assert not page.exception, name
        # Every record is used, so half of them stand for others.
        assert ("held out too few records to compare with" in said(page)) == (name == "inspect")
    assert "What the rows say of people in general" in said(page)
    made = make_packet(run, home() / "packets", Cover(title="Ages"), pdf=False)
    assert verify(made.path).passed


def test_pictures_are_of_the_plan(chosen: Session) -> None:
    found = public_pictures(chosen.settings.planned_run())
    assert [each.name for each in found] == ["made-up", "curve", "growth"]
    assert found[0].foresees
    assert found[0].table.iloc[:, 1].is_monotonic_decreasing
    growth = found[2].table
    one, own = growth["Rows from one draw"], growth["A draw for each row"]
    assert one.is_monotonic_increasing
    assert one.iloc[-1] < growth["The parameter itself"].iloc[-1] < own.iloc[-1]
    curve = found[1].table["Everything"]
    assert curve.is_monotonic_decreasing
