"""CSV files: separator, quotation marks, line ends and encoding found, and what is refused."""

import csv
import gzip
import io
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.engine.table.uploads import read, refused, texts
from understudy.core.refusal import Refusal
from understudy.table.cells import NOT_APART, NOT_TEXT
from understudy.table.declared_reading import usual
from understudy.table.sources.csv import csv_file
from understudy.table.sources.csv import csv_file as csv_at_once
from understudy.table.sources.csv.neighbouring import records_of
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
    monkeypatch.setattr(csv_at_once, "_BLOCK", 64)
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
        patch.setattr(csv_at_once, "_COUNTED", size)
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
