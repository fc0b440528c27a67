"""Reading in a process of its own: the same table, the same refusals, and no crash."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.table.builders import excel
from tests.engine.table.formats import Words, write
from tests.engine.table.sources.statistics.files import people
from understudy.core.refusal import Refusal
from understudy.core.sandbox import Ended, SandboxBounds, run_in_sandbox
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy.table.sources import isolation as apart
from understudy.table.sources.reading import read_table
from understudy.table.sources.source import open_source
from understudy.table.sources.statistics.statistics_file import read_statistics
from understudy.table.sources.streamed_table import StreamedTable

_WORDS = Words(
    titles={"sex": "Sex"}, values={"sex": {1: "männlich", 2: "weiblich"}}, ranges={"sex": [2]}
)


@pytest.mark.parametrize("upload", [True, False])
def test_the_table_is_the_same(tmp_path: Path, upload: bool) -> None:
    path = write("sav", people(), tmp_path / "people.sav", _WORDS)
    raw = read_table(path.read_bytes(), name=path.name) if upload else read_table(path)
    here = read_statistics(open_source(path, None, 1 << 30), "spss", encoding=None)
    assert raw.arrow.equals(here.arrow)
    assert (raw.reading, raw.notes, raw.labels) == (here.reading, here.notes, here.labels)
    assert raw.arrow.column("sex").num_chunks == 1


def test_a_refusal_comes_back_whole(tmp_path: Path) -> None:
    path = write("sav", people(), tmp_path / "people.sav")
    with pytest.raises(Refusal) as caught:
        read_table(path, encoding="no-such-encoding")
    assert caught.value.field == "encoding"
    assert caught.value.remedy.startswith("Use a name")


@pytest.mark.parametrize(
    ("why", "said"), [("crash", "damaged"), ("time", "far longer"), ("memory", "more memory")]
)
def test_a_file_that_ends_what_reads_it_is_refused(
    monkeypatch: pytest.MonkeyPatch, why: str, said: str
) -> None:
    """No file that does so is at hand for good; `test_sandbox` ends the process in earnest."""

    def ending(*_: object) -> None:
        raise Ended(why)  # type: ignore[arg-type]

    monkeypatch.setattr(apart, "run_in_sandbox", ending)
    with pytest.raises(Refusal, match=said) as caught:
        read_table(excel([["a", "b"], [1, 2]]), name="t.xlsx")
    assert caught.value.field == "table"


def test_memory_is_bounded_by_the_size_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of 20 MB in which no text stands twice, and hardly any memory to read it."""
    data = excel([["a", "b"], *(["x" * 32_000 + str(each), each] for each in range(600))])
    monkeypatch.setattr(apart, "reading_bounds", lambda size: SandboxBounds(1 << 20, 120.0))
    with pytest.raises(Refusal, match="more memory"):
        read_table(data, name="t.xlsx")


def test_a_table_is_counted_before_it_is_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "most_held", lambda size: 10)
    with pytest.raises(Refusal, match="more memory"):
        read_table(excel([["a", "b"], [1, 2], [3, 4]]), name="t.xlsx")


def _texts(rows: int) -> bytes:
    lines = ["name,number,“word”", *(f"n{row},{row * row},w{row % 7}" for row in range(rows))]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_text_and_parquet_are_read_apart_as_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: Literal["csv", "parquet"]
) -> None:
    data = _texts(3_000)
    if kind == "parquet":
        sink = io.BytesIO()
        pq.write_table(read_table(data, name="t.csv").arrow, sink)
        data = sink.getvalue()
    path = tmp_path / f"t.{kind}"
    path.write_bytes(data)
    here = read_table(path)
    asked: list[str] = []
    monkeypatch.setattr(apart, "HERE", 1)
    monkeypatch.setattr(
        apart,
        "run_in_sandbox",
        lambda module, *rest: asked.append(module) or run_in_sandbox(module, *rest),
    )
    anew = read_table(data, here.reading, name=path.name)
    for found in (read_table(path), read_table(data, name=path.name), anew):
        assert found.arrow.equals(here.arrow)
        assert (found.reading, found.labels) == (here.reading, here.labels)
        assert found.arrow.column("name").num_chunks == 1
    assert asked == [apart._TEXTS] * 3
    with pytest.raises(Refusal) as refused:
        read_table(b"a,b\n", name="t.csv")
    monkeypatch.undo()
    with pytest.raises(Refusal) as same:
        read_table(b"a,b\n", name="t.csv")
    assert str(refused.value) == str(same.value)


def test_small_parquet_that_somebody_uploads_is_read_apart_and_a_small_text_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ending(*_: object) -> None:
        raise Ended("crash")

    monkeypatch.setattr(apart, "run_in_sandbox", ending)
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": ["1"], "b": ["2"]}), sink)
    with pytest.raises(Refusal, match="damaged"):
        read_table(sink.getvalue(), name="t.parquet", trusted=False)
    assert read_table(sink.getvalue(), name="t.parquet").rows == 1
    assert read_table(b"a,b\n1,2\n", name="t.csv", trusted=False).rows == 1


def test_a_text_that_takes_more_memory_than_there_is_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What reads it may end without a word, and the same process reads the next one."""
    monkeypatch.setattr(apart, "HERE", 1)
    data = _texts(60_000)
    with monkeypatch.context() as little:
        little.setattr(apart, "text_bounds", lambda size: SandboxBounds(1 << 20, 120.0))
        with pytest.raises(Refusal) as refused:
            read_table(data, name="t.csv")
    assert refused.value.problem == "There is too little memory here to read t.csv."
    assert "more memory" in refused.value.remedy
    assert read_table(data, name="t.csv").rows == 60_000


def test_parquet_that_memory_does_not_hold_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 1 failed")

    place = tmp_path / "small.parquet"
    pq.write_table(pa.table({"a": [1, 2], "b": [3, 4]}), place)
    monkeypatch.setattr(pq, "read_schema", full)
    with pytest.raises(Refusal, match="too little memory here to read"):
        read_table(place)
    schema = Schema(
        columns=tuple(Column(name=each, domain=Grid(minimum=0, maximum=9)) for each in "ab")
    )
    with pytest.raises(MemoryError):
        StreamedTable.open(place, schema)
