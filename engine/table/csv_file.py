"""CSV into texts."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from engine.refusal import Refusal
from engine.table.csv_layout import Layout, layout_of
from engine.table.header import check_rows, checked_names
from engine.table.raw import TEXTS, FileFormat, RawTable
from engine.table.source import Source
from engine.table.text_file import Text, text_of

_SAMPLE = 1 << 18
_BLOCK = 1 << 23


def read_csv(source: Source, *, separator: str | None, encoding: str | None) -> RawTable:
    """Read a CSV file; separator, quotation mark and encoding are found where not given.

    Raises:
        Refusal: it is not CSV, or see `reading.read_table`.
    """
    if separator is not None and (len(separator) != 1 or separator in "\"'\r\n"):
        raise Refusal(
            "The separator is not a single character.",
            "Use a comma, a semicolon, a tab or a bar.",
            field="separator",
        )
    text = text_of(source.data, source.name, encoding)
    text = Text(_from_first_line(text.buffer), text.encoding, text.bom, text.guessed)
    if not text.buffer.size:
        raise Refusal(
            f"{source.name} is empty but for blanks.",
            "Choose a file that holds a table.",
            field="table",
        )
    layout = layout_of(_beginning(text.buffer), separator)
    names = checked_names(layout.header, source.name)
    if layout.alone and not any("\n" in cell or "\r" in cell for cell in layout.header):
        check_rows(0, source.name)
    table = _Reader(text.buffer, layout, source.name).table().rename_columns(list(names))
    check_rows(table.num_rows, source.name)
    _check_closed(table, text.buffer, layout.quote, source.name)
    found = FileFormat("csv", layout.separator, layout.quote, text.encoding, text.bom)
    return RawTable(table, found, _notes(table, text))


def _from_first_line(buffer: pa.Buffer) -> pa.Buffer:
    """The text from its first line that is not blank."""
    start = memoryview(buffer)[:_SAMPLE].tobytes()
    blank = len(start) - len(start.lstrip(b" \t\r\n"))
    if blank == len(start):
        return buffer.slice(buffer.size) if buffer.size <= _SAMPLE else buffer
    line = max(start.rfind(b"\n", 0, blank), start.rfind(b"\r", 0, blank)) + 1
    return buffer.slice(line)


def _beginning(buffer: pa.Buffer) -> str:
    """The first lines; a line that may be cut at the end is left out."""
    start = memoryview(buffer)[:_SAMPLE].tobytes()
    if buffer.size > _SAMPLE:
        cut = max(start.rfind(b"\n"), start.rfind(b"\r"))
        start = start[: cut + 1] if cut >= 0 else start
    return start.decode("utf-8", "ignore")


class _Reader:
    """One CSV file and how its cells are told apart."""

    def __init__(self, buffer: pa.Buffer, layout: Layout, name: str) -> None:
        self._buffer, self._layout, self._name = buffer, layout, name
        self._ragged: csv.InvalidRow | None = None

    def table(self) -> pa.Table:
        """Every column as texts in one chunk, named by position.

        Raises:
            Refusal: a row is ragged, or the file cannot be taken apart at all.
        """
        try:
            return self._parsed(threads=True).combine_chunks()
        except pa.ArrowException:
            pass
        # Only a serial reader knows the number of the row.
        try:
            return self._parsed(threads=False).combine_chunks()
        except pa.ArrowException:
            raise self._refusal() from None

    def _parsed(self, *, threads: bool) -> pa.Table:
        columns = [str(place) for place in range(len(self._layout.header))]
        return csv.read_csv(
            pa.BufferReader(self._buffer),
            read_options=csv.ReadOptions(
                column_names=columns,
                skip_rows_after_names=1,
                use_threads=threads,
                block_size=_BLOCK,
            ),
            parse_options=csv.ParseOptions(
                delimiter=self._layout.separator,
                quote_char=self._layout.quote,
                newlines_in_values=True,
                # Called from a thread of the reader, it has been seen to bring down the process.
                invalid_row_handler=None if threads else self._on_ragged,
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(columns, TEXTS), strings_can_be_null=False
            ),
        )

    def _on_ragged(self, row: csv.InvalidRow) -> str:
        self._ragged = row
        return "error"

    def _refusal(self) -> Refusal:
        row = self._ragged
        if row is None:
            return _unclosed(self._name)
        return Refusal(
            f"Row {row.number} of {self._name} has {row.actual_columns} cell(s) where the header "
            f"has {row.expected_columns} (the header is row 1, blank lines do not count).",
            "Correct that row: a separator inside a cell needs quotation marks around the cell.",
            field="table",
        )


def _unclosed(name: str) -> Refusal:
    return Refusal(
        f"{name} cannot be taken apart into rows: a quotation mark is opened and never closed.",
        "Close it, or double it where it belongs to the text.",
        field="table",
    )


def _check_closed(table: pa.Table, buffer: pa.Buffer, quote: str, name: str) -> None:
    """Check that the last record does not swallow the rest of the file.

    Raises:
        Refusal: a cell of it runs over lines and the quotation marks do not pair up.
    """
    last = [str(column[-1].as_py()) for column in table.columns]
    if any("\n" in cell or "\r" in cell for cell in last):
        marks = sum(
            memoryview(buffer)[start : start + _BLOCK].tobytes().count(quote.encode())
            for start in range(0, buffer.size, _BLOCK)
        )
        if marks % 2:
            raise _unclosed(name)


def _notes(table: pa.Table, text: Text) -> tuple[str, ...]:
    notes = []
    if text.guessed:
        notes.append(
            f"The file is not UTF-8 and was read as {text.encoding}. Look at accented letters; "
            "if they are wrong, name the encoding."
        )
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pc.any(pc.match_substring_regex(column.chunk(0).dictionary, "[\r\n]")).as_py():
            notes.append(
                f"Some texts of column “{name}” run over several lines. Where they should not, a "
                "quotation mark is left open."
            )
    return tuple(notes)
