"""A Parquet table read piece by piece comes to what it comes to read whole."""

from __future__ import annotations

import datetime
import decimal
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.table.neighbours import ODD
from tests.engine.table.refusals import SECRET, refused
from understudy.assurance.hostile_files import Record, parquet
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import encode
from understudy.table.fit import Policy
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources import streamed_table
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable

_DAY = datetime.datetime(2020, 1, 2)


def categories(name: str, *values: str, missing: bool = False) -> Column:
    return Column(name=name, domain=Categories(values=values), missing=missing)


def numbers(name: str, low: int, high: int, step: str = "1", *, missing: bool = False) -> Column:
    grid = Grid(
        kind="numbers" if "." in step else "integers",
        minimum=decimal.Decimal(low),
        maximum=decimal.Decimal(high),
        step=decimal.Decimal(step),
    )
    return Column(name=name, domain=grid, missing=missing)


_B = categories("b", "x", "y")
_OF_ONE = pytest.mark.thorough("test_every_kind_of_column_comes_to_the_same")


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    """Writes a Parquet file of two columns or more."""

    def saved(group: int | None = None, **columns: Any) -> Path:
        path = tmp_path / "table.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=group)
        return path

    return saved


def whole(path: Path, schema: Schema, policies: Mapping[str, Policy] | None = None) -> Records:
    return encode(read_table(path), schema, policies)


def same(path: Path, schema: Schema, policies: Mapping[str, Policy] | None = None) -> None:
    """Piece by piece, and whole."""
    table = StreamedTable.open(path, schema, policies)
    for _ in range(2):
        found = np.concatenate([piece.codes for piece in table.records()])
        assert np.array_equal(found, whole(path, schema, policies).codes)
        assert len(table) == len(found)


