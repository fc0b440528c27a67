"""Records as typed Arrow columns, for Parquet."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from understudy.table.records import Records
from understudy.table.schema import Column


def as_arrow(records: Records) -> pa.Table:
    """Return the records with their types: whole numbers as int64, others as decimals with the
    digits they are written with, those of continuous columns as doubles with their unit, categories
    as dictionaries of texts, missing as null.

    Raises:
        ValueError: there is a continuous column, and of the records only the codes are known.
    """
    columns = records.schema.columns
    arrays = [_array(column, records, place) for place, column in enumerate(columns)]
    fields = [
        pa.field(column.name, array.type, nullable=column.missing, metadata=_told(column))
        for column, array in zip(columns, arrays, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _array(column: Column, records: Records, place: int) -> pa.Array:
    if column.continuous:
        return _measured(column, records, place)
    codes = records.codes[:, place].astype(np.int64)
    missing = codes == column.missing_code if column.missing else None
    return column.domain.to_arrow(codes, missing)


def _measured(column: Column, records: Records, place: int) -> pa.Array:
    if records.numbers is None:
        raise ValueError(f"the numbers of column {column.name!r} are not known")
    numbers = records.numbers[:, records.schema.continuous.index(place)]
    return pa.array(numbers, pa.float64(), mask=np.isnan(numbers) if column.missing else None)


def _told(column: Column) -> dict[str, str] | None:
    told = {"title": column.title, "unit": column.domain.units}
    return {name: text for name, text in told.items() if text} or None
