"""The work of the process that reads workbooks."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

import openpyxl

from understudy.table.sources.excel.excel_file import read_excel
from understudy.table.sources.isolation import Asked, table_writer
from understudy.table.sources.source import open_source


def prepare() -> None:
    """Read a tiny workbook, so that the library is initialised before the process forks."""
    book, sink = openpyxl.Workbook(), io.BytesIO()
    book.worksheets[0].append(["a", "b"])
    book.worksheets[0].append([1, 2])
    book.save(sink)
    data = sink.getvalue()
    read_excel(open_source(data, "two.xlsx", len(data)), sheet=None, limit=_TWO_CELLS)


_TWO_CELLS = 1 << 20


def work(asked: Asked) -> Callable[[BinaryIO], None]:
    """Read a workbook, as of `isolation.read_isolated`."""
    source, _kind, _encoding, sheet, limit = asked
    return table_writer(read_excel(source, sheet=sheet, limit=limit))
