import datetime
import decimal
import gzip
import io
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.refusal import Refusal
from engine.table import csv_file
from engine.table.reading import read_table


def read(data, name="table.csv", **settings):
    return read_table(data if isinstance(data, bytes) else data.encode(), name=name, **settings)


def texts(table, name):
    found, places = table.distinct(name)
    return [found[place] for place in places]


def refused(data, name="table.csv", **settings):
    with pytest.raises(Refusal) as caught:
        read(data, name, **settings)
    assert "SECRET" not in str(caught.value)
    assert caught.value.remedy
    return caught.value


def parquet(**columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def excel(*sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for place, rows in enumerate(sheets):
        sheet = book.create_sheet(f"sheet{place}")
        for row in rows:
            sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separator_quote_and_line_end_are_found(separator, quote, end):
    rows = ["a{s}b{s}c", "1{s}{q}x{s}y{q}{s}", "2{s}{q}it{q}{q}s{q}{s}3", ""]
    table = read(end.join(rows).format(s=separator, q=quote))
    assert table.format.kind == "csv"
    assert (table.format.separator, table.format.quote) == (separator, quote)
    assert table.names == ("a", "b", "c")
    assert texts(table, "b") == [f"x{separator}y", f"it{quote}s"]
    assert texts(table, "c") == ["", "3"]


def test_quotation_marks_around_a_whole_column_are_not_part_of_it():
    table = read("a,b\n'x',1\n'y',2\n")
    assert texts(table, "a") == ["x", "y"]
    assert texts(read("a,b\n'tis,1\nO'Brien',2\n"), "a") == ["'tis", "O'Brien'"]


def test_every_column_is_one_chunk_of_texts_without_nulls():
    arrow = read("a,b\n1,NA\n,null\n").arrow
    assert {str(kind) for kind in arrow.schema.types} == {
        "dictionary<values=string, indices=int32, ordered=0>"
    }
    assert all(column.num_chunks == 1 and column.null_count == 0 for column in arrow.columns)


def test_texts_are_taken_as_they_stand():
    table = read('a,b\n040, 40\n"040"," x "\n')
    assert texts(table, "a") == ["040", "040"]
    assert texts(table, "b") == [" 40", " x "]


def test_names_lose_the_blanks_around_them():
    assert read("a, b \n1,2\n").names == ("a", "b")


def test_names_that_differ_only_by_case_are_different():
    assert read("age,AGE\n1,2\n").names == ("age", "AGE")


def test_blank_lines_do_not_count():
    table = read("\n \r\n\na,b\n\n1,2\n\n\n3,4\n\n")
    assert texts(table, "a") == ["1", "3"]
    assert table.rows == 2


def test_no_line_end_at_the_end():
    assert texts(read("a,b\n1,2"), "b") == ["2"]


def test_decimal_commas_between_semicolons():
    table = read("a;b\n3,5;4,5\n2,5;1,5\n")
    assert table.format.separator == ";"
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
    ("encoding", "bom"),
    [("utf-8", False), ("utf-8-sig", True), ("utf-16", True), ("utf-32", True)],
)
def test_unicode_is_recognised(encoding, bom):
    table = read("naïve,b\nÉcole,žluť\n東京,x\n".encode(encoding))
    assert table.names == ("naïve", "b")
    assert texts(table, "b")[0] == "žluť"
    assert table.format.bom is bom
    assert table.format.encoding == encoding.removesuffix("-sig")
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
        (" \n\r\n\t \n", "is empty but for blanks"),
        ("a,b\n", "no records"),
        ("a,b", "no records"),
        ('a,"b', "no records"),
        ('a,"SECRET\n1,2\n', "never closed"),
        ("a,b\n\n\n", "no records"),
        ("a\n1\n2\n", "only one column"),
        ("SECRET words here\nand more\n", "only one column"),
        ("SECRET,b,SECRET\n1,2,3\n", "Columns 1 and 3 of table.csv have the same name"),
        ("SECRET,b, SECRET \n1,2,3\n", "Columns 1 and 3"),
        (",b,c\n0,1,2\n", "Column 1 of table.csv has no name."),
        ("a, ,\n1,2,3\n", "Column 2 of table.csv has no name, and 1 more"),
        ("a,b\n1,2\nSECRET\n", "Row 3 of table.csv has 1 cell(s) where the header has 2"),
        ("a,b\n1,2\n\nSECRET,4,5\n", "Row 3 of table.csv has 3 cell(s)"),
        ('a,b\n1,2\n3,"SECRET\n4,5\n', "never closed"),
        ('a,b\n1,"SECRET\n' + "3,4\n" * 10, "never closed"),
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


def test_a_ragged_row_far_down_is_named(monkeypatch):
    monkeypatch.setattr(csv_file, "_BLOCK", 256)
    body = "".join('1,"2\n3"\n' for _ in range(1000))
    assert "Row 1002 " in refused("a,b\n" + body + "SECRET\n").problem


def test_a_quoted_line_break_at_the_very_end_is_no_open_mark():
    assert texts(read('a,b\n1,"x\n"\n'), "b") == ["x\n"]


def test_names_that_are_numbers_are_pointed_out():
    assert any(
        "names are numbers" in note for note in read("39,State,77516\n50,Self,83311\n").notes
    )


def test_a_csv_column_may_be_called_like_a_magic_number():
    assert read("PAR1,BZh\n1,2\n").names == ("PAR1", "BZh")


def test_a_file_over_the_limit():
    refusal = refused("a,b\n" + "1,2\n" * 1000, limit_bytes=1024)
    assert "3.9 KiB" in refusal.problem
    assert "1.0 KiB" in refusal.problem


def test_paths(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    table = read_table(path)
    assert texts(table, "b") == ["2"]
    path.write_text("")
    for place, words in [
        (path, "people.csv is empty"),
        (tmp_path, "is a folder"),
        (tmp_path / "absent.csv", "There is no file"),
        (Path("/dev/null"), "is not a file"),
        (Path("bad\0name.csv"), "cannot be read"),
    ]:
        with pytest.raises(Refusal) as caught:
            read_table(place)
        assert words in caught.value.problem
        assert caught.value.field == "table"


def test_a_file_over_the_limit_is_not_read(tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(5 << 30)
    with pytest.raises(Refusal, match=r"5\.0 GiB; the limit is 4\.0 GiB"):
        read_table(path)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")

    def forbidden(*_arguments, **_settings):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(Refusal, match="cannot be read: Permission denied"):
        read_table(path)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([40, None, -1]), ["40", "", "-1"]),
        (pa.array([40.0, None, float("nan")]), ["40", "", ""]),
        (pa.array([0.1, -0.0, 1e15]), ["0.1", "0", "1000000000000000"]),
        (pa.array([float("inf"), 1e300, 1e-3]), ["inf", "1e+300", "0.001"]),
        (pa.array([0.1, 2.0, 0.5], pa.float32()), ["0.1", "2", "0.5"]),
        (pa.array(["x", None, ""]), ["x", "", ""]),
        (pa.array(["x", "y", "x"], pa.large_string()), ["x", "y", "x"]),
        (pa.array(["x", None, "x"]).dictionary_encode(), ["x", "", "x"]),
        (pa.array([True, False, None]), ["true", "false", ""]),
        (pa.array([decimal.Decimal("1.50"), None, None]), ["1.50", "", ""]),
        (pa.array([datetime.date(2020, 1, 2), None, None]), ["2020-01-02", "", ""]),
        (pa.array([datetime.datetime(2020, 1, 2), None, None]), ["2020-01-02", "", ""]),
        (pa.nulls(3), ["", "", ""]),
    ],
)
def test_parquet_columns_become_texts(column, expected):
    table = read(parquet(a=column, b=pa.array(["x", "y", "z"])), "table.parquet")
    assert table.format.kind == "parquet"
    assert texts(table, "a") == expected
    assert table.arrow.column("a").chunk(0).dictionary.null_count == 0


