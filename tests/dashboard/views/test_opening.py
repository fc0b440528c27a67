"""The Data page's ways to open a table, and codebooks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.data_page import session_of
from tests.engine.table.formats import Words, write
from tests.engine.table.sources.statistics.files import people
from understudy.table.authoring.codebook_file import csv_codebook
from understudy.table.categories import Categories
from understudy.table.grid import Grid
from understudy.table.sources.source import FOLDERS
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

_SECRET = "sesame-4711"


@pytest.fixture
def clinic(tmp_path: Path) -> str:
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


def test_a_table_of_a_database_is_opened(opened: Opened, said: Said, clinic: str) -> None:
    page = ask(opened("data"), clinic, "people")
    session = session_of(page)
    assert session.data.table is not None
    assert session.data.table.name == "people of clinic"
    assert session.data.table.raw.rows == 300
    assert "read from a database" in said(page)
    assert session.project is not None
    about = session.project.about()
    assert (about.connection, about.query) == (clinic, "people")


def test_a_project_remembers_how_its_table_was_reached_without_the_password(
    opened: Opened, clinic: str
) -> None:
    page = ask(opened("data"), clinic.replace("sqlite://", f"sqlite://u:{_SECRET}@"), "people")
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
    opened: Opened, clinic: str, connection: str | None, query: str, said_there: str
) -> None:
    asked = clinic if connection is None else connection
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
