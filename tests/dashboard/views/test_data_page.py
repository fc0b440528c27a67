"""The Data page: opening a table, and how its file is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.data_page import open_answered, session_of, upload, uploader

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_the_sample_is_one_click_away_and_ready(opened: Opened, said: Said) -> None:
    page = opened("data")
    page.button(key="sample").click().run()
    session = session_of(page)
    assert session.settings.declared
    assert session.settings.plan().attempts > 0
    assert "Nobody in it exists" in said(page)


def test_a_project_that_waits_for_its_table_is_offered_no_sample(
    opened: Opened, csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    session_of(page).data.table = None
    page.run()
    assert "needs its table" in page.info[0].value
    assert page.file_uploader
    assert not [each for each in page.button if str(each.key).startswith("sample")]


def test_the_demonstration_opens_the_sample_by_itself(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEMO", "1")
    page = opened("data")
    assert session_of(page).settings.declared
    page.button(key="close").click().run()
    assert session_of(page).data.table is None


def test_an_uploaded_file_is_described_and_its_bytes_are_dropped(
    opened: Opened, said: Said, csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    assert session_of(page).settings.schema is not None
    text = said(page)
    assert "mine.csv" in text
    assert "values separated by comma" in text
    assert "900 records" in text
    assert not any("CSV" in each.label for each in page.file_uploader)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"a,b\n"),
        ("one.csv", b"a\n1\n2\n"),
        ("twice.csv", b"a,a\n1,2\n"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\x00\x00"),
        ("broken.parquet", b"PAR1 but no more"),
        ("broken.xlsx", b"PK\x03\x04 but no more"),
        ("gone.csv", b"a,b\n,1\n,2\n"),
    ],
)
def test_a_bad_file_is_answered_in_words_and_can_be_replaced(
    opened: Opened, csv: bytes, name: str, content: bytes
) -> None:
    page = upload(opened("data"), name, content)
    assert not page.exception
    assert len(page.error) == 1
    assert page.error[0].value.count(".") >= 2
    assert session_of(page).data.table is None
    uploader(page, "CSV").set_value(("mine.csv", csv, "text/csv"))
    page.run()
    assert session_of(page).data.table is not None


def test_a_file_on_this_machine_is_opened_by_its_path(
    opened: Opened, csv: bytes, tmp_path: Path
) -> None:
    place = tmp_path / "there.csv"
    place.write_bytes(csv)
    page = opened("data")
    page.text_input(key="table-path").input(str(place))
    next(each for each in page.button if each.label == "Open this path").click().run()
    assert session_of(page).data.table is not None


def test_a_path_that_leads_nowhere_is_refused(opened: Opened, tmp_path: Path) -> None:
    page = opened("data")
    page.text_input(key="table-path").input(str(tmp_path / "none.csv"))
    next(each for each in page.button if each.label == "Open this path").click().run()
    assert len(page.error) == 1


def test_forty_columns_are_as_usable_as_three(opened: Opened) -> None:
    header = ",".join(f"c{i}" for i in range(40))
    rows = [",".join(str((i * j) % 7) for j in range(40)) for i in range(60)]
    page = open_answered(opened("data"), "wide.csv", "\n".join([header, *rows]).encode())
    assert not page.exception
    assert len(page.selectbox(key="column").options) == 40


def test_how_a_file_is_read_is_shown_changed_and_part_of_what_is_confirmed(
    opened: Opened, said: Callable[[AppTest], str]
) -> None:
    rows = "".join(f"{'Zürich' if number % 2 else 'Genève'};{number % 5}\n" for number in range(60))
    page = open_answered(opened("data"), "mine.csv", f"place;kind\n{rows}".encode("cp1252"))
    session = session_of(page)
    assert session.settings.schema is not None
    assert session.settings.schema.reading is not None
    assert session.settings.schema.reading.separator == ";"
    assert session.settings.schema.reading.encoding == "cp1252"
    assert "not UTF-8" in said(page)
    session.describe(session.settings.schema.declare_public())
    page.run()
    assert session_of(page).settings.declared
    field = next(each for each in page.text_input if each.label.startswith("Encoding: how"))
    field.set_value("cp1250")
    next(each for each in page.button if each.label == "Read it like this").click()
    page.run()
    assert not page.exception
    session = session_of(page)
    assert session.settings.schema is not None
    assert session.settings.schema.reading is not None
    assert session.settings.schema.reading.encoding == "cp1250"
    assert session.data.table is not None
    assert session.data.table.raw.reading == session.settings.schema.reading
    assert not session.settings.declared
    assert "the way the file is read changed" in said(page)


def test_an_encoding_that_does_not_exist_is_answered_beside_the_form(
    opened: Opened, csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    field = next(each for each in page.text_input if each.label.startswith("Encoding: how"))
    field.set_value("klingon")
    next(each for each in page.button if each.label == "Read it like this").click()
    page.run()
    assert [each.value for each in page.error if "no text encoding" in each.value]
    assert session_of(page).data.table is not None
