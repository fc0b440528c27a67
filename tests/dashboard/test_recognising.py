"""Which project a table belongs to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.dashboard.builders import say_new
from tests.support import new_people
from understudy.core.refusal import Refusal
from understudy.ledger.events import Debited
from understudy.ledger.ledger import Debit
from understudy.privacy.budget import Budget
from understudy.projects import table_copy
from understudy.runs.control import home_ledger
from understudy.samples import census
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.loaded_table import CENSUS, LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.open_project import (
    confirm_same_people,
    enter_project,
    is_usable,
    open_catalogue,
    save_decisions,
    take_into_project,
    take_other_table,
    take_table,
)
from understudy_dashboard.session import Session


def table(csv: bytes, name: str = "tiny.csv") -> LoadedTable:
    return LoadedTable(name, read_table(csv, name=name))


@pytest.fixture
def newer(csv: bytes) -> bytes:
    """The same columns, and a person more."""
    return csv + b"\n44,cook,low"


@pytest.fixture
def clinic(csv: bytes, schema: Schema) -> Session:
    """A session whose project is about the tiny table, which is not open."""
    session = Session()
    take_table(session, table(csv), schema)
    save_decisions(session)
    session.unload_table()
    return session


def paid(session: Session, run: str) -> str:
    """Pays for a run on the open table; the id of its dataset."""
    say_new(session)
    found = dataset_of(session)
    assert found is not None
    what = Debited(
        purpose="release", plan={}, protocol="attempts", count=9, record=Budget(0.5, 1e-9)
    )
    home_ledger().debit(Debit(run, found, what))
    save_decisions(session)
    return found.id


def test_a_table_nobody_has_seen_gets_a_project_named_after_it(csv: bytes) -> None:
    session = Session()
    assert take_table(session, table(csv)) == "new"
    assert session.question is None
    assert session.data.table is not None
    assert session.project is not None
    about = session.project.about()
    assert (about.name, about.called, about.source) == ("tiny", "tiny", "tiny.csv")
    assert len(about.tables) == 1
    assert not about.sample


def test_a_table_that_cannot_be_used_makes_no_project() -> None:
    with pytest.raises(Refusal):
        take_table(Session(), table(b"one\n1\n2\n", "one.csv"))
    assert open_catalogue().list_projects() == ()


def test_its_own_table_opens_as_it_was_left_whatever_the_file_is_called(
    clinic: Session, csv: bytes
) -> None:
    schema = clinic.settings.schema
    assert take_table(clinic, table(csv, "renamed.csv")) == "known"
    assert clinic.question is None
    assert clinic.settings.schema == schema
    assert clinic.settings.declared
    found = dataset_of(clinic)
    assert found is not None
    assert found.name == "tiny"


def test_a_renamed_file_of_other_records_is_asked_about_and_not_opened(
    clinic: Session, newer: bytes
) -> None:
    assert take_table(clinic, table(newer, "patients.csv")) == "asked"
    question = clinic.question
    assert question is not None
    assert clinic.data.table is None
    assert (question.lacking, question.further, question.known) == ((), (), None)
    assert is_usable(clinic)


def test_the_same_people_go_on_spending_from_their_budget(
    clinic: Session, csv: bytes, newer: bytes
) -> None:
    take_table(clinic, table(csv))
    first = paid(clinic, "r-1")
    clinic.unload_table()
    take_table(clinic, table(newer, "patients.csv"))
    confirm_same_people(clinic)
    assert clinic.data.table is not None
    assert clinic.question is None
    found = dataset_of(clinic)
    assert found is not None
    assert found.id == first
    assert paid(clinic, "r-2") == first
    assert home_ledger().book().balance(found).runs == 2
    # The next time both tables are its own.
    for content in (csv, newer):
        clinic.unload_table()
        take_table(clinic, table(content, "whatever.csv"))
        assert clinic.question is None
        assert dataset_of(clinic) is not None
        assert dataset_of(clinic).id == first  # type: ignore[union-attr]


def test_the_same_people_keep_their_budget_before_the_first_run_too(
    clinic: Session, newer: bytes
) -> None:
    home_ledger().budget("tiny", Budget(2.0, 1e-6))
    take_table(clinic, table(newer, "patients.csv"))
    confirm_same_people(clinic)
    found = dataset_of(clinic)
    assert found is not None
    assert found.budget == Budget(2.0, 1e-6)


def test_the_people_are_those_that_were_paid_for_whatever_they_are_called(
    clinic: Session, csv: bytes, newer: bytes
) -> None:
    take_table(clinic, table(csv))
    clinic.belongs_to = "registry"
    paid_as = paid(clinic, "r-1")
    assert clinic.project is not None
    clinic.project.change(dataset=paid_as)
    clinic.belongs_to = None
    clinic.unload_table()
    take_table(clinic, table(newer, "patients.csv"))
    confirm_same_people(clinic)
    assert clinic.belongs_to == "registry"
    found = dataset_of(clinic)
    assert found is not None
    assert found.id == paid_as


def test_another_table_gets_a_project_of_its_own(clinic: Session, newer: bytes) -> None:
    before = clinic.project
    take_table(clinic, table(newer, "patients.csv"))
    made = take_other_table(clinic)
    assert clinic.project == made != before
    assert made.about().name == "patients"
    assert clinic.data.table is not None
    assert not clinic.settings.declared
    found = dataset_of(clinic)
    assert found is not None
    assert found.name == "patients"


def test_other_columns_are_named_and_those_left_are_used(clinic: Session, csv: bytes) -> None:
    lines = [line.split(",") for line in csv.decode().split("\n")]
    lines = [[age, pay, str(place % 3)] for place, (age, _, pay) in enumerate(lines)]
    lines[0][2] = "town"
    take_table(clinic, table("\n".join(",".join(line) for line in lines).encode(), "newer.csv"))
    assert clinic.question is not None
    assert clinic.question.lacking == ("job",)
    assert clinic.question.further == ("town",)
    confirm_same_people(clinic)
    assert clinic.settings.schema is not None
    assert clinic.settings.schema.names == ("age", "pay")
    assert not clinic.settings.declared
    described, why = clinic.left_out["town"]
    assert described is not None
    assert "new" in why
    clinic.bring_back("town")
    assert clinic.settings.schema.names == ("age", "pay", "town")


def test_a_new_column_that_cannot_be_used_is_left_out_with_the_reason(
    clinic: Session, csv: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = csv.decode().split("\n")
    longer = "\n".join([f"{lines[0]},note", *(f"{each},{'x' * 2000}" for each in lines[1:])])
    take_table(clinic, table(longer.encode(), "newer.csv"))
    confirm_same_people(clinic)
    described, why = clinic.left_out["note"]
    assert described is None
    assert "new in the table" in why
    assert "characters" in why


def test_a_table_with_none_of_the_columns_can_only_begin_a_project(clinic: Session) -> None:
    take_table(clinic, table(b"x,y,age\n1,2,3\n2,1,4\n", "other.csv"))
    assert clinic.question is not None
    assert not is_usable(clinic)
    with pytest.raises(Refusal, match="fewer than two"):
        confirm_same_people(clinic)
    assert clinic.question is not None
    assert clinic.data.table is None


def test_a_table_of_another_project_leads_there(clinic: Session, newer: bytes) -> None:
    take_table(clinic, table(newer, "patients.csv"))
    patients = take_other_table(clinic)
    save_decisions(clinic)
    (tiny,) = [each for each in open_catalogue().list_projects() if each.about.name == "tiny"]
    enter_project(clinic, tiny.project)
    take_table(clinic, table(newer, "copy.csv"))
    question = clinic.question
    assert question is not None
    assert [each.project for each in question.projects] == [patients]
    take_into_project(clinic, patients)
    assert clinic.project == patients
    assert clinic.data.table is not None
    assert clinic.question is None


def test_a_table_of_a_project_opened_outside_any_asks_before_a_second_one(
    clinic: Session, csv: bytes
) -> None:
    fresh = Session()
    take_table(fresh, table(csv, "again.csv"))
    assert fresh.question is not None
    assert [each.project for each in fresh.question.projects] == [clinic.project]
    take_other_table(fresh)
    assert fresh.project != clinic.project
    assert len(open_catalogue().list_projects()) == 2


def test_what_the_ledger_knows_as_other_people_cannot_become_the_same(
    clinic: Session, newer: bytes
) -> None:
    found = new_people(table(newer).raw, "registry")
    what = Debited(
        purpose="release", plan={}, protocol="attempts", count=9, record=Budget(0.5, 1e-9)
    )
    home_ledger().debit(Debit("r-9", found, what))
    take_table(clinic, table(newer, "patients.csv"))
    assert clinic.question is not None
    assert clinic.question.known == "registry"
    with pytest.raises(Refusal, match="registry"):
        confirm_same_people(clinic)
    assert clinic.data.table is None


def test_the_sample_has_one_project_and_needs_no_answer(clinic: Session) -> None:
    take_table(clinic, CENSUS.table, census.schema())
    first = clinic.project
    assert first is not None
    assert first.about().sample
    plan_choice(clinic).hand.k = 77
    save_decisions(clinic)
    other = Session()
    take_table(other, CENSUS.table, census.schema())
    assert other.project == first
    assert plan_choice(other).draft.k == 77
    again = Session()
    enter_project(again, first)
    assert again.data.table is not None
    assert again.data.table.sample


def test_from_the_sample_to_a_table_of_ones_own_nothing_is_asked(csv: bytes) -> None:
    session = Session()
    take_table(session, CENSUS.table, census.schema())
    take_table(session, table(csv))
    assert session.question is None
    assert session.project is not None
    assert session.project.about().name == "tiny"


def test_a_kept_copy_opens_by_itself(clinic: Session, csv: bytes) -> None:
    assert clinic.project is not None
    table_copy.keep_table(clinic.project, table(csv).raw, "tiny.csv")
    again = Session()
    enter_project(again, clinic.project)
    assert again.question is None
    assert again.data.table is not None
    assert again.data.table.raw.rows == 900
    table_copy.erase_table(clinic.project)
    without = Session()
    enter_project(without, clinic.project)
    assert without.data.table is None


@pytest.mark.parametrize("answer", [confirm_same_people, take_other_table])
def test_how_a_database_was_reached_is_kept_with_the_project_that_was_answered(
    clinic: Session, newer: bytes, answer: Callable[[Session], object]
) -> None:
    reached = ("sqlite:///people.db", "SELECT * FROM people")
    take_table(clinic, replace(table(newer, "people of clinic"), connection=reached))
    assert clinic.question is not None
    assert clinic.project is not None
    assert clinic.project.about().connection == ""
    answer(clinic)
    about = clinic.project.about()
    assert (about.connection, about.query) == reached


def test_a_table_of_another_project_takes_there_how_it_was_reached(
    clinic: Session, csv: bytes, newer: bytes
) -> None:
    tiny = clinic.project
    assert tiny is not None
    take_table(clinic, table(newer, "patients.csv"))
    take_other_table(clinic)
    reached = ("sqlite:///tiny.db", "tiny")
    take_table(clinic, replace(table(csv), connection=reached))
    take_into_project(clinic, tiny)
    about = tiny.about()
    assert (about.connection, about.query) == reached


def test_a_file_has_no_database_and_a_kept_copy_leaves_it_as_it_is(
    clinic: Session, csv: bytes
) -> None:
    project = clinic.project
    assert project is not None
    reached = ("sqlite:///tiny.db", "tiny")
    take_table(clinic, replace(table(csv), connection=reached))
    take_table(clinic, table(csv))
    assert project.about().connection == reached[0]
    take_table(clinic, replace(table(csv), connection=("", "")))
    assert (project.about().connection, project.about().query) == ("", "")
