"""Small tables as files of every kind that can be written here.

The columns of a file get the types that a program would give them: the narrowest that holds all of
their values. So a hostile record widens the type of a column for all others.
"""

from __future__ import annotations

import io
import math
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.assurance.hostile import SCHEMA, Record

Writer = Callable[[Sequence[Record]], bytes]

_STAND_IN = "~QQ~"
"""In place of a text that is in no encoding, until the file is written."""

_SINGLE = 1 << 24


def parquet(records: Sequence[Record]) -> bytes:
    """Return a Parquet file, in groups of two records."""
    sink = io.BytesIO()
    columns = {
        name: _array(list(values))
        for name, values in zip(SCHEMA.names, zip(*records, strict=True), strict=True)
    }
    pq.write_table(pa.table(columns), sink, row_group_size=2)
    return sink.getvalue()


def _array(values: list[Any]) -> pa.Array:
    """Values in the narrowest type that holds all of them."""
    there = [value for value in values if value is not None]
    kinds = {type(value) for value in there}
    if kinds <= {str, bytes}:
        data = [value.encode() if isinstance(value, str) else value for value in values]
        return pa.array(data, pa.binary()).view(pa.string())
    if kinds <= {date, datetime}:
        return _times(values, there)
    if kinds == {int}:
        return pa.array(values, pa.int64() if max(map(abs, there)) >= 2**15 else pa.int16())
    if kinds == {Decimal} or (Decimal in kinds and int in kinds):
        return pa.array([None if each is None else Decimal(each) for each in values])
    single = pa.float32() if all(map(_is_short, there)) else pa.float64()
    return pa.array([None if value is None else _double(value) for value in values], single)


def _times(values: list[Any], there: list[Any]) -> pa.Array:
    if all(type(value) is date for value in there):
        return pa.array(values, pa.date32())
    moments = [None if value is None else _moment(value) for value in values]
    zone = next((value.tzinfo for value in there if getattr(value, "tzinfo", None)), None)
    if zone is None:
        return pa.array(moments, pa.timestamp("us"))
    aware = [each if each is None or each.tzinfo else each.replace(tzinfo=UTC) for each in moments]
    return pa.array(aware, pa.timestamp("ms", "Asia/Tokyo"))


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def _is_short(value: Any) -> bool:
    """Return whether a program might keep a number in single precision: few digits are lost."""
    return isinstance(value, float) and abs(value) < _SINGLE and float(f"{value:.6g}") == value


def _double(value: Any) -> float:
    """Return a number in double precision, after single precision where it may have been kept
    so."""
    return float(np.float32(value)) if _is_short(value) else float(value)


def excel(records: Sequence[Record]) -> bytes:
    """Return a workbook. Bytes are left out, as are empty records, which no sheet holds."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (SCHEMA.names, *records):
        sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def sqlite(records: Sequence[Record]) -> bytes:
    """Return an SQLite database, in which any value may stand in any column."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"CREATE TABLE people ({', '.join(map(repr, SCHEMA.names))})")
            for record in records:
                marks = ("CAST(? AS TEXT)" if isinstance(each, bytes) else "?" for each in record)
                said = [each.isoformat() if isinstance(each, date) else each for each in record]
                connection.execute(f"INSERT INTO people VALUES ({', '.join(marks)})", said)
            connection.commit()
        return path.read_bytes()


def statistics(write: Callable[..., Any], missing_text: str = "") -> Writer:
    """Return a writer of files of a statistics program, from that of the library."""

    def written(records: Sequence[Record]) -> bytes:
        odd = [each for record in records for each in record if isinstance(each, bytes)]
        frame = pd.DataFrame(
            {
                name: _series(values, missing_text)
                for name, values in zip(SCHEMA.names, zip(*records, strict=True), strict=True)
            }
        )
        with TemporaryDirectory() as folder:
            path = Path(folder) / "table"
            write(frame, str(path))
            data = path.read_bytes()
        for each in odd:
            data = data.replace(_stand_in(each).encode(), each)
        return data

    return written


def _stand_in(data: bytes) -> str:
    """Return a text of as many bytes, four or more."""
    assert len(data) >= len(_STAND_IN)
    return _STAND_IN.ljust(len(data), "~")


def _series(values: Sequence[Any], missing_text: str) -> Any:
    there = [value for value in values if value is not None]
    if all(isinstance(value, str | bytes) for value in there):
        texts = [_stand_in(each) if isinstance(each, bytes) else each for each in values]
        return [missing_text if each is None else each for each in texts]
    if all(isinstance(value, date) for value in there):
        if all(type(value) is date for value in there):
            return list(values)
        return [None if value is None else _moment(value) for value in values]
    if all(isinstance(value, int) for value in there) and len(there) == len(values):
        return list(values)
    single = np.float32 if all(map(_is_short, there)) else np.float64
    return np.array([math.nan if each is None else _double(each) for each in values], single)
