"""Records sorted by their texts, so that the order they came in does not matter."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.table.raw import table_of, text_column
from understudy.table.sources.databases.database import sorted_records

_TEXTS = st.text("a1é\U0001f600", max_size=2)
Row = tuple[str, str]


def table(rows: list[Row]) -> pa.Table:
    columns = zip(*rows, strict=True)
    return table_of(("x", "y"), (text_column(np.arange(len(rows)), each) for each in columns))


def rows_of(found: pa.Table) -> list[Row]:
    return list(zip(found["x"].to_pylist(), found["y"].to_pylist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=12))
def test_records_are_sorted_by_their_texts(rows: list[Row]) -> None:
    assert rows_of(sorted_records(table(rows))) == sorted(rows)


def test_a_text_that_no_record_has_does_not_matter() -> None:
    found = table([("b", "1"), ("a", "2"), ("c", "3")]).take(pa.array([2, 1])).combine_chunks()
    assert rows_of(sorted_records(found)) == [("a", "2"), ("c", "3")]