@pytest.fixture(params=[2, 1 << 18])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many records are read at once."""
    monkeypatch.setattr(streamed_table, "PIECE", request.param)
    return int(request.param)


@pytest.mark.parametrize("group", [1, pytest.param(3, marks=_OF_ONE), None])
@pytest.mark.parametrize(
    ("values", "column"),
    [
        (["x", "y", " x ", "y", "x"], categories("a", "x", "y")),
        (["x", None, "", " ", "y"], categories("a", "x", "y", missing=True)),
        (pa.array(["x", "y", "y", "x", "y"], pa.large_string()), categories("a", "x", "y")),
        (
            pa.array(["x", "y", None, "x", "y"]).dictionary_encode(),
            categories("a", "x", "y", missing=True),
        ),
        ([3, 1, 5, 1, 1], numbers("a", 0, 9)),
        (pa.array([3, None, 5, 1, 1], pa.int8()), numbers("a", 0, 9, missing=True)),
        (pa.array([100, -128, 127, None, 0], pa.int8()), numbers("a", -200, 200, missing=True)),
        ([-100_000, -99_000, -98_500, 5, -98_500], numbers("a", -100_000, 10, "1000")),
        (pa.array([2**64 - 1, 1, 1], pa.uint64()), categories("a", "1", str(2**64 - 1))),
        ([0.5, 0.25, float("nan"), 1.0, 0.74], numbers("a", 0, 1, "0.5", missing=True)),
        (pa.array([0.1, 0.2, 0.5, 1, 0.3], pa.float32()), numbers("a", 0, 1, "0.1")),
        (pa.array([1.0, 2.0, 1.0, 2.0, 1.0]).dictionary_encode(), categories("a", "1", "2")),
        ([True, False, None, True, True], categories("a", "true", "false", missing=True)),
        (
            [decimal.Decimal("1.50"), None, decimal.Decimal("2.00")] * 2,
            numbers("a", 1, 3, "0.5", missing=True),
        ),
        ([_DAY.date(), None] * 3, categories("a", "2020-01-02", missing=True)),
        (pa.nulls(5), categories("a", "x", missing=True)),
        (
            [datetime.time(0), datetime.time(1)] * 3,
            categories("a", "00:00:00.000000", "01:00:00.000000"),
        ),
    ],
)
def test_every_kind_of_column_comes_to_the_same(
    save: Callable[..., Path], piece: int, values: Any, column: Column, group: int | None
) -> None:
    stored = values if isinstance(values, pa.Array) else pa.array(values)
    path = save(group, a=stored, b=["x", "y"] * (len(stored) // 2) + ["y"] * (len(stored) % 2))
    same(path, Schema(columns=(column, _B)))


@pytest.mark.parametrize("as_dictionary", [False, True])
def test_a_point_in_time_is_a_day_or_not_whatever_the_others_are(
    save: Callable[..., Path], piece: int, as_dictionary: bool
) -> None:
    moments = pa.array([_DAY, _DAY, None, _DAY, _DAY.replace(hour=12)])
    stored = moments.dictionary_encode() if as_dictionary else moments
    path = save(2, a=stored, b=["x"] * 5)
    for domain in (
        ("2020-01-02", "2020-01-02 12:00:00"),
        ("2020-01-02T00:00:00.000000", "2020-01-02 12:00:00.000"),
    ):
        same(path, Schema(columns=(categories("a", *domain, missing=True), _B)))
    schema = Schema(columns=(categories("a", "2020-01-02", missing=True), _B))
    same(path, schema, {"a": "missing"})
    assert whole(path, schema, {"a": "missing"}).codes[:, 0].tolist() == [0, 0, 1, 0, 1]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["x", "y", "z", " x", "", "SECRET", None]),
            st.sampled_from([-3, 0, 4, 9, 11, None]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 5),
    st.integers(1, 5),
    st.sampled_from(["refuse", "missing"]),
    st.sampled_from(["refuse", "missing", "clip"]),
)
def test_it_refuses_what_is_refused_whole_in_the_same_words(
    save: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    rows: list[tuple[str | None, int | None]],
    group: int,
    piece_size: int,
    first: Policy,
    second: Policy,
) -> None:
    monkeypatch.setattr(streamed_table, "PIECE", piece_size)
    texts, units = zip(*rows, strict=True)
    stored = pa.array(texts, pa.string()), pa.array(units, pa.int64())
    path = save(group, a=stored[0], b=stored[1])
    schema = Schema(
        columns=(categories("a", "x", "y", missing=True), numbers("b", 0, 9, missing=True))
    )
    policies: dict[str, Policy] = {"a": first, "b": second}
    expected, found = (told(call, path, schema, policies) for call in (whole, StreamedTable.open))
    assert found == expected
    if found is None:
        same(path, schema, policies)


def told(call: Callable[..., object], *arguments: Any) -> tuple[str, str, str | None] | None:
    """What a call refuses, if it does."""
    try:
        call(*arguments)
    except Refusal as refusal:
        return refusal.problem, refusal.remedy, refusal.field
    return None


def test_only_the_columns_of_the_schema_are_looked_at(save: Callable[..., Path]) -> None:
    path = save(a=["x", "y"], b=["x", "x"], c=[[1], [2]], **{"a.b": ["y", "x"], " d ": [1, 2]})
    schema = Schema(columns=(categories("a", "x", "y"), numbers("d", 1, 2)))
    table = StreamedTable.open(path, schema)
    (found,) = table.pieces()
    assert {place: codes.tolist() for place, codes in found.columns.items()} == {
        0: [0, 1],
        1: [0, 1],
    }
    (few,) = table.pieces([1])
    assert list(few.columns) == [1]


def test_many_small_groups_of_rows_are_read_together_but_not_all(
    save: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = pq.ParquetFile(save(2, a=["x", "y"] * 10, b=["x"] * 20)).metadata
    assert list(streamed_table._together(groups)) == [list(range(10))]
    monkeypatch.setattr(streamed_table, "_MOST_GROUPS", 3)
    assert list(streamed_table._together(groups)) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    monkeypatch.setattr(streamed_table, "PIECE", 4)
    assert list(streamed_table._together(groups)) == [[at, at + 1] for at in range(0, 10, 2)]


def test_pieces_say_where_they_begin_and_no_more_than_one_is_read_ahead(
    save: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streamed_table, "PIECE", 3)
    table = StreamedTable.open(
        save(a=["x", "y"] * 10, b=["x"] * 20), Schema(columns=(categories("a", "x", "y"), _B))
    )
    made = []
    real = streamed_table._Reader.codes

    def counting(self: Any, column: Any) -> Any:
        made.append(len(column))
        return real(self, column)

    monkeypatch.setattr(streamed_table._Reader, "codes", counting)
    starts = []
    for taken, each in enumerate(table.pieces([0])):
        assert len(made) <= taken + 2
        starts.append(each.start)
    assert starts == list(range(0, 20, 3))
    assert sum(made) == 20


@pytest.mark.parametrize(
    ("columns", "field"),
    [
        ({"a": ["x"], "c": ["x"]}, "b"),
        ({"A": ["x"], "b": ["x"]}, "a"),
        ({"a": [[1]], "b": ["x"]}, "a"),
        ({"a": [b"SECRET"], "b": ["x"]}, "a"),
        ({"a": ["x"], " a ": ["x"], "b": ["x"]}, "table"),
        ({"a": pa.array([], pa.string()), "b": pa.array([], pa.string())}, "table"),
    ],
)
def test_files_that_do_not_fit_the_schema(
    save: Callable[..., Path], columns: dict[str, Any], field: str
) -> None:
    schema = Schema(columns=(categories("a", "x", "y"), _B))
    assert refused(StreamedTable.open, save(**columns), schema).field == field


def test_policies_are_checked_before_the_file_is_read(save: Callable[..., Path]) -> None:
    schema = Schema(columns=(categories("a", "x", "y"), _B))
    path = save(a=["x"], b=["x"])
    assert refused(StreamedTable.open, path, schema, {"a": "clip"}).field == "a"


def test_other_files(tmp_path: Path) -> None:
    schema = Schema(columns=(categories("a", "x", "y"), _B))
    other, damaged = tmp_path / "table.csv", tmp_path / "table.parquet"
    other.write_text("a,b\nx,x\n", encoding="utf-8")
    damaged.write_bytes(b"PAR1" + SECRET.encode() * 20 + b"PAR1")
    assert "not a Parquet file" in str(refused(StreamedTable.open, other, schema))
    assert "damaged" in str(refused(StreamedTable.open, damaged, schema))
    assert "no file" in str(refused(StreamedTable.open, tmp_path / "none.parquet", schema))
    assert "limit" in str(refused(lambda: StreamedTable.open(damaged, schema, limit_bytes=10)))


def test_a_page_that_cannot_be_read_is_no_end(save: Callable[..., Path]) -> None:
    path = save(10, a=["x", "y"] * 500, b=["x"] * 1000)
    data = bytearray(path.read_bytes())
    data[4 : len(data) // 2] = bytes(len(data) // 2 - 4)
    path.write_bytes(data)
    schema = Schema(columns=(categories("a", "x", "y"), _B))
    assert "damaged" in str(refused(StreamedTable.open, path, schema))


def _rewritten(path: Path) -> None:
    """Other records in as many bytes."""
    data = path.read_bytes()
    path.write_bytes(data)
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def _exchanged(path: Path) -> None:
    """Another file under the same name, as old."""
    other, found = path.with_name("other"), path.stat()
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(found.st_atime_ns, found.st_mtime_ns))
    other.replace(path)


def _rewritten_and_set_back(path: Path) -> None:
    """As many other bytes, and the time of the change set back."""
    before = path.stat()
    with path.open("r+b") as file:
        content = file.read()
        file.seek(0)
        file.write(content.replace(b"x", b"y"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("change", [_rewritten, _rewritten_and_set_back, _exchanged, Path.unlink])
@pytest.mark.parametrize("meanwhile", [False, True])
def test_a_file_that_changes_is_refused(
    save: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
    meanwhile: bool,
) -> None:
    monkeypatch.setattr(streamed_table, "PIECE", 2)
    path = save(a=["x", "y"] * 5, b=["x"] * 10)
    table = StreamedTable.open(path, Schema(columns=(categories("a", "x", "y"), _B)))

    def read() -> Iterator[int]:
        pieces = table.pieces()
        if meanwhile:
            yield len(next(pieces))
        change(path)
        yield from (len(piece) for piece in pieces)

    assert refused(lambda: list(read())).field == "table"


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(ODD, min_size=1, max_size=5), st.integers(1, 3))
def test_every_value_is_read_as_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: list[Record], pieces: int
) -> None:
    monkeypatch.setattr(streamed_table, "PIECE", pieces)
    path = tmp_path / "table.parquet"
    path.write_bytes(parquet(records))
    raw = read_table(path)
    columns = []
    for name in raw.names:
        texts = [text for text in raw.distinct(name)[0] if text.strip() and "\0" not in text]
        listed = Categories(values=tuple(texts[: 1 + len(texts) // 2]) or ("none",))
        columns.append(Column(name=name, domain=listed, missing=True))
    same(path, Schema(columns=tuple(columns)), dict.fromkeys(raw.names, "missing"))
