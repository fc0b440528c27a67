"""A description on the Data page: confirmed, or loaded from a file that has one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import tiny_schema
from tests.dashboard.data_page import keyed, open_answered, session_of, upload
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.people import People
from understudy.table.schema import Schema
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_the_confirmation_is_asked_for_and_recorded(
    opened: Opened, sessions: Callable[..., Session], schema: Schema
) -> None:
    session = sessions(schema=Schema(columns=schema.columns))
    page = opened("data", session)
    assert page.button(key="confirm-data").disabled
    keyed(page, "checkbox", schema.fingerprint).check().run()
    keyed(page, "text_input", schema.fingerprint).input("Codebook 2024").run()
    page.button(key="confirm-data").click().run()
    assert session.settings.declared
    assert session.settings.schema is not None
    assert session.settings.schema.declaration is not None
    assert session.settings.schema.declaration.note == "Codebook 2024"


def test_a_schema_file_is_loaded_in_place_of_the_suggestion(
    opened: Opened, csv: bytes, schema: Schema
) -> None:
    page = open_answered(opened("data"), "mine.csv", csv)
    upload(page, "schema.json", schema.to_json().encode(), "Table Schema")
    session = session_of(page)
    assert session.settings.schema == schema
    assert session.settings.declared


def of_people(csv: bytes) -> tuple[bytes, Schema]:
    """The tiny table with three records of each person, and the schema that keeps two."""
    head, *lines = csv.decode().splitlines()
    rows = [f"p{place // 3},{place % 3},{line}" for place, line in enumerate(lines)]
    people = People(person="who", order="visit", records_at_most=2)
    return "\n".join([f"who,visit,{head}", *rows]).encode(), tiny_schema().with_people(people)


def test_a_schema_that_says_whose_records_are_keeps_the_first_of_each(
    opened: Opened, said: Said, csv: bytes
) -> None:
    table, described = of_people(csv)
    page = open_answered(opened("data"), "mine.csv", table)
    upload(page, "schema.json", described.to_json().encode(), "Table Schema")
    assert not page.exception
    session = session_of(page)
    assert session.settings.schema == described
    assert len(session.records()) == 600
    assert session.data.fitting(described.column("age"), described.people).counts.sum() == 600
    assert session.settings.plan().records_per_person == 2
    assert session.left_out["who"] == (None, "It says whose a record is.")
    assert "the first 2 rows are kept" in said(page)
    assert "900 rows of 300 people. **300 rows** (33.3" in said(page)


@pytest.mark.parametrize(
    ("old", "new"), [("p1,", ","), (",2,", ",soon,"), ("who,", "person,"), ("visit,", "turn,")]
)
def test_a_table_that_does_not_say_whose_records_are_is_refused(
    opened: Opened, csv: bytes, old: str, new: str
) -> None:
    table, described = of_people(csv)
    page = open_answered(opened("data"), "mine.csv", table.decode().replace(old, new).encode())
    before = session_of(page).settings.schema
    upload(page, "schema.json", described.to_json().encode(), "Table Schema")
    assert len(page.error) == 1
    assert not page.exception
    assert session_of(page).settings.schema == before


@pytest.mark.parametrize("content", [b"{}", b"not json", b"\xff\xfe\x00"])
def test_a_bad_schema_file_is_refused(opened: Opened, session: Session, content: bytes) -> None:
    before = session.settings.schema
    page = upload(opened("data", session), "schema.json", content, "Table Schema")
    assert len(page.error) == 1
    assert session.settings.schema == before


def test_a_schema_for_another_table_is_refused(opened: Opened, session: Session) -> None:
    other = Schema(
        columns=tuple(Column(name=name, domain=Categories(values=("a", "b"))) for name in "xy")
    )
    before = session.settings.schema
    page = upload(opened("data", session), "schema.json", other.to_json().encode(), "Table Schema")
    assert len(page.error) == 1
    assert session.settings.schema == before
