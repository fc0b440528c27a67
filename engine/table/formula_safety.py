"""Cells that a spreadsheet would take for a formula, made harmless, and back again.

A cell that begins with one of the signs of OWASP's “CSV Injection” and is no number gets an
apostrophe in front. So does one that has apostrophes in front already, which makes it reversible.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.table.numerals import number_in

MARK: Final = "'"
_SIGNS: Final = frozenset("=+-@\t\r\n＝＋－＠")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take a cell for a formula, apostrophes in front left aside."""
    bare = text.lstrip(MARK)
    return bare[:1] in _SIGNS and bool(bare) and number_in(bare) is None


def harmless(text: str) -> str:
    """The text as it may stand in CSV."""
    return MARK + text if is_formula(text) else text


def restored(text: str) -> str:
    """The text that `harmless` was given."""
    return text[1:] if text.startswith(MARK) and is_formula(text[1:]) else text


def csv_line(cells: Iterable[str]) -> str:
    """A line of CSV, its cells made harmless and quoted where they have to be."""
    return ",".join(map(_quoted, map(harmless, cells))) + "\n"


def _quoted(text: str) -> str:
    if any(letter in text for letter in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text
