"""Known totals as a custodian has them: a small table copied from a spreadsheet, or a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.files import read_small_file
from understudy.core.numerals import count, join_first
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, shorten_text
from understudy.table.column import Column
from understudy.table.known_totals import (
    COUNTED,
    BoundTotals,
    KnownTotals,
    TotalsOf,
    fold_name,
    quote_names,
    read_names,
)

_MOST_BYTES: Final = 16 << 20
_LISTED: Final = 3
_TOTALS: Final = frozenset({"", "total", "sum", "count", "n", "number", "all"})
"""Headings of totals, folded."""


@dataclass(frozen=True)
class TotalsRead:
    """What a pasted table of totals came to.

    Attributes:
        totals: what it says.
        notes: what to know about it, in sentences.
    """

    totals: KnownTotals
    notes: tuple[str, ...] = ()


def read_totals(text: str, columns: Sequence[Column], *, of: TotalsOf, source: str) -> TotalsRead:
    """Return totals from a small table as a spreadsheet copies it, or from a CSV file: a heading
    that names one or two columns, then a line for each total with the total last. A pair may also
    be laid out with the values of the second column as headings.

    Args:
        text: with tabs, semicolons or commas between its cells.
        columns: those that totals may be by.
        of: what is counted.
        source: where they are published.

    Raises:
        Refusal: it is no such table, or as of `KnownTotals.bind`.
    """
    rows = _split_cells(text)
    by = {name: column.name for column in columns for name in (column.title, column.name) if name}
    names = [by.get(cell) or _find_column(cell, by) for cell in rows[0]]
    if not names[0]:
        raise Refusal(
            f"The heading “{escape_invisible(shorten_text(rows[0][0], 60))}” names no column.",
            "Copy the table with its headings: first the name of a column, as listed above.",
            field="totals",
        )
    if len(rows[0]) == 2:
        return _read_lines(_list_lines(rows), (names[0],), columns, of, source)
    if len(rows[0]) == 3 and names[1]:
        return _read_lines(_list_lines(rows), (names[0], names[1]), columns, of, source)
    return _read_grid(rows, names[0], columns, of, source)


def _list_lines(rows: Sequence[Sequence[str]]) -> list[tuple[tuple[str, ...], str]]:
    return [(tuple(row[:-1]), row[-1]) for row in rows[1:]]


def load_totals(option: str, columns: Sequence[Column]) -> TotalsRead:
    """Return totals of a file, as an option names it: “file=of:source”.

    Raises:
        Refusal: the option is incomplete, the file cannot be read, or as `read_totals`.
    """
    name, _, rest = option.partition("=")
    counted, _, source = rest.partition(":")
    of = next((each for each in COUNTED if each == counted.strip()), None)
    if of is None:
        raise Refusal(
            f"“{escape_invisible(option)}” does not say what the totals count.",
            "Write the file, “=table:” or “=population:”, and where the totals are published.",
            field="totals",
        )
    try:
        text = read_small_file(Path(name), _MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise Refusal(
            f"The file of totals {name} cannot be read: {error.strerror or 'it failed'}.",
            "Check the path, and that the file may be read.",
            field="totals",
        ) from None
    except UnicodeDecodeError:
        raise Refusal(
            f"The file of totals {name} is not text in UTF-8.",
            "Save it as CSV in UTF-8.",
            field="totals",
        ) from None
    return read_totals(text, columns, of=of, source=source.strip())


def _find_column(cell: str, by: Mapping[str, str]) -> str:
    """Return the column that a heading names in other letters or with other blanks; "" for none."""
    return next((column for name, column in by.items() if fold_name(name) == fold_name(cell)), "")


def _split_cells(text: str) -> list[list[str]]:
    """Return the cells of a pasted table, all of its rows of one length.

    Raises:
        Refusal: it has no two rows or columns, or rows of different lengths.
    """
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    mark = next((each for each in "\t;," if lines and each in lines[0]), "\t")
    rows = [
        [cell.strip() for cell in row]
        for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark)
    ]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise Refusal(
            "This is no table of totals.",
            "Copy it from a spreadsheet with its headings: the name of a column and “total” above "
            "a line for each total.",
            field="totals",
        )
    uneven = next((place for place, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if uneven is not None:
        raise Refusal(
            f"Line {uneven + 1} has {count(len(rows[uneven]), 'cell')}, and the heading "
            f"{len(rows[0])}.",
            "Give each line as many cells as the heading.",
            field="totals",
        )
    return rows


def _read_grid(
    rows: list[list[str]], first: str, columns: Sequence[Column], of: TotalsOf, source: str
) -> TotalsRead:
    """Return totals of a pair whose second column has its values as headings: of the columns that
    have values of all these names, the one.

    Raises:
        Refusal: none has, or several have.
    """
    heads = rows[0][1:]
    keep = [place for place, head in enumerate(heads) if fold_name(head) not in _TOTALS]
    names = [heads[place] for place in keep]
    others = [column for column in columns if column.name != first]
    fits = [column.name for column in others if _has_names(column, names)]
    if len(fits) != 1:
        what = "of several columns" if fits else "of no column"
        raise Refusal(
            f"The headings {quote_names(heads[:_LISTED])} … are values {what}.",
            "Give one total a line: the two columns and “total” as headings.",
            field="totals",
        )
    lines = [
        ((row[0], heads[place]), row[1 + place])
        for row in rows[1:]
        if fold_name(row[0]) not in _TOTALS - {""}
        for place in keep
    ]
    return _read_lines(lines, (first, fits[0]), columns, of, source)


def _has_names(column: Column, names: Sequence[str]) -> bool:
    try:
        read_names(column, names, "")
    except Refusal:
        return False
    return True


def _read_lines(
    lines: Sequence[tuple[tuple[str, ...], str]],
    by: tuple[str, ...],
    columns: Sequence[Column],
    of: TotalsOf,
    source: str,
) -> TotalsRead:
    """Return totals of lines, without a last one that adds up the others."""
    numbers = [_read_count(text) for _, text in lines]
    notes = []
    last = lines[-1][0][0] if lines else ""
    if fold_name(last) in _TOTALS - {""} and numbers[-1] == sum(numbers[:-1]):
        lines, numbers = lines[:-1], numbers[:-1]
        notes.append("The last line adds up the others and is left out.")
    kept = [(names, number) for (names, _), number in zip(lines, numbers, strict=True)]
    totals = KnownTotals(columns=by, of=of, source=source, lines=tuple(kept))
    return TotalsRead(totals, (*notes, *describe_gaps(totals.bind(columns), columns)))


def _read_count(text: str) -> int:
    """Return a total as a spreadsheet shows it, with or without marks for thousands.

    Raises:
        Refusal: it is no whole number.
    """
    plain = text.strip().replace("\u00a0", " ").replace("\u202f", " ").replace("’", "'")
    for mark in (",", " ", "'", "."):
        head, *groups = plain.split(mark)
        if groups and 1 <= len(head) <= 3 and all(len(group) == 3 for group in groups):
            plain = head + "".join(groups)
    if not plain.isascii() or not plain.isdigit():
        raise Refusal(
            f"“{escape_invisible(shorten_text(text, 40))}” is no total.",
            "Give whole numbers from 0 on.",
            field="totals",
        )
    return int(plain)


def describe_gaps(bound: BoundTotals, columns: Sequence[Column]) -> tuple[str, ...]:
    """Return which values no total is above 0 of, and so no released row will have."""
    none = []
    for place, level in bound.views:
        alone = bound.sum_column(columns, place, level)
        labels = columns[place].level_labels(level)
        empty = [labels[group] for group in np.flatnonzero(alone == 0).tolist()]
        if empty:
            listed = join_first([f"“{escape_invisible(each)}”" for each in empty], _LISTED)
            name = escape_invisible(columns[place].name)
            none.append(f"No released row will have {listed} in column “{name}”.")
    return tuple(none)
