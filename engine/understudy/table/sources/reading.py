"""Reading a file of any supported format as texts.

`read_table(source, reading=…)` applies a declared reading (`declared_reading.Reading`, kept in the
schema) and looks for nothing in the file that it does not say. Without one, what is not given is
suggested from the file, once, for a person to confirm: the table's `reading` is the suggestion that
it was read by. Reading the same file by it gives the same table.

What a reader hands on is a `RawTable`: per column a dictionary of texts, in the order of the
records. A value that is no text (bytes of another encoding, cells of a line that cannot be taken
apart) is one of the texts of `unreadable`, which lie outside every domain; so what becomes of it is
the column's declared policy, and nothing else has to know.

The property that every reader keeps, for declared readings: with one record more, all others are
read as without it. `neighbouring` has what is needed to check it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from understudy.core.refusal import Refusal
from understudy.table.declared_reading import STATISTICS, Kind, Reading
from understudy.table.raw import RawTable
from understudy.table.row_rules import RowRule
from understudy.table.sources.csv.csv_suggestion import Hints
from understudy.table.sources.header import name_notes
from understudy.table.sources.isolation import read_text_apart
from understudy.table.sources.odd_rows import find_odd_rows, leave_rows_out, note_left_out
from understudy.table.sources.source import ENDINGS, GIB, Source, open_source

__all__ = ["ENDINGS", "MOST_BYTES", "RawTable", "Reading", "read_table"]

MOST_BYTES = 4 * GIB


def read_table(
    source: Path | bytes,
    reading: Reading | None = None,
    *,
    name: str | None = None,
    limit_bytes: int = MOST_BYTES,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    leave_out: tuple[RowRule, ...] = (),
    trusted: bool = True,
) -> RawTable:
    """Read a table: CSV, Parquet, Excel, Stata, SPSS, SAS or tracks, told by name and first bytes.

    Args:
        source: a path, or the bytes of an upload.
        reading: how it is read, as declared. For a file of another kind than it is about, what is
            usual for that kind holds. Where records are positions, the table is what these become.
            Left out, it is suggested from the file, with the help of:
        separator: of a CSV file; found where not given.
        encoding: of a CSV file, found where not given; or of a file of a statistics program that
            names a wrong one.
        sheet: of an Excel workbook; the first where not given.
        leave_out: the rules for rows of a text file or a workbook that are no records.
        name: what to call it in sentences; for bytes, its ending says what kind of file it is.
        limit_bytes: the largest file accepted, in bytes.
        trusted: whether whoever asks made the file or chose it on their own machine. What others
            upload is read in a limited process, small Parquet too.

    Raises:
        Refusal: the file is absent, a folder, unreadable, empty, over the limit, damaged, or binary
            under a CSV name; or the table has one column, no record, blank or repeated names; or
            as of `positions.reading.read_positions`.
    """
    found = open_source(source, name, limit_bytes)
    kind = found.kind_as(None if reading is None else reading.kind)
    if reading is not None:
        reading = reading.of_kind(kind)
        table = replace(
            _read(found, reading, limit_bytes, trusted=trusted), reading=reading.of_file()
        )
        if reading.positions is not None:
            # What this reads by takes a moment to load, which most tables need not wait for.
            from understudy.table.sources.positions.reading import read_positions

            return read_positions(table, reading.positions).raw
    elif kind == "csv" and sheet is None:
        hints = Hints(separator, encoding, leave_out)
        table = read_text_apart(found, kind, None, hints, trusted=trusted)
    else:
        _check_sheet(found, kind, sheet)
        its_own = encoding if kind in STATISTICS else None
        by_hints = Reading(kind=kind, encoding=its_own, sheet=sheet, leave_out=leave_out)
        table = _read(found, by_hints, limit_bytes, trusted=trusted)
    odd = _note_odd_rows(table) if reading is None else ()
    return replace(table, notes=(*table.notes, *name_notes(table.names), *odd))


def _check_sheet(source: Source, kind: Kind, sheet: str | None) -> None:
    """Check that a sheet is named only of a file that has some.

    Raises:
        Refusal: it is not.
    """
    if sheet is not None and kind != "excel":
        raise Refusal(
            f"{source.name} has no sheets.", "Name a sheet for Excel workbooks only.", field="sheet"
        )


def _note_odd_rows(table: RawTable) -> tuple[str, ...]:
    """Return what a person should see of rows of a text file or a workbook that may be no
    records."""
    return find_odd_rows(table).notes() if table.reading.kind in ("csv", "excel") else ()


def _read(source: Source, reading: Reading, limit: int, *, trusted: bool) -> RawTable:
    """Read a file by a reading of its kind."""
    if reading.kind in ("csv", "parquet"):
        return read_text_apart(source, reading.kind, reading, trusted=trusted)
    # Likewise.
    from understudy.table.sources.isolation import read_isolated

    every = read_isolated(
        source, reading.kind, encoding=reading.encoding, sheet=reading.sheet, limit=limit
    )
    if not reading.leave_out:
        return every
    told = replace(every, reading=every.reading.changed(leave_out=reading.leave_out))
    raw, _ = leave_rows_out(told, {}, source.name)
    return replace(raw, notes=(*note_left_out(every.rows - raw.rows), *raw.notes))
