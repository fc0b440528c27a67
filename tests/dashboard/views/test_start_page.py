"""Projects: the page where somebody begins, and goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.spoken_for import answer_all
from understudy.mechanisms.seedbased.plan import Plan
from understudy.projects import state, table_copy
from understudy.projects.project import Project
from understudy.projects.state import load_state
from understudy.runs.folder import RunFolder
from understudy.runs.watched import Progress
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.open_project import open_catalogue, save_decisions, take_table
from understudy_dashboard.parts.project_list import format_day
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def clinic(csv: bytes, schema: Schema) -> Session:
    """A session with the tiny table open in a project of its own."""
    session = Session()
    take_table(session, LoadedTable("tiny.csv", read_table(csv, name="tiny.csv")), schema)
    answer_all(session)
    save_decisions(session)
    return session


def project_of(session: Session) -> Project:
    assert session.project is not None
    return session.project


def made_run(project: Project, at: datetime, progress: Progress) -> None:
    folder = RunFolder(project.runs / f"{at:%Y%m%dT%H%M%S}-release-aa")
    folder.path.mkdir()
    about = {"at": at.isoformat(), "purpose": "release", "stained": False}
    folder.write_text("run.json", json.dumps(about))
    folder.report(progress)


def test_the_empty_page_teaches_and_opens_a_table_in_one_step(opened: Opened, said: Said) -> None:
    page = opened("start")
    assert page.title[0].value == "Projects"
    assert "A project begins with a table." in said(page)
    page.button(key="sample").click().run()
    assert page.title[0].value == "Data"
    assert "Nobody in it exists." in said(page)
    (listed,) = open_catalogue().listed()
    assert listed.about.sample
    assert listed.project.identity in page.query_params["project"]


def test_a_project_is_listed_with_its_state_and_opened_again(
    opened: Opened, said: Said, clinic: Session
) -> None:
    project = project_of(clinic)
    made_run(project, datetime.now(UTC) - timedelta(days=1), Progress("finished", 1))
    page = opened("start")
    text = said(page)
    assert "**tiny**" in text
    assert "tiny.csv" in text
    assert "asks for its table · 1 run, last yesterday" in text
    page.button(key=f"project-open-{project.identity}").click().run()
    assert page.title[0].value == "Data"
    assert "now needs its table, **tiny.csv**" in said(page)
    page.switch_page("views/privacy.py").run()
    assert not page.error
    assert "There is no table yet" not in said(page)


def test_the_address_leads_back_to_the_project(clinic: Session, said: Said) -> None:
    page = AppTest.from_file(
        str(Path("dashboard/understudy_dashboard/app.py").resolve()), default_timeout=30
    )
    page.query_params["project"] = project_of(clinic).identity
    page.run()
    assert "open now" in said(page)
    other = AppTest.from_file(
        str(Path("dashboard/understudy_dashboard/app.py").resolve()), default_timeout=30
    )
    other.query_params["project"] = "never-there"
    other.run()
    assert not other.error
    assert "project" not in other.query_params


def test_what_changes_on_a_page_is_saved_when_it_is_drawn(opened: Opened, clinic: Session) -> None:
    page = opened("privacy", clinic)
    page.number_input(key="wish-epsilon").set_value(0.5).run()
    wish = load_state(project_of(clinic)).settings["seedbased"]["wish"]
    assert wish is not None
    assert wish["epsilon"] == 0.5


def test_two_tabs_agree(opened: Opened, clinic: Session, csv: bytes) -> None:
    other = Session()
    take_table(other, LoadedTable("tiny.csv", read_table(csv, name="tiny.csv")))
    assert other.question is not None
    one = opened("privacy", clinic)
    two = opened("start", other)
    two.switch_page("views/data.py").run()
    two.button(key=f"recognise-open-{project_of(clinic).identity}").click().run()
    two.switch_page("views/privacy.py").run()
    one.number_input(key="wish-epsilon").set_value(0.5).run()
    two.run()
    assert two.number_input(key="wish-epsilon").value == 0.5
    assert other.notices == []


def test_a_project_is_renamed_duplicated_archived_and_deleted(
    opened: Opened, clinic: Session
) -> None:
    identity = project_of(clinic).identity
    page = opened("start", clinic)
    page.session_state[f"project-more-{identity}"] = True
    page.run()
    page.text_input(key=f"name-row-{identity}").set_value("Clinic 2026")
    page.button(key=f"FormSubmitter:rename-row-{identity}-Rename").click().run()
    assert project_of(clinic).about().name == "Clinic 2026"
    page.session_state[f"project-more-{identity}"] = True
    page.run()
    page.button(key=f"project-duplicate-{identity}").click().run()
    assert {each.about.name for each in open_catalogue().listed()} == {
        "Clinic 2026",
        "Clinic 2026 copy",
    }
    page.session_state[f"project-more-{identity}"] = True
    page.run()
    page.button(key=f"project-archive-{identity}").click().run()
    assert clinic.project is None
    page.session_state[f"project-delete-{identity}"] = True
    page.run()
    assert page.button(key=f"delete-{identity}").disabled
    page.checkbox(key=f"delete-agreed-{identity}").check().run()
    page.button(key=f"delete-{identity}").click().run()
    assert [each.about.name for each in open_catalogue().listed()] == ["Clinic 2026 copy"]
    assert not page.error


def test_a_name_that_is_taken_is_refused_at_the_field(
    opened: Opened, said: Said, clinic: Session
) -> None:
    open_catalogue().create("Taken")
    identity = project_of(clinic).identity
    page = opened("start", clinic)
    page.session_state[f"project-more-{identity}"] = True
    page.run()
    page.text_input(key=f"name-row-{identity}").set_value("taken")
    page.button(key=f"FormSubmitter:rename-row-{identity}-Rename").click().run()
    assert "Choose another name" in said(page)
    assert page.text_input(key=f"name-row-{identity}").value == "taken"
    assert project_of(clinic).about().name == "tiny"


def test_runs_outside_any_project_stay_in_sight(opened: Opened, said: Said, home: Path) -> None:
    folder = RunFolder(home / "20260101T000000-release-aa")
    folder.path.mkdir(parents=True)
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": "release", "stained": False}
    folder.write_text("run.json", json.dumps(about))
    folder.report(Progress("finished", 1))
    page = opened("start")
    assert "1 January 2026" in said(page)
    page.button(key=f"outside-{folder.identity}").click().run()
    assert page.title[0].value == "Inspect"
    assert page.session_state["session"].run == folder.identity


def test_a_folder_that_cannot_be_read_is_named(opened: Opened, said: Said, clinic: Session) -> None:
    (project_of(clinic).path / "project.json").write_text("{}")
    page = opened("start")
    assert "cannot be read" in said(page)
    assert not page.error


def test_a_copy_of_the_table_is_kept_only_when_asked_and_erased(
    opened: Opened, said: Said, clinic: Session
) -> None:
    project = project_of(clinic)
    page = opened("start", clinic)
    page.session_state["project-fold"] = True
    page.run()
    assert page.button(key="copy-keep").disabled
    page.checkbox(key="copy-agreed").check().run()
    page.button(key="copy-keep").click().run()
    assert table_copy.keeps_table(project)
    assert "holds a copy of its table" in said(page)
    again = opened("start")
    again.button(key=f"project-open-{project.identity}").click().run()
    assert again.session_state["session"].data.table.raw.rows == 900
    again.session_state["project-fold"] = True
    again.run()
    again.button(key="copy-erase").click().run()
    assert not table_copy.keeps_table(project)


def test_a_question_about_a_table_is_answered_on_the_page(
    opened: Opened, said: Said, clinic: Session, csv: bytes
) -> None:
    clinic.unload_table()
    newer = csv + b"\n44,cook,low"
    take_table(clinic, LoadedTable("newer.csv", read_table(newer, name="newer.csv")))
    page = opened("data", clinic)
    assert "newer.csv is not the table that “tiny” was about" in said(page)
    page.button(key="recognise-none").click().run()
    assert clinic.question is None
    assert clinic.data.table is None
    take_table(clinic, LoadedTable("newer.csv", read_table(newer, name="newer.csv")))
    page.run()
    page.button(key="recognise-same").click().run()
    assert clinic.data.table is not None
    assert clinic.belongs_to == "tiny"
    assert "goes on counting" in said(page)


def test_a_plan_is_kept_compared_and_taken_up(opened: Opened, said: Said, clinic: Session) -> None:
    project, schema = project_of(clinic), clinic.settings.schema
    assert schema is not None
    state.keep_plan(project, "Bold", Plan.of(schema, attempts=77))
    page = opened("privacy", clinic)
    page.session_state["kept-plans"] = True
    page.run()
    assert "**Bold**" in said(page)
    assert "from the present plan" in said(page)
    page.text_input(key="keep-plan-name").set_value("Mine")
    page.button(key="FormSubmitter:keep-plan-Keep it").click().run()
    assert {each.name for each in state.plans_of(project)} == {"Bold", "Mine"}
    page.session_state["kept-plans"] = True
    page.run()
    page.button(key="use-Bold").click().run()
    assert plan_choice(clinic).draft.attempts == 77


@pytest.mark.parametrize(
    ("ago", "said"), [(0, "today"), (1, "yesterday"), (2, "on 1 March"), (800, "on ")]
)
def test_days_are_spoken_of_as_people_do(ago: int, said: str) -> None:
    today = date(2026, 3, 3)
    noon = datetime(2026, 3, 3, 12).astimezone() - timedelta(days=ago)
    assert format_day(noon, today).startswith(said)
    assert ("2023" in format_day(noon, today)) == (ago == 800)
