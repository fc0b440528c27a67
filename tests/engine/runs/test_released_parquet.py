"""A table in Parquet: its parts are those of one table, whatever interrupted it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.refusal import Refusal
from engine.runs import released_parquet
from engine.runs.released import TABLE, Written, first_records
from engine.runs.released_parquet import ReleasedParquet
from engine.synthesis.stain import stained_schema
from engine.table.domain import Grid
from engine.table.records import Records
from engine.table.schema import Categories, Column, Schema
from engine.table.typed import as_arrow

SCHEMA = Schema(
    columns=(
        Column(name="a,b", domain=Categories(values=('say "so"', "two\nlines", "x, y", "é"))),
        Column(name="n", domain=Grid(minimum=-1, maximum=2), missing=True),
        Column(name="d", domain=Grid(kind="numbers", minimum="0.5", maximum="2", step="0.25")),
    )
)
SIZES = SCHEMA.cardinalities


def some(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, SIZES, (count, len(SIZES))).astype(np.uint16)


def begun(folder: Path, written: tuple[Written, ...] = (), marked: bool = False) -> ReleasedParquet:
    path = folder / TABLE["parquet"]
    return ReleasedParquet(SCHEMA, path, folder / "parts", marked=marked, written=written)


def read(folder: Path) -> np.ndarray:
    return first_records(folder / TABLE["parquet"], SCHEMA, 10**9).codes


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of four records, put together in row groups of five."""
    monkeypatch.setattr(released_parquet, "_CELLS", 4 * len(SCHEMA))
    monkeypatch.setattr(released_parquet, "_ROW_GROUP", 5)


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("batches", [[], [0], [3], [1, 1, 2, 9, 0, 2]])
def test_batches_make_one_table_with_its_hash_and_its_types(
    batches: list[int], marked: bool, tmp_path: Path, small_parts: None
) -> None:
    codes = some(sum(batches))
    table = begun(tmp_path, marked=marked)
    for part in np.split(codes, np.cumsum(batches)[:-1]) if batches else []:
        table.add(part)
    sha256 = table.finish()
    written = (tmp_path / TABLE["parquet"]).read_bytes()
    assert sha256 == hashlib.sha256(written).hexdigest()
    assert table.rows == len(codes)
    assert np.array_equal(read(tmp_path), codes)
    shown = Records(SCHEMA, codes)
    if marked:
        marks = np.zeros((len(codes), 1), np.uint16)
        shown = Records(stained_schema(SCHEMA), np.hstack([codes, marks]))
    found = pq.read_table(tmp_path / TABLE["parquet"])
    assert found.to_pylist() == as_arrow(shown).to_pylist()
    assert found.schema == as_arrow(shown).schema
    groups = pq.ParquetFile(tmp_path / TABLE["parquet"]).metadata
    assert all(groups.row_group(each).num_rows <= 5 for each in range(groups.num_row_groups))


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 7), min_size=1, max_size=6),
    settled=st.integers(0, 5),
    seed=st.integers(0, 2**16),
)
def test_a_table_goes_on_where_it_was_put_down(
    sizes: list[int], settled: int, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever came after, and was lost with the process or left half a file."""
    folder = tmp_path_factory.mktemp("table")
    codes = some(sum(sizes), seed)
    parts = np.split(codes, np.cumsum(sizes)[:-1])
    with pytest.MonkeyPatch.context() as small:
        small.setattr(released_parquet, "_CELLS", 4 * len(SCHEMA))
        first = begun(folder)
        for part in parts[:settled]:
            first.add(part)
        written = first.settle()
        for part in parts[settled:]:
            first.add(part)
        (folder / "parts" / "000099.parquet").write_bytes(b"PAR1 half")
        again = begun(folder, written)
        assert again.rows == sum(sizes[:settled])
        for part in parts[settled:]:
            again.add(part)
        again.finish()
    assert np.array_equal(read(folder), codes)
    assert not (folder / "parts" / "000099.parquet").exists()


@pytest.mark.parametrize("spoil", [lambda held: held[:-1], lambda held: b"x" + held[1:], None])
def test_a_part_that_lacks_what_was_written_is_not_gone_on_with(
    spoil: object, tmp_path: Path
) -> None:
    table = begun(tmp_path)
    table.add(some(3))
    written = table.settle()
    part = tmp_path / "parts" / "000000.parquet"
    if callable(spoil):
        part.write_bytes(spoil(part.read_bytes()))
    else:
        part.unlink()
    with pytest.raises(ValueError, match="does not hold"):
        begun(tmp_path, written)


def test_what_was_put_down_is_one_whole_file_after_another(
    tmp_path: Path, small_parts: None
) -> None:
    table = begun(tmp_path)
    table.add(some(9))
    first = table.settle()
    assert table.settle() == first
    table.add(some(2))
    assert [part.rows for part in table.settle()] == [9, 2]
    assert [len(pq.read_table(each)) for each in sorted((tmp_path / "parts").iterdir())] == [9, 2]


def test_a_mark_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    taken = Column(name="not_private", domain=Categories(values=("x",)))
    schema = Schema(columns=(*SCHEMA.columns, taken))
    with pytest.raises(Refusal):
        ReleasedParquet(schema, tmp_path / "t.parquet", tmp_path / "parts", marked=True)


def test_a_value_that_is_not_in_the_schema_is_told(tmp_path: Path) -> None:
    table = begun(tmp_path)
    table.add(some(20))
    table.finish()
    narrower = Schema(
        columns=(*SCHEMA.columns[:2], SCHEMA.columns[2].changed(domain=Grid(minimum=1, maximum=2)))
    )
    with pytest.raises(KeyError):
        first_records(tmp_path / TABLE["parquet"], narrower, 20)
    sure = Schema(
        columns=(SCHEMA.columns[0], SCHEMA.columns[1].changed(missing=False), SCHEMA.columns[2])
    )
    with pytest.raises(KeyError):
        first_records(tmp_path / TABLE["parquet"], sure, 20)
