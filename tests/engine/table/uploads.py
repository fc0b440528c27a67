"""Files in memory, as an upload brings them, and what reading them comes to."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from tests.engine.table import refusals
from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable
from understudy.table.sources.reading import read_table


def read(
    data: bytes | str,
    how: Reading | str | None = "table.csv",
    **settings: Any,
) -> RawTable:
    """Read an upload: as a reading says, or as what its name says it is."""
    reading, name = (how, "table.csv") if isinstance(how, Reading) else (None, how)
    content = data if isinstance(data, bytes) else data.encode()
    return read_table(content, reading, name=name, **settings)


def texts(table: RawTable, name: str) -> list[str]:
    """The texts of a column, record by record."""
    found, places = table.distinct(name)
    return [found[place] for place in places]


def refused(data: bytes | str, how: Reading | str | None = "table.csv", **settings: Any) -> Refusal:
    """The refusal of an upload, which says what to do and quotes no cell."""
    return refusals.refused(read, data, how, **settings)


def parquet(**columns: Any) -> bytes:
    """A Parquet file of these columns."""
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def excel(*sheets: Sequence[Sequence[Any]]) -> bytes:
    """A workbook of these sheets, each given row by row."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for place, rows in enumerate(sheets):
        sheet = book.create_sheet(f"sheet{place}")
        for row in rows:
            sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()
