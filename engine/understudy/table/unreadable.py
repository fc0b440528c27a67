"""Placeholders for values of a file that cannot be read as text.

Each placeholder is a text that begins with a null character. No category, missing
value or number can hold one, so wherever such a value goes, it lies outside every domain and falls
under the column's declared policy. A file that holds the very text is counted with them, which
changes nothing: it is outside just as well.
"""

from __future__ import annotations

MARK = "\0"
"""The first character of every placeholder, which no domain can hold (see `domain.check_texts`)."""

NOT_TEXT = f"{MARK}not text in the declared encoding"
"""For a value whose bytes are invalid in the declared encoding."""

NOT_APART = f"{MARK}in a line that does not hold one cell for each column"
"""For each value of a record that cannot be split into as many cells as there are columns: too few,
too many, or a quotation mark that is never closed."""

NOT_A_VALUE = f"{MARK}not a value that can be written"
"""For a value that is no text, number or time: bytes, lists, dates out of range."""

WHY = {
    NOT_TEXT: "not text in the declared encoding",
    NOT_APART: "in lines with another number of cells",
    NOT_A_VALUE: "not values that can be written",
}
"""The reason of each, for messages."""


def is_unreadable(text: str) -> bool:
    """Return whether a text is one of the placeholders."""
    return MARK in text
