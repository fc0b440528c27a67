"""Reading CSV files as texts, record by record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Reading
from understudy.table.encodings import to_utf8
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.sources.csv.at_once import all_regular, split_lines_at_once
from understudy.table.sources.csv.backslashes import count_backslash_quotes
from understudy.table.sources.csv.csv_records import Found, Unclosed, find_records, regular_spans
from understudy.table.sources.csv.csv_suggestion import Hints, suggest_reading
from understudy.table.sources.csv.dialect import Dialect
from understudy.table.sources.header import check_rows, checked_names
from understudy.table.sources.source import Source
from understudy.table.unreadable import NOT_APART, NOT_TEXT

_ODD_AT_MOST = 0.5
_BLANKS = b" \t\r"


def read_csv(source: Source, reading: Reading | None, hints: Hints | None = None) -> RawTable:
    """Read a text file as declared; or, where nothing is, as is suggested from the file itself.

    Under a declared reading each record is read by the bytes of that record alone (where cells may
    hold line breaks: of files whose quotation marks all close). A value that is no text in the
    declared encoding, and each value of a record that has another number of cells than the header,
    is one of `unreadable`.

    Args:
        source: the file.
        reading: as declared, of the kind “csv”.
        hints: what is known of the reading where it is to be suggested.

    Raises:
        Refusal: it has no header or no records; a quotation mark is never closed where cells may
            hold line breaks; or, while a reading is suggested, half of the records do not fit it.
    """
    if reading is not None:
        return _read(source, reading)[0]
    suggestion = suggest_reading(source, hints or Hints())
    table, found = _read(source, suggestion.reading)
    unfit = found.unfit(len(table.names))
    if _mostly(unfit, found):
        table = _over_lines(source, table, unfit)
    notes = (*suggestion.notes, *table.notes)
    return RawTable(table.arrow, table.reading, notes)


def _mostly(unfit: Sequence[object], found: Found) -> bool:
    return found.count * _ODD_AT_MOST <= len(unfit)


def _over_lines(
    source: Source, table: RawTable, unfit: Sequence[tuple[int, list[bytes] | None]]
) -> RawTable:
    """Return the table with cells that run over lines, where it is one then: such a cell can be
    longer than the part of the file that a reading is suggested from.

    Args:
        source: the file.
        table: as it is read without.
        unfit: its records that do not fit then.

    Raises:
        Refusal: it is no table then either.
    """
    ragged = _ragged(source.name, *unfit[0], len(table.names))
    reading = table.reading
    if reading.quote is None or reading.line_breaks or unfit[0][1] is not None:
        raise ragged
    try:
        whole, found = _read(source, reading.changed(line_breaks=True))
    except Refusal:
        raise ragged from None
    if _mostly(found.unfit(len(whole.names)), found):
        raise ragged
    return whole


def _read(source: Source, reading: Reading) -> tuple[RawTable, Found]:
    """Return the table, and where its records lie."""
    assert reading.encoding is not None
    signs = Dialect(reading)
    data = memoryview(to_utf8(source.data, reading.encoding, signs.end.decode(), source.name))
    header = _header(data, signs, source.name)
    width = len(header.names)
    escaped = count_backslash_quotes(data, header.after, signs)
    at_once = all_regular(data[header.after :], reading, width)
    if at_once is not None:
        columns = [_as_texts(column.chunk(0)) for column in at_once.columns]
        raw = RawTable(table_of(header.names, columns), reading)
        return RawTable(raw.arrow, reading, _notes(raw, 0, escaped)), Found(count=raw.rows)
    try:
        found = find_records(data, header.after, signs, width)
    except Unclosed:
        raise Refusal(
            f"{source.name} cannot be taken apart into rows: a quotation mark is opened and never "
            "closed.",
            "Close it, or double it where it belongs to the text; or read the file without line "
            "breaks in cells.",
            field="table",
        ) from None
    check_rows(found.count, source.name)
    columns = _Columns(data, found, reading, width).texts()
    raw = RawTable(table_of(header.names, columns), reading)
    return RawTable(raw.arrow, reading, _notes(raw, len(found.unfit(width)), escaped)), found


@dataclass(frozen=True)
class _Header:
    """The names of the columns, and where the first record begins."""

    names: tuple[str, ...]
    after: int


def _header(data: memoryview, signs: Dialect, name: str) -> _Header:
    """Return the first line that is not blank.

    Raises:
        Refusal: there is none, or it does not name the columns.
    """
    start = 0
    while start < len(data):
        end, after = signs.line_at(data, start)
        # No line of blanks names columns, even where they are separators.
        if bytes(data[start:end]).strip(_BLANKS):
            break
        start = after
    else:
        raise Refusal(
            f"{name} is empty except for blanks.",
            "Choose a file that holds a table.",
            field="table",
        )
    record = signs.record_at(data, start)
    if record.cells is None:
        raise Refusal(
            f"The first line of {name} opens a quotation mark and never closes it.",
            "Close it, or double it where it belongs to the text.",
            field="table",
        )
    try:
        cells = [cell.decode() for cell in record.cells]
    except UnicodeDecodeError:
        raise Refusal(
            f"The first line of {name} is not text in the encoding that it is read in.",
            "Name the encoding it was saved in, or save it as UTF-8.",
            field="encoding",
        ) from None
    return _Header(checked_names(cells, name, separated=True), record.after)


class _Columns:
    """The columns of a file, from its regular records and the odd ones."""

    def __init__(self, data: memoryview, found: Found, reading: Reading, width: int) -> None:
        self._data, self._found, self._reading, self._width = data, found, reading, width

    def texts(self) -> list[pa.DictionaryArray]:
        """Return every column as texts."""
        regular = self._regular()
        if not self._found.odd:
            return [_as_texts(column) for column in regular]
        odd = np.array([place for place, _ in self._found.odd], dtype=np.int64)
        return [
            _put_together(column, odd, [self._odd_cell(cells, at) for _, cells in self._found.odd])
            for at, column in enumerate(regular)
        ]

    def _odd_cell(self, cells: Sequence[bytes] | None, at: int) -> str:
        """Return one text of a record that was taken apart by itself."""
        if cells is None or len(cells) != self._width:
            return NOT_APART
        return _text(cells[at])

    def _regular(self) -> list[pa.DictionaryArray]:
        """Return the regular records, column by column, as bytes."""
        found = self._found
        if not found.regular:
            return [pa.array([], pa.binary()).dictionary_encode()] * self._width
        if len(found.regular) == 1:
            (start, end), *_ = found.regular
            buffer = pa.py_buffer(self._data[start:end])
        else:
            sink = pa.BufferOutputStream()
            for span in regular_spans(self._data, found):
                sink.write(span)
            buffer = sink.getvalue()
        table = split_lines_at_once(buffer, self._reading, self._width)
        assert table.num_rows == found.count - len(found.odd)
        return [column.chunk(0) for column in table.columns]


def _as_texts(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Bytes as texts, each different value looked at once."""
    try:
        texts = column.dictionary.cast(pa.string())
    except pa.ArrowInvalid:
        decoded = [_text(value) for value in column.dictionary.to_pylist()]
        return text_column(column.indices.to_numpy().astype(np.int64), decoded)
    return pa.DictionaryArray.from_arrays(column.indices, texts)


