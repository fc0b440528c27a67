"""The Ledger page and the meter: what was spent on whose records, and what may still be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import epsilon_of_six_tenths
from understudy.ledger.chain import verify_export
from understudy.ledger.events import Released
from understudy.ledger.ledger import Debit
from understudy.privacy.budget import Budget, Neighbours
from understudy.runs.control import home_ledger
from understudy.runs.debit import make_debit
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard import words
from understudy_dashboard.ledger_status import balance_of, dataset_of
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def session(session: Session) -> Session:
    """The tiny table, with a plan that costs little: of the published network, as that of so few
    columns has a δ above 0."""
    plan_choice(session).draft.kind = "network"
    plan_choice(session).draft.omega_low = plan_choice(session).draft.omega_high = 3
    plan_choice(session).draft.model_epsilon = epsilon_of_six_tenths(0.4)
    plan_choice(session).draft.delta = 1e-6
    return session


def paid(session: Session, run: str, *, released: bool = True) -> None:
    """A run put down in the ledger, without the work."""
    found, _plan = dataset_of(session), session.settings.plan()
    assert found is not None
    what = make_debit(session.settings.planned_run())
    home_ledger().debit(Debit(run, found, what))
    if released:
        artefacts = {"synthetic.csv": "a" * 64, "guarantee.json": "b" * 64}
        home_ledger().note(run, Released(artefacts=artefacts))


def metric(page: AppTest, label: str) -> str:
    return str(next(each.value for each in page.metric if each.label == label))


def meter_says(page: AppTest, what: str) -> str:
    """A figure of the meter's table."""
    tables = [each.value for each in page.sidebar.markdown if "| Ledger |" in each.value]
    (row,) = [line for line in tables[0].splitlines() if what in line]
    return row.split("|")[2].strip()


def test_before_anything_it_leads_to_the_data(opened: Opened, said: Said) -> None:
    page = opened("ledger")
    assert "Nothing was run yet" in said(page)
    assert not page.exception
    assert not page.download_button


def test_it_has_its_own_place_after_the_six_steps(opened: Opened, session: Session) -> None:
    page = opened("ledger", session)
    assert page.title[0].value == "Ledger"
    assert not page.error


def test_a_run_is_listed_with_what_it_took_and_what_it_released(
    opened: Opened, said: Said, session: Session
) -> None:
    paid(session, "run-1")
    page = opened("ledger", session)
    assert metric(page, "Spent, ε") == "0.4"
    assert "One run: what it promises is what was spent" in said(page)
    glance, rest = (each.value for each in page.dataframe[:2])
    assert len(glance.columns) == 6
    row = pd.concat([glance, rest], axis=1).iloc[0]
    assert row["Run"] == "run-1"
    assert (row["State"], row["ε"], row["δ"]) == ("released", "0.4", "1e-7")
    assert row["Counted"] == "200 rows"
    assert row["A reader sees"] == "all rows, and how many"
    assert row["Outputs, SHA-256"] == "a" * 64
    assert row["Guarantee, SHA-256"] == "b" * 64
    assert row["Test"] == "none, as nothing is copied"


def test_a_run_that_copies_from_records_is_listed_with_its_test(
    opened: Opened, session: Session
) -> None:
    plan_choice(session).draft.omega_low = 2
    paid(session, "run-1")
    shown: pd.DataFrame = opened("ledger", session).dataframe[1].value
    assert "k = 20" in shown.iloc[0]["Test"]
    assert "ω = 2–3" in shown.iloc[0]["Test"]


def test_several_runs_add_up_in_words_both_ways(
    opened: Opened, said: Said, session: Session
) -> None:
    for number in range(3):
        paid(session, f"run-{number}")
    page = opened("ledger", session)
    found = balance_of(session)
    assert found is not None
    assert metric(page, "Spent, ε") == "1.2"
    assert "add up, one by one, to ε = 1.2, δ = 3e-7" in said(page)
    composed = words.format_budget(found.fixed_beforehand)
    assert f"optimal composition would put them at {composed}" in said(page)


