"""Figures as they are written to the file that is released. A table in Parquet: its parts are
those of one table, whatever interrupted it.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema, within_cells
from understudy.core.refusal import Refusal
from understudy.runs import table_file
from understudy.runs.folder import TABLE
from understudy.runs.release import figures_text
from understudy.runs.table_file import (
    ReleasedCsv,
    ReleasedParquet,
    Written,
    read_first_records,
    read_released,
)
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import encode_public, to_csv_bytes
from understudy.table.grid import Grid
from understudy.table.records import Records, as_arrow
from understudy.table.schema import Schema
from understudy.table.seed_mark import marked_schema

SCHEMA = category_schema(2, 3)
CODES = np.array([[0, 1], [1, 2], [0, 0]], dtype=np.uint16)


@pytest.mark.parametrize("marked", [False, True])
def test_batches_make_one_table_with_its_hash(marked: bool) -> None:
    file = io.BytesIO()
    table = ReleasedCsv(within_cells(SCHEMA), file, marked=marked)
    table.add(CODES[:1])
    table.add(CODES[1:])
    table.add(CODES[:0])
    written = file.getvalue()
    assert table._file.written == Written(3, len(written), hashlib.sha256(written).hexdigest())
    assert table.rows == 3
    if marked:
        header, *rows = written.decode().splitlines()
        assert header == "c0,c1,not_private"
        assert all(row.endswith(",demonstration: fixed random seed") for row in rows)
        assert len(rows) == 3
    else:
        assert written == to_csv_bytes(Records(SCHEMA, CODES))


def test_a_mark_that_does_not_fit_is_refused() -> None:
    taken = Column(name="not_private", domain=Categories(values=("x",)))
    with pytest.raises(Refusal):
        ReleasedCsv(
            within_cells(Schema(columns=(*SCHEMA.columns, taken))), io.BytesIO(), marked=True
        )


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("torn", [b"", b"1,", b"v0,v1\nv1,v"])
def test_a_table_goes_on_where_it_was_and_comes_out_the_same(marked: bool, torn: bytes) -> None:
    whole, file = io.BytesIO(), io.BytesIO()
    uninterrupted = ReleasedCsv(within_cells(SCHEMA), whole, marked=marked)
    uninterrupted.add(CODES)
    begun = ReleasedCsv(within_cells(SCHEMA), file, marked=marked)
    begun.add(CODES[:2])
    again = io.BytesIO(file.getvalue() + torn)
    table = ReleasedCsv(within_cells(SCHEMA), again, marked=marked, written=begun._file.written)
    table.add(CODES[2:])
    assert again.getvalue() == whole.getvalue()
    assert table._file.written == uninterrupted._file.written


@pytest.mark.parametrize("spoil", [lambda held: held[:-1], lambda held: b"x" + held[1:]])
def test_a_file_that_lacks_what_was_written_is_not_gone_on_with(
    spoil: Callable[[bytes], bytes],
) -> None:
    file = io.BytesIO()
    table = ReleasedCsv(within_cells(SCHEMA), file, marked=False)
    table.add(CODES)
    with pytest.raises(ValueError, match="does not hold"):
        ReleasedCsv(
            within_cells(SCHEMA),
            io.BytesIO(spoil(file.getvalue())),
            marked=False,
            written=table._file.written,
        )


AWKWARD = Schema(
    columns=(
        Column(
            name="a,b",
            domain=Categories(values=('say "so"', "two\nlines", "x, y", "é", "=1+1", "'=1+1")),
        ),
        Column(name="n", domain=Categories(values=("1", "-", "2")), missing=True),
    )
)


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("most", [0, 2, 16, 100])
def test_the_first_records_are_read_back_whatever_they_hold(
    marked: bool, most: int, tmp_path: Path
) -> None:
    codes = np.array([[a, b] for a in range(6) for b in range(4)], dtype=np.uint16)
    with (tmp_path / "table.csv").open("wb") as file:
        ReleasedCsv(within_cells(AWKWARD), file, marked=marked).add(codes)
    found = read_first_records(tmp_path / "table.csv", AWKWARD, most)
    assert np.array_equal(found.codes, codes[:most])
    texts = read_released(tmp_path / "table.csv")
    assert np.array_equal(encode_public(texts, AWKWARD).codes, codes)


NUMBERS = st.none() | st.booleans() | st.integers() | st.text() | st.floats()
FIGURES = st.dictionaries(
    st.text(),
    st.recursive(NUMBERS, lambda each: st.lists(each) | st.dictionaries(st.text(), each)),
)


def refused(word: str) -> Any:
    raise AssertionError(f"{word} is no JSON")


@given(FIGURES)
def test_released_figures_are_json_that_reads_back_as_what_it_was(figures: dict[str, Any]) -> None:
    text = figures_text(figures)
    found = json.loads(text, parse_constant=refused)
    assert figures_text(found) == text
    if "nan" not in repr(figures) and "inf" not in repr(figures):
        assert found == figures


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_stands_as_null(value: float) -> None:
    told = json.loads(figures_text({"of": [{"low": value, "high": 1.5}, (value,)]}))
    assert told == {"of": [{"low": None, "high": 1.5}, [None]]}


RELEASED_PARQUET_SCHEMA = Schema(
    columns=(
        Column(name="a,b", domain=Categories(values=('say "so"', "two\nlines", "x, y", "é"))),
        Column(name="n", domain=Grid(minimum=-1, maximum=2), missing=True),
        Column(name="d", domain=Grid(kind="numbers", minimum="0.5", maximum="2", step="0.25")),
    )
)
SIZES = RELEASED_PARQUET_SCHEMA.cardinalities


def some(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, SIZES, (count, len(SIZES))).astype(np.uint16)


def begun(folder: Path, written: Written | None = None, marked: bool = False) -> ReleasedParquet:
    (folder / "codes").touch()
    file = (folder / "codes").open("r+b")
    path = folder / TABLE["parquet"]
    return ReleasedParquet(
        within_cells(RELEASED_PARQUET_SCHEMA), path, file, marked=marked, written=written
    )


def read(folder: Path) -> np.ndarray:
    return read_first_records(folder / TABLE["parquet"], RELEASED_PARQUET_SCHEMA, 10**9).codes


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of five records."""
    monkeypatch.setattr(table_file, "_VALUES", 5 * len(RELEASED_PARQUET_SCHEMA))


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
    shown = Records(RELEASED_PARQUET_SCHEMA, codes)
    if marked:
        marks = np.zeros((len(codes), 1), np.uint16)
        shown = Records(marked_schema(RELEASED_PARQUET_SCHEMA), np.hstack([codes, marks]))
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
def test_a_file_that_lacks_what_was_written_is_not_gone_on_with_of_released_parquet(
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
    assert np.array_equal(
        read_first_records(tmp_path / TABLE["parquet"], schema, 10**6).codes, codes
    )


def test_a_mark_that_does_not_fit_is_refused_of_released_parquet(tmp_path: Path) -> None:
    taken = Column(name="not_private", domain=Categories(values=("x",)))
    schema = Schema(columns=(*RELEASED_PARQUET_SCHEMA.columns, taken))
    with pytest.raises(Refusal):
        ReleasedParquet(within_cells(schema), tmp_path / "t.parquet", io.BytesIO(), marked=True)


def test_a_value_that_is_not_in_the_schema_is_told(tmp_path: Path) -> None:
    table = begun(tmp_path)
    table.add(some(20))
    table.finish()
    narrower = Schema(
        columns=(
            *RELEASED_PARQUET_SCHEMA.columns[:2],
            RELEASED_PARQUET_SCHEMA.columns[2].changed(domain=Grid(minimum=1, maximum=2)),
        )
    )
    with pytest.raises(KeyError):
        read_first_records(tmp_path / TABLE["parquet"], narrower, 20)
    sure = Schema(
        columns=(
            RELEASED_PARQUET_SCHEMA.columns[0],
            RELEASED_PARQUET_SCHEMA.columns[1].changed(missing=False),
            RELEASED_PARQUET_SCHEMA.columns[2],
        )
    )
    with pytest.raises(KeyError):
        read_first_records(tmp_path / TABLE["parquet"], sure, 20)
