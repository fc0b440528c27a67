"""Reading whatever kind of file it is: what it is, where it is, how large, what it is called."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.uploads import excel, parquet, read, refused, texts
from understudy.core.refusal import Refusal
from understudy.table.sources.reading import read_table


def test_every_column_is_one_chunk_of_texts_without_nulls():
    arrow = read("a,b\n1,NA\n,null\n").arrow
    assert {str(kind) for kind in arrow.schema.types} == {
        "dictionary<values=string, indices=int32, ordered=0>"
    }
    assert all(column.num_chunks == 1 and column.null_count == 0 for column in arrow.columns)


def test_names_lose_the_blanks_around_them():
    assert read("a, b \n1,2\n").names == ("a", "b")


def test_names_that_differ_only_by_case_are_different():
    assert read("age,AGE\n1,2\n").names == ("age", "AGE")


def test_names_that_are_numbers_are_pointed_out():
    assert any(
        "names are numbers" in note for note in read("39,State,77516\n50,Self,83311\n").notes
    )


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


def test_kinds_are_told_by_their_bytes_where_the_name_says_nothing():
    assert read(parquet(a=[1], b=[2]), None).reading.kind == "parquet"
    assert read(excel([["a", "b"], [1, 2]]), "upload").reading.kind == "excel"
    assert read("a,b\n1,2\n", "upload.bin").reading.kind == "csv"


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
