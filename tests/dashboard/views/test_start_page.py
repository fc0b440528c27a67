"""Projects: the page where somebody begins, and goes on. The Data page's ways to open a table, and
codebooks. Words that explain themselves.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import answer_all, session_of
from tests.engine.table.formats import Words, write
from tests.engine.table.sources.statistics.files import people
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.projects import state, table_copy
from understudy.projects.project import Project
from understudy.projects.state import load_state
from understudy.runs.folder import RunFolder
from understudy.runs.work_folder import Progress
from understudy.table.authoring.codebook_file import csv_codebook
from understudy.table.categories import Categories
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.sources.source import FOLDERS
from understudy_dashboard import glossary, style, words
from understudy_dashboard.glossary import (
    CSS,
    GLOSSARY,
    SIGNS,
    explain_terms,
    find_terms,
    term,
    title_of_term,
)
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
    (listed,) = open_catalogue().list_projects()
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
    assert {each.about.name for each in open_catalogue().list_projects()} == {
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
    assert [each.about.name for each in open_catalogue().list_projects()] == ["Clinic 2026 copy"]
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
    assert {each.name for each in state.list_plans(project)} == {"Bold", "Mine"}
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


_SECRET = "sesame-4711"


@pytest.fixture
def opening_clinic(tmp_path: Path) -> str:
    """The connection string of an SQLite file with a table of people."""
    path = tmp_path / "clinic.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (age INTEGER, town TEXT)")
        rows = [(18 + i % 60, f"T{i % 3}") for i in range(300)]
        connection.executemany("INSERT INTO people VALUES (?, ?)", rows)
        connection.commit()
    return f"sqlite:///{path}"


def press(page: AppTest, label: str) -> AppTest:
    return next(each for each in page.button if each.label == label).click().run()


def ask(page: AppTest, connection: str, query: str, password: str = "") -> AppTest:
    page.text_input(key="database-connection").input(connection)
    page.text_input(key="database-password").input(password)
    page.text_area(key="database-query").input(query)
    return press(page, "Open from the database")


def test_a_table_of_a_database_is_opened(opened: Opened, said: Said, opening_clinic: str) -> None:
    page = ask(opened("data"), opening_clinic, "people")
    session = session_of(page)
    assert session.data.table is not None
    assert session.data.table.name == "people of clinic"
    assert session.data.table.raw.rows == 300
    assert "read from a database" in said(page)
    assert session.project is not None
    about = session.project.about()
    assert (about.connection, about.query) == (opening_clinic, "people")


def test_a_project_remembers_how_its_table_was_reached_without_the_password(
    opened: Opened, opening_clinic: str
) -> None:
    page = ask(
        opened("data"), opening_clinic.replace("sqlite://", f"sqlite://u:{_SECRET}@"), "people"
    )
    session = session_of(page)
    assert session.project is not None
    files = [path for path in session.project.path.rglob("*") if path.is_file()]
    assert files
    assert all(_SECRET.encode() not in path.read_bytes() for path in files)
    page.button(key="close").click().run()
    assert page.text_area(key="database-query").value == "people"
    assert _SECRET not in str(page.text_input(key="database-connection").value)
    press(page, "Open from the database")
    assert session_of(page).data.table is not None


def test_a_password_in_the_connection_string_is_moved_where_nobody_reads_it(
    opened: Opened,
) -> None:
    page = ask(opened("data"), f"postgresql://anna:{_SECRET}@/x?host=/nowhere", "people")
    assert len(page.error) == 1
    assert _SECRET not in page.error[0].value
    assert page.text_input(key="database-connection").value == (
        "postgresql://anna@/x?host=%2Fnowhere"
    )
    assert page.text_input(key="database-password").value == _SECRET


@pytest.mark.parametrize(
    ("connection", "query", "said_there"),
    [
        ("", "people", "connection string"),
        ("clinic.db", "people", "not understood"),
        (None, "", "No table and no query"),
        (None, "nobody", "It has: people"),
        (None, "DROP TABLE people", "SELECT"),
    ],
)
def test_each_field_of_a_database_is_answered_and_nothing_typed_is_lost(
    opened: Opened, opening_clinic: str, connection: str | None, query: str, said_there: str
) -> None:
    asked = opening_clinic if connection is None else connection
    page = ask(opened("data"), asked, query)
    assert not page.exception
    assert len(page.error) == 1
    assert said_there in page.error[0].value
    assert page.text_input(key="database-connection").value == asked
    assert page.text_area(key="database-query").value == query
    assert session_of(page).data.table is None


def test_a_demonstration_offers_no_way_to_a_table_of_ones_own(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEMO", "1")
    page = opened("data", Session(demonstrated=True))
    assert not page.file_uploader
    assert not any(each.key == "table-path" for each in page.text_input)
    assert not any(each.key == "database-connection" for each in page.text_input)


def test_only_the_folders_named_are_opened_from(
    opened: Opened, said: Said, csv: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = tmp_path / "open", tmp_path / "closed.csv"
    inside.mkdir()
    for path in (inside / "mine.csv", outside):
        path.write_bytes(csv)
    monkeypatch.setenv(FOLDERS, str(inside))
    page = opened("data")
    assert "open" in said(page)
    page.text_input(key="table-path").input(str(inside / ".." / "closed.csv"))
    press(page, "Open this path")
    assert len(page.error) == 1
    assert session_of(page).data.table is None
    page.text_input(key="table-path").input(str(inside / "mine.csv"))
    press(page, "Open this path")
    assert session_of(page).data.table is not None


def test_labels_of_a_statistics_file_stand_in_the_suggestion(
    opened: Opened, said: Said, tmp_path: Path
) -> None:
    words = Words(titles={"sex": "Sex of the person"}, values={"sex": {1: "male", 2: "female"}})
    path = write("sav", people(), tmp_path / "people.sav", words)
    page = opened("data")
    next(each for each in page.file_uploader if "SPSS" in each.label).upload(
        "people.sav", path.read_bytes()
    )
    page.run()
    schema = session_of(page).settings.schema
    assert schema is not None
    assert schema.column("sex").title == "Sex of the person"
    assert schema.column("sex").labels == ("male", "female", "missing")
    assert "SPSS file" in said(page)


def take_in(page: AppTest, text: str, name: str = "codebook.csv") -> AppTest:
    given = next(each for each in page.file_uploader if "codebook" in each.label)
    given.upload(name, text.encode())
    return page.run()


def test_a_codebook_is_laid_over_the_schema_and_said_so(
    opened: Opened, said: Said, session: Session
) -> None:
    text = "name,label,values,minimum,maximum\npay,Pay,low=Low; mid; high,,\nage,,,0,120\nx,X,,,\n"
    page = take_in(opened("data", session), text)
    assert session.settings.schema is not None
    assert session.settings.schema.column("pay").title == "Pay"
    assert session.settings.schema.column("pay").domain == Categories(
        values=("low", "mid", "high"), labels=("Low", "mid", "high")
    )
    domain = session.settings.schema.column("age").domain
    assert isinstance(domain, Grid)
    assert (domain.minimum, domain.maximum) == (0, 120)
    assert not session.settings.declared
    assert "changed 2 columns" in said(page)
    assert "has no x" in said(page)
    assert "says nothing about job" in said(page)


def test_what_a_codebook_cannot_settle_stays_and_is_named(
    opened: Opened, said: Said, session: Session
) -> None:
    before = session.settings.schema
    assert before is not None
    page = take_in(opened("data", session), "name,label,minimum,maximum\nage,Age,90,10\n")
    assert session.settings.schema == before
    assert "age stays as it was" in said(page)


@pytest.mark.parametrize("text", ["name,label\nghost,x\n", "a,b\n1,2\n", "", "{"])
def test_a_codebook_that_cannot_be_used_is_refused(
    opened: Opened, session: Session, text: str
) -> None:
    before = session.settings.schema
    page = take_in(opened("data", session), text)
    assert len(page.error) == 1
    assert session.settings.schema == before


def test_the_codebook_that_is_saved_changes_nothing_when_taken_in(
    opened: Opened, said: Said, session: Session
) -> None:
    before = session.settings.schema
    assert before is not None
    page = take_in(opened("data", session), csv_codebook(before))
    assert session.settings.schema == before
    assert session.settings.declared
    assert "3 columns it describes as here already" in said(page)


DASHBOARD = Path(glossary.__file__).parent


def test_a_term_is_a_link_that_shows_its_explanation() -> None:
    assert term("seed", "seeds") == "[seeds](#term-seed)"
    assert term("epsilon") == "[ε](#term-epsilon)"
    assert term("declared public") == "[declared public](#term-declared-public)"
    with pytest.raises(KeyError):
        term("sead")


@pytest.mark.parametrize("name", GLOSSARY)
def test_each_link_has_its_explanation_in_the_style_of_every_page(name: str) -> None:
    place = re.search(r"\((.*)\)$", term(name))
    assert place is not None
    rule = f'a[href="{place[1]}"]:is(:hover, :focus)::after {{ content: "{GLOSSARY[name]}"; }}'
    assert rule in style.CSS


@given(st.text())
def test_whatever_an_explanation_says_it_stays_one_string(text: str) -> None:
    quoted = glossary._quote_css(text)
    assert re.fullmatch(r'"(?:[^"\\<>\n]|\\[0-9a-f]+ )*"', quoted)
    read = re.sub(r"\\([0-9a-f]+) ", lambda sign: chr(int(sign[1], 16)), quoted[1:-1])
    assert read == text


def test_no_explanation_can_end_the_string_it_stands_in() -> None:
    for said in re.findall(r"content: (.*); }$", CSS, re.MULTILINE):
        assert re.fullmatch(r'"[^"\\<>]*"', said)


def test_explanations_are_one_or_two_plain_sentences() -> None:
    for name, said in GLOSSARY.items():
        assert said.endswith("."), name
        assert 1 <= len(re.findall(r"[.:?](?: |$)", said)) <= 4, name
        assert len(said) <= 220, name


def test_every_sign_of_a_setting_is_explained() -> None:
    signs = {
        said.sign
        for each in FIELDS
        for said in (each.words, *(variant for _, variant in each.variants))
        if said.sign
    }
    listed = {SIGNS.get(name, name) for name in GLOSSARY} | {"Pass floor"}
    assert signs <= listed


def test_every_term_used_on_a_page_is_known() -> None:
    used = {
        name
        for path in DASHBOARD.rglob("*.py")
        for name in re.findall(r"\bterm\(\s*[\"']([^\"']+)", path.read_text(encoding="utf-8"))
    }
    assert used
    assert used <= set(GLOSSARY)


def test_searching_looks_in_names_and_explanations_and_puts_names_first() -> None:
    assert find_terms("") == sorted(GLOSSARY, key=str.casefold)
    assert find_terms("SEED")[0] == "plausible seeds"
    assert set(find_terms("coin noth")) == {"rho"}
    assert find_terms("ω")[0] == "omega"
    assert find_terms("no such word") == []


@given(st.text(max_size=12))
def test_whatever_is_searched_only_terms_come_back_each_once(asked: str) -> None:
    names = find_terms(asked)
    assert set(names) <= set(GLOSSARY)
    assert len(names) == len(set(names))


def test_the_page_lists_what_is_searched_for(
    opened: Callable[..., AppTest], said: Callable[[AppTest], str]
) -> None:
    page = opened("glossary")
    assert all(
        f"**{title_of_term(name)}**  \n{words.HELP.get(name, GLOSSARY[name])}" in said(page)
        for name in GLOSSARY
    )
    page.text_input(key="glossary-search").set_value("ledger").run()
    text = said(page)
    assert "**ledger**" in text
    assert "**codebook**" not in text
    page.text_input(key="glossary-search").set_value("zzz <b>").run()
    assert "“zzz <b>”" in said(page)


def test_terms_of_a_sentence_explain_themselves_where_they_stand_first() -> None:
    assert explain_terms("Records and seeds; each seed, each Record.") == (
        "[Records](#term-record) and [seeds](#term-seed); each seed, each Record."
    )
    assert explain_terms("the synthetic table (ε, δ) of e^ε") == (
        "the [synthetic table](#term-synthetic-table) ([ε](#term-epsilon), [δ](#term-delta)) of e^ε"
    )
    assert (
        explain_terms("a t, a k, a recording, ε0") == "a t, a k, a recording, [ε0](#term-epsilon0)"
    )


@given(st.text())
def test_explaining_changes_no_word(text: str) -> None:
    bare = text.replace("[", "").replace("]", "")
    assert re.sub(r"\[([^\]]*)\]\(#term-[^)]*\)", r"\1", explain_terms(bare)) == bare
