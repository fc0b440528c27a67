"""CSV files as texts, record by record: regular lines at once, all others one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from understudy.core.arrays import BoolArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.cells import NOT_APART, NOT_TEXT
from understudy.table.declared_reading import Reading
from understudy.table.encodings import to_utf8
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.row_rules import ALONE, RowRule
from understudy.table.sources.csv.csv_suggestion import Hints, suggest_reading
from understudy.table.sources.csv.dialect import Dialect
from understudy.table.sources.header import check_rows, checked_names
from understudy.table.sources.odd_rows import leave_rows_out, note_left_out
from understudy.table.sources.source import Source

# Counting lines that seem to escape quotation marks by a backslash, for a note to a person.
#
# This escape is not supported: a quotation mark within a text is doubled. The mark after the
#     backslash
# closes the quotation, and the rest, with the backslash, is part of the cell.

_LONGEST_RUN = 1 << 16
"""How many bytes before a mark are searched for the beginning of its line."""


def count_backslash_quotes(data: memoryview, start: int, signs: Dialect) -> int:
    """Return the number of such lines.

    Args:
        data: a file in UTF-8.
        start: where its first record begins.
        signs: the dialect.
    """
    if not signs.quote:
        return 0
    found, after = 0, start
    for hit in re.compile(re.escape(b"\\" + signs.quote)).finditer(data, start):
        if hit.start() < after:
            continue
        before = max(after, hit.start() - _LONGEST_RUN)
        begins = before + bytes(data[before : hit.start()]).rfind(signs.end) + 1
        end, after = signs.line_at(data, begins)
        found += signs.runs_on(data[begins:end])
    return found


# Finding regular lines: those that hold one cell for each column, unambiguously.
#
# Many regular lines can be split at once by pyarrow with the same result as splitting each alone.
# They are found with a few passes over the bytes.

SIGN = b"\xef\xbb\xbf"
"""A byte order mark, which pyarrow drops at the beginning."""

_RETURN = ord("\r")
_LONGEST_LINE = 1 << 20
"""The longest line, in bytes, that is given to pyarrow."""


class Lines:
    """The lines of a block, each classified independently of the others.

    Attributes:
        starts: (lines,) where each begins.
        blank: (lines,) whether there is nothing in it.
        regular: (lines,) whether it holds one cell for each column, in a way that leaves no doubt.
    """

    def __init__(self, data: memoryview, signs: Dialect, width: int) -> None:
        self.size, self.width = len(data), width
        self._signs = signs
        self._bytes = np.frombuffer(data, np.uint8)
        ends = self._where(signs.end)
        if not len(ends) or ends[-1] != len(data) - 1:
            ends = np.append(ends, len(data))
        self._raw_ends = ends
        self.starts = np.concatenate(([0], ends[:-1] + 1))
        self.ends = ends - self._has_return
        self.blank = self.ends == self.starts
        self.regular = (self._cells == width) & ~self.blank & ~self._doubtful

    def _where(self, sign: bytes) -> IntArray:
        found: IntArray = np.flatnonzero(self._bytes == sign[0])
        return found

    @cached_property
    def _has_return(self) -> IntArray:
        """(lines,) how many bytes of a carriage return belong to its end."""
        if not self._signs.returns:
            return np.zeros(len(self.starts), dtype=np.int64)
        before = self._bytes[np.maximum(self._raw_ends - 1, 0)] == _RETURN
        found: IntArray = (before & (self._raw_ends > self.starts)).astype(np.int64)
        return found

    @cached_property
    def _quotes(self) -> IntArray:
        return self._where(self._signs.quote) if self._signs.quote else np.zeros(0, np.int64)

    def _line_of(self, places: IntArray) -> IntArray:
        found: IntArray = np.searchsorted(self._raw_ends, places)
        return found

    @cached_property
    def _quoted(self) -> BoolArray:
        """(lines,) whether a cell of it begins with a quotation mark."""
        found = np.zeros(len(self.starts), dtype=bool)
        found[self._line_of(self._quotes[self._opening])] = True
        return found

    @cached_property
    def _opening(self) -> BoolArray:
        """(quotation marks,) whether a line begins with it, or it follows a separator."""
        after = self._bytes[np.maximum(self._quotes - 1, 0)] == self._signs.separator[0]
        found: BoolArray = after | (self.starts[self._line_of(self._quotes)] == self._quotes)
        return found

    @cached_property
    def _rank(self) -> IntArray:
        """(quotation marks,) how many stand before it in its line."""
        lines = self._line_of(self._quotes)
        return np.arange(len(lines)) - np.searchsorted(lines, lines)

    @cached_property
    def _cells(self) -> IntArray:
        """(lines,) how many cells it has, where it is not doubtful."""
        separators = self._where(self._signs.separator)
        if self._quoted.any():
            lines = self._line_of(separators)
            before = np.searchsorted(self._quotes, separators)
            first = np.searchsorted(self._quotes, self.starts[lines])
            inside = ((before - first) % 2 == 1) & self._quoted[lines]
            separators = separators[~inside]
        return np.diff(np.searchsorted(separators, self._raw_ends), prepend=0) + 1

    @cached_property
    def _doubtful(self) -> BoolArray:
        """(lines,) whether the other reader could see it otherwise."""
        found = (self._raw_ends - self.starts) > _LONGEST_LINE
        found[self._line_of(self._stray)] = True
        found |= self._begins_with_mark
        if self._quoted.any():
            found[self._line_of(self._quotes[self._misplaced])] = True
            counts = np.bincount(self._line_of(self._quotes), minlength=len(self.starts))
            found |= self._quoted & (counts % 2 == 1)
        return found

    @property
    def _stray(self) -> IntArray:
        """Line ends of the other kind, except for those that belong to a line's end."""
        found = self._where(self._signs.stray)
        if not self._signs.returns:
            return found
        after = self._bytes[np.minimum(found + 1, self.size - 1)]
        alone: IntArray = found[(after != self._signs.end[0]) & (found + 1 < self.size)]
        return alone

    @property
    def _begins_with_mark(self) -> BoolArray:
        found = np.ones(len(self.starts), dtype=bool)
        for offset, byte in enumerate(SIGN):
            found &= self._bytes[np.minimum(self.starts + offset, self.size - 1)] == byte
        return found

    @property
    def _misplaced(self) -> BoolArray:
        """(quotation marks,) of lines with cells in them: those that neither begin nor end a cell
        nor stand twice for one."""
        places, sign = self._quotes, self._signs.quote[0]
        lines = self._line_of(places)
        opens = self._rank % 2 == 0
        before = self._bytes[np.maximum(places - 1, 0)]
        after = self._bytes[np.minimum(places + 1, self.size - 1)]
        ends = places + 1 == self.ends[lines]
        begun = self._opening | ((before == sign) & (self._rank > 0))
        closed = ends | (after == self._signs.separator[0]) | (after == sign)
        found: BoolArray = self._quoted[lines] & ~np.where(opens, begun, closed)
        return found