def _put_together(
    regular: pa.DictionaryArray, odd: npt.NDArray[np.int64], texts: Sequence[str]
) -> pa.DictionaryArray:
    """Return a column of regular records and odd ones, these at their places."""
    known = _as_texts(regular)
    held = known.dictionary.to_pylist()
    places = np.empty(len(known) + len(odd), dtype=np.int64)
    is_odd = np.zeros(len(places), dtype=bool)
    is_odd[odd] = True
    places[~is_odd] = known.indices.to_numpy()
    places[is_odd] = np.arange(len(held), len(held) + len(odd))
    return text_column(places, [*held, *texts])


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return NOT_TEXT


def _ragged(name: str, place: int, cells: Sequence[bytes] | None, width: int) -> Refusal:
    """Return that most records do not fit the header, the first of them named."""
    row = place + 2
    if cells is None:
        return Refusal(
            f"Row {row} of {name} opens a quotation mark that its line does not close (the header "
            "is row 1, blank lines do not count), and others cannot be taken apart either.",
            "Close it, or double it where it belongs to the text. Where it is closed in a later "
            "line, take the line breaks out of the cell.",
            field="table",
        )
    return Refusal(
        f"Row {row} of {name} has {len(cells)} cell(s) where the header has {width} (the header is "
        "row 1, blank lines do not count), and so have others.",
        "Correct these rows: a separator inside a cell needs quotation marks around the cell.",
        field="table",
    )


def _notes(raw: RawTable, unparted: int, escaped: int) -> tuple[str, ...]:
    """Return what a person should see about the values. Internal.

    Args:
        raw: the table.
        unparted: how many of its records were not taken apart.
        escaped: how many of its lines seem to mark quotation marks by a backslash.
    """
    notes = []
    if escaped:
        notes.append(
            f"In {escaped:,} of its lines a backslash stands before a quotation mark within a "
            "text. Here that mark ends the quotation, and the backslash is part of the value. If "
            "the program that wrote them meant the mark alone, have it double such marks."
        )
    if unparted:
        notes.append(
            f"{unparted:,} of its lines cannot be taken apart into as many cells as there are "
            "columns. Their values count as outside of every column."
        )
    for name in raw.names:
        spoilt = raw.unreadable(name).get(NOT_TEXT, 0)
        if spoilt:
            notes.append(
                f"{spoilt:,} values of column “{name}” are not text in the encoding "
                f"{raw.reading.encoding}, and count as outside of it."
            )
        if raw.reading.line_breaks and _runs_over(raw, name):
            notes.append(
                f"Some texts of column “{name}” run over several lines. Where they should not, a "
                "quotation mark is left open."
            )
    return tuple(notes)


def _runs_over(raw: RawTable, name: str) -> bool:
    texts = raw.arrow.column(name).chunk(0).dictionary
    return bool(pc.any(pc.match_substring_regex(texts, "[\r\n]")).as_py())
