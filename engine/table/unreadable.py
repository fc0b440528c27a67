"""Values that a file holds and that no text stands for.

Each stands in a table as a text of its own that begins with a null character. No category, missing
value or number can hold one, so wherever such a value goes, it lies outside every domain and falls
under the column's declared policy. A file that holds the very text is counted with them, which
changes nothing: it is outside just as well.
"""

from __future__ import annotations

MARK = "\0"
"""What no domain can hold (see `domain.check_texts`)."""

NOT_TEXT = f"{MARK}not text in the declared encoding"
"""In place of a value whose bytes are no text in the declared encoding."""

NOT_APART = f"{MARK}in a line that does not hold one cell for each column"
"""In place of each value of a record that cannot be taken apart into as many cells as there are
columns: too few, too many, or a quotation mark that is never closed."""

NOT_A_VALUE = f"{MARK}not a value that can be written"
"""In place of a value that is no text, number or time: bytes, lists, days beyond the calendar."""

WHY = {
    NOT_TEXT: "not text in the declared encoding",
    NOT_APART: "in lines with another number of cells",
    NOT_A_VALUE: "not values that can be written",
}
"""What is said of them."""


def is_unreadable(text: str) -> bool:
    """Whether a text is no value that any domain could hold."""
    return MARK in text
