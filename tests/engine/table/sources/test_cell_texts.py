"""All texts of a table, whatever it is held as."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import encode
from understudy.table.schema import Schema
from understudy.table.sources import cell_texts
from understudy.table.sources.cell_texts import AnyTable, blocks, column_names
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed import StreamedTable

COLUMNS = {"a": ["x", "y", "", "y", "x"], "b.c": [1, 2, None, 2, 1], "b": ["u", "u", "v", "w", "u"]}
SCHEMA = Schema(
    columns=(
        Column(name="b", domain=Categories(values=("u", "v", "w"))),
        Column(name="a", domain=Categories(values=("x", "y")), missing=True),
    )
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.parquet"
    table = pa.table({**COLUMNS, "list": [[1]] * 5, "raw": [b"x"] * 5})
    pq.write_table(table, path, row_group_size=2)
    return path


def texts(table: AnyTable) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in column_names(table)}
    for block in blocks(table):
        for name, cells in zip(found, block, strict=True):
            found[name] += cells.texts.take(pa.array(cells.places)).to_pylist()
    return found


@pytest.mark.parametrize("piece", [1, 2, 3, 100])
def test_they_are_the_same_piece_by_piece(file: Path, piece: int) -> None:
    expected = {"a": COLUMNS["a"], "b.c": ["1", "2", "", "2", "1"], "b": COLUMNS["b"]}
    plain = file.with_name("plain.parquet")
    pq.write_table(pq.read_table(file).select(list(COLUMNS)), plain)
    raw = read_table(plain)
    with patch.object(cell_texts, "PIECE", piece):
        assert texts(raw) == expected
        # Columns that no schema names are read too, except for those that hold no single values.
        assert texts(StreamedTable.opened(file, SCHEMA)) == expected
        coded = encode(raw, SCHEMA)
        assert texts(coded)["b"] == expected["b"]
