"""Excel workbooks as texts: a sheet row by row, its cells by value and number format."""

from __future__ import annotations

import io
import re
import zipfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple
from xml.parsers import expat

import numpy as np
import openpyxl
import pyarrow as pa
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.utils.datetime import CALENDAR_WINDOWS_1900, from_excel, from_ISO8601

from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible
from understudy.table.cells import NOT_A_VALUE, NOT_APART, cell_text
from understudy.table.declared_reading import Reading
from understudy.table.raw import Labels, RawTable, table_of, text_column
from understudy.table.sources.header import check_rows, checked_names
from understudy.table.sources.source import Source, check_held, check_unpacked

# Parsing one sheet of a workbook, row by row.
#
# What a sheet says of its own dimensions plays no part: programs write wrong ones. Memory is
# taken for cells that exist, not for the extent of the sheet.

_BLOCK = 1 << 16
_MOST_ROWS, _MOST_COLUMNS = 1 << 20, 1 << 14
_DIGITS = "0123456789"


class OddSheet(Exception):
    """A sheet that no spreadsheet program writes: cells twice, out of order or out of bounds."""


class Cell(NamedTuple):
    """A cell as it stands in the file.

    Attributes:
        column: its place, from 0.
        kind: what the file says it is: "n", "s", "str", "inlineStr", "b", "d" or "e".
        style: the number of its style.
        value: what stands in it; None where nothing does.
        formula: whether it is computed.
    """

    column: int
    kind: str
    style: int
    value: str | None
    formula: bool


class _Area(NamedTuple):
    """Cells merged into one, from–to, both included: rows from 1, columns from 0."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


TakeRow = Callable[[int, Sequence[Cell]], None]


def parse_sheet(file: IO[bytes], take: TakeRow) -> list[_Area]:
    """Read a sheet.

    Args:
        file: its XML.
        take: is told the number of each row, from 1, and its cells that are there.

    Returns:
        The cells that are merged.

    Raises:
        OddSheet: see there.
        expat.ExpatError, ValueError: it is damaged.
    """
    sheet = _Sheet(take)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = sheet.begin
    parser.EndElementHandler = sheet.end
    parser.CharacterDataHandler = sheet.text
    # Only malicious files declare entities.
    parser.EntityDeclHandler = sheet.refuse
    while block := file.read(_BLOCK):
        parser.Parse(block, False)
    parser.Parse(b"", True)
    return sheet.merged


class _Sheet:
    """What is known of a sheet so far."""

    def __init__(self, take: TakeRow) -> None:
        self.merged: list[_Area] = []
        self._take = take
        self._row = 0
        self._cells: list[Cell] = []
        self._letters: dict[str, int] = {}
        self._column = -1
        self._kind, self._style = "n", 0
        self._formula = False
        self._value: list[str] | None = None
        self._listening = False
        self._phonetic = False

    def refuse(self, *_: object) -> None:
        """Refuse a declared entity."""
        raise OddSheet

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the beginning of an element."""
        name = tag.rpartition(" ")[2]
        if name == "c":
            self._begin_cell(attributes)
        elif name == "v":
            self._value, self._listening = [], True
        elif name == "t":
            self._listening = not self._phonetic
            self._value = self._value or []
        elif name == "f":
            self._formula = True
        elif name == "row":
            self._begin_row(attributes)
        elif name == "rPh":
            self._phonetic = True
        elif name == "mergeCell":
            self.merged.append(self._area(attributes.get("ref", "")))

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        name = tag.rpartition(" ")[2]
        if name == "c":
            value = None if self._value is None else "".join(self._value)
            cell = Cell(self._column, self._kind, self._style, value, self._formula)
            self._cells.append(cell)
        elif name in ("v", "t"):
            self._listening = False
        elif name == "rPh":
            self._phonetic = False
        elif name == "row":
            self._take(self._row, self._cells)

    def text(self, text: str) -> None:
        """Collect text."""
        if self._listening and self._value is not None:
            self._value.append(text)

    def _begin_row(self, attributes: dict[str, str]) -> None:
        number = int(float(attributes["r"])) if "r" in attributes else self._row + 1
        if not self._row < number <= _MOST_ROWS:
            raise OddSheet
        self._row, self._column, self._cells = number, -1, []

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        place = attributes.get("r")
        if place is None:
            column = self._column + 1
        else:
            letters = place.rstrip(_DIGITS)
            column = self._column_of(letters)
            if place[len(letters) :] != str(self._row):
                raise OddSheet
        if not self._column < column < _MOST_COLUMNS:
            raise OddSheet
        self._column = column
        self._kind = attributes.get("t", "n")
        self._style = int(attributes.get("s", 0))
        self._formula, self._value = False, None

    def _column_of(self, letters: str) -> int:
        found = self._letters.get(letters)
        if found is None:
            number = 0
            for letter in letters.upper():
                if not "A" <= letter <= "Z":
                    raise OddSheet
                number = number * 26 + ord(letter) - 64
            found = self._letters[letters] = number - 1
        return found

    def _area(self, ref: str) -> _Area:
        one, _, other = ref.replace("$", "").partition(":")
        (first_row, first_column), (last_row, last_column) = map(self._place, (one, other or one))
        return _Area(first_row, first_column, last_row, last_column)

    def _place(self, text: str) -> tuple[int, int]:
        letters = text.rstrip(_DIGITS)
        return int(text[len(letters) :]), self._column_of(letters)


