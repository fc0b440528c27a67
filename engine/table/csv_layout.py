"""Which separator and quotation mark a CSV file uses, from its first records."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

SEPARATORS = ",;\t|"
QUOTES = "\"'"
_RECORDS = 200
_OPENED = re.compile(r"(?:^|[,;\t|\r\n])\"")


@dataclass(frozen=True)
class Layout:
    """How the cells of a CSV file are told apart.

    Attributes:
        separator, quote: one character each.
        header: the cells of the first record.
        alone: whether no other record follows in what was looked at.
    """

    separator: str
    quote: str
    header: tuple[str, ...]
    alone: bool


def layout_of(text: str, separator: str | None = None) -> Layout:
    """Find the layout under which the first records have equally many cells, more than one.

    An apostrophe is considered only where no cell begins with a double quotation mark.

    Args:
        text: the beginning of the file, not blank.
        separator: taken as given where there is one.
    """
    quotes = QUOTES[:1] if _OPENED.search(text) else QUOTES
    tried = [_tried(text, mark, quote) for quote in quotes for mark in (separator or SEPARATORS)]
    best = max(tried, key=lambda found: found[0])
    return best[1]


def _tried(text: str, separator: str, quote: str) -> tuple[tuple[float, ...], Layout]:
    """A layout and its rank: agreement first, then quoted columns, then the number of cells."""
    records = _records(text, separator, quote)
    header = tuple(records[0]) if records else ()
    body = records[1:]
    agreeing = sum(len(record) == len(header) for record in body)
    agreement = agreeing / len(body) if body else 1.0
    if len(header) < 2:
        agreement = -1.0
    layout = Layout(separator, quote, header, alone=not body)
    return (agreement, -_still_quoted(body, len(header)), len(header)), layout


def _records(text: str, separator: str, quote: str) -> list[list[str]]:
    """The first records, without blank lines, up to one that cannot be taken apart."""
    lines = io.StringIO(text, newline="")
    records: list[list[str]] = []
    with contextlib.suppress(csv.Error):
        for record in islice(csv.reader(lines, delimiter=separator, quotechar=quote), _RECORDS):
            records += [record] if record else []
    return records


def _still_quoted(records: Sequence[Sequence[str]], width: int) -> int:
    """How many columns keep quotation marks around every one of their cells."""
    columns = zip(*(record for record in records if len(record) == width), strict=True)
    return sum(any(_wrapped(column, quote) for quote in QUOTES) for column in columns)


def _wrapped(cells: Sequence[str], quote: str) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(len(cell) > 1 and cell[0] == quote == cell[-1] for cell in filled)
