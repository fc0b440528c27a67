"""What the process that reads workbooks does."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import BinaryIO

import openpyxl

from engine.table.sources.apart import Asked, sent
from engine.table.sources.excel.excel_file import read_excel
from engine.table.sources.source import opened


def prepare() -> None:
    """Read a workbook of two cells: the library makes much of what it needs on its first."""
    book, sink = openpyxl.Workbook(), io.BytesIO()
    book.worksheets[0].append(["a", "b"])
    book.worksheets[0].append([1, 2])
    book.save(sink)
    data = sink.getvalue()
    read_excel(opened(data, "two.xlsx", len(data)), sheet=None, limit=_TWO_CELLS)


_TWO_CELLS = 1 << 20


def work(asked: Asked) -> Callable[[BinaryIO], None]:
    """Read a workbook, as of `apart.read_apart`."""
    source, _kind, _encoding, sheet, limit = asked
    return sent(read_excel(source, sheet=sheet, limit=limit))