def test_moments_with_a_time_of_day_keep_it():
    noon = pa.array([datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 2, 12)])
    table = read(parquet(a=noon, b=["x", "y"]), "table.parquet")
    assert texts(table, "a")[1].startswith("2020-01-02 12:00")
    assert texts(table, "a")[0].startswith("2020-01-02 00:00")


@pytest.mark.parametrize(
    "column", [pa.array([[1], [2]]), pa.array([{"x": 1}, {"x": 2}]), pa.array([b"SECRET", b"x"])]
)
def test_parquet_columns_that_are_no_texts(column):
    refusal = refused(parquet(a=column, b=[1, 2]), "table.parquet")
    assert refusal.field == "a"
    assert "“a”" in refusal.problem


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PAR1" + b"SECRET" * 20 + b"PAR1", "damaged"),
        (b"a,b\n1,2\n", "is not a Parquet file"),
        (parquet(a=[1, 2]), "only one column"),
        (parquet(a=pa.array([], pa.int32()), b=pa.array([], pa.int32())), "no records"),
    ],
)
def test_parquet_files_that_are_no_tables(data, words):
    assert words in refused(data, "table.parquet").problem


def test_kinds_are_told_by_their_bytes_where_the_name_says_nothing():
    assert read(parquet(a=[1], b=[2]), None).format.kind == "parquet"
    assert read(excel([["a", "b"], [1, 2]]), "upload").format.kind == "excel"
    assert read("a,b\n1,2\n", "upload.bin").format.kind == "csv"


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
        (excel([["a", "b"], [1, 2], [1, 2, "SECRET"]]), "Row 3 of table.xlsx has more cells"),
    ],
)
def test_excel_files_that_are_no_tables(data, words):
    assert words in refused(data, "table.xlsx").problem


def test_a_zip_that_is_no_workbook():
    import zipfile

    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a.txt", "SECRET")
    assert "not a readable" in refused(sink.getvalue(), "table.xlsx").problem


def test_a_workbook_that_unpacks_beyond_the_limit():
    data = excel([["a", "b"]] + [[1, 2]] * 2000)
    assert "unpacks" in refused(data, "table.xlsx", limit_bytes=len(data) + 1).problem


cells = st.text("a1 ,;|\t\"'\n\ré東\u2028\ufeff", max_size=6)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8))
@settings(deadline=None)
def test_any_texts_in_quotation_marks_are_read_as_they_are(rows):
    quoted = ['"{}","{}"'.format(*(cell.replace('"', '""') for cell in row)) for row in rows]
    table = read("\n".join(["a,b", *quoted, ""]))
    assert list(zip(texts(table, "a"), texts(table, "b"), strict=True)) == rows


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_arbitrary_bytes_are_read_or_refused(data):
    try:
        table = read(data)
    except Refusal as refusal:
        sentence = refusal.problem
    else:
        sentence = "It was read."
        assert table.rows > 0
        assert len(table.names) > 1
    assert sentence.endswith(".")
