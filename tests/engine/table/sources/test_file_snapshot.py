"""Files that are written to, cut short or exchanged while they are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.table.formats import write
from tests.engine.table.sources.statistics.files import people
from understudy.core.refusal import Refusal
from understudy.table.sources import source as unchanging
from understudy.table.sources.reading import read_table
from understudy.table.sources.source import FileSnapshot, open_source

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
