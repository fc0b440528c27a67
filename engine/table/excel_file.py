"""Excel into texts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import openpyxl

from engine.refusal import Refusal
from engine.table.cells import cell_text
from engine.table.declared_reading import Reading
from engine.table.header import check_rows, checked_names
from engine.table.raw import RawTable, table_of, text_column
from engine.table.source import Source
from engine.table.unreadable import NOT_APART

_GROWS, _SMALL = 200, 64 << 20
"""How much a workbook may grow when unpacked, beyond so many bytes; real ones grow tenfold."""


def read_excel(source: Source, *, sheet: str | None, limit: int) -> RawTable:
    """Read one sheet of a workbook, the first unless named, its first filled row the header.

    Raises:
        Refusal: it is damaged, larger than the limit when unpacked, has no such sheet, or see
            `reading.read_table`.
    """
    _check_unpacked(source, limit)
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.data[:]), read_only=True, data_only=True)
        sheets = [found.title for found in book.worksheets]
        name = _chosen(sheets, sheet, source.name)
        rows = [list(map(_text, row)) for row in book[name].iter_rows(values_only=True)]
    except Refusal:
        raise
    except Exception:
        # The library lets whatever its parsers raise through.
        raise _damaged(source) from None
    notes: tuple[str, ...] = ()
    if len(sheets) > 1 and sheet is None:
        notes = (f"Sheet “{name}”, the first of {len(sheets)}, was read.",)
    header, body = _trimmed(rows, source.name)
    names = checked_names(header, source.name)
    check_rows(len(body), source.name)
    columns = [_column(cells) for cells in zip(*body, strict=True)]
    chosen = Reading(kind="excel", sheet=name if len(sheets) > 1 else sheet)
    return RawTable(table_of(names, columns), chosen, notes)


def _check_unpacked(source: Source, limit: int) -> None:
    """Check what the workbook unpacks to, before unpacking it."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data[:])) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise _damaged(source) from None
    if size > limit:
        raise Refusal(
            f"{source.name} unpacks to more than the limit.",
            "Save the sheet as CSV or Parquet, or raise the limit.",
            field="table",
        )
    if size > max(_GROWS * len(source.data), _SMALL):
        raise Refusal(
            f"{source.name} unpacks to more than {_GROWS} times its size, as no table does.",
            "Save the sheet as CSV or Parquet, if it is what it should be.",
            field="table",
        )


def _damaged(source: Source) -> Refusal:
    return Refusal(
        f"{source.name} is not a readable Excel workbook.",
        "Save it again as .xlsx without a password, or save the sheet as CSV.",
        field="table",
    )


def _chosen(sheets: Sequence[str], sheet: str | None, name: str) -> str:
    """The sheet to read."""
    if not sheets:
        raise Refusal(f"{name} has no sheet with cells.", "Choose another file.", field="table")
    if sheet is not None and sheet not in sheets:
        raise Refusal(
            f"{name} has no sheet of the name given.",
            "Choose one of: " + ", ".join(sheets) + ".",
            field="sheet",
        )
    return sheet or sheets[0]


def _text(cell: Any) -> str:
    """A cell as text; of anything that is no single value, as it prints."""
    try:
        return cell_text(cell)
    except TypeError:
        return str(cell)


def _trimmed(rows: list[list[str]], name: str) -> tuple[list[str], list[list[str]]]:
    """Header and body without empty rows, and without the empty cells a sheet has at its right.

    A row with cells beyond the header cannot be read, as nobody can say which of them is which.

    Raises:
        Refusal: there is no row.
    """
    filled = [row for row in rows if any(row)]
    if not filled:
        raise Refusal(f"{name} is empty.", "Choose a sheet that holds a table.", field="table")
    header = filled[0]
    while not header[-1]:
        header = header[:-1]
    width = len(header)
    body = [
        [NOT_APART] * width if any(row[width:]) else (row + [""] * width)[:width]
        for row in filled[1:]
    ]
    return header, body


def _column(cells: Iterable[str]) -> Any:
    places: dict[str, int] = {}
    indices = np.array([places.setdefault(cell, len(places)) for cell in cells], dtype=np.int64)
    return text_column(indices, list(places))
