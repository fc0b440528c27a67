"""Escaping cells that a spreadsheet would take for a formula (CSV injection), reversibly.

A cell that begins with one of the characters listed by OWASP and is no number gets an apostrophe in
front. So does a cell that already begins with apostrophes, which makes the escape reversible.
Blanks and invisible characters are skipped, as some programs remove them.

Every CSV file that is written uses this module.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from understudy.table.cells import parse_number

MARK: Final = "'"
_SIGNS: Final = frozenset("=+-@\t\r\n＝＋－＠﹦﹢﹣﹫")
_UNSEEN: Final = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf"))

NOTE: Final = (
    "In the CSV file an apostrophe stands before every name and value that a spreadsheet could "
    "take for a formula: those that begin, blanks left aside, with =, +, -, @, a tab, a line break "
    "or their full-width forms, and are no numbers. To undo it, take one apostrophe away from "
    "each cell in which apostrophes stand before such a sign."
)
"""A sentence for readers of such a file."""


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may take a cell for a formula, apostrophes in front left
    aside."""
    bare = text[_first_seen(text) :]
    return bare[:1] in _SIGNS and bool(bare) and parse_number(bare) is None


def _first_seen(text: str) -> int:
    """Return the index of the first character that is neither an apostrophe nor blank."""
    for place, letter in enumerate(text):
        skipped = letter == MARK or unicodedata.category(letter) in _UNSEEN
        if letter in _SIGNS or not skipped:
            return place
    return len(text)


def escape_formula(text: str) -> str:
    """Return the text, escaped if a spreadsheet may take it for a formula."""
    return MARK + text if is_formula(text) else text


def unescape_formula(text: str) -> str:
    """Return the inverse of `escape_formula`."""
    return text[1:] if text.startswith(MARK) and is_formula(text[1:]) else text


def csv_cell(text: str) -> str:
    """Return a text as a cell of CSV: escaped, and quoted where it has to be."""
    return quote_cell(escape_formula(text))


def quote_cell(text: str) -> str:
    """Return a text as a cell of CSV, quoted where it has to be."""
    if any(letter in text for letter in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_line(cells: Iterable[str]) -> str:
    """Return a line of CSV, its cells as `csv_cell` writes them."""
    return ",".join(map(csv_cell, cells)) + "\n"
