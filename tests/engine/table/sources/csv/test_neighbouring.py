"""The property of reading, for text files: a record more changes how no other one is read."""

from __future__ import annotations

import codecs
import csv
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.cells import NOT_APART, NOT_TEXT
from understudy.table.column import Column
from understudy.table.declared_reading import Reading, usual
from understudy.table.encoding import encode
from understudy.table.schema import Schema
from understudy.table.sources.csv.neighbouring import (
    reads_alike,
    records_of,
    restrict_table,
    split_lines,
    with_line,
)
from understudy.table.sources.reading import read_table

ENCODINGS = ("utf-8", "cp1252", "iso8859-1", "shift_jis", "gb18030", "big5", "cp037", "utf-16-le")
"""One of each kind: self-synchronising, one byte with gaps and without, two bytes with trails that
are ASCII, four, EBCDIC, and units of two bytes."""

HOSTILE = (
    b'"',
    b'"a,1',
    b'1,"2',
    b"'a,1",
    b"a;1",
    b"a\t1",
    b"a|1",
    b"1",
    b"1,2,3,4",
    b",,,,,,",
    b"a\rb,1",
    b"\r",
    b"\0,\0",
    b"1\0,2",
    b"",
    b"   ",
    b"\t",
    b"\xef\xbb\xbfa,1",
    b"\xff\xfe",
    b"Z\xfcrich,1",
    b"\x81,1",
    b"1,\x81",
    b"\xe2,\x82",
    b'"\xe2",1',
    b"2024-01-01 10:30:00,2024-01-02",
    b"9" * 400 + b",1e999999",
    b"x" * 5000 + b",1",
    b"NA,null",
    b"a,b",
    b'"a""b","c"d',
    b'a"b,c',
    b"\xd8\x00",
    b"SPSSPORT,1",
    b"ENCRYPTEDSAV,1",
)
"""Lines that a file of two columns should not have."""

readings = st.builds(
    Reading,
    kind=st.just("csv"),
    encoding=st.sampled_from(ENCODINGS),
    separator=st.sampled_from(",;\t|"),
    quote=st.sampled_from(['"', "'", None]),
    carriage_returns=st.booleans(),
)
cells = st.text("a1é東 ,;\"|\t'\0", max_size=4)


def file_of(rows: list[tuple[str, str]], reading: Reading) -> bytes:
    """A file that keeps to a reading, as far as its encoding and quotation marks go."""
    assert reading.encoding is not None
    assert reading.separator is not None
    lines = [reading.separator.join(_cell(text, reading) for text in row) for row in rows]
    end = "\r" if reading.carriage_returns else "\n"
    return (end.join([f"a{reading.separator}b", *lines]) + end).encode(reading.encoding, "replace")


def _cell(text: str, reading: Reading) -> str:
    if reading.quote is None:
        return text
    return reading.quote + text.replace(reading.quote, reading.quote * 2) + reading.quote


