"""Files that are broken: each is read or refused in words, and nothing of it is said or left."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from tests.canaries.conftest import Watch
from tests.canaries.malformed import MALFORMED, SQLITE
from tests.canaries.planted import schema
from understudy.cli import FAILED, main
from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.encoding import encode
from understudy.table.sources.databases.database import read_query
from understudy.table.sources.reading import read_table

CONTENT = {name: functools.cache(made) for name, made in {**MALFORMED, **SQLITE}.items()}
_LARGEST = "sixty-thousand-columns.csv"


def test_there_are_more_than_forty() -> None:
    assert len(MALFORMED) > 40


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in MALFORMED if name != _LARGEST),
        pytest.param(_LARGEST, marks=pytest.mark.thorough("test_an_upload_is_read_or_refused")),
    ],
)
def test_an_upload_is_read_or_refused(name: str, watch: Watch) -> None:
    try:
        raw = read_table(CONTENT[name](), name=name, limit_bytes=64 << 20)
        watch.said.extend(raw.notes)
        watch.said.append(repr(raw).replace(repr(raw.labels), ""))
        suggest_schema(raw)
        encode(raw, schema().with_reading(raw.reading))
    except Refusal as refusal:
        # What a file has for names of columns may be named: they are no cells.
        watch.hear(_without_names(refusal, name))
    assert watch.found() == []


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in MALFORMED if name != _LARGEST),
        pytest.param(
            _LARGEST, marks=pytest.mark.thorough("test_the_command_line_reads_or_refuses_it")
        ),
    ],
)
def test_the_command_line_reads_or_refuses_it(name: str, tmp_path: Path, watch: Watch) -> None:
    path = tmp_path / name
    path.write_bytes(CONTENT[name]())
    assert main(["schema", str(path), "--out", str(tmp_path / "out.json")]) != FAILED
    if name in NAMED:
        watch.capture.readouterr()
    (tmp_path / "out.json").unlink(missing_ok=True)
    path.unlink()
    assert watch.found(tmp_path) == []


@pytest.mark.parametrize("name", SQLITE)
def test_a_database_is_read_or_refused(name: str, tmp_path: Path, watch: Watch) -> None:
    path = tmp_path / name
    path.write_bytes(CONTENT[name]())
    try:
        raw = read_query(f"sqlite:///{path}", "people")
        watch.said.extend([*raw.notes, repr(raw)])
    except Refusal as refusal:
        watch.hear(refusal)
    assert watch.found() == []


NAMED = ("repeated-header.csv", "no-header.csv", "only-header.csv", "one-column.csv")
"""Files whose first line, which names the columns, is made of canaries."""


def _without_names(refusal: Refusal, name: str) -> Refusal:
    return Refusal("", "") if name in NAMED else refusal
