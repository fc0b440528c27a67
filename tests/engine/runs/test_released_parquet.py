"""A table in Parquet: its parts are those of one table, whatever interrupted it."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import within_cells
from understudy.core.refusal import Refusal
from understudy.runs import released
from understudy.runs.folder import TABLE
from understudy.runs.released import ReleasedParquet, Written, first_records
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records, as_arrow
from understudy.table.schema import Schema
from understudy.table.seed_mark import marked_schema

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


def begun(folder: Path, written: Written | None = None, marked: bool = False) -> ReleasedParquet:
    (folder / "codes").touch()
    file = (folder / "codes").open("r+b")
    path = folder / TABLE["parquet"]
    return ReleasedParquet(within_cells(SCHEMA), path, file, marked=marked, written=written)


def read(folder: Path) -> np.ndarray:
    return first_records(folder / TABLE["parquet"], SCHEMA, 10**9).codes


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of five records."""
    monkeypatch.setattr(released, "_VALUES", 5 * len(SCHEMA))


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("batches", [[], [0], [3], [1, 1, 2, 9, 0, 2]])
def test_batches_make_one_table_with_its_hash_and_its_types(
    batches: list[int], marked: bool, tmp_path: Path, small_groups: None
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
        shown = Records(marked_schema(SCHEMA), np.hstack([codes, marks]))
    found = pq.read_table(tmp_path / TABLE["parquet"])
    assert found.to_pylist() == as_arrow(shown).to_pylist()
    assert found.schema == as_arrow(shown).schema
    groups = pq.ParquetFile(tmp_path / TABLE["parquet"]).metadata
    assert all(groups.row_group(each).num_rows <= 5 for each in range(groups.num_row_groups))


@given(
    sizes=st.lists(st.integers(0, 7), min_size=1, max_size=6),
    settled=st.integers(0, 5),
    torn=st.binary(max_size=9),
    seed=st.integers(0, 2**16),
)
def test_a_table_goes_on_where_it_was_put_down(
    sizes: list[int],
    settled: int,
    torn: bytes,
    seed: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """To the last byte, whatever came after it, and was lost with the process or half written."""
    parts = np.split(some(sum(sizes), seed), np.cumsum(sizes)[:-1])
    whole, folder = (tmp_path_factory.mktemp(name) for name in ("whole", "torn"))
    uninterrupted, first = begun(whole), begun(folder)
    for part in parts:
        uninterrupted.add(part)
    for part in parts[:settled]:
        first.add(part)
    written = first.settle()
    with (folder / "codes").open("ab") as file:
        file.write(torn)
    again = begun(folder, written)
    assert again.rows == sum(sizes[:settled])
    for part in parts[settled:]:
        again.add(part)
    assert again.finish() == uninterrupted.finish()
    assert (folder / TABLE["parquet"]).read_bytes() == (whole / TABLE["parquet"]).read_bytes()


@pytest.mark.parametrize("spoil", [lambda held: held[:-1], lambda held: b"x" + held[1:]])
def test_a_file_that_lacks_what_was_written_is_not_gone_on_with(
    spoil: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    table = begun(tmp_path)
    table.add(some(3))
    written = table.settle()
    codes = tmp_path / "codes"
    codes.write_bytes(spoil(codes.read_bytes()))
    with pytest.raises(ValueError, match="does not hold"):
        begun(tmp_path, written)


@pytest.mark.parametrize("count", [256, 257])
def test_codes_take_a_byte_each_where_that_holds_them(count: int, tmp_path: Path) -> None:
    values = tuple(str(each) for each in range(count))
    columns = (Column(name=name, domain=Categories(values=values)) for name in "ab")
    schema = Schema(columns=tuple(columns))
    with (tmp_path / "codes").open("w+b") as file:
        table = ReleasedParquet(
            within_cells(schema), tmp_path / TABLE["parquet"], file, marked=False
        )
        codes = np.arange(count, dtype=np.uint16)[::-1, None].repeat(2, axis=1)
        table.add(codes)
        assert table.settle().size == 2 * count * (1 + (count > 256))
        table.finish()
    assert np.array_equal(first_records(tmp_path / TABLE["parquet"], schema, 10**6).codes, codes)


def test_a_mark_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    taken = Column(name="not_private", domain=Categories(values=("x",)))
    schema = Schema(columns=(*SCHEMA.columns, taken))
    with pytest.raises(Refusal):
        ReleasedParquet(within_cells(schema), tmp_path / "t.parquet", io.BytesIO(), marked=True)


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
