"""Excel workbooks as texts."""

import datetime
import io
import zipfile

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.audit.hostile import Record
from engine.table.unreadable import NOT_APART
from tests.engine.table.neighbours import KEPT, ODD_TEXTS, check_alike
from tests.engine.table.uploads import excel, read, refused, texts


def test_excel_cells_become_texts():
    day = datetime.datetime(2020, 1, 2)
    rows = [
        [None, None, None, None],
        ["a", "b", "c", "d"],
        [40, 0.5, True, day],
        [None, None, None, None],
        ["040", 3.0, None, day.replace(hour=12)],
        [1, None, None, None],
    ]
    table = read(excel(rows), "table.xlsx")
    assert texts(table, "a") == ["40", "040", "1"]
    assert texts(table, "b") == ["0.5", "3", ""]
    assert texts(table, "c") == ["true", "", ""]
    assert texts(table, "d") == ["2020-01-02", "2020-01-02 12:00:00", ""]


def test_a_row_with_more_cells_than_the_header_takes_no_other_with_it():
    table = read(excel([["a", "b", None], [1, 2], [1, 2, "x"], [1, 2, None]]), "table.xlsx")
    assert texts(table, "a") == ["1", NOT_APART, "1"]
    assert texts(table, "b") == ["2", NOT_APART, "2"]


def test_the_first_sheet_is_read_unless_another_is_named():
    data = excel([["a", "b"], [1, 2]], [["c", "d"], [3, 4]])
    assert read(data, "table.xlsx").names == ("a", "b")
    assert "sheet0" in read(data, "table.xlsx").notes[0]
    assert read(data, "table.xlsx", sheet="sheet1").names == ("c", "d")
    assert not read(data, "table.xlsx", sheet="sheet1").notes
    assert refused(data, "table.xlsx", sheet="sheet9").field == "sheet"
    assert refused("a,b\n1,2\n", sheet="sheet0").field == "sheet"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04" + b"SECRET" * 20, "not a readable Excel workbook"),
        (b"a,b\n1,2\n", "is not an Excel workbook"),
        (excel([]), "is empty"),
        (excel([["a", "b"]]), "no records"),
        (excel([["a"], [1]]), "only one column"),
        (excel([["a", None, "c"], [1, 2, 3]]), "Column 2 of table.xlsx has no name"),
    ],
)
def test_excel_files_that_are_no_tables(data, words):
    assert words in refused(data, "table.xlsx").problem


def test_a_zip_that_is_no_workbook():
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a.txt", "SECRET")
    assert "not a readable" in refused(sink.getvalue(), "table.xlsx").problem


def test_a_workbook_that_unpacks_beyond_the_limit():
    data = excel([["a", "b"]] + [[1, 2]] * 2000)
    assert "unpacks" in refused(data, "table.xlsx", limit_bytes=len(data) + 1).problem


@settings(max_examples=20, deadline=None)
@given(KEPT, ODD_TEXTS, st.integers(0, 9))
def test_one_record_more_changes_how_no_other_is_read(
    kept: list[Record], odd: Record, place: int
) -> None:
    # A sheet of empty cells is no table.
    assume(any(any(each not in (None, "") for each in record) for record in kept))
    check_alike("Excel", kept, odd, place)
