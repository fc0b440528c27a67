"""Parsing one sheet of a workbook, row by row.

What a sheet says of its own dimensions plays no part: programs write wrong ones. Memory is
taken for cells that exist, not for the extent of the sheet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO, NamedTuple
from xml.parsers import expat

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


class Area(NamedTuple):
    """Cells merged into one, from–to, both included: rows from 1, columns from 0."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


TakeRow = Callable[[int, Sequence[Cell]], None]


def parse_sheet(file: IO[bytes], take: TakeRow) -> list[Area]:
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
        self.merged: list[Area] = []
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
        """An entity is declared."""
        raise OddSheet

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
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
        """An element ends."""
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
        """Text stands somewhere."""
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

    def _area(self, ref: str) -> Area:
        one, _, other = ref.replace("$", "").partition(":")
        (first_row, first_column), (last_row, last_column) = map(self._place, (one, other or one))
        return Area(first_row, first_column, last_row, last_column)

    def _place(self, text: str) -> tuple[int, int]:
        letters = text.rstrip(_DIGITS)
        return int(text[len(letters) :]), self._column_of(letters)