# Cells of a workbook as texts, by their value and number format.

_ZEROS = re.compile(r"0{2,}")
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')
_FRACTION = re.compile(r"\.[0#?]+|E[+-]0+", re.IGNORECASE)


class _Cells:
    """How the cells of one workbook are written."""

    def __init__(self, book: Any, shared: Sequence[str]) -> None:
        """Prepare the styles of a workbook that openpyxl opened.

        Args:
            book: the workbook.
            shared: the texts that its cells refer to by number.
        """
        self._epoch = book.epoch
        self._shared = shared
        self._days, self._spans = book._date_formats, book._timedelta_formats
        formats = [_format_of(style.numFmtId, book) for style in book._cell_styles]
        self._widths = [_zeros_of(form) for form in formats]
        self._dated = [_shows_day(form) for form in formats]
        self._odd = [_shows_more_zeros(form) for form in formats]

    def text(self, cell: Cell) -> str:
        """Return one cell; a computed one whose result the file does not hold cannot be read.

        Raises:
            ValueError, LookupError: the file is damaged.
        """
        if cell.kind == "inlineStr":
            return cell_text(cell.value)
        if cell.value is None or not cell.value:
            return NOT_A_VALUE if lacks_result(cell) else ""
        if cell.kind == "s":
            return cell_text(self._shared[int(cell.value)])
        if cell.kind == "b":
            return cell_text(bool(int(cell.value)))
        if cell.kind == "d":
            return cell_text(from_ISO8601(cell.value))
        return self._number(cell) if cell.kind == "n" else cell_text(cell.value)

    def is_shown_otherwise(self, cell: Cell) -> bool:
        """Return whether it is a number that is shown with zeros in front which its text has
        not."""
        if cell.kind != "n" or not cell.value:
            return False
        return self._odd[cell.style] or (
            bool(self._widths[cell.style]) and not _is_whole(_number_in(cell.value))
        )

    def _number(self, cell: Cell) -> str:
        assert cell.value is not None
        number = _number_in(cell.value)
        if cell.style in self._days:
            if self._is_no_day(cell.style, number):
                return NOT_A_VALUE
            try:
                found = from_excel(number, self._epoch, timedelta=cell.style in self._spans)
            except (OverflowError, ValueError):
                return NOT_A_VALUE
            return cell_text(found)
        text = cell_text(number)
        width = self._widths[cell.style]
        if not width or not _is_whole(number):
            return text
        sign = "-" if text.startswith("-") else ""
        return sign + text.removeprefix("-").zfill(width)

    def _is_no_day(self, style: int, number: float) -> bool:
        """Return whether a number is shown as a day that no calendar has: one before the first day
        of the workbook's calendar, or the 29 February 1900, which there never was."""
        if style in self._spans or not self._dated[style]:
            return False
        if self._epoch == CALENDAR_WINDOWS_1900:
            return number < 1 or _NO_LEAP_DAY <= number < _NO_LEAP_DAY + 1
        return number < 0