def lines_of(reading: Reading) -> st.SearchStrategy[bytes]:
    """Lines without an end in them: hostile ones, and any bytes, in whole units."""
    assert reading.encoding is not None
    end = ("\r" if reading.carriage_returns else "\n").encode(reading.encoding)
    anything = st.binary(max_size=12) | st.sampled_from(HOSTILE)
    spelled = st.text(max_size=6).map(lambda text: text.encode(reading.encoding, "replace"))

    def whole(line: bytes) -> bytes:
        line = line[: len(line) // len(end) * len(end)]
        units = [line[at : at + len(end)] for at in range(0, len(line), len(end))]
        return b"".join(unit for unit in units if unit != end)

    return (anything | spelled).map(whole)


@given(st.data(), readings)
@settings(deadline=None, max_examples=120)
def test_a_line_more_changes_how_no_other_is_read(data, reading):
    rows = data.draw(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
    file = file_of(rows, reading)
    line = data.draw(lines_of(reading))
    place = data.draw(st.integers(1, len(rows) + 1))
    smaller = _read(file, reading)
    larger = _read(with_line(file, line, place, reading), reading)
    if smaller is None or larger is None:
        # A table needs a record.
        assert smaller is None
        return
    before = _rows_before(file, place, reading)
    assert larger.rows - smaller.rows in (0, 1)
    assert reads_alike(smaller, larger, before)


@pytest.mark.parametrize("reading", [usual("csv"), usual("csv").changed(encoding="utf-16-le")])
@pytest.mark.parametrize("line", HOSTILE)
def test_hostile_lines_first_in_the_middle_and_last(reading, line):
    rows = [("Zürich", "1"), ('a "b", c', "2"), ("", "3"), ("x", "4")]
    file = file_of(rows, reading)
    line = line if reading.encoding == "utf-8" else line[: len(line) // 2 * 2]
    smaller = read_table(file, reading, name="t.csv")
    assert records_of(smaller) == rows
    for place in range(1, 6):
        larger = read_table(with_line(file, line, place, reading), reading, name="t.csv")
        assert reads_alike(smaller, larger, place - 1)


def test_a_value_in_another_encoding_spoils_nothing_but_itself():
    rows = ["Zürich,1"] * 994 + ["Bern,2"] * 1006
    data = ("place,kind\n" + "\n".join(rows) + "\n").encode() + b"Gen\xe8ve,1\n"
    for found in (read_table(data, name="t.csv"), read_table(data, usual("csv"), name="t.csv")):
        assert found.reading == usual("csv")
        places = [place for place, _ in records_of(found)]
        assert places.count("Zürich") == 994
        assert places.count(NOT_TEXT) == 1


def test_a_row_that_begins_with_a_quotation_mark_spoils_nothing_but_itself():
    lines = [f"{number % 7},{number % 3}" for number in range(1999)]
    for place in (0, 700, 1999):
        rows = [*lines[:place], '"Joe,1', *lines[place:]]
        data = ("a,b\n" + "\n".join(rows) + "\n").encode()
        for found in (read_table(data, name="t.csv"), read_table(data, usual("csv"), name="t.csv")):
            assert found.rows == 2000
            assert restrict_table(found, place, 1) == [tuple(line.split(",")) for line in lines]


def test_no_record_says_what_kind_of_file_it_is():
    """Where another kind of file has its mark, a text file has records."""
    for header, record in (
        (b"PAR1,b", b"x,PAR1"),
        (b"a,b", b"SPSSPORT,1"),
        (b"a,b", b"xENCRYPTEDSAV,1"),
    ):
        found = read_table(header + b"\n1,2\n" + record, usual("csv"), name="t.csv")
        assert records_of(found) == [("1", "2"), tuple(record.decode().split(","))]


def test_two_rows_that_begin_with_a_quotation_mark_swallow_nothing():
    lines = ['"Joe,1', *[f"{number % 7},{number % 3}" for number in range(1999)], '"Jim,1']
    found = read_table(("a,b\n" + "\n".join(lines) + "\n").encode(), name="t.csv")
    assert found.rows == 2001
    assert found.unreadable("a") == {NOT_APART: 2}


def test_unreadable_values_fall_under_the_policy():
    schema = Schema(
        columns=tuple(
            Column(name=name, domain=Categories(values=("1", "2")), missing=True) for name in "ab"
        )
    )
    found = read_table(b'a,b\n1,2\n\xff,1\n"1,2\n2,2\n', usual("csv"), name="t.csv")
    with pytest.raises(Refusal) as refused:
        encode(found, schema)
    assert "1 not text in the declared encoding" in refused.value.problem
    assert "1 in lines with another number of cells" in refused.value.problem
    records = encode(found, schema, {"a": "missing", "b": "missing"})
    assert records.codes.tolist() == [[0, 1], [2, 0], [2, 2], [1, 1]]


@given(st.data(), st.sampled_from(["\n", "\r"]))
@settings(deadline=None, max_examples=60)
@example(None, "\n")
def test_a_record_of_several_lines_changes_how_no_other_is_read(data, end):
    reading = usual("csv").changed(line_breaks=True, carriage_returns=end == "\r")
    texts = st.text(f'a1,"{end}é', max_size=5)
    rows = (
        [("1", "2")] if data is None else data.draw(st.lists(st.tuples(texts, texts), min_size=1))
    )
    added = [["x"]] if data is None else [data.draw(st.lists(texts, min_size=1, max_size=3))]
    lines = [",".join(_cell(text, reading) for text in row) for row in [*rows, *added]]
    place = len(rows) if data is None else data.draw(st.integers(0, len(rows)))
    smaller = _of_lines(lines[:-1], end, reading)
    larger = _of_lines([*lines[:place], lines[-1], *lines[place:-1]], end, reading)
    assert records_of(smaller) == rows
    assert reads_alike(smaller, larger, place)


def _of_lines(lines: list[str], end: str, reading: Reading):
    return read_table(end.join(["a,b", *lines]).encode(), reading, name="t.csv")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lines_put_in_and_taken_out(encoding):
    reading = usual("csv").changed(encoding=encoding)
    file = "a,b\nx,1\n\ny,2".encode(encoding)
    assert len(split_lines(file, reading)) == 4
    more = with_line(file, "z,3".encode(encoding), 1, reading)
    assert more.decode(encoding) == "a,b\nz,3\nx,1\n\ny,2"
    marked = codecs.BOM_UTF16_LE + file if encoding == "utf-16-le" else file
    assert records_of(read_table(marked, reading, name="t.csv")) == [("x", "1"), ("y", "2")]


def _read(data: bytes, reading: Reading):
    try:
        return read_table(data, reading, name="t.csv")
    except Refusal as refusal:
        if "no records" not in refusal.problem:
            raise
        return None


def _rows_before(file: bytes, place: int, reading: Reading) -> int:
    """How many records stand before a line, by reading what comes before it alone."""
    assert reading.encoding is not None
    end = ("\r" if reading.carriage_returns else "\n").encode(reading.encoding)
    found = _read(end.join(split_lines(file, reading)[:place]), reading)
    return 0 if found is None else found.rows


def test_what_lets_one_line_decide_for_others_is_noticed():
    """Reading a whole file at once, as other programs do, breaks the property with these lines."""
    file = "a,b\nZürich,1\nx,2\n".encode()
    for line in (b"Gen\xe8ve,1", b'"x,1'):
        smaller = _at_once(file)
        larger = _at_once(with_line(file, line, 1, usual("csv")))
        assert larger[1:][-len(smaller) + 1 :] != smaller[1:]


def _at_once(data: bytes) -> list[list[str]]:
    """The rows by one encoding for all, and quotation marks that run on."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("cp1252")
    return list(csv.reader(io.StringIO(text, newline="")))