# Locating the records of a text file: runs of regular lines, and odd records between them.
#
# Almost every line of almost every file is regular (see `Lines`). All others are split one by one.

BLOCK = 1 << 24
"""Bytes of a file that are processed at once."""


class Unclosed(Exception):
    """A quotation mark is open at the end of the file."""


@dataclass(eq=False)
class Found:
    """The records of a file.

    Attributes:
        regular: where regular lines lie, from–to; blank lines between them do not count.
        odd: the index of each other record, and its cells (None where it cannot be split).
        count: how many records there are.
    """

    regular: list[tuple[int, int]] = field(default_factory=list)
    odd: list[tuple[int, list[bytes] | None]] = field(default_factory=list)
    count: int = 0

    def unfit(self, width: int) -> list[tuple[int, list[bytes] | None]]:
        """Return the odd records with another number of cells than `width`."""
        return [(place, cells) for place, cells in self.odd if len(cells or ()) != width]

    def add_regular(self, start: int, end: int, count: int) -> None:
        """Append `count` regular lines."""
        if count:
            if self.regular and self.regular[-1][1] == start:
                start = self.regular.pop()[0]
            self.regular.append((start, end))
            self.count += count

    def add_odd(self, cells: list[bytes] | None) -> None:
        """Append an odd record."""
        self.odd.append((self.count, cells))
        self.count += 1


