"""Cells of a workbook as texts, by their value and number format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.utils.datetime import from_excel, from_ISO8601

from understudy.table.cells import cell_text
from understudy.table.sources.excel.sheet import Cell
from understudy.table.unreadable import NOT_A_VALUE

_ZEROS = re.compile(r"0{2,}")
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')
_FRACTION = re.compile(r"\.[0#?]+|E[+-]0+", re.IGNORECASE)


class Cells:
    """How the cells of one workbook are written."""

    def __init__(self, book: Any, shared: Sequence[str]) -> None:
        """Of a workbook that openpyxl opened.

        Args:
            book: the workbook.
            shared: the texts that its cells refer to by number.
        """
        self._epoch = book.epoch
        self._shared = shared
        self._days, self._spans = book._date_formats, book._timedelta_formats
        formats = [_format_of(style.numFmtId, book) for style in book._cell_styles]
        self._widths = [_zeros_of(form) for form in formats]
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
