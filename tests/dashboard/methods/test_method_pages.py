"""A latent model on every page, from its settings to a packet that verifies. Days like given
people's on the pages: the number of people that is confirmed, and a run. The pMSE mechanism on the
Privacy page and through a run. A model that can only propose and score is chosen and set on the
page. Bayesian imputation on the pages, from the choice of a release to a packet that is verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import agree, packet_made
from understudy.charts.public import public_pictures
from understudy.core.home import home
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.mechanisms.registry import method_named, opening_plan
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.projects.state import Sizes
from understudy.report.cover import Cover
from understudy.report.packet import make_packet
from understudy.report.verify import verify
from understudy.runs.control import list_runs, start, wait
from understudy.runs.work import Job
from understudy.samples.city import SCHEMA
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.methods.imputation.page import ORDER, STATISTICIANS, draw_release
from understudy_dashboard.methods.latent.words import WORDS
from understudy_dashboard.methods.method_settings import FormSettings, FormSettingsFactory
from understudy_dashboard.methods.page import FOR_YOUR_TABLE
from understudy_dashboard.methods.pmse.page import PUBLISHED, ROAD
from understudy_dashboard.parts.plan_decision import MEANING
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
_RECORDS, _FLAGS = 1_500, 6


def flags_csv() -> bytes:
    """Flags behind the first five of which stands one number, and a last one on its own."""
    random = np.random.default_rng(3)
    hidden = random.normal(size=(_RECORDS, 1))
    flags = hidden + random.normal(size=(_RECORDS, _FLAGS)) > 1.0
    flags[:, -1] = random.random(_RECORDS) < 0.2
    lines = [",".join(f"flag{place}" for place in range(_FLAGS))]
    lines += [",".join("yes" if each else "no" for each in row) for row in flags]
    return "\n".join(lines).encode()


def flags_schema() -> Schema:
    both = Categories(values=("no", "yes"))
    names = [f"flag{place}" for place in range(_FLAGS)]
    columns = tuple(Column(name=each, domain=both) for each in names)
    return Schema(columns=columns).declare_public()


@pytest.fixture
def chosen(sessions: Callable[..., Session]) -> Session:
    """The flags, and the method chosen with settings that suit them."""
    session = sessions(flags_csv(), flags_schema())
    session.settings.method = LatentPlan.kind
    settings = session.settings.of_method()
    assert isinstance(settings, FormSettings)
    session.settings.set_sizes(Sizes(records=1500, rows=600))
    small = {"epsilon": 8.0, "most_ones": 3, "width": 2, "held_out": 0.3}
    for name, value in small.items():
        setattr(settings.held, name, value)
    return session


def test_from_the_settings_to_a_packet_that_verifies(
    opened: Opened, said: Said, chosen: Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened("privacy", chosen)
    assert not page.exception
    assert "a relation is kept from a correlation of" in said(page)
    page.switch_page("views/generate.py").run()
    assert "600 rows" in said(page)
    agree(page)
    page.button(key="generate").click().run()
    (run,) = list_runs(home)
    assert wait(run).state == "finished"
    page.switch_page("views/inspect.py").run()
    assert not page.exception
    assert not page.error
    tabs = [each.label for each in page.tabs]
    assert tabs[-2:] == ["Hidden numbers", "Compare"]
    page.session_state["inspect-tab"] = "Hidden numbers"
    page.run()
    assert not page.exception
    assert "keeps what of it they carry" in said(page)
    page.session_state["inspect-Hidden numbers"] = "Records and what is kept"
    page.run()
    assert not page.exception
    assert "without any noise" in said(page)
    page.session_state["inspect-Hidden numbers"] = "A map of records"
    page.run()
    assert not page.exception
    for name in ("release", "ledger", "present", "explore", "buckets"):
        page.switch_page(f"views/{name}.py").run()
        assert not page.exception
        assert not page.error
    page.switch_page("views/release.py").run()
    packet = packet_made(page, monkeypatch)
    assert verify(packet.path).passed
    assert not any("hidden" in name or "carried" in name for name, _ in packet.files)


def test_hidden_numbers_need_the_table_that_they_were_learned_from(
    opened: Opened, said: Said, chosen: Session
) -> None:
    made = start(Job(chosen.records(), chosen.settings.plan()), home(), dataset=dataset_of(chosen))
    assert wait(made).state == "finished"
    chosen.data.table = None
    page = opened("inspect", chosen)
    page.session_state["inspect-tab"] = "Hidden numbers"
    page.run()
    assert not page.exception
    assert "This needs the confidential table" in said(page)


def test_a_network_is_not_listed_with_numbers_that_it_has_not() -> None:
    plan = LatentPlan(domain="d", model="variational")
    assert WORDS.list_settings(plan) == {"Model": "A small network", "Rows": "10,000"}
    assert WORDS.list_settings(LatentPlan(domain="d"))["Hidden numbers"] == "4"
    assert WORDS.describe_plan(plan) == "10,000 rows of a small network"


_PEOPLE = 60


@pytest.fixture
def plausible_page_chosen(sessions: Callable[..., Session], city: bytes) -> Session:
    """Some people of the simulated city, and the method chosen."""
    session = sessions(city, Schema.load(SCHEMA))
    session.settings.method = "plausible-traces"
    return session


def plan_of(session: Session) -> PlausiblePlan:
    plan = session.settings.plan()
    assert isinstance(plan, PlausiblePlan)
    return plan


def test_the_number_of_people_is_asked_for_and_kept(
    opened: Opened, said: Said, plausible_page_chosen: Session
) -> None:
    page = opened("privacy", plausible_page_chosen, by_hand=True)
    assert not page.exception
    assert "counts on a number of people that everybody may know" in said(page)
    assert "What is kept of a real person's day" in {each.label for each in page.radio}
    needed = plausible_page_chosen.settings.planned_run().guarantee.people_at_least
    assert needed is not None
    page = opened("generate", plausible_page_chosen)
    assert not page.exception
    (agreed,) = (each for each in page.checkbox if str(each.key).startswith("agreed-"))
    agreed.check().run()
    assert page.button(key="generate").disabled
    asked = page.checkbox(key=f"public-{needed}")
    assert f"at least {needed:,} people" in asked.label
    asked.check().run()
    assert plan_of(plausible_page_chosen).public_people == needed
    # It was confirmed, and the few people of this table do not bear it out.
    assert "fewer people than the plan counts on" in page.error[0].value
    assert page.button(key="generate").disabled
    page.checkbox(
        key=f"public-{plausible_page_chosen.settings.planned_run().guarantee.people_at_least}"
    ).uncheck().run()
    assert plan_of(plausible_page_chosen).public_people is None
    assert page.button(key="generate").disabled


def test_too_few_people_are_told_what_would_do(
    opened: Opened, said: Said, plausible_page_chosen: Session
) -> None:
    page = opened("privacy", plausible_page_chosen, by_hand=True)
    page.button(key="take-public_people").click().run()
    assert not page.exception
    text = said(page)
    assert "made traces" in text
    assert "seedless" not in text


def test_a_refusal_is_not_left_in_a_fold(opened: Opened, plausible_page_chosen: Session) -> None:
    assert not opened("privacy", plausible_page_chosen).error
    plausible_page_chosen.settings.of_method().held.seeds = 0.95  # type: ignore[attr-defined]
    for by_hand in (False, True):
        page = opened("privacy", plausible_page_chosen, by_hand=by_hand)
        assert ["Nobody is left" in each.value for each in page.error] == [True]


def test_a_run_is_looked_at_and_goes_into_a_packet(
    opened: Opened, said: Said, plausible_page_chosen: Session
) -> None:
    held = plausible_page_chosen.settings.of_method().held
    for name, value in {"epsilon": 900.0, "delta": 1e-4, "public_people": _PEOPLE, "k": 5,
                        "epsilon0": 3.0, "seeds_at_least": 10, "attempts": 30}.items():  # fmt: skip
        setattr(held, name, value)
    page = opened("generate", plausible_page_chosen)
    assert not page.exception
    run = start(
        Job(plausible_page_chosen.records(), plausible_page_chosen.settings.plan()),
        home(),
        dataset=dataset_of(plausible_page_chosen),
    )
    assert wait(run).state == "finished"
    page = opened("inspect", plausible_page_chosen)
    assert not page.exception
    assert "release a day on average" in said(page)
    page = opened("present", plausible_page_chosen)
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


@pytest.fixture
def pmse_page_chosen(session: Session) -> Session:
    """The tiny table, and the method chosen with settings that suit its size."""
    session.settings.method = "pmse"
    held = session.settings.of_method().held
    small = {"epsilon": 60.0, "public_records": 900, "candidates": 1600, "rows": 200, "ratio": 1,
             "depends": 1, "locating": 0.5}  # fmt: skip
    for name, value in small.items():
        setattr(held, name, value)
    return session


def test_a_plan_shows_its_signal_and_a_run_is_looked_at(
    opened: Opened, said: Said, pmse_page_chosen: Session
) -> None:
    page = opened("privacy", pmse_page_chosen)
    assert not page.exception
    assert "times what it takes to find the" in said(page)
    text = said(opened("privacy", pmse_page_chosen, detail=PUBLISHED))
    assert "One record moves the score of a candidate by at most" in text
    made = start(
        Job(pmse_page_chosen.records(), pmse_page_chosen.settings.plan()),
        home(),
        dataset=dataset_of(pmse_page_chosen),
    )
    assert wait(made).state == "finished"
    for name in ("generate", "inspect"):
        page = opened(name, pmse_page_chosen)
        assert not page.exception


def test_why_chance_would_decide_is_said_once(
    opened: Opened, said: Said, pmse_page_chosen: Session
) -> None:
    pmse_page_chosen.settings.of_method().held.epsilon = 0.5  # type: ignore[attr-defined]
    text = said(opened("privacy", pmse_page_chosen))
    assert text.count("Chance would decide") == 1
    assert "No total yet" in text


def test_a_number_that_is_not_public_is_asked_for_in_words(
    opened: Opened, pmse_page_chosen: Session
) -> None:
    pmse_page_chosen.settings.of_method().held.public_records = None
    page = opened("generate", pmse_page_chosen)
    assert not page.exception
    page.checkbox(
        key=next(each.key for each in page.checkbox if "agreed" in str(each.key))
    ).check().run()
    assert page.button(key="generate").disabled
    asked = page.checkbox(key=f"public-{pmse_page_chosen.settings.sizes.records}")
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


def test_a_proposer_is_chosen_and_its_settings_are_read(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = ScoredPlan.kind
    page = opened("privacy", session, by_hand=True)
    assert not page.exception
    choice = page.radio(key="proposer-choice")
    assert choice.options[:2] == ["Redrawn", "Projected"]
    page.number_input(key="redrawn.redrawn-box").set_value(0.7).run()
    assert scored_page_chosen(session) == ("redrawn", {"redrawn": 0.7})
    page.radio(key="proposer-choice").set_value("projected").run()
    page.number_input(key="projected.directions-box").set_value(1).run()
    page.checkbox(key="projected.public-switch").check().run()
    assert not page.exception
    assert not page.error
    usual = {"disturbed": 0.5, "redrawn": 0.5}
    assert scored_page_chosen(session) == ("projected", {"directions": 1, "public": 1, **usual})
    page.number_input(key="projected.directions-box").set_value(17).run()
    assert "has to be a whole number from 1 to 16" in said(page)
    assert not page.exception
    page.radio(key="proposer-choice").set_value("redrawn").run()
    assert scored_page_chosen(session) == ("redrawn", {"redrawn": 0.7})


def test_a_run_shows_its_seeds_and_what_is_kept_of_records(
    opened: Opened, said: Said, sessions: Callable[..., Session]
) -> None:
    random = np.random.default_rng(2)
    rows = np.clip(random.normal(5, 2, (900, 1)) + random.normal(0, 1, (900, 3)), 0, 9).round()
    lines = ["a,b,c", *(",".join(f"{each:.0f}" for each in row) for row in rows)]
    grid = Grid(minimum=0, maximum=9)
    schema = Schema(columns=tuple(Column(name=each, domain=grid) for each in "abc"))
    session = sessions("\n".join(lines).encode(), schema.declare_public())
    session.settings.method = ScoredPlan.kind
    test = {"kind": "plausible-deniability", "k": 20, "epsilon0": 1.0, "gamma": 4.0}
    given = {"proposer": "projected", "numbers": {"directions": 2}, "epsilon": 8.0,
             "delta": 1e-3, "attempts": 60, "test": test, "seeds_at_least": 200,
             "public_records": 900}  # fmt: skip
    plan = opening_plan("scored", session.settings.schema, given)
    made = start(Job(session.records(), plan), home(), dataset=dataset_of(session))
    assert wait(made).state == "finished"
    page = opened("inspect", session)
    page.session_state["inspect-tab"] = "Small space"
    page.run()
    assert not page.exception
    assert "asks for k = 20" in said(page)
    page.button(key="another-candidate").click().run()
    assert not page.exception
    page.session_state["inspect-Small space"] = "Records and what is kept"
    page.run()
    assert not page.exception
    assert "without any noise" in said(page)
    session.data.table = None
    page.run()
    assert "This needs the confidential table" in said(page)


def test_seeds_are_drawn_among_whom_a_custodian_says(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = ScoredPlan.kind
    page = opened("privacy", session, by_hand=True)
    page.text_input(key="seeds_among-text").set_value("NOBODY = there").run()
    assert not page.exception
    assert "does not begin with the name of a column" in said(page)
    assert session.settings.schema is not None
    column = session.settings.schema.columns[0]
    few = f"{column.name} = {column.texts[0]}"
    page.text_input(key="seeds_among-text").set_value(few).run()
    assert not page.exception
    assert "does not begin" not in said(page)
    covered = said(opened("privacy", session, detail=MEANING))
    assert f"made from a record whose {column.name} is {column.texts[0]}" in covered
    page = opened("privacy", session, by_hand=True)
    page.text_input(key="seeds_among-text").set_value("").run()
    plan = session.settings.plan()
    assert isinstance(plan, ScoredPlan)
    assert plan.seeds_among is None


def scored_page_chosen(session: Session) -> tuple[str, Mapping[str, float]]:
    """The proposer of the plan, and its settings."""
    plan = session.settings.plan()
    assert isinstance(plan, ScoredPlan)
    return plan.proposer, plan.numbers


def test_a_plan_is_taken_over_with_the_settings_of_its_proposer(session: Session) -> None:
    table = method_named("scored").fields
    plan = ScoredPlan(domain="d", proposer="projected", numbers={"directions": 3, "public": 1})
    held = FormSettings(plan).held
    assert (getattr(held, "projected.directions"), getattr(held, "projected.public")) == (3, True)
    assert getattr(held, "redrawn.redrawn") == table["redrawn.redrawn"].usual
    assert {each.name for each in table.state_settings(table.values(plan))} >= {"Directions"}


def test_a_table_that_is_too_small_is_told_so_before_anything_is_pressed(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = ScoredPlan.kind
    page = opened("privacy", session)
    assert "records, and the table is known to have 400: it cannot be run" in said(page)
    page.number_input(key="wish-epsilon").set_value(40.0).run()
    assert not page.exception
    assert not page.error
    assert "cannot be run" not in said(page)


@pytest.fixture
def imputation_page_chosen(session: Session) -> Session:
    """The tiny table, and the method chosen for its 900 records."""
    session.settings.method = "imputation"
    settings = session.settings.of_method()
    assert isinstance(settings, FormSettings)
    settings.held.records = 900  # type: ignore[attr-defined]
    return session


def imputation_page_plan_of(session: Session) -> ImputationPlan:
    plan = session.settings.plan()
    assert isinstance(plan, ImputationPlan)
    return plan


def test_a_release_is_chosen_by_its_picture(
    opened: Opened, said: Said, imputation_page_chosen: Session
) -> None:
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    assert not page.exception
    assert "release-choice" not in {each.key for each in page.radio}
    page.button(key="release-imputations").click().run()
    assert not page.exception
    assert imputation_page_plan_of(imputation_page_chosen).release == "imputations"
    assert "Several tables, each from a draw" in said(page)
    text = said(opened("privacy", imputation_page_chosen, detail=STATISTICIANS))
    assert "What the prior distorts" in text
    assert "One draw, and more and more rows" in text
    text = said(opened("privacy", imputation_page_chosen, detail=MEANING))
    assert "had any one record said something else" in text


@pytest.mark.parametrize("release", ORDER)
def test_every_release_can_be_shown(
    opened: Opened, imputation_page_chosen: Session, release: str
) -> None:
    imputation_page_chosen.settings.of_method().held.release = release  # type: ignore[attr-defined]
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    assert not page.exception
    assert not page.error
    assert draw_release(release).startswith("<svg")  # type: ignore[arg-type]


def test_a_deviation_makes_a_column_gaussian(
    opened: Opened, imputation_page_chosen: Session
) -> None:
    imputation_page_chosen.settings.of_method().held.columns = []  # type: ignore[attr-defined]
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    page.number_input(key="deviations-of-age").set_value(20.0).run()
    assert not page.exception
    assert imputation_page_plan_of(imputation_page_chosen).deviations == {"age": 20.0}
    page.number_input(key="deviations-of-age").set_value(None).run()
    assert imputation_page_plan_of(imputation_page_chosen).deviations == {}


def test_columns_are_counted_together_by_choosing_them(
    opened: Opened, said: Said, imputation_page_chosen: Session
) -> None:
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    page.multiselect(key="joint-group-0").set_value(["job", "pay"]).run()
    assert not page.exception
    assert not page.error
    assert imputation_page_plan_of(imputation_page_chosen).joint == (("job", "pay"),)
    assert "4 × 3 = 12 cells. The prior counts for 120 records in all, beside 900" in said(page)
    page.multiselect(key="joint-group-0").set_value([]).run()
    assert imputation_page_plan_of(imputation_page_chosen).joint == ()


def test_a_column_depends_on_those_chosen_and_never_in_a_circle(
    opened: Opened, said: Said, imputation_page_chosen: Session
) -> None:
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    page.multiselect(key="given-on-pay").set_value(["job"]).run()
    assert not page.exception
    assert imputation_page_plan_of(imputation_page_chosen).given == {"pay": ("job",)}
    assert "**pay** × **job**: 3 × 4 = 12 cells" in said(page)
    assert page.multiselect(key="given-on-job").options == []
    page.button(key="release-rows-from-own-draws").click().run()
    assert not page.error
    assert imputation_page_plan_of(imputation_page_chosen).given == {}
    page.button(key="release-imputations").click().run()
    assert imputation_page_plan_of(imputation_page_chosen).given == {"pay": ("job",)}


def test_a_prior_that_the_records_cannot_carry_is_said_where_columns_are_chosen(
    opened: Opened, said: Said, imputation_page_chosen: Session
) -> None:
    held = imputation_page_chosen.settings.of_method().held  # type: ignore[attr-defined]
    held.columns, held.joint = [], [["age", "job"]]
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    assert not page.exception
    assert "72 × 4 = 288 cells" in said(page)
    assert any("Choose fewer columns here." in each.value for each in page.error)


def test_all_may_depend_on_one_as_far_as_the_prior_stays_small(
    opened: Opened, imputation_page_chosen: Session
) -> None:
    held = imputation_page_chosen.settings.of_method().held  # type: ignore[attr-defined]
    held.columns, held.strength = [], 5.0
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    assert page.selectbox(key="all-on").value == "pay"
    page.button(key="let-all-on").click().run()
    assert not page.error
    # age has 72 values, and 72 × 3 cells with 5 records each would be more than a tenth of 900.
    assert imputation_page_plan_of(imputation_page_chosen).given == {"job": ("pay",)}


def test_columns_that_are_there_no_more_are_forgotten(imputation_page_chosen: Session) -> None:
    held = imputation_page_chosen.settings.of_method().held  # type: ignore[attr-defined]
    held.joint, held.given = [["job", "pay"]], {"job": ["pay"], "pay": ["job", "age"]}
    held.deviations = {"pay": 1.0, "age": 2.0}
    choosing = FormSettingsFactory("imputation")
    schema = imputation_page_chosen.settings.schema
    assert schema is not None
    left = schema.with_columns(schema.columns[:2])
    fitted = choosing.fit(imputation_page_chosen.settings.of_method(), schema, left).held  # type: ignore[arg-type]
    found = fitted.read_widgets()
    assert (found["joint"], found["given"]) == ([["job"]], {})
    assert found["deviations"] == {"age": 2.0}


def test_the_smallest_prior_is_found_and_used(
    opened: Opened, said: Said, imputation_page_chosen: Session
) -> None:
    page = opened("privacy", imputation_page_chosen)
    page.number_input(key="wish-epsilon").set_value(2.0).run()
    assert not page.exception
    assert 1.9 < imputation_page_chosen.settings.planned_run().guarantee.total.epsilon <= 2.0
    found = imputation_page_plan_of(imputation_page_chosen).strength
    # More rows cost more, and the prior follows what may be spent.
    imputation_page_chosen.settings.of_method().held.rows = 5000  # type: ignore[attr-defined]
    assert imputation_page_plan_of(imputation_page_chosen).strength > found
    page.number_input(key="wish-epsilon").set_value(0.01).run()
    assert "No strength keeps" in page.error[0].value
    assert len(page.error) == 1


def test_a_prior_set_by_hand_is_kept_and_what_it_costs_is_shown(
    opened: Opened, imputation_page_chosen: Session
) -> None:
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    page.number_input(key="wish-epsilon").set_value(2.0).run()
    page.number_input(key="strength-box").set_value(30.0).run()
    assert not page.exception
    assert imputation_page_plan_of(imputation_page_chosen).strength == 30.0
    cost = imputation_page_chosen.settings.planned_run().guarantee.total.epsilon
    assert page.number_input(key="wish-epsilon").value == pytest.approx(cost, rel=1e-3)


def test_rows_rise_to_the_parameter(
    opened: Opened, said: Said, imputation_page_chosen: Session
) -> None:
    page = opened("privacy", imputation_page_chosen, detail=STATISTICIANS)
    page.select_slider(key="seen-rows").set_value(10).run()
    few = said(page)
    page.select_slider(key="seen-rows").set_value(10_000).run()
    many = said(page)
    assert "with 10 rows from one draw" in few
    assert "with 10,000 rows from one draw" in many
    assert not page.exception


def test_the_average_case_is_broken_by_rare_events(
    opened: Opened, said: Said, imputation_page_chosen: Session
) -> None:
    page = opened("privacy", imputation_page_chosen, detail=STATISTICIANS)
    page.select_slider(key="seen-share").set_value(500).run()
    common = said(page)
    page.select_slider(key="seen-share").set_value(1).run()
    assert "no guarantee of the release" in common
    assert "is then **0.4" in said(page)


def test_what_cannot_be_used_is_said_beside_its_field(
    opened: Opened, said: Said, imputation_page_chosen: Session
) -> None:
    imputation_page_chosen.settings.of_method().held.strength = 500.0  # type: ignore[attr-defined]
    page = opened("privacy", imputation_page_chosen, by_hand=True)
    assert not page.exception
    assert "would be the prior" in page.error[0].value


def test_from_the_page_to_a_verified_packet(
    opened: Opened, said: Said, imputation_page_chosen: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    imputation_page_chosen.settings.of_method().held.columns = []  # type: ignore[attr-defined]
    imputation_page_chosen.settings.of_method().held.deviations = {"age": 20.0}  # type: ignore[attr-defined]
    page = opened("generate", imputation_page_chosen)
    assert not page.exception
    public = page.checkbox(key="public-900")
    assert public.label == "It is public knowledge that the table has 900 records"
    public.check().run()
    agree(page)
    page.button(key="generate").click().run()
    (run,) = list_runs(home())
    assert wait(run).state == "finished"
    for name in ("generate", "inspect", "release"):
        page = opened(name, imputation_page_chosen)
        assert not page.exception, name
        # Every record is used, so half of them stand for others.
        assert ("held out too few records to compare with" in said(page)) == (name == "inspect")
    assert "What the rows say of people in general" in said(page)
    made = make_packet(run, home() / "packets", Cover(title="Ages"), pdf=False)
    assert verify(made.path).passed


def test_pictures_are_of_the_plan(imputation_page_chosen: Session) -> None:
    found = public_pictures(imputation_page_chosen.settings.planned_run())
    assert [each.name for each in found] == ["made-up", "curve", "growth"]
    assert found[0].foresees
    assert found[0].table.iloc[:, 1].is_monotonic_decreasing
    growth = found[2].table
    one, own = growth["Rows from one draw"], growth["A draw for each row"]
    assert one.is_monotonic_increasing
    assert one.iloc[-1] < growth["The parameter itself"].iloc[-1] < own.iloc[-1]
    curve = found[1].table["Everything"]
    assert curve.is_monotonic_decreasing
