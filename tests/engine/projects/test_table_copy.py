"""A copy of the table, only where somebody asks for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understudy.core.refusal import Refusal
from understudy.ledger.likeness import likeness
from understudy.projects import table_copy
from understudy.projects.catalogue import Catalogue
from understudy.projects.project import Project
from understudy.table.declared_reading import usual
from understudy.table.raw import TEXTS, Labels, RawTable, table_of, text_column
from understudy.table.sources.reading import read_table

_KEY = b"k" * 32


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Catalogue(place=tmp_path).create("clinic")


def raw(rows: int = 7) -> RawTable:
    lines = [f"{row};{'äö,'[row % 3]};" for row in range(rows)]
    return read_table("\n".join(["n;kind;empty", *lines]).encode(), name="c.csv", separator=";")


def test_the_copy_is_the_very_table(project: Project) -> None:
    words = Labels({"kind": "Kind"}, {"kind": {"ä": "A"}}, {"n": ("0", "1")})
    before = replace(raw(), labels=words)
    table_copy.keep_table(project, before, "clinic.csv")
    name, after = table_copy.take_back_table(project)
    assert name == "clinic.csv"
    assert after.names == before.names
    assert (after.reading, after.notes) == (before.reading, before.notes)
    assert after.labels == words
    assert likeness(after, _KEY).fingerprint == likeness(before, _KEY).fingerprint
    assert all(each.type == TEXTS and each.num_chunks == 1 for each in after.arrow.columns)
    for column in before.names:
        texts, places = after.distinct(column)
        olds, old = before.distinct(column)
        assert [texts[at] for at in places] == [olds[at] for at in old]


def test_many_records_come_back_in_one_piece(project: Project) -> None:
    rows = 2_500_000  # past the rows of one group of a Parquet file
    codes = np.arange(rows) * 3 // rows  # each text in a row group of its own
    columns = [text_column(codes, ["a", "b", "c"]), text_column(codes[::-1], ["x", "y", "z"])]
    before = RawTable(table_of(["one", "other"], columns), usual("parquet"))
    table_copy.keep_table(project, before, "big.parquet")
    _, after = table_copy.take_back_table(project)
    assert after.arrow.column("one").num_chunks == 1
    assert likeness(after, _KEY).fingerprint == likeness(before, _KEY).fingerprint


def test_its_name_and_a_note_beside_it_say_what_it_is(project: Project) -> None:
    assert not table_copy.keeps_table(project)
    table_copy.keep_table(project, raw(), "clinic.csv")
    folder = project.path / "table"
    assert sorted(path.name for path in folder.iterdir()) == [table_copy.NAME, "README.txt"]
    assert "CONFIDENTIAL" in table_copy.NAME
    note = (folder / "README.txt").read_text()
    assert table_copy.NAME in note
    assert "every\nrecord" in note
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_it_is_erased_with_everything_around_it(project: Project) -> None:
    table_copy.keep_table(project, raw(), "clinic.csv")
    table_copy.keep_table(project, raw(8), "clinic.csv")
    assert table_copy.keeps_table(project)
    table_copy.erase_table(project)
    table_copy.erase_table(project)
    assert not table_copy.keeps_table(project)
    assert not (project.path / "table").exists()


def test_a_damaged_copy_is_refused_without_quoting_it(project: Project) -> None:
    table_copy.keep_table(project, raw(), "clinic.csv")
    place = project.path / "table" / table_copy.NAME
    place.write_bytes(place.read_bytes()[:-40] + b"SECRET")
    with pytest.raises(Refusal) as caught:
        table_copy.take_back_table(project)
    assert "SECRET" not in str(caught.value)
    pq.write_table(pa.table({"SECRET": [1]}), place)
    with pytest.raises(Refusal):
        table_copy.take_back_table(project)


def test_a_copy_that_cannot_be_written_leaves_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no room")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(Refusal) as caught:
        table_copy.keep_table(project, raw(), "clinic.csv")
    assert caught.value.field == "keep"
    assert not (project.path / "table").exists()
