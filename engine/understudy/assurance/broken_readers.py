"""Readers broken on purpose: what decides how a value is read is found out from the whole file."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.assurance.lines import Layout
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.sources.reading import read_table


def days_if_all_are(data: bytes) -> RawTable:
    """Return a Parquet file in which points in time are days only where every one is a midnight."""
    raw = read_table(data, name="table.parquet")
    stored = pq.read_schema(io.BytesIO(data))
    columns = []
    for name in raw.names:
        texts, places = raw.distinct(name)
        if pa.types.is_timestamp(stored.field(name).type) and any(" " in each for each in texts):
            texts = [f"{each} 00:00:00" if each and " " not in each else each for each in texts]
        columns.append(text_column(places.astype(np.int64), texts))
    return RawTable(table_of(raw.names, columns), raw.reading)


def as_their_type_is_written(data: bytes) -> RawTable:
    """Return a Parquet file in which a number is written as its column's type is: 5 or 5.0."""
    raw = read_table(data, name="table.parquet")
    stored = pq.read_table(io.BytesIO(data))
    columns = []
    for name, column in zip(raw.names, stored.columns, strict=True):
        found = raw.arrow.column(name).chunk(0)
        if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
            texts = ["" if each is None else str(each) for each in column.to_pylist()]
            found = text_column(np.arange(len(texts)), texts)
        columns.append(found)
    return RawTable(table_of(raw.names, columns), raw.reading)


def encoding_of_the_file(layout: Layout, data: bytes) -> RawTable:
    """Return a text file in UTF-8 if all of it is, and else in the usual encoding of Windows."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return _read(layout, layout.reading.changed(encoding="cp1252"), data)
    return layout.read(data)


def quote_of_the_file(layout: Layout, data: bytes) -> RawTable:
    """Return a text file whose quotation mark is the double one if a line begins with it."""
    quote = '"' if b'\n"' in data else None
    return _read(layout, layout.reading.changed(quote=quote), data)


def _read(layout: Layout, reading: Reading, data: bytes) -> RawTable:
    """Return a file read by one reading, as if that were the declared one."""
    return replace(read_table(data, reading, name="table.csv"), reading=layout.reading)
