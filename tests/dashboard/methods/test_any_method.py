"""A method of another package, which brings nothing for pages, on every page. Every method is
decided on one screen that a custodian can read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import agree, packet_made
from tests.dashboard.seen import seen
from tests.installed_mechanism.noisy_histogram import HistogramPlan, NoisyHistogram
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import mechanisms
from understudy.privacy.budget import Budget, Neighbours
from understudy.projects import state
from understudy.projects.catalogue import Catalogue
from understudy.projects.state import ProjectState, Sizes
from understudy.report.verify import verify
from understudy.runs.control import home_ledger, list_runs, start, wait
from understudy.runs.work import Job
from understudy.samples.city import SCHEMA
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.methods.method_settings import FormSettings
from understudy_dashboard.methods.seedbased import planner
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.privacy import MANY
from understudy_dashboard.open_project import apply_decisions, read_decisions
from understudy_dashboard.parts import run_history
from understudy_dashboard.parts.inspect.compare import settings_table
from understudy_dashboard.parts.plan_decision import MEANING
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
KIND = HistogramPlan.kind
pytestmark = pytest.mark.usefixtures("installed")


@pytest.fixture
def chosen(session: Session) -> Session:
    """The tiny table, and the method chosen."""
    session.settings.method = KIND
    return session


@pytest.fixture
def released(chosen: Session) -> Session:
    """The same, with a run that has finished."""
    made = start(Job(chosen.records(), chosen.settings.plan()), home(), dataset=dataset_of(chosen))
    assert wait(made).state == "finished"
    return chosen


def test_it_is_chosen_in_words_and_the_choice_can_be_taken_back(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("privacy", session)
    choice = page.radio(key="method")
    assert choice.value == "seedbased"
    assert choice.options[0] == "Seedbased synthesis"
    assert choice.options[1:] == sorted(choice.options[1:])
    choice.set_value(KIND).run()
    assert not page.exception
    assert session.settings.method == KIND
    assert "Method: **Noisy histogram**" in said(page)
    page = opened("data", session)
    page.button(key="undo").click().run()
    assert session.settings.method == "seedbased"
    page.button(key="redo").click().run()
    assert session.settings.method == KIND


def test_its_settings_are_a_form_and_the_meter_follows(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("privacy", chosen, by_hand=True)
    assert not page.exception
    page.selectbox(key="column-columns").set_value("job").run()
    page.number_input(key="epsilon-box").set_value(0.5).run()
    plan = chosen.settings.plan()
    assert isinstance(plan, HistogramPlan)
    assert (plan.column, plan.epsilon) == ("job", 0.5)
    assert "Total ε: 0.5" in said(page)
    assert page.number_input(key="wish-epsilon").value == 0.5
    text = said(opened("privacy", chosen, detail=MEANING))
    assert "The counts, with their noise." in text
    assert "not this program's promise" in text


def test_what_it_promises_is_not_said_to_hide_who_is_in_the_table(
    opened: Opened, said: Said, chosen: Session
) -> None:
    for name in ("privacy", "generate"):
        detail = MEANING if name == "privacy" else ""
        text = said(opened(name, chosen, detail=detail))
        assert "that a certain person is in the data cannot come" not in text
        assert "had any one record said something else" in text
        assert "tables of the same number of records" in text


def test_a_number_out_of_range_is_refused_beside_its_field(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("privacy", chosen, by_hand=True)
    page.number_input(key="rows-box").set_value(0).run()
    assert len(page.error) == 1
    assert "“rows”" in page.error[0].value
    assert "No total yet" in said(page)


def test_the_settings_of_each_method_are_kept_in_the_project(session: Session) -> None:
    plan_choice(session).draft.k = 33
    session.settings.method = KIND
    settings = session.settings.of_method()
    assert isinstance(settings, FormSettings)
    settings.held.column = "pay"  # type: ignore[attr-defined]
    other = Session()
    apply_decisions(other, ProjectState.read(read_decisions(session).model_dump(mode="json")))
    assert other.settings.method == KIND
    plan = other.settings.plan()
    assert isinstance(plan, HistogramPlan)
    assert plan.column == "pay"
    assert plan_choice(other).draft.k == 33


def test_a_column_that_is_gone_is_no_setting_any_more(chosen: Session) -> None:
    settings = chosen.settings.of_method()
    assert isinstance(settings, FormSettings)
    settings.held.column = "age"  # type: ignore[attr-defined]
    chosen.leave_out("age")
    plan = chosen.settings.plan()
    assert isinstance(plan, HistogramPlan)
    assert plan.column == "job"


def test_a_method_that_is_not_for_these_columns_says_why(
    opened: Opened, said: Said, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, schema: Schema) -> None:
        raise Refusal("It takes two columns.", "Leave one out.")

    monkeypatch.setattr(NoisyHistogram, "check_schema", refuse)
    page = opened("privacy", session)
    assert KIND not in page.radio(key="method").options
    assert "cannot be used here. It takes two columns. Leave one out." in said(page)
    session.settings.method = KIND
    page = opened("privacy", session)
    assert "It takes two columns." in page.error[0].value
    assert not page.exception


def test_a_method_that_is_gone_leaves_its_settings_and_a_way_out(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.method = "sorcery"
    session.settings.asleep["sorcery"] = {"wand": "oak"}
    page = opened("privacy", session)
    assert not page.exception
    assert "not installed here" in said(page)
    assert read_decisions(session).settings["sorcery"] == {"wand": "oak"}
    page.radio(key="method").set_value("seedbased").run()
    assert session.settings.method == "seedbased"


def test_it_is_generated_after_it_was_read_what_may_be_published(
    opened: Opened, said: Said, chosen: Session
) -> None:
    page = opened("generate", chosen)
    assert "records drawn from the counts; the counts; the settings" in said(page)
    agree(page)
    page.button(key="generate").click().run()
    (run,) = list_runs(home())
    assert wait(run).state == "finished"
    (spent,) = home_ledger().book().balances
    assert (spent.neighbours, spent.spent) == (Neighbours.REPLACEMENTS, Budget(1.0))
    assert not page.run().exception


@pytest.mark.parametrize(
    "name", ["generate", "inspect", "release", "ledger", "present", "explore", "buckets"]
)
def test_no_page_of_a_finished_run_fails_or_speaks_of_another_method(
    opened: Opened, said: Said, released: Session, name: str
) -> None:
    page = opened(name, released)
    assert not page.exception
    assert not page.error
    text = said(page)
    for word in ("seed record", "plausible", "ω", "candidate"):
        assert word not in text


def test_what_it_released_is_looked_into_measured_and_compared(
    opened: Opened, said: Said, released: Session
) -> None:
    page = opened("inspect", released)
    tabs = [each.label for each in page.tabs]
    assert {"Overview", "Distances", "Compare"} <= set(tabs)
    assert not {"Models", "Privacy test"} & set(tabs)
    page.session_state["inspect-tab"] = "Distances"
    page.session_state["inspect-Distances"] = "Single columns"
    page.run()
    assert not page.exception
    assert not page.error


def test_a_release_shows_its_figures_beside_its_records_and_hands_them_over(
    opened: Opened, said: Said, released: Session
) -> None:
    page = opened("release", released)
    assert "The counts" in said(page)
    counts = page.dataframe[1].value
    assert {"counts · 18", "column"} <= set(counts["Figure"])
    assert "nothing to put into an annex" not in said(page)


def test_runs_of_two_methods_stand_beside_one_another(
    opened: Opened, said: Said, released: Session
) -> None:
    both = [released.settings.plan(), plan_choice(released).plan()]
    assert "**" in run_history.describe_comparison(both[0], both[1])
    table = settings_table(dict(zip("AB", both, strict=True)))
    rows = table.set_index("Setting")
    assert list(rows.loc["Method"]) == ["Noisy histogram", "Seedbased synthesis"]


def test_a_plan_is_kept_and_taken_up_again_with_its_method(chosen: Session, tmp_path: Path) -> None:
    project = Catalogue(place=tmp_path / "projects").create("clinic")
    state.keep_plan(project, "counts", chosen.settings.plan())
    (kept,) = state.list_plans(project)
    chosen.settings.method = "seedbased"
    chosen.settings.adopt(kept.plan)
    assert chosen.settings.method == KIND
    assert chosen.settings.plan() == kept.plan


def test_a_budget_for_other_tables_says_so_and_can_be_set_for_these(
    opened: Opened, said: Said, chosen: Session
) -> None:
    home_ledger().budget("tiny", Budget(5.0, 1e-6))
    page = opened("generate", chosen)
    assert "set the budget between tables whose records are replaced" in page.error[0].value
    page = opened("ledger", chosen)
    page.radio(key="budget-neighbours").set_value(Neighbours.REPLACEMENTS)
    next(each for each in page.button if each.label == "Save the budget").click().run()
    assert not page.exception
    (balance,) = home_ledger().book().balances
    assert balance.dataset.neighbours is Neighbours.REPLACEMENTS
    assert not opened("generate", chosen).error


def test_from_its_settings_to_a_packet_that_verifies(
    opened: Opened, said: Said, chosen: Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened("privacy", chosen, by_hand=True)
    page.number_input(key="rows-box").set_value(60).run()
    page.switch_page("views/generate.py").run()
    agree(page)
    page.button(key="generate").click().run()
    (run,) = list_runs(home)
    assert wait(run).state == "finished"
    for name in ("inspect", "release"):
        page.switch_page(f"views/{name}.py").run()
        assert not page.exception
        assert not page.error
    packet = packet_made(page, monkeypatch)
    assert verify(packet.path).passed
    assert {"synthetic.csv", "outputs.json"} <= {name for name, _ in packet.files}


Sessions = Callable[..., Session]

WORDS: Final = 350
BUTTONS: Final = 12
MANY_WORDS: Final = 400
_TRADE: Final = ("nats", "crossed", "against the prior", "posterior", "sensitivity", "ρ")
_FLAGS: Final = 60


def flags() -> tuple[bytes, Schema]:
    """Many columns of yes or no."""
    names = [f"flag{place}" for place in range(_FLAGS)]
    both = Categories(values=("no", "yes"))
    schema = Schema(columns=tuple(Column(name=each, domain=both) for each in names))
    random = np.random.default_rng(3).random((1_500, _FLAGS)) < 0.1
    rows = [",".join("yes" if each else "no" for each in row) for row in random]
    return "\n".join([",".join(names), *rows]).encode(), schema.declare_public()


def of(kind: str, sessions: Sessions, city: bytes) -> Session:
    """A table that a method is for, with how many records it has said to be public."""
    if "traces" in kind:
        session = sessions(city, Schema.load(SCHEMA))
    elif kind == "latent":
        session = sessions(*flags())
    else:
        session = sessions()
    plan_choice(session).follow()
    session.settings.method = kind
    session.settings.set_sizes(Sizes(records=900, rows=500))
    return session


@pytest.mark.parametrize("kind", [*sorted(mechanisms()), "noisy-histogram"])
def test_a_method_is_decided_in_few_words_and_buttons(
    opened: Opened, said: Said, sessions: Sessions, city: bytes, kind: str
) -> None:
    session = of(kind, sessions, city)
    page = opened("privacy", session)
    assert not page.exception
    found = seen(page)
    assert found.words <= WORDS, found
    assert found.buttons <= BUTTONS, found
    text = said(page)
    for heading in ("What may be spent?", "What comes of it?"):
        assert heading in text
    assert not [word for word in _TRADE if word in text]


@pytest.mark.parametrize("purpose", ["table", "alike"])
def test_many_plans_open_with_a_chart_and_few_words(
    opened: Opened, sessions: Sessions, city: bytes, purpose: str
) -> None:
    session = of("seedbased", sessions, city)
    session.settings.set_sizes(Sizes(records=60_000, rows=500))
    plan_choice(session).ask_questions(None).purpose = purpose
    page = opened("privacy", session, detail=MANY)
    assert not page.exception
    found = seen(page)
    assert found.words <= MANY_WORDS, found
    page.selectbox(key="budgets-chosen").select_index(8).run()
    page.button(key="budgets-adopt").click().run()
    assert not page.exception
    assert not page.error
    adopted = session.settings.planned_run()
    every = planner.list_choices(
        plan_choice(session).wish, plan_choice(session).planned.draft, adopted.schema
    )
    plan = adopted.plan
    assert plan.model.kind == every[8].kind
    assert bool(plan.shares.seeds) == (purpose == "alike")
    assert adopted.guarantee.total.epsilon == pytest.approx(every[8].epsilon, rel=0.05)


@pytest.mark.parametrize("kind", ["imputation", "latent", "pmse", "scored", "noisy-histogram"])
def test_one_budget_is_what_the_plan_spends_on_a_person(
    opened: Opened, sessions: Sessions, city: bytes, kind: str
) -> None:
    session = of(kind, sessions, city)
    page = opened("privacy", session)
    wanted = 3.0 if kind == "imputation" else 40.0
    page.number_input(key="wish-epsilon").set_value(wanted).run()
    assert not page.exception
    assert not page.error
    total = session.settings.planned_run().guarantee.total.epsilon
    assert 0.9 * wanted < total <= wanted * (1 + 1e-9)
    assert page.number_input(key="wish-epsilon").value == wanted
