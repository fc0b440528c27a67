from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.formula_safety import csv_line, escape_formula, is_formula, unescape_formula

TEXTS = st.text(st.sampled_from("=+-@'\t\r\n,\"a1. ＝＋－＠e\ufeff\u3000"), max_size=8) | st.text(
    max_size=12
)


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+a",
        "-",
        "@SUM(A1)",
        "\tx",
        "\rx",
        "＝1",
        "'=1",
        "''@x",
        "=HYPERLINK(1)",
        "-1+2",
        " =1",
        "\xa0\u3000@x",
        " '=1",
        "\ufeff=1",
        "\0=1",
        "\u200b+a",
        "﹦1",
    ],
)
def test_what_a_spreadsheet_may_compute_gets_an_apostrophe(text: str) -> None:
    assert escape_formula(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["-5", "+40.0", "-1.5e3", "a=1", "", "'", "'a", "1-2", "x@y", " -5", " ", " a"]
)
def test_numbers_and_plain_texts_stay(text: str) -> None:
    assert escape_formula(text) == text


@given(TEXTS)
def test_it_is_undone_exactly(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text


@given(TEXTS, TEXTS)
def test_no_two_texts_become_one(one: str, other: str) -> None:
    assert (escape_formula(one) == escape_formula(other)) == (one == other)


@given(TEXTS)
def test_nothing_that_was_made_harmless_begins_as_a_formula(text: str) -> None:
    shown = escape_formula(text)
    assert shown.startswith("'") or not is_formula(shown)


@given(st.lists(TEXTS.filter(lambda text: "\r" not in text and "\n" not in text), min_size=2))
def test_a_line_reads_back_as_the_same_cells(cells: list[str]) -> None:
    (read,) = csv.reader(io.StringIO(csv_line(cells), newline=""))
    assert [unescape_formula(cell) for cell in read] == cells
