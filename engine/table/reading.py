"""A file into texts, whatever kind of file it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.refusal import Refusal
from engine.table.csv_file import read_csv
from engine.table.header import name_notes
from engine.table.parquet_file import read_parquet
from engine.table.raw import FileFormat, RawTable
from engine.table.source import ENDINGS, GIB, opened

__all__ = ["ENDINGS", "MOST_BYTES", "FileFormat", "RawTable", "read_table"]

MOST_BYTES = 4 * GIB


def read_table(
    source: Path | bytes,
    *,
    name: str | None = None,
    limit_bytes: int = MOST_BYTES,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> RawTable:
    """Read a table: CSV, Parquet, Excel, Stata, SPSS or SAS, told by name and first bytes.

    Args:
        source: a path, or the bytes of an upload.
        name: what to call it in sentences; for bytes, its ending says what kind of file it is.
        limit_bytes: the largest file accepted, in bytes.
        separator: of a CSV file; found where not given.
        encoding: of a CSV file, found where not given; or of a file of a statistics program that
            names a wrong one.
        sheet: of an Excel workbook; the first where not given.

    Raises:
        Refusal: the file is absent, a folder, unreadable, empty, over the limit, damaged, binary
            under a CSV name or in another encoding; or the table has one column, no record,
            blank or repeated names, or a row of another length than the header.
    """
    opened_source = opened(source, name, limit_bytes)
    kind = opened_source.kind
    if sheet is not None and kind != "excel":
        raise Refusal(
            f"{opened_source.name} has no sheets.",
            "Name a sheet for Excel workbooks only.",
            field="sheet",
        )
    if kind == "parquet":
        table = read_parquet(opened_source)
    elif kind == "csv":
        table = read_csv(opened_source, separator=separator, encoding=encoding)
    elif kind == "excel":
        # What these read by takes half a second to load, which most tables need not wait for.
        from engine.table.excel_file import read_excel

        table = read_excel(opened_source, sheet=sheet, limit=limit_bytes)
    else:
        from engine.table.apart import read_apart

        table = read_apart(opened_source, kind, encoding=encoding)
    return replace(table, notes=table.notes + name_notes(table.names))