def lacks_result(cell: Cell) -> bool:
    """Return whether it is computed, and what came of it does not stand in the file."""
    return cell.formula and not cell.value and (cell.value is None or cell.kind == "n")


def _number_in(text: str) -> int | float:
    return float(text) if any(sign in text for sign in ".eE") else int(text)


def _is_whole(number: float) -> bool:
    return number == number // 1


def _format_of(number: int, book: Any) -> str:
    if number < BUILTIN_FORMATS_MAX_SIZE:
        return str(BUILTIN_FORMATS.get(number, "General"))
    return str(book._number_formats[number - BUILTIN_FORMATS_MAX_SIZE])


def _shows_day(form: str) -> bool:
    """Return whether a format shows a day, and not a time alone; an “m” is of a month where there
    are neither hours nor seconds."""
    bare = _LITERAL.sub("", form.split(";")[0]).casefold()
    clock = "h" in bare or "s" in bare
    return "d" in bare or "y" in bare or ("m" in bare and not clock)


def _zeros_of(form: str) -> int:
    """Return how many digits a whole number is shown with at least; 0 where its format is not zeros
    alone."""
    return len(form) if _ZEROS.fullmatch(form) else 0


def _shows_more_zeros(form: str) -> bool:
    """Return whether a format other than of zeros alone shows more zeros in front of a number."""
    if _zeros_of(form):
        return False
    bare = _FRACTION.sub("", _LITERAL.sub("", form.split(";")[0]))
    digits = re.sub(r"[^0#?]", "", bare)
    return digits.count("0") > 1


_NO_LEAP_DAY = 60
"""The number that spreadsheets count as 29 February 1900."""
_TEXT_BYTES = 80
_TEXTS = frozenset({"s", "str", "inlineStr"})
_AT_ONCE = 1 << 12
"""Rows after which is looked at how large the table has become."""


def read_excel(source: Source, *, sheet: str | None, limit: int) -> RawTable:
    """Read one sheet of a workbook, the first unless named, its first filled row the header.

    A number whose format is zeros alone is read with zeros in front, as it is shown. A computed
    cell whose result the file does not hold, and a cell that is covered by one merged with it,
    cannot be read, and are noted.

    Raises:
        Refusal: it is damaged, larger than the limit when unpacked, has no such sheet, or see
            `reading.read_table`.
    """
    _check_unpacked(source, limit)
    try:
        book = openpyxl.load_workbook(
            io.BytesIO(source.data), read_only=True, data_only=True, keep_links=False
        )
        sheets = {each.title: each.sheet_state == "visible" for each in book.worksheets}
        name = _choose_sheet(sheets, sheet, source.name)
        found = _parse_sheet(source, book, name)
    except (Refusal, MemoryError):
        raise
    except Exception:
        # The library lets whatever its parsers raise through.
        raise _refuse_damaged(source) from None
    notes = found.notes()
    if len(sheets) > 1 and sheet is None:
        notes = (_note_sheet(name, sheets), *notes)
    chosen = Reading(kind="excel", sheet=name if len(sheets) > 1 else sheet)
    return RawTable(found.table(), chosen, notes, Labels(texts=found.text_columns()))


def _parse_sheet(source: Source, book: Any, name: str) -> _Table:
    """Return a sheet, read to its end."""
    worksheet = book[name]
    found = _Table(source, _Cells(book, worksheet._shared_strings))
    with worksheet._get_source() as file:
        merged = parse_sheet(file, found.take)
    found.finish(merged)
    return found


