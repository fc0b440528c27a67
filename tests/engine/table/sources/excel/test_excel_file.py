"""Excel workbooks as texts."""

import datetime
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.engine.table.builders import excel, read, refused, texts
from tests.engine.table.neighbours import KEPT, ODD_TEXTS, check_alike
from understudy.assurance.hostile_files import Record
from understudy.core.refusal import Refusal
from understudy.table.cells import NOT_A_VALUE, NOT_APART, cell_text
from understudy.table.raw import RawTable
from understudy.table.sources.excel.excel_file import read_excel
from understudy.table.sources.source import open_source


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


def part(data: bytes, change: Callable[[str], str], name: str = "sheet1.xml") -> bytes:
    """A workbook with one of its parts changed."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for each in old.namelist():
            text = old.read(each)
            new.writestr(each, change(text.decode()) if each.endswith(name) else text)
    return made.getvalue()


_REF = 'ref="[A-Z0-9:]+"'
_TWO = [["a", "b"], *([each, f"t{each}"] for each in range(30))]


@pytest.mark.parametrize("ref", ["A1:B5", "A1", "A1:A31", "A1:XFD1048576", "B2:C3"])
def test_what_a_sheet_says_of_its_dimensions_plays_no_part(ref: str) -> None:
    data = part(excel(_TWO), lambda xml: re.sub(_REF, f'ref="{ref}"', xml, count=1))
    found = read(data, "table.xlsx")
    assert texts(found, "a") == [str(each) for each in range(30)]
    assert texts(found, "b") == [f"t{each}" for each in range(30)]


def test_a_cell_in_the_last_corner_takes_no_memory_for_those_before_it() -> None:
    data = excel([["a", "b"], [1, 2]])
    corner = '<row r="1048576"><c r="XFD1048576"><v>9</v></c></row></sheetData>'
    found = read(part(data, lambda xml: xml.replace("</sheetData>", corner)), "table.xlsx")
    assert texts(found, "a") == ["1", NOT_APART]
    header = '<c r="XFD1" t="inlineStr"><is><t>z</t></is></c></row>'
    far = part(data, lambda xml: xml.replace("</row>", header, 1))
    assert "has no name" in refused(far, "table.xlsx").problem


def test_more_cells_than_a_file_can_stand_for_are_refused_as_they_are_met() -> None:
    names = [f"c{place}" for place in range(2000)]
    data = excel([names, [1, 2]])
    rows = "".join(f'<row r="{row}"><c r="A{row}"><v>1</v></c></row>' for row in range(3, 12_000))
    large = part(data, lambda xml: xml.replace("</sheetData>", f"{rows}</sheetData>"))
    assert "more memory" in refused(large, "table.xlsx").problem


def test_a_formula_without_a_result_is_no_empty_cell() -> None:
    data = excel([["a", "b"], [1, "=A2*2"], [2, "=A3*2"], [3, 7]])
    found = read(data, "table.xlsx")
    assert texts(found, "b") == [NOT_A_VALUE, NOT_A_VALUE, "7"]
    assert any("2 cells of column “b” are formulas" in note for note in found.notes)
    with_results = part(data, lambda xml: xml.replace("<v />", "<v>4</v>"))
    found = read(with_results, "table.xlsx")
    assert texts(found, "b") == ["4", "4", "7"]
    assert not found.notes
    of_text = part(data, lambda xml: re.sub(r'<c r="(B\d)"><f>', r'<c r="\1" t="str"><f>', xml))
    assert texts(read(of_text, "table.xlsx"), "b") == ["", "", "7"]


def test_cells_under_merged_ones_are_no_empty_cells() -> None:
    book = openpyxl.load_workbook(
        io.BytesIO(excel([["a", "b", "c"], *([each, each, each] for each in range(1, 7))]))
    )
    book.worksheets[0].merge_cells("A3:A5")
    book.worksheets[0].merge_cells("B6:C6")
    sink = io.BytesIO()
    book.save(sink)
    found = read(sink.getvalue(), "table.xlsx")
    assert texts(found, "a") == ["1", "2", NOT_A_VALUE, NOT_A_VALUE, "5", "6"]
    assert texts(found, "b") == ["1", "2", "3", "4", "5", "6"]
    assert texts(found, "c") == ["1", "2", "3", "4", NOT_A_VALUE, "6"]
    assert [note[:23] for note in found.notes] == [
        "2 cells of column “a” l",
        "1 cells of column “c” l",
    ]


def test_cells_merged_again_and_again_are_refused() -> None:
    merged = "<mergeCells>" + '<mergeCell ref="A1:B31"/>' * 9 + "</mergeCells>"
    data = part(excel(_TWO), lambda xml: xml.replace("</sheetData>", f"</sheetData>{merged}"))
    assert "not a readable" in refused(data, "table.xlsx").problem


@pytest.mark.parametrize(
    ("form", "value", "text", "noted"),
    [
        ("00000", 40, "00040", False),
        ("00000", -40, "-00040", False),
        ("00000", 123_456, "123456", False),
        ("00000", 0.5, "0.5", True),
        ("000-00-0000", 40, "40", True),
        ('"ID"000', 40, "40", True),
        ("0", 40, "40", False),
        ("0.00", 40, "40", False),
        ("#,##0.00", 4000, "4000", False),
        ("0.00E+00", 40, "40", False),
        ("00000", "040", "040", False),
    ],
)
def test_zeros_in_front_are_read_as_shown_or_noted(
    form: str, value: object, text: str, noted: bool
) -> None:
    book = openpyxl.load_workbook(io.BytesIO(excel([["area", "b"], [value, 1], [value, 2]])))
    for row in (2, 3):
        book.worksheets[0].cell(row, 1).number_format = form
    sink = io.BytesIO()
    book.save(sink)
    found = read(sink.getvalue(), "table.xlsx")
    assert texts(found, "area") == [text, text]
    assert any("area" in note for note in found.notes) == noted


def test_a_day_beyond_the_calendar_is_no_category() -> None:
    data = excel(
        [["a", "b"], [datetime.datetime(2020, 1, 2), 1], [datetime.datetime(2020, 1, 3), 2]]
    )
    far = part(data, lambda xml: xml.replace("<v>43833</v>", "<v>99999999</v>"))
    found = read(far, "table.xlsx")
    assert texts(found, "a") == ["2020-01-02", NOT_A_VALUE]
    assert (
        "1 cells of column “a” are shown as days that the calendar does not have" in found.notes[0]
    )


@pytest.mark.parametrize(
    ("serial", "form", "text"),
    [
        (1, "yyyy-mm-dd", "1900-01-01"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (60, "yyyy-mm-dd", NOT_A_VALUE),
        (60.5, "dd/mm/yyyy hh:mm", NOT_A_VALUE),
        (61, "yyyy-mm-dd", "1900-03-01"),
        (0, "yyyy-mm-dd", NOT_A_VALUE),
        (0.5, "d.m.yy h:mm", NOT_A_VALUE),
        (0, "mmm", NOT_A_VALUE),
        (-1, "yyyy-mm-dd", NOT_A_VALUE),
        (0, "hh:mm", "00:00:00"),
        (0.5, "hh:mm:ss", "12:00:00"),
        (0.25, "h:mm AM/PM", "06:00:00"),
        (45000, "yyyy-mm-dd", "2023-03-15"),
        (45000.75, "yyyy-mm-dd hh:mm", "2023-03-15 18:00:00"),
    ],
)
def test_a_number_shown_as_a_day_is_that_day_or_none(serial: float, form: str, text: str) -> None:
    book = openpyxl.load_workbook(io.BytesIO(excel([["a", "b"], [1, 1], [2, 2]])))
    book.worksheets[0].cell(2, 1).value = serial
    book.worksheets[0].cell(2, 1).number_format = form
    sink = io.BytesIO()
    book.save(sink)
    found = read(sink.getvalue(), "table.xlsx")
    assert texts(found, "a") == [text, "2"]
    assert any("“a” are shown as days" in note for note in found.notes) is (text == NOT_A_VALUE)


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="2"><c r="A2"><v>9</v></c></row>',
        '<row r="40"><c r="B40"><v>9</v></c><c r="A40"><v>9</v></c></row>',
        '<row r="40"><c r="A41"><v>9</v></c></row>',
        '<row r="40"><c r="A40"><v>9</v></c><c r="A40"><v>8</v></c></row>',
        '<row r="1048577"><c><v>9</v></c></row>',
        '<row r="40"><c r="ZZZZ40"><v>9</v></c></row>',
        '<row r="40"><c r="A40" t="s"><v>99</v></c></row>',
    ],
)
def test_cells_out_of_place_are_refused(rows: str) -> None:
    data = part(excel(_TWO), lambda xml: xml.replace("</sheetData>", f"{rows}</sheetData>"))
    assert "not a readable" in refused(data, "table.xlsx").problem


_CELLS = st.lists(
    st.tuples(
        st.none() | st.text("ab 0é<&", max_size=4) | st.integers(-999, 999) | st.booleans(),
        st.none() | st.sampled_from(["=1+1", 40, 0.5, datetime.datetime(2020, 1, 2, 3, 4)]),
        st.sampled_from(["General", "00000", "0.00"]),
    ),
    min_size=1,
    max_size=6,
)


@given(_CELLS, st.sampled_from(["A1:B9", "A1", "A1:B2"]), st.lists(st.integers(2, 6), max_size=1))
def test_what_is_read_is_what_the_library_reads_in_full_or_noted(
    rows: list[tuple[object, object, str]], ref: str, merged: list[int]
) -> None:
    assume(all(any(each not in (None, "") for each in row[:2]) for row in rows))
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["a", "b"])
    for row in rows:
        sheet.append(row[:2])
        sheet.cell(sheet.max_row, 1).number_format = row[2]
    for row in merged:
        sheet.merge_cells(start_row=row, end_row=row, start_column=1, end_column=2)
    sink = io.BytesIO()
    book.save(sink)
    data = part(sink.getvalue(), lambda xml: re.sub(_REF, f'ref="{ref}"', xml, count=1))
    try:
        found = here(data)
    except Refusal:
        return
    full = openpyxl.load_workbook(io.BytesIO(data), data_only=False).worksheets[0]
    theirs = [
        row for row in full.iter_rows(min_row=2) if any(cell.value is not None for cell in row)
    ]
    assert found.rows == len(theirs)
    for name, place in (("a", 0), ("b", 1)):
        odd = any(f"“{name}”" in note for note in found.notes)
        for text, row in zip(texts(found, name), theirs, strict=True):
            assert text == shown(row[place]) or (odd and text == NOT_A_VALUE)


def here(data: bytes) -> RawTable:
    """A workbook, read in this process."""
    return read_excel(open_source(data, "table.xlsx", len(data)), sheet=None, limit=1 << 30)


def shown(cell: Any) -> str:
    """A cell as a spreadsheet shows it, where it shows zeros in front."""
    text = cell_text(cell.value)
    if cell.number_format == "00000" and type(cell.value) is int:
        return f"{cell.value:0{6 if cell.value < 0 else 5}d}"
    return text


@settings(max_examples=20, deadline=None)
@given(KEPT, ODD_TEXTS, st.integers(0, 9))
def test_one_record_more_changes_how_no_other_is_read(
    kept: list[Record], odd: Record, place: int
) -> None:
    # A row of empty cells is no record.
    assume(all(any(each not in (None, "") for each in record) for record in kept))
    check_alike("Excel", kept, odd, place)