def test_what_is_listed_of_runs_adds_up_to_what_was_spent(
    opened: Opened, said: Said, session: Session
) -> None:
    paid(session, "run-1")
    assert "Adds to ε" not in opened("ledger", session).dataframe[0].value
    found, what = dataset_of(session), make_debit(session.settings.planned_run())
    assert found is not None
    replaced = what.model_copy(update={"neighbours": Neighbours.REPLACEMENTS})
    home_ledger().debit(Debit("run-2", found, replaced))
    page = opened("ledger", session)
    shown = page.dataframe[0].value
    assert list(shown["ε"]) == ["0.4", "0.4"]
    assert list(shown["Adds to ε"]) == ["0.4", "0.8"]
    assert metric(page, "Spent, ε") == "1.2"
    assert "counts at twice its ε" in said(page)


def test_a_budget_is_set_kept_and_measured_against(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("ledger", session)
    assert metric(page, "Budget, ε") == "none set"
    assert "It has no budget" in said(page)
    page.number_input(key="budget-epsilon").set_value(1.0)
    page.number_input(key="budget-delta").set_value(1e-5)
    next(each for each in page.button if each.label == "Save the budget").click().run()
    assert not page.error
    assert metric(page, "Budget, ε") == "1"
    assert (meter_says(page, "Left of"), meter_says(page, "Spent")) == ("1", "nothing")
    paid(session, "run-1")
    page.run()
    assert metric(page, "Left, ε") == "0.6"
    assert meter_says(page, "Left of") == "0.6"
    assert meter_says(page, "The next run takes") == "0.4"
    assert meter_says(page, "Left after that run") == "0.2"
    paid(session, "run-2")
    page.run()
    assert meter_says(page, "Left of its budget") == "0.2"
    assert meter_says(page, "Left after that run") == "not enough"


def test_a_budget_smaller_than_what_was_spent_is_refused(opened: Opened, session: Session) -> None:
    paid(session, "run-1")
    page = opened("ledger", session)
    page.number_input(key="budget-epsilon").set_value(0.1)
    next(each for each in page.button if each.label == "Save the budget").click().run()
    assert "was spent" in page.error[0].value
    assert metric(page, "Budget, ε") == "none set"


def test_a_run_whose_delta_does_not_fit_is_refused(opened: Opened, session: Session) -> None:
    paid(session, "run-1")
    home_ledger().budget("tiny", Budget(5.0, 1.5e-7))
    page = opened("generate", session)
    assert "would be ε = 0.8, δ = 2e-07" in page.error[0].value
    assert page.button(key="generate").disabled


def test_the_same_table_is_known_again_under_another_name(
    opened: Opened, said: Said, session: Session, csv: bytes
) -> None:
    paid(session, "run-1")
    assert session.settings.schema is not None
    again = Session()
    again.open(
        LoadedTable("renamed.csv", read_table(csv, name="renamed.csv")), session.settings.schema
    )
    page = opened("ledger", again)
    assert "knows this very table by its fingerprint" in said(page)
    assert metric(page, "Spent, ε") == "0.4"


def test_another_table_of_the_same_name_counts_as_the_same_people(
    opened: Opened, said: Said, other: Session
) -> None:
    page = opened("ledger", other)
    assert "its name is the same" in said(page)
    assert metric(page, "Spent, ε") == "0.4"


@pytest.fixture
def other(csv: bytes, session: Session) -> Session:
    """Another table of the same name, of which nothing is in the ledger; one run on the first."""
    paid(session, "run-1")
    opened = Session()
    raw = read_table(csv + b"\n30,cook,low", name="tiny.csv")
    opened.open(LoadedTable("tiny.csv", raw), session.settings.schema)
    return opened


def test_other_peoples_records_are_said_to_be_so_with_a_confirmation(
    opened: Opened, said: Said, other: Session
) -> None:
    page = opened("ledger", other)
    assert metric(page, "Spent, ε") == "0.4"
    assert page.button(key="belongs-take").disabled
    page.text_input(key="belongs-name").set_value("another town").run()
    page.checkbox(key="belongs-agreed").check().run()
    page.button(key="belongs-take").click().run()
    assert "No reason is given" in page.error[0].value
    page.text_input(key="belongs-reason").set_value("They live in another town.").run()
    page.button(key="belongs-take").click().run()
    assert "belongs to **another town**: you said so" in said(page)
    assert metric(page, "Spent, ε") == "0"
    assert meter_says(page, "Spent") == "nothing"
    paid(other, "run-2")
    page.run()
    assert metric(page, "Spent, ε") == "1"
    found = home_ledger().book()
    names = {each.name: len(found.runs_of(each)) for each in found.datasets.values()}
    assert names == {"tiny": 1, "another town": 1}
    assert "They live in another town." in home_ledger().export()


def test_saying_so_can_be_taken_back(opened: Opened, said: Said, other: Session) -> None:
    other.belongs_to = "another town"
    page = opened("ledger", other)
    assert metric(page, "Spent, ε") == "0"
    page.button(key="belongs-undo").click().run()
    assert other.belongs_to is None
    assert metric(page, "Spent, ε") == "0.4"


def test_a_table_that_was_run_on_can_be_nobody_elses(
    opened: Opened, said: Said, session: Session
) -> None:
    paid(session, "run-1")
    page = opened("ledger", session)
    assert "knows this very table by its fingerprint" in said(page)
    assert not any(each.key == "belongs-take" for each in page.button)


def test_a_name_is_shown_letter_by_letter_where_it_is_confirmed(
    opened: Opened, csv: bytes, schema: Schema
) -> None:
    session = Session()
    session.open(LoadedTable("$5$ :red[x].csv", read_table(csv, name="tiny.csv")), schema)
    page = opened("ledger", session)
    assert r"“\$5\$ \:red\[x\]”" in page.checkbox(key="belongs-agreed").label


def test_a_dataset_without_a_name_is_refused(opened: Opened, session: Session) -> None:
    page = opened("ledger", session)
    page.checkbox(key="belongs-agreed").check().run()
    page.button(key="belongs-take").click().run()
    assert "no name" in page.error[0].value
    assert session.belongs_to is None


def test_every_dataset_can_be_looked_at_without_its_table(
    opened: Opened, said: Said, session: Session
) -> None:
    paid(session, "run-1")
    home_ledger().budget("elsewhere", Budget(2.0, 1e-6))
    page = opened("ledger")
    assert len(page.selectbox(key="ledger-dataset").options) == 2
    elsewhere = next(
        each.id for each in home_ledger().book().datasets.values() if each.name == "elsewhere"
    )
    page.selectbox(key="ledger-dataset").set_value(elsewhere).run()
    assert metric(page, "Budget, ε") == "2"


def test_the_chain_is_checked_and_can_be_checked_against_a_noted_hash(
    opened: Opened, said: Said, session: Session
) -> None:
    paid(session, "run-1")
    head = home_ledger().book().head
    page = opened("ledger", session)
    assert "Whole." in said(page)
    assert page.code[-1].value == head
    page.text_input(key="ledger-head").set_value(head).run()
    assert "leads on from that hash" in said(page)
    page.text_input(key="ledger-head").set_value("0f" * 32).run()
    assert "noted" in page.error[0].value


def test_a_ledger_changed_from_outside_is_said_to_be_so_and_nothing_runs(
    opened: Opened, session: Session, home: Path
) -> None:
    paid(session, "run-1")
    path = home / "ledger.sqlite"
    changed = path.read_bytes().replace(b'"epsilon":0.', b'"epsilon":9.')
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    page = opened("ledger", session)
    assert any("changed from outside" in each.value for each in page.error)
    assert not page.exception


def test_the_export_holds_no_internal_figures_and_says_what_it_is_for(
    opened: Opened, said: Said, session: Session
) -> None:
    paid(session, "run-1")
    page = opened("ledger", session)
    assert any(each.key == "ledger-export" for each in page.download_button)
    assert "Not for publication" in said(page)
    exported = home_ledger().export()
    assert verify_export(exported).events == home_ledger().book().events
    assert "policies" not in exported
    assert not any("passed" in json.loads(line)["body"] for line in exported.splitlines())


def test_downloading_again_costs_nothing(opened: Opened, said: Said, session: Session) -> None:
    paid(session, "run-1")
    before = home_ledger().book()
    for name in ("release", "ledger", "inspect", "release"):
        page = opened(name, session)
        assert not page.exception
    assert home_ledger().book() == before
