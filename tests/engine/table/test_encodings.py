"""Encodings that may be declared: what a line means in them depends on that line alone."""

from __future__ import annotations

import codecs
import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table import encodings
from understudy.table.encodings import SEVERAL_BYTES, canonical_name, marked_encoding, to_utf8
from understudy.table.formula_safety import csv_line, escape_formula, is_formula, unescape_formula

SIGNS = b"\n\r"


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("UTF8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("windows-1252", "cp1252"),
        ("latin-1", "iso8859-1"),
        ("mac-roman", "mac-roman"),
        ("utf_16_le", "utf-16-le"),
        ("cp037", "cp037"),
    ],
)
def test_each_encoding_has_one_name(given_name, name):
    assert canonical_name(given_name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("utf-7", "hz", "iso2022_jp", "iso2022_kr", "punycode", "idna", "unicode_escape"),
        *("utf-16", "utf-32", "charmap", "rot13", "base64", "klingon"),
    ],
)
def test_what_carries_a_state_or_is_no_encoding_cannot_be_declared(name):
    with pytest.raises(Refusal) as refused:
        canonical_name(name)
    assert refused.value.field == "encoding"


@pytest.mark.parametrize("encoding", SEVERAL_BYTES)
def test_no_longer_character_holds_a_line_end(encoding):
    for lead in range(0x80, 0x100):
        for sign in SIGNS:
            assert _length(bytes([lead, sign]), encoding) != 1
        for trail in range(0x30, 0x100):
            for sign in SIGNS:
                together = _length(bytes([lead, trail, sign]), encoding)
                alone = _length(bytes([lead, trail]), encoding)
                assert together is None or alone is not None


def _length(data: bytes, encoding: str) -> int | None:
    try:
        return len(data.decode(encoding))
    except UnicodeDecodeError:
        return None


lines = st.lists(st.binary(max_size=8) | st.text(max_size=4).map(str.encode), max_size=6)


@given(lines, st.sampled_from([*SEVERAL_BYTES[1:], "cp1252", "ascii", "cp037"]), st.data())
@settings(deadline=None, max_examples=200)
def test_a_line_comes_out_the_same_whatever_is_around_it(lines, encoding, data):
    end = "\n".encode(encoding)
    whole = [line.replace(end, b"") for line in lines]
    alone = [bytes(to_utf8(line, encoding, "\n", "t")) for line in whole]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encodings, "_BLOCK", data.draw(st.integers(1, 9)))
        together = bytes(to_utf8(end.join(whole), encoding, "\n", "t"))
    assert together == b"\n".join(alone)


@given(st.lists(st.lists(st.integers(0, 0xFFFF).filter(lambda unit: unit != 10), max_size=5)))
@settings(deadline=None, max_examples=150)
def test_a_line_of_any_units_comes_out_the_same(lines):
    whole = [b"".join(unit.to_bytes(2, "little") for unit in line) for line in lines]
    alone = [bytes(to_utf8(b"\n\0" + line, "utf-16-le", "\n", "t"))[1:] for line in whole]
    together = bytes(to_utf8(b"\n\0" + b"\n\0".join(whole), "utf-16-le", "\n", "t"))[1:]
    assert together == b"\n".join(alone)


def test_half_a_unit_is_refused():
    with pytest.raises(Refusal) as refused:
        to_utf8("a,b\n".encode("utf-16-le") + b"x", "utf-16-le", "\n", "t.csv")
    assert "cut short" in refused.value.problem


def test_a_byte_order_mark_is_skipped_at_the_beginning_only():
    data = codecs.BOM_UTF8 + b"a\n" + codecs.BOM_UTF8 + b"b"
    assert marked_encoding(data) == "utf-8"
    assert bytes(to_utf8(data, "utf-8", "\n", "t")) == b"a\n" + codecs.BOM_UTF8 + b"b"
    assert marked_encoding("x".encode("utf-32")) == "utf-32-le"


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