def find_records(data: memoryview, start: int, signs: Dialect, width: int) -> Found:
    """Find the records from there to the end.

    Args:
        data: the file in UTF-8.
        start: where the first record begins.
        signs: the dialect.
        width: how many cells a record is to have.

    Raises:
        Unclosed: cells may hold line breaks, and a quotation mark is open at the end.
    """
    found = Found()
    while start < len(data):
        end = min(start + BLOCK, len(data))
        end = signs.line_at(data, end - 1)[1]
        lines = Lines(data[start:end], signs, width)
        start = _walk(found, data, start, lines, signs)
    return found


def _walk(found: Found, data: memoryview, start: int, lines: Lines, signs: Dialect) -> int:
    """Take in the records of a block; where the next one begins."""
    regular = np.concatenate(([0], np.cumsum(lines.regular)))
    at, line = start, 0
    for odd in np.flatnonzero(~lines.regular & ~lines.blank):
        begins = start + int(lines.starts[odd])
        if begins < at:
            continue
        found.add_regular(at, begins, int(regular[odd] - regular[line]))
        record = signs.record_at(data, begins)
        if record.cells is None and signs.line_breaks:
            raise Unclosed
        stop = signs.line_at(data, begins)[0]
        if len(record.cells or ()) == lines.width or not signs.is_blank(data[begins:stop]):
            found.add_odd(record.cells)
        at = record.after
        line = int(np.searchsorted(lines.starts, at - start))
    if at < start + lines.size:
        found.add_regular(at, start + lines.size, int(regular[-1] - regular[line]))
    return max(at, start + lines.size)


def regular_spans(data: memoryview, found: Found) -> Iterator[memoryview]:
    """Yield the regular lines, in their order; each span ends with a line's end, or the file."""
    for start, end in found.regular:
        yield data[start:end]


# Splitting many lines at once with pyarrow.
#
# pyarrow agrees with `Dialect` on a line that is a record with one cell for each column: a
# quotation mark counts only at the beginning of a cell, and text after the closing one is part of
# the cell. It can only fail by running on into the next line, by seeing a line end where there is
# none, or by missing one. So where it finds as many records as there are lines, each record is one
# line.

BYTES = pa.dictionary(pa.int32(), pa.binary())
_BLOCK = 1 << 23
_BACK = 1 << 16
_COUNTED = 1 << 18
"""Bytes counted at once, few enough for a core's cache."""


def split_lines_at_once(buffer: pa.Buffer, reading: Reading, width: int) -> pa.Table:
    """Return the cells of some lines as bytes, each column in one chunk; empty lines are not
    records.

    Raises:
        ArrowException: a line has another number of cells, or runs on.
    """
    names = [str(place) for place in range(width)]
    return csv.read_csv(
        pa.BufferReader(buffer),
        read_options=csv.ReadOptions(column_names=names, block_size=_BLOCK),
        parse_options=csv.ParseOptions(
            delimiter=reading.separator, quote_char=reading.quote or False
        ),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(names, BYTES), strings_can_be_null=False
        ),
    ).combine_chunks()


def all_regular(data: memoryview, reading: Reading, width: int) -> pa.Table | None:
    """Return all records of a file at once, where every line of it is one; None otherwise.

    Args:
        data: the lines in UTF-8, the names left out.
        reading: how they are read.
        width: how many columns there are.
    """
    signs = Dialect(reading)
    lines = _records_if_lines(data, signs)
    if lines is None or not _ends_well(data, signs, width):
        return None
    try:
        table = split_lines_at_once(pa.py_buffer(data), reading, width)
    except pa.ArrowException:
        return None
    return table if table.num_rows == lines else None


def _records_if_lines(data: memoryview, signs: Dialect) -> int | None:
    """Return the number of lines that are not empty; None where pyarrow may see other line ends, or
    may drop a byte order mark."""
    if not len(data) or bytes(data[: len(SIGN)]) == SIGN:
        return None
    found = 0
    for start in range(0, len(data), _COUNTED):
        block = _Block(data, start, signs)
        if block.has_stray:
            return None
        found += block.lines
    return found + (data[len(data) - 1] != signs.end[0])


