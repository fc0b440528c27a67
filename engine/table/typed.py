"""Records as typed Arrow columns, for Parquet."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from engine.table.domain import Categories, Grid
from engine.table.records import Records
from engine.table.schema import Column


def as_arrow(records: Records) -> pa.Table:
    """The records with their types: whole numbers as int64, others as decimals with the digits
    they are written with, categories as dictionaries of texts, missing as null."""
    columns = records.schema.columns
    arrays = [_array(column, records, place) for place, column in enumerate(columns)]
    fields = [
        pa.field(column.name, array.type, nullable=column.missing, metadata=_titled(column))
        for column, array in zip(columns, arrays, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _array(column: Column, records: Records, place: int) -> pa.Array:
    codes = records.codes[:, place].astype(np.int32)
    missing = codes == column.missing_code if column.missing else None
    places = pa.array(codes, pa.int32(), mask=missing)
    domain = column.domain
    if isinstance(domain, Categories):
        return pa.DictionaryArray.from_arrays(places, pa.array(domain.values, pa.string()))
    return _numbers(domain).take(places)


def _numbers(grid: Grid) -> pa.Array:
    if grid.kind == "integers":
        return pa.array([int(number) for number in grid.numbers], pa.int64())
    digits = max(len(text.strip("-").replace(".", "")) for text in grid.texts)
    return pa.array(grid.numbers, pa.decimal128(max(digits, grid.decimals + 1), grid.decimals))


def _titled(column: Column) -> dict[str, str] | None:
    return {"title": column.title} if column.title else None