def _check_unpacked(source: Source, limit: int) -> None:
    """Check what the workbook unpacks to, before unpacking it."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise _refuse_damaged(source) from None
    if size > limit:
        raise Refusal(
            f"{source.name} unpacks to more than the limit.",
            "Save the sheet as CSV or Parquet, or raise the limit.",
            field="table",
        )
    check_unpacked(source, size)


def _refuse_damaged(source: Source) -> Refusal:
    return Refusal(
        f"{source.name} is not a readable Excel workbook.",
        "Save it again as .xlsx without a password, or save the sheet as CSV.",
        field="table",
    )


def _note_sheet(name: str, sheets: Mapping[str, bool]) -> str:
    """Return which sheet was read where none was named."""
    hidden = len(sheets) - sum(sheets.values())
    if not hidden:
        return f"Sheet “{escape_invisible(name)}”, the first of {len(sheets)}, was read."
    others = f"{hidden} other{'s are' if hidden > 1 else ' is'}"
    return (
        f"Sheet “{escape_invisible(name)}”, the first that is not hidden, was read; {others} "
        "hidden. Name a sheet to read another."
    )


def _choose_sheet(sheets: Mapping[str, bool], sheet: str | None, name: str) -> str:
    """Return the sheet to read; a hidden one only if it is named.

    Args:
        sheets: each, and whether it can be seen.
        sheet: its name, where one is named.
        name: of the file.
    """
    if not sheets:
        raise Refusal(f"{name} has no sheet with cells.", "Choose another file.", field="table")
    if sheet is not None and sheet not in sheets:
        raise Refusal(
            f"{name} has no sheet of the name given.",
            "Choose one of: " + ", ".join(sheets) + ".",
            field="sheet",
        )
    seen = [title for title, visible in sheets.items() if visible]
    if sheet is None and not seen:
        raise Refusal(
            f"All sheets of {name} are hidden.",
            "Name the one to read: " + ", ".join(sheets) + ".",
            field="sheet",
        )
    return sheet or seen[0]


class _Table:
    """A table under construction, without empty rows, and without the columns that have no name.

    A row with cells beyond the header cannot be read, as nobody can say which of them is which.
    """

    def __init__(self, source: Source, cells: _Cells) -> None:
        self._source, self._cells = source, cells
        self._names: tuple[str, ...] = ()
        self._columns: list[_Column] = []
        self._rows: list[int] = []
        self._beyond = array("q")
        self._header = 0
        self._covered: Counter[int] = Counter()

    def take(self, number: int, cells: Sequence[Cell]) -> None:
        """Take in a row."""
        if not self._columns:
            self._begin(number, cells)
            return
        width = len(self._columns)
        record, filled, beyond = len(self._rows), False, False
        for cell in cells:
            if cell.column < width:
                filled |= self._columns[cell.column].take(record, cell, self._cells)
            elif self._cells.text(cell):
                beyond = filled = True
        if filled:
            self._rows.append(number)
            if beyond:
                self._beyond.append(record)
            if not record % _AT_ONCE:
                self._check()

    def _begin(self, number: int, cells: Sequence[Cell]) -> None:
        """Take in the row that names the columns, if it is the first that is filled."""
        texts = {cell.column: self._cells.text(cell) for cell in cells}
        last = max((place for place, text in texts.items() if text), default=-1)
        if last >= 0:
            header = [texts.get(place, "") for place in range(last + 1)]
            readable = ["" if text == NOT_A_VALUE else text for text in header]
            self._names = checked_names(readable, self._source.name)
            self._columns = [_Column() for _ in header]
            self._header = number

    def _check(self) -> None:
        texts = sum(column.text_bytes for column in self._columns)
        check_held(self._source, len(self._rows), len(self._columns), texts)

    def finish(self, merged: Sequence[_Area]) -> None:
        """Take in what is said after the last row.

        Raises:
            Refusal: there is no row but the header, or none at all.
        """
        if not self._columns:
            raise Refusal(
                f"{self._source.name} is empty.",
                "Choose a sheet that holds a table.",
                field="table",
            )
        check_rows(len(self._rows), self._source.name)
        self._check()
        for column in self._columns:
            column.fill(len(self._rows))
        self._cover(merged)
        for column in self._columns:
            column.spoil(self._beyond, NOT_APART)

    def _cover(self, merged: Sequence[_Area]) -> None:
        """Make what lies under a merged cell unreadable.

        Raises:
            ValueError: cells are merged more than once.
        """
        rows, width = np.array(self._rows, dtype=np.int64), len(self._columns)
        left = len(rows) * width
        for area in merged:
            first = max(area.first_row, self._header + 1)
            places = range(area.first_column, min(area.last_column + 1, width))
            start, end = map(int, np.searchsorted(rows, [first, area.last_row + 1]))
            left -= max(0, end - start) * len(places)
            if left < 0:
                raise ValueError("cells are merged more than once")
            for place in places if area.last_row >= first else ():
                on_top = place == area.first_column and area.first_row >= first
                self._covered[place] += area.last_row - first + 1 - on_top
                holds = on_top and start < end and rows[start] == area.first_row
                self._columns[place].spoil(range(start + holds, end), NOT_A_VALUE)

    def notes(self) -> tuple[str, ...]:
        """Return what a person should see. Internal."""
        return tuple(self._list_notes())

    def _list_notes(self) -> Iterator[str]:
        if self._beyond:
            yield (
                f"{len(self._beyond):,} of its rows have cells beyond the names of the columns. "
                "Their values count as outside of every column."
            )
        for place, (name, column) in enumerate(zip(self._names, self._columns, strict=True)):
            if column.without_result:
                yield (
                    f"{column.without_result:,} cells of column “{name}” are formulas whose "
                    "results the file does not hold. They count as outside of it. Open the file in "
                    "a spreadsheet program and save it again, and they are there."
                )
            if self._covered[place]:
                yield (
                    f"{self._covered[place]:,} cells of column “{name}” lie under merged cells, "
                    "which leaves open what they hold. They count as outside of it. Take the cells "
                    "apart and fill them in."
                )
            if column.beyond_calendar:
                yield (
                    f"{column.beyond_calendar:,} cells of column “{name}” are shown as days that "
                    "the calendar does not have, such as the numbers 0, 60 (29 February 1900), or "
                    "those below 0. They count as outside of it."
                )
            if column.shown_otherwise:
                yield (
                    f"{column.shown_otherwise:,} numbers of column “{name}” are shown with zeros "
                    "or signs in front that are no part of them. They were read without. Save the "
                    "column as text, if these belong to the values."
                )

    def text_columns(self) -> tuple[str, ...]:
        """Return the names of the columns that hold texts alone."""
        pairs = zip(self._names, self._columns, strict=True)
        return tuple(name for name, column in pairs if column.kinds == {True})

    def table(self) -> pa.Table:
        """Return the records as texts."""
        return table_of(self._names, (column.texts() for column in self._columns))


class _Column:
    """A column under construction: the texts so far, and the place of each record's text."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {"": 0}
        self._known: dict[tuple[str, int, str | None, bool], tuple[int, str]] = {}
        self._codes = array("i")
        self.text_bytes = 0
        self.kinds: set[bool] = set()
        """Whether each value that was found is a text."""
        self.without_result = self.beyond_calendar = self.shown_otherwise = 0

    def take(self, record: int, cell: Cell, cells: _Cells) -> bool:
        """Take in a cell; whether anything stands in it."""
        key = cell[1:]
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._read_text(cell, cells)
        place, oddity = known
        if oddity:
            setattr(self, oddity, getattr(self, oddity) + 1)
        if place:
            self.kinds.add(cell.kind in _TEXTS)
            self.fill(record)
            self._codes.append(place)
        return bool(place)

    def _read_text(self, cell: Cell, cells: _Cells) -> tuple[int, str]:
        text = cells.text(cell)
        self.text_bytes += len(cell.value or "") + _TEXT_BYTES
        if lacks_result(cell):
            return self._place(text), "without_result"
        if text == NOT_A_VALUE:
            return self._place(text), "beyond_calendar"
        return self._place(text), "shown_otherwise" if cells.is_shown_otherwise(cell) else ""

    def _place(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self._places)
            self.text_bytes += len(text) + _TEXT_BYTES
        return self._places[text]

    def fill(self, records: int) -> None:
        """Leave the records up to there empty that had no cell here."""
        self._codes.extend([0] * (records - len(self._codes)))

    def spoil(self, records: Sequence[int], why: str) -> None:
        """Make the values of some records unreadable."""
        if len(records):
            place = self._place(why)
            for record in records:
                self._codes[record] = place

    def texts(self) -> pa.DictionaryArray:
        """Return the column."""
        codes = np.frombuffer(self._codes, dtype=np.int32).astype(np.int64)
        return text_column(codes, list(self._places))
