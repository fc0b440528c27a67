"""Which files may be opened where only some folders are meant to be. Files that are written to,
cut short or exchanged while they are read. Reading whatever kind of file it is: what it is, where
it is, how large, what it is called. All texts of a table, whatever it is held as.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.builders import excel, parquet, read, refused, texts
from tests.engine.table.formats import write
from tests.engine.table.sources.statistics.files import people
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import encode
from understudy.table.schema import Schema
from understudy.table.sources import cell_texts
from understudy.table.sources import source as unchanging
from understudy.table.sources.cell_texts import AnyTable, blocks, column_names
from understudy.table.sources.reading import read_table
from understudy.table.sources.source import (
    FOLDERS,
    FileSnapshot,
    allowed_folders,
    allowed_path,
    open_source,
)
from understudy.table.sources.streamed_table import StreamedTable


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A folder that is open, with a file in it, and one that is not."""
    inside, outside = tmp_path / "open", tmp_path / "closed"
    for folder in (inside, outside):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return inside, outside


def test_what_lies_below_a_folder_may_be_opened(folders: tuple[Path, Path]) -> None:
    inside, _ = folders
    assert allowed_path(inside / "deep" / "a.csv", [inside]) == inside / "deep" / "a.csv"
    assert allowed_path(inside / "deep" / ".." / "deep" / "a.csv", [inside]).name == "a.csv"
    assert allowed_path(inside / "not there yet.csv", [inside]).parent == inside


def test_links_are_followed_before_they_are_judged(folders: tuple[Path, Path]) -> None:
    inside, outside = folders
    (inside / "out.csv").symlink_to(outside / "deep" / "a.csv")
    (inside / "away").symlink_to(outside)
    (outside / "in.csv").symlink_to(inside / "deep" / "a.csv")
    assert allowed_path(outside / "in.csv", [inside]) == inside / "deep" / "a.csv"
    for path in (inside / "out.csv", inside / "away" / "deep" / "a.csv"):
        with pytest.raises(Refusal):
            allowed_path(path, [inside])


@pytest.mark.parametrize("path", ["../closed/deep/a.csv", "../open2/a.csv", "/etc/passwd", "\0"])
def test_there_is_no_way_around(folders: tuple[Path, Path], path: str) -> None:
    inside, _ = folders
    (inside.parent / "open2").mkdir()
    with pytest.raises(Refusal) as caught:
        allowed_path(inside / path, [inside])
    assert str(inside.parent) not in str(caught.value)


def test_what_is_not_there_is_answered_like_what_is(folders: tuple[Path, Path]) -> None:
    inside, outside = folders
    said = []
    for path in (outside / "deep" / "a.csv", outside / "none.csv"):
        with pytest.raises(Refusal) as caught:
            allowed_path(path, [inside])
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_without_the_setting_everything_may_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDERS, raising=False)
    assert allowed_folders() is None
    assert allowed_path(Path("/anywhere"), None) == Path("/anywhere")


def test_the_setting_names_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS, f"/data{os.pathsep} {os.pathsep}/more")
    assert allowed_folders() == (Path("/data"), Path("/more"))
    monkeypatch.setenv(FOLDERS, "")
    assert allowed_folders() == ()
    with pytest.raises(Refusal):
        allowed_path(Path("/data/a.csv"), ())


_LINES = b"a,b\n" + b"old,1\n" * 40_000
_OTHERS = b"a,b\n" + b"new,2\n" * 40_000


def rewrite(path: Path) -> None:
    """Other records in place of as many bytes, and the time of the change set back."""
    before = path.stat()
    with path.open("r+b") as file:
        file.write(_OTHERS)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def cut(path: Path) -> None:
    os.truncate(path, 10)


def exchange(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(_OTHERS)
    other.replace(path)


def remove(path: Path) -> None:
    path.unlink()


DEEDS = [rewrite, cut, exchange, remove]


@pytest.mark.parametrize("deed", DEEDS)
def test_a_file_that_changes_after_it_was_opened_is_refused(
    tmp_path: Path, deed: Callable[[Path], None]
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(_LINES)
    source = open_source(path, None, 1 << 30)
    assert source.piece(0, 3) == b"a,b"
    deed(path)
    with pytest.raises(Refusal, match=r"was changed|any more"):
        source.piece(0, 3)
    with pytest.raises(Refusal, match=r"was changed|any more"):
        _ = source.data


@pytest.mark.parametrize("deed", [rewrite, cut])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: Callable[[Path], None], kind: str
) -> None:
    path = tmp_path / f"people.{kind}"
    path.write_bytes(_LINES)
    if kind == "parquet":
        pq.write_table(pa.table({"a": ["x"] * 9, "b": ["y"] * 9}), path)
    read, size = unchanging._read, path.stat().st_size

    def meanwhile(handle: int, start: int, end: int) -> bytes:
        if end == size and start == 0:
            deed(path)
        return read(handle, start, end)

    monkeypatch.setattr(unchanging, "_read", meanwhile)
    with pytest.raises(Refusal, match="was changed"):
        read_table(path)


def test_a_file_that_changes_before_the_other_process_reads_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("sav", people(), tmp_path / "people.sav")
    at = FileSnapshot.at

    def then_changed(path: Path, name: str) -> FileSnapshot:
        found = at(path, name)
        with path.open("ab") as file:
            file.write(b"more")
        return found

    monkeypatch.setattr(FileSnapshot, "at", staticmethod(then_changed))
    with pytest.raises(Refusal, match="was changed"):
        read_table(path)


def test_what_was_read_stays_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(_LINES)
    source = open_source(path, None, 1 << 30)
    data = source.data
    cut(path)
    assert data == source.data == _LINES


def test_a_file_larger_than_one_block_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unchanging, "_BLOCK", 100)
    path = tmp_path / "people.csv"
    path.write_bytes(_LINES)
    source = open_source(path, None, 1 << 30)
    assert source.data == _LINES
    assert source.piece(50, 250) == _LINES[50:250]


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


COLUMNS = {"a": ["x", "y", "", "y", "x"], "b.c": [1, 2, None, 2, 1], "b": ["u", "u", "v", "w", "u"]}
SCHEMA = Schema(
    columns=(
        Column(name="b", domain=Categories(values=("u", "v", "w"))),
        Column(name="a", domain=Categories(values=("x", "y")), missing=True),
    )
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.parquet"
    table = pa.table({**COLUMNS, "list": [[1]] * 5, "raw": [b"x"] * 5})
    pq.write_table(table, path, row_group_size=2)
    return path


def cell_texts_texts(table: AnyTable) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in column_names(table)}
    for block in blocks(table):
        for name, cells in zip(found, block, strict=True):
            found[name] += cells.texts.take(pa.array(cells.places)).to_pylist()
    return found


@pytest.mark.parametrize("piece", [1, 2, 3, 100])
def test_they_are_the_same_piece_by_piece(file: Path, piece: int) -> None:
    expected = {"a": COLUMNS["a"], "b.c": ["1", "2", "", "2", "1"], "b": COLUMNS["b"]}
    plain = file.with_name("plain.parquet")
    pq.write_table(pq.read_table(file).select(list(COLUMNS)), plain)
    raw = read_table(plain)
    with patch.object(cell_texts, "PIECE", piece):
        assert cell_texts_texts(raw) == expected
        # Columns that no schema names are read too, except for those that hold no single values.
        assert cell_texts_texts(StreamedTable.open(file, SCHEMA)) == expected
        coded = encode(raw, SCHEMA)
        assert cell_texts_texts(coded)["b"] == expected["b"]
