"""A table of a database and one of a statistics program, opened at the page."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian
from tests.engine.table.formats import Words, write

_SECRET = "sesame-4711"


@pytest.mark.thorough(
    "dashboard/views/test_start_page.py::test_a_password_in_the_connection_string_is_moved_where_nobody_reads_it"
)
def test_a_table_of_a_database_is_opened_and_its_password_is_nowhere(
    person: Custodian, tmp_path: Path
) -> None:
    path = tmp_path / "clinic.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (age INTEGER, ward TEXT)")
        rows = [(18 + i % 60, f"ward {i % 3}") for i in range(600)]
        connection.executemany("INSERT INTO people VALUES (?, ?)", rows)
        connection.commit()
    person.go("Data")
    person.turn_to("A database")
    place = person.main.get_by_role("textbox", name="Connection string")
    person.ready(place).fill(f"sqlite://anna:{_SECRET}@/{path}")
    what = person.main.get_by_role("textbox", name="Table, or a query that begins with SELECT")
    person.ready(what).fill("nobody")
    person.press("Open from the database")
    expect(person.main.get_by_role("alert").filter(has_text="It has: people")).to_be_visible()
    # Moved to the field where nobody can read it, and what was typed is still there.
    expect(place).to_have_value(f"sqlite://anna@/{path}")
    expect(person.main.get_by_role("textbox", name="Password")).to_have_value(_SECRET)
    expect(what).to_have_value("nobody")
    person.ready(what).fill("people")
    person.press("Open from the database")
    expect(person.main.get_by_text("600 records, 2 columns")).to_be_visible()
    expect(person.main.get_by_text("read from a database")).to_be_visible()
    assert _SECRET not in person.page.content()
    assert person.traffic.errors == []


@pytest.mark.thorough(
    "dashboard/views/test_start_page.py::test_labels_of_a_statistics_file_stand_in_the_suggestion"
)
def test_labels_of_an_spss_file_are_suggested(person: Custodian, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"sex": rng.integers(1, 3, 400).astype(float), "age": rng.integers(18, 95, 400) * 1.0}
    )
    words = Words(
        titles={"sex": "Sex of the person", "age": "Age in years"},
        values={"sex": {1: "male", 2: "female", 3: "neither"}},
        ranges={"age": [999]},
    )
    path = write("sav", frame, tmp_path / "survey.sav", words)
    person.go("Data")
    person.upload(path.name, path.read_bytes())
    expect(person.main.get_by_text("SPSS file")).to_be_visible()
    expect(person.main.get_by_text("400 records, 2 columns")).to_be_visible()
    person.answer_questions()
    person.unfold("Schema file and codebook")
    codebook = person.download("Save the codebook").read_text(encoding="utf-8")
    assert "sex,Sex of the person,string,1=male; 2=female; 3=neither," in codebook
    assert "age,Age in years,integer," in codebook
    assert person.traffic.errors == []
