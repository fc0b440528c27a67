"""Rows that are no records are noticed, whatever the order of the rows, and nothing else is."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.encoding import outside
from understudy.table.sources.csv.neighbour_files import records_of
from understudy.table.sources.odd_rows import find_odd_rows
from understudy.table.sources.reading import read_table

ROWS = tuple(f"{50 + place},{150 + 2 * place},{'abc'[place % 3]}" for place in range(30))


def csv_of(rows: tuple[str, ...]) -> bytes:
    return "\n".join(["weight,height,group", *rows, ""]).encode()


@pytest.mark.parametrize(
    ("row", "sort", "words", "rules"),
    [
        ("kg,cm,-", "words", "holds words where all others hold numbers", ["begins with kg"]),
        ("weight,height,group", "again", "names the columns again", ["names again"]),
        (",,Source: office", "footers", "one cell alone", ["group begins with Source: office"]),
        ("Source: office,,", "footers", "one cell alone", ["first value alone"]),
        ("Total,sum,", "words", "holds words", ["begins with Total"]),
    ],
)
@given(place=st.integers(0, 30))
def test_a_row_that_is_no_record_is_noticed_wherever_it_stands(
    row: str, sort: str, words: str, rules: list[str], place: int
) -> None:
    raw = read_table(csv_of((*ROWS[:place], row, *ROWS[place:])), name="t.csv")
    odd = find_odd_rows(raw)
    assert odd.all.tolist() == getattr(odd, sort).tolist() == [place]
    assert words in odd.notes()[0]
    assert odd.notes()[0] in raw.notes
    # By the rules that are offered, that row alone is left out.
    if rules:
        ruled = read_table(
            csv_of((*ROWS[:place], row, *ROWS[place:])),
            raw.reading.changed(leave_out=odd.all_rules),
            name="t.csv",
        )
        assert records_of(ruled) == records_of(read_table(csv_of(ROWS), name="t.csv"))
    assert [rule.line for rule in odd.all_rules] == rules
    found, plain = suggest_schema(raw), suggest_schema(read_table(csv_of(ROWS), name="t.csv"))
    assert found.schema.columns == plain.schema.columns
    assert outside(raw, found.schema)[0].total == 1
    declared = read_table(csv_of((*ROWS, row)), raw.reading, name="t.csv")
    assert declared.notes == ()


@given(st.permutations(["kg,cm,", "weight,height,group", "Source: office,,", *ROWS]))
def test_rows_of_every_sort_are_noticed_beside_each_other(rows: list[str]) -> None:
    raw = read_table(csv_of(tuple(rows)), name="t.csv")
    odd = find_odd_rows(raw)
    assert len(odd.all) == 3
    lines = {rule.line for rule in odd.all_rules}
    assert lines == {"names again", "begins with kg", "first value alone"}
    declared = raw.reading.changed(leave_out=odd.all_rules)
    ruled = read_table(csv_of(tuple(rows)), declared, name="t.csv")
    assert sorted(records_of(ruled)) == sorted(records_of(read_table(csv_of(ROWS), name="t.csv")))
    assert not len(find_odd_rows(ruled).all)


@pytest.mark.parametrize(
    "row", ["unknown,160,a", "80,160,kg", "80,,a", ",160,b", "weight,160,a", "80,160,group"]
)
def test_records_are_no_odd_rows(row: str) -> None:
    raw = read_table(csv_of((*ROWS, row)), name="t.csv")
    assert not len(find_odd_rows(raw).all)
    assert not raw.notes
    blank = (*ROWS, ",,a", "50,,b", ",160,c")
    assert not len(find_odd_rows(read_table(csv_of(blank), name="t.csv")).all)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n', "is JSON"),
        ('[{"a": 1, "b": "x"},\n {"a": 2, "b": "y"}]\n', "is JSON"),
        ("<!DOCTYPE html>\n<html><table><tr><td>1</td></tr></table></html>\n", "a web page or XML"),
        ("  <html>\n<body>a,b</body></html>\n", "a web page or XML"),
        ('<?xml version="1.0"?>\n<a><b/></a>\n', "a web page or XML"),
    ],
)
def test_what_is_no_table_of_lines_is_refused_by_name(text: str, words: str) -> None:
    with pytest.raises(Refusal, match=words) as refusal:
        read_table(text.encode(), name="t.csv")
    assert refusal.value.field == "table"


def test_braces_and_brackets_in_a_table_are_only_that() -> None:
    for text in ("{a},b\n{1},2\n{3},4\n", "[a],b\n1,2\n3,4\n", "{,}\n{,}\n{,}\n"):
        assert read_table(text.encode(), name="t.csv").rows == 2


def book_of(*states: str) -> bytes:
    book = openpyxl.Workbook()
    for number, state in enumerate(states):
        sheet = book.active if not number else book.create_sheet()
        sheet.title = f"s{number}"
        sheet.sheet_state = state
        for row in (("a", "b"), (number, "x"), (number, "y")):
            sheet.append(row)
    if "visible" in states:
        book.active = states.index("visible")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_is_read_only_if_it_is_named(state: str) -> None:
    data = book_of(state, "visible", state)
    raw = read_table(data, name="t.xlsx")
    assert raw.reading.sheet == "s1"
    assert raw.distinct("a")[0] == ["", "1"]
    assert "2 others are hidden" in raw.notes[0]
    assert read_table(data, name="t.xlsx", sheet="s0").distinct("a")[0] == ["", "0"]
    again = read_table(data, raw.reading, name="t.xlsx")
    assert again.distinct("a")[0] == ["", "1"]
    unnamed = read_table(data, raw.reading.changed(sheet=None), name="t.xlsx")
    assert unnamed.distinct("a")[0] == ["", "1"]


def test_a_workbook_whose_sheets_are_all_hidden_is_refused() -> None:
    # The library does not write such a file of itself.
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(book_of("visible", "hidden"))) as book,
        zipfile.ZipFile(file, "w") as changed,
    ):
        for name in book.namelist():
            changed.writestr(name, book.read(name).replace(b'state="visible"', b'state="hidden"'))
    with pytest.raises(Refusal, match="All sheets of") as refusal:
        read_table(file.getvalue(), name="t.xlsx")
    assert refusal.value.field == "sheet"
    assert read_table(file.getvalue(), name="t.xlsx", sheet="s1").distinct("a")[0] == ["", "1"]
