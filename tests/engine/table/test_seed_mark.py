from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import to_csv_bytes
from understudy.table.records import Records
from understudy.table.schema import MOST_COLUMNS, Schema
from understudy.table.seed_mark import marked_schema, stain_records

SCHEMA = category_schema(2, 3)


def test_every_record_says_that_it_is_not_private() -> None:
    records = Records(SCHEMA, np.array([[0, 1], [1, 2]], dtype=np.uint16))
    assert to_csv_bytes(stain_records(records, marked_schema(SCHEMA))).decode().splitlines() == [
        "c0,c1,not_private",
        "v0,v1,demonstration: fixed random seed",
        "v1,v2,demonstration: fixed random seed",
    ]


def test_a_table_without_records_says_so_in_its_header() -> None:
    none = Records(SCHEMA, np.zeros((0, 2), dtype=np.uint16))
    assert to_csv_bytes(stain_records(none, marked_schema(SCHEMA))) == b"c0,c1,not_private\n"


def test_a_table_with_no_room_for_the_mark_is_refused() -> None:
    taken = Column(name="not_private", domain=Categories(values=("x",)))
    with pytest.raises(Refusal, match="one of that name"):
        marked_schema(Schema(columns=(*SCHEMA.columns, taken)))
    with pytest.raises(Refusal, match="255 already"):
        marked_schema(category_schema(*[2] * MOST_COLUMNS))
