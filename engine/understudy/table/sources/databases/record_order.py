"""Sorting the records of a table whose source has no order, such as a database."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.raw import table_of


def sorted_records(table: pa.Table) -> pa.Table:
    """Return the records sorted by their texts, from the first column to the last, by code points.

    The same records come out as the same table, whatever order they came in.

    Args:
        table: as in `RawTable`.
    """
    columns = [column.chunk(0) for column in table.columns]
    ranks = [
        pc.rank(column.dictionary, tiebreaker="dense").to_numpy()[column.indices.to_numpy()]
        for column in columns
    ]
    order = pa.array(np.lexsort(ranks[::-1]))
    return table_of(
        table.column_names,
        (
            pa.DictionaryArray.from_arrays(column.indices.take(order), column.dictionary)
            for column in columns
        ),
    )
