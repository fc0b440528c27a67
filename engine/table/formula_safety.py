"""Cells that a spreadsheet would take for a formula, made harmless, and back again.

A cell that begins with one of the signs of OWASP's “CSV Injection” and is no number gets an
apostrophe in front. So does one that has apostrophes in front already, which makes it reversible.
Blanks and letters that are not seen count for nothing, as some programs leave them out.

Every file of separated cells that is written goes through here, so that none is forgotten.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from engine.table.number_texts import parse_number

MARK: Final = "'"
_SIGNS: Final = frozenset("=+-@\t\r\n＝＋－＠﹦﹢﹣﹫")
_UNSEEN: Final = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))

NOTE: Final = (
    "In the CSV file an apostrophe stands before every name and value that a spreadsheet could "
    "take for a formula: those that begin, blanks left aside, with =, +, -, @, a tab, a line break "
    "or their full-width forms, and are no numbers. To undo it, take one apostrophe away from "
    "each cell in which apostrophes stand before such a sign."
)
"""What a reader of such a file has to know."""


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take a cell for a formula, apostrophes in front left aside."""
    bare = text[_first_seen(text) :]
    return bare[:1] in _SIGNS and bool(bare) and parse_number(bare) is None


def _first_seen(text: str) -> int:
    """Where the first sign of a text is that is neither an apostrophe nor a blank."""
    for place, letter in enumerate(text):
        skipped = letter == MARK or unicodedata.category(letter) in _UNSEEN
        if letter in _SIGNS or not skipped:
            return place
    return len(text)


def escape_formula(text: str) -> str:
    """The text as it may stand in CSV."""
    return MARK + text if is_formula(text) else text


def unescape_formula(text: str) -> str:
    """The text that `escape_formula` was given."""
    return text[1:] if text.startswith(MARK) and is_formula(text[1:]) else text


def csv_cell(text: str) -> str:
    """A text as a cell of CSV: made harmless, and quoted where it has to be."""
    text = escape_formula(text)
    if any(letter in text for letter in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_line(cells: Iterable[str]) -> str:
    """A line of CSV, its cells as `csv_cell` writes them."""
    return ",".join(map(csv_cell, cells)) + "\n"
