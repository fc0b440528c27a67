from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support import category_schema, within_cells
from understudy.core.refusal import Refusal
from understudy.runs.released import ReleasedCsv, Written, first_records, read_released
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import encode_public, to_csv_bytes
from understudy.table.records import Records
from understudy.table.schema import Schema

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
    found = first_records(tmp_path / "table.csv", AWKWARD, most)
    assert np.array_equal(found.codes, codes[:most])
    texts = read_released(tmp_path / "table.csv")
    assert np.array_equal(encode_public(texts, AWKWARD).codes, codes)
