from __future__ import annotations

import hashlib

import numpy as np
import pytest

from engine.refusal import Refusal
from engine.runs.released import ReleasedTable
from engine.table.encoding import to_csv_bytes
from engine.table.records import Records
from engine.table.schema import Categories, Column, Schema
from tests.support import category_schema

SCHEMA = category_schema(2, 3)
CODES = np.array([[0, 1], [1, 2], [0, 0]], dtype=np.uint16)


@pytest.mark.parametrize("marked", [False, True])
def test_batches_make_one_table_with_its_hash(marked: bool) -> None:
    parts: list[bytes] = []
    table = ReleasedTable(SCHEMA, parts.append, marked=marked)
    table.add(CODES[:1])
    table.add(CODES[1:])
    table.add(CODES[:0])
    written = b"".join(parts)
    assert table.rows == 3
    assert table.sha256 == hashlib.sha256(written).hexdigest()
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
        ReleasedTable(Schema(columns=(*SCHEMA.columns, taken)), print, marked=True)