class _Block:
    """Bytes of a file, with the two before them."""

    def __init__(self, data: memoryview, start: int, signs: Dialect) -> None:
        first = max(start - 2, 0)
        last = min(start + _COUNTED + 1, len(data))
        self._bytes = np.frombuffer(data[first:last], np.uint8)
        self._signs = signs
        self._begins = first == 0
        self._own = slice(start - first, start - first + _COUNTED)
        self._ends = self._is(signs.end)
        self._strays = self._is(signs.stray)

    def _is(self, sign: bytes) -> BoolArray:
        found: BoolArray = self._bytes == sign[0]
        return found

    @property
    def has_stray(self) -> bool:
        """Whether a line end of the other kind stands alone."""
        if not self._signs.returns:
            return bool(self._strays.any())
        followed = np.append(self._ends[1:], False)
        return bool((self._strays & ~followed)[self._own].any())

    @property
    def lines(self) -> int:
        """How many lines end here that are not empty."""
        after_end = np.concatenate(([self._begins], self._ends[:-1]))
        empty = self._ends & after_end
        if self._signs.returns:
            after_return = np.concatenate(([False], (self._strays & after_end)[:-1]))
            empty |= self._ends & after_return
        return int(np.count_nonzero((self._ends & ~empty)[self._own]))


def _ends_well(data: memoryview, signs: Dialect, width: int) -> bool:
    """Return whether no quotation mark is open at the end of the file."""
    tail = bytes(data[-_BACK:]).rstrip(b"\r\n")
    start = tail.rfind(signs.end) + 1
    if not tail or (start == 0 and len(data) > _BACK):
        return False
    line = memoryview(tail)[start:]
    return len(signs.cells_of(line) or ()) == width


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
    hints = hints or Hints()
    suggestion = suggest_reading(source, hints)
    table, found = _read(source, suggestion.reading.changed(leave_out=hints.leave_out))
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
    ragged = _refuse_ragged(source.name, *unfit[0], len(table.names))
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
        every = RawTable(table_of(header.names, columns), reading)
        raw, _ = leave_rows_out(every, {}, source.name)
        notes = (*note_left_out(every.rows - raw.rows), *_notes(raw, 0, escaped))
        return RawTable(raw.arrow, reading, notes), Found(count=raw.rows)
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
    every = RawTable(table_of(header.names, columns), reading)
    unfit = found.unfit(width)
    ragged = {place: [_text(cell) for cell in cells] for place, cells in unfit if cells is not None}
    raw, staying = leave_rows_out(every, ragged, source.name)
    unparted = int(np.isin([place for place, _ in unfit], staying).sum())
    lone = any(RowRule(kind="alone").leaves_out(each, raw.names) for each in ragged.values())
    notes = (*note_left_out(every.rows - raw.rows), *_notes(raw, unparted, escaped, lone=lone))
    return RawTable(raw.arrow, reading, notes), found


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
    """Return bytes as texts, each different value decoded once."""
    try:
        texts = column.dictionary.cast(pa.string())
    except pa.ArrowInvalid:
        decoded = [_text(value) for value in column.dictionary.to_pylist()]
        return text_column(column.indices.to_numpy().astype(np.int64), decoded)
    return pa.DictionaryArray.from_arrays(column.indices, texts)


def _put_together(
    regular: pa.DictionaryArray, odd: IntArray, texts: Sequence[str]
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


def _refuse_ragged(name: str, place: int, cells: Sequence[bytes] | None, width: int) -> Refusal:
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


def _notes(raw: RawTable, unparted: int, escaped: int, *, lone: bool = False) -> tuple[str, ...]:
    """Return what a person should see about the values. Internal.

    Args:
        raw: the table.
        unparted: how many of its records were not taken apart.
        escaped: how many of its lines seem to mark quotation marks by a backslash.
        lone: whether some of the former have one cell alone that is filled.
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
            + (f" Footers among them are left out by the rule “{ALONE}”." if lone else "")
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
