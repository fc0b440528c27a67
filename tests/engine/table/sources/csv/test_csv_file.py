"""CSV files: separator, quotation marks, line ends and encoding found, and what is refused. The
property of reading, for text files: a record more changes how no other one is read.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.engine.table.builders import read, refused, texts
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.cells import NOT_APART, NOT_TEXT
from understudy.table.column import Column
from understudy.table.declared_reading import Reading, usual
from understudy.table.encoding import encode
from understudy.table.schema import Schema
from understudy.table.sources.csv import csv_file
from understudy.table.sources.csv.neighbour_files import (
    reads_alike,
    records_of,
    restrict_table,
    split_lines,
    with_line,
)
from understudy.table.sources.reading import read_table


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separator_quote_and_line_end_are_found(separator, quote, end):
    rows = ["a{s}b{s}c", "1{s}{q}x{s}y{q}{s}", "2{s}{q}it{q}{q}s{q}{s}3", ""]
    table = read(end.join(rows).format(s=separator, q=quote))
    assert table.reading.kind == "csv"
    assert (table.reading.separator, table.reading.quote) == (separator, quote)
    assert table.names == ("a", "b", "c")
    assert texts(table, "b") == [f"x{separator}y", f"it{quote}s"]
    assert texts(table, "c") == ["", "3"]


def test_quotation_marks_around_a_whole_column_are_not_part_of_it():
    table = read("a,b\n'x',1\n'y',2\n")
    assert texts(table, "a") == ["x", "y"]
    assert texts(read("a,b\n'tis,1\nO'Brien',2\n"), "a") == ["'tis", "O'Brien'"]


def test_texts_are_taken_as_they_stand():
    table = read('a,b\n040, 40\n"040"," x "\n')
    assert texts(table, "a") == ["040", "040"]
    assert texts(table, "b") == [" 40", " x "]


def test_blank_lines_do_not_count():
    table = read("\n \r\n\na,b\n\n1,2\n\n\n3,4\n\n")
    assert texts(table, "a") == ["1", "3"]
    assert table.rows == 2


def test_no_line_end_at_the_end():
    assert texts(read("a,b\n1,2"), "b") == ["2"]


def test_decimal_commas_between_semicolons():
    table = read("a;b\n3,5;4,5\n2,5;1,5\n")
    assert table.reading.separator == ";"
    assert texts(table, "a") == ["3,5", "2,5"]


def test_line_breaks_in_quotation_marks_are_part_of_the_text_and_said():
    table = read('a,b\n"x\ny",1\nz,2\n')
    assert texts(table, "a") == ["x\ny", "z"]
    assert any("“a”" in note and "lines" in note for note in table.notes)


def test_a_header_may_be_quoted_over_two_lines():
    assert read('"a\nb",c\n1,2\n').rows == 1


def test_a_separator_given_is_kept_to():
    table = read("a;b,c\n1;2,3\n", separator=";")
    assert table.names == ("a", "b,c")
    assert refused("a,b\n1,2\n", separator=";").field == "separator"
    assert refused("a,b\n1,2\n", separator="::").field == "separator"


def test_a_column_of_many_blocks_is_unified(monkeypatch):
    monkeypatch.setattr(csv_file, "_BLOCK", 64)
    rows = [f"{number % 7},{number}" for number in range(500)]
    table = read("a,b\n" + "\n".join(rows) + "\n")
    assert texts(table, "a") == [str(number % 7) for number in range(500)]
    assert len(table.distinct("a")[0]) == 7


@pytest.mark.parametrize(
    ("encoding", "read_as"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf-32", "utf-32-le"),
    ],
)
def test_unicode_is_recognised(encoding, read_as):
    table = read("naïve,b\nÉcole,žluť\n東京,x\n".encode(encoding))
    assert table.names == ("naïve", "b")
    assert texts(table, "b")[0] == "žluť"
    assert table.reading.encoding == read_as
    assert not table.notes


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", ["École", "à côté", "Müller", "“q”"]),
        ("cp1252", ["Straße", "Größe", "Übung", "schön"]),
        ("cp1250", ["žluťoučký", "kůň", "Łódź", "příliš"]),
        ("cp1251", ["Москва", "Санкт-Петербург", "Иван", "улица"]),
        ("shift_jis", ["東京都", "大阪市", "名前です", "住所録"]),
    ],
)
def test_older_encodings_are_guessed_and_said(encoding, words):
    rows = "".join(f"{word},{place}\n" for place, word in enumerate(words)) * 5
    table = read(("a,b\n" + rows).encode(encoding))
    assert texts(table, "a")[: len(words)] == words
    assert any("not UTF-8" in note for note in table.notes)


def test_an_encoding_is_guessed_from_where_it_matters():
    plain = "x,1\n" * 100_000
    table = read(("a,b\n" + plain + "é,2\n").encode("cp1252"))
    assert texts(table, "a")[-1] == "é"


def test_bytes_no_old_encoding_knows_are_still_read():
    assert texts(read(b"a,b\n\x81\x8d,1\n"), "a") != []


def test_an_encoding_given_is_kept_to():
    assert texts(read("a,b\né,1\n".encode("latin-1"), encoding="latin-1"), "a") == ["é"]
    assert read("a,b\né,1\n".encode("utf-8-sig"), encoding="utf-8").names == ("a", "b")
    assert texts(read("a,b\né,1\n".encode("utf-16-le"), encoding="utf-16-le"), "a") == ["é"]


@pytest.mark.parametrize("encoding", ["klingon", "", "base64", "utf-8\0"])
def test_encodings_that_do_not_exist(encoding):
    assert refused("a,b\n1,2\n", encoding=encoding).field == "encoding"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "utf-16"])
def test_the_wrong_encoding(encoding):
    data = "a,b\nSECRET é,1\n".encode("latin-1")
    refusal = refused(data, encoding=encoding)
    assert refusal.field == "encoding"
    assert encoding in refusal.problem


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "is empty"),
        (" \n\r\n\t \n", "is empty except for blanks"),
        ("a,b\n", "no records"),
        ("a,b", "no records"),
        ('a,"b', "no records"),
        ("a,b\n\n\n", "no records"),
        ("a\n1\n2\n", "only one column"),
        ("SECRET words here\nand more\n", "only one column"),
        ("SECRET,b,SECRET\n1,2,3\n", "Columns 1 and 3 of table.csv have the same name"),
        ("SECRET,b, SECRET \n1,2,3\n", "Columns 1 and 3"),
        (",b,c\n0,1,2\n", "Column 1 of table.csv has no name."),
        ("a, ,\n1,2,3\n", "Column 2 of table.csv has no name, and 1 more"),
        ("a,b\n1,2\nSECRET\n", "Row 3 of table.csv has 1 cell(s) where the header has 2"),
        ("a,b\n1,2\n\nSECRET,4,5\n", "Row 3 of table.csv has 3 cell(s)"),
        (b"a,b\n1,\0SECRET\n", "is binary"),
        (b"PK\x03\x04SECRET", "looks like an Excel workbook or a ZIP archive"),
        (b"PAR1SECRETPAR1", "looks like a Parquet file"),
        (b"\x89PNG\r\n\x1a\nSECRET", "is a picture"),
        (b"%PDF-1.7 SECRET", "is a PDF document"),
        (b"SQLite format 3\0SECRET", "is an SQLite database"),
        (b"\xd0\xcf\x11\xe0SECRET", "is an old Excel"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "is a gzip archive"),
    ],
)
def test_what_is_not_a_csv_table_is_refused(data, words):
    refusal = refused(data)
    assert words in refusal.problem
    assert refusal.problem.startswith(("table.csv", "Column", "Row"))


@pytest.mark.parametrize("odd", ["SECRET", "1,2,SECRET", '"SECRET,1', '1,"SECRET'])
def test_a_line_that_cannot_be_taken_apart_spoils_itself_only(odd):
    table = read("a,b\n1,2\n" + odd + "\n" + "3,4\n" * 10, usual("csv"))
    assert texts(table, "a") == ["1", NOT_APART] + ["3"] * 10
    assert table.unreadable("b") == {NOT_APART: 1}
    assert any(note.startswith("1 of its lines cannot") for note in table.notes)


def test_a_mark_that_is_never_closed_is_refused_where_cells_may_hold_line_breaks():
    reading = usual("csv").changed(line_breaks=True)
    body = "".join('1,"2\n3"\n' for _ in range(1000))
    assert read("a,b\n" + body, reading).rows == 1000
    assert texts(read("a,b\n" + body + "SECRET\n1,2", reading), "a")[-2:] == [NOT_APART, "1"]
    assert "never closed" in refused("a,b\n" + body + '1,"SECRET\n', reading).problem


def test_a_quoted_line_break_at_the_very_end_is_no_open_mark():
    assert texts(read('a,b\n1,"x\n"\n'), "b") == ["x\n"]


def test_a_csv_column_may_be_called_like_a_magic_number():
    assert read("PAR1,BZh\n1,2\n").names == ("PAR1", "BZh")


cells = st.text("a1 ,;|\t\"'\n\ré東\u2028\ufeff", max_size=6)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8))
@settings(deadline=None)
def test_any_texts_in_quotation_marks_are_read_as_they_are(rows):
    quoted = ['"{}","{}"'.format(*(cell.replace('"', '""') for cell in row)) for row in rows]
    table = read("\n".join(["a,b", *quoted, ""]))
    assert list(zip(texts(table, "a"), texts(table, "b"), strict=True)) == rows


def alone(data, reading):
    """Every line taken apart by itself, byte by byte: what any quicker way has to come to."""
    lines = data.split(b"\n")[1:]
    lines = lines[:-1] if lines[-1] == b"" else lines
    lines = [line.removesuffix(b"\r") for line in lines]
    found = [cells_alone(line, reading) for line in lines if line.strip(b" \t")]
    return [
        tuple(map(decoded, cells)) if len(cells) == 2 else (NOT_APART, NOT_APART) for cells in found
    ]


def cells_alone(line, reading):
    cells, cell, quoted, at = [], b"", line[:1] == b'"', int(line[:1] == b'"')
    while at < len(line):
        sign, at = line[at : at + 1], at + 1
        if quoted and sign == b'"' and line[at : at + 1] == b'"':
            cell, at = cell + b'"', at + 1
        elif quoted and sign == b'"':
            quoted = False
        elif not quoted and sign == reading.separator.encode():
            cells, cell = [*cells, cell], b""
            quoted = line[at : at + 1] == b'"'
            at += quoted
        else:
            cell += sign
    return [] if quoted else [*cells, cell]


def decoded(cell):
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return NOT_TEXT


odd_lines = st.lists(
    st.sampled_from([b'"', b",", b"a", b"1", b"\r", b"\xe9", "é".encode(), b" ", b"\0"]), max_size=9
).map(b"".join)
plain_lines = st.tuples(
    st.sampled_from([b"a", b"", b'"b"', b'"a,b"', b'"c""d"']), st.sampled_from([b"1", b'""', b""])
).map(b",".join)


@given(
    st.lists(odd_lines | plain_lines, min_size=1, max_size=12),
    st.sampled_from([b"\n", b"\r\n"]),
    st.booleans(),
)
@settings(deadline=None, max_examples=150)
def test_many_lines_at_once_are_read_as_each_alone(lines, end, ended):
    reading = usual("csv")
    data = end.join([b"a,b", *lines]) + end * ended
    expected = alone(data, reading)
    assume(expected)
    assert records_of(read(data, reading)) == expected


@given(st.lists(plain_lines, min_size=1, max_size=8), st.integers(1, 9))
@settings(deadline=None, max_examples=100)
def test_where_blocks_end_changes_nothing(lines, size):
    data = b"\n".join([b"a,b", *lines, b'"x', b""])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_file, "BLOCK", size)
        patch.setattr(csv_file, "_COUNTED", size)
        assert records_of(read(data, usual("csv"))) == alone(data, usual("csv"))
        clean = data.removesuffix(b'"x\n')
        assert records_of(read(clean, usual("csv"))) == alone(clean, usual("csv"))


@pytest.mark.parametrize("ragged", ["", "1\n"])
def test_a_mark_after_a_backslash_is_noted(ragged: str) -> None:
    lines = [r'"a\"b",1', r'"say \"hi\"",2', r'"C:\",3', r"x\"y,4", '"a\\""b",5', '"plain",6'] * 3
    found = read("a,b\n" + ragged + "\n".join(lines) + "\n", usual("csv"))
    assert any(note.startswith("In 6 of its lines a backslash") for note in found.notes)
    without = read('a,b\n"C:\\",3\nx\\"y,4\n"a""b",1\n', usual("csv"))
    assert not without.notes


def test_apostrophes_that_are_left_out_are_noted() -> None:
    wrapped = read("a,b\n'x',1\n'y',2\n")
    assert texts(wrapped, "a") == ["x", "y"]
    assert "Apostrophes" in wrapped.notes[0]
    kept = read("a,b\n'x',1\n'y',2\n", wrapped.reading.changed(quote=None))
    assert texts(kept, "a") == ["'x'", "'y'"]
    assert not kept.notes
    assert not read("a,b\nx,it's\ny,2\n").notes


@given(
    st.lists(
        st.tuples(st.text("ab,\"'\\;0 é", max_size=5), st.text("ab,\"'\\", max_size=5)), min_size=1
    ),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)
def test_what_is_read_is_what_was_written_or_noted(
    rows: list[tuple[str, str]], quoting: Any, backslashes: bool
) -> None:
    """By the standard library, with marks doubled or after a backslash."""
    sink = io.StringIO()
    how = {"doublequote": False, "escapechar": "\\"} if backslashes else {}
    writer = csv.writer(sink, quoting=quoting, lineterminator="\n", **how)  # type: ignore[arg-type]
    writer.writerows([("a", "b"), *rows])
    found = read(sink.getvalue(), usual("csv"))
    assert found.rows <= len(rows)
    kept = list(zip(texts(found, "a"), texts(found, "b"), strict=True))
    if not backslashes:
        assert kept == rows
    elif not found.notes:
        assert "\\" in sink.getvalue() or kept == rows


def test_a_cell_longer_than_what_a_reading_is_suggested_from_is_read_whole() -> None:
    cell = f"{40 * 'long '}line\n" * 1_500
    found = read_table(f'a,b\n1,"{cell}"\n2,y\n'.encode(), name="t.csv")
    assert found.reading.line_breaks
    assert set(found.distinct("b")[0]) == {cell, "y"}


def test_a_mark_that_its_line_does_not_close_is_not_called_open_for_ever() -> None:
    cell = f"{40 * 'long '}line\n" * 1_500
    with pytest.raises(Refusal, match="that its line does not close"):
        read_table(f'a,b\n1,"{cell}\n2,y\n'.encode(), name="t.csv")


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
neighbouring_cells = st.text("a1é東 ,;\"|\t'\0", max_size=4)


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
    rows = data.draw(
        st.lists(st.tuples(neighbouring_cells, neighbouring_cells), min_size=1, max_size=5)
    )
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
