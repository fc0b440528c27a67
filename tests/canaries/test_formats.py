"""A table with canaries in every kind of file, through the engine and the command line: read,
described, counted, refused, encoded. Nothing that is said, logged or written holds a canary."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import postgres
from tests.canaries.conftest import Watch
from tests.canaries.planted import canaries, frame, schema
from tests.engine.table.formats import FILES, write, write_table
from understudy.cli import main
from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.encoding import decode, encode, outside
from understudy.table.raw import RawTable
from understudy.table.sources.databases.database import read_query
from understudy.table.sources.reading import read_table

ROWS = 150
KINDS = (*FILES, "sqlite", "postgresql")
POLICIES = {
    "AREA": "missing", "JOB": "missing", "AGE": "clip", "PAY": "clip", "BORN": "clip",
    "SEEN": "missing", "FEE": "missing",
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the confidential files are; not watched."""
    return tmp_path_factory.mktemp("confidential")


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[str]:
    """The connection string of a PostgreSQL that holds the table."""
    with postgres.serving() as served:
        write_table(served.url(), frame(ROWS))
        yield served.url()


@pytest.fixture(scope="module")
def read(place: Path) -> dict[str, RawTable]:
    """What was read already, by kind."""
    return {}


@pytest.fixture
def raw(
    kind: str, place: Path, read: dict[str, RawTable], request: pytest.FixtureRequest
) -> RawTable:
    """The table, read from a kind of file, the first time while it is watched."""
    if kind == "postgresql":
        request.getfixturevalue("server")  # its own folder is not watched
    request.getfixturevalue("watch")
    if kind not in read:
        read[kind] = _read(kind, place, request)
    return read[kind]


def _read(kind: str, place: Path, request: pytest.FixtureRequest) -> RawTable:
    if kind == "postgresql":
        return read_query(request.getfixturevalue("server"), "people")
    path = write(kind, frame(ROWS), place / f"people.{kind}")
    return read_query(f"sqlite:///{path}", "people") if kind == "sqlite" else read_table(path)


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_holds_canaries(kind: str, raw: RawTable, watch: Watch) -> None:
    """Otherwise the tests below would prove nothing; and reading it leaves none."""
    for name in ("AREA", "AGE", "PAY", "BORN", "SEEN", "FEE", "IDENT", "NAME"):
        texts = raw.arrow.column(name).chunk(0).dictionary.to_pylist()
        assert any(canaries(text) for text in texts), name
    assert watch.found() == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_engine_says_nothing_of_them(kind: str, raw: RawTable, watch: Watch) -> None:
    watch.said.extend([*raw.notes, repr(raw), str(raw.reading)])
    by = schema().with_reading(raw.reading)
    try:
        suggestion = suggest_schema(raw)
    except Refusal as refusal:
        watch.hear(refusal)
        suggestion = suggest_schema(raw, leave_out=("IDENT", "NAME"))
    # The suggested values are for the custodian, who is to leave out what is not public.
    watch.said.extend([note for notes in suggestion.notes.values() for note in notes])
    watch.said.extend([repr(each) for each in outside(raw, schema())])
    with pytest.raises(Refusal) as refused:
        encode(raw, by)
    watch.hear(refused.value)
    records = encode(raw, by, POLICIES)
    watch.said.extend([str(decode(records).to_pydict()), repr(records)])
    assert watch.found() == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("sqlite", "postgresql")])
def test_the_command_line_says_nothing_of_them(
    kind: str, raw: RawTable, place: Path, tmp_path: Path, watch: Watch
) -> None:
    table, declared = place / f"people.{kind}", tmp_path / "schema.json"
    declared.write_text(schema().to_json(), encoding="utf-8")
    suggested = tmp_path / "suggested.json"
    main(["schema", str(table), "--out", str(suggested)])
    suggested.unlink(missing_ok=True)
    confirming = [
        "schema",
        str(table),
        "--out",
        str(declared),
        "--declare-public",
        "--origin",
        "codebook",
    ]
    assert main([*confirming, "--note", "a code book"]) in (0, 2)
    assert (
        main(["synthesize", str(table), "--schema", str(declared), "--out", f"{tmp_path}/o"]) == 2
    )
    assert watch.found(tmp_path) == []
