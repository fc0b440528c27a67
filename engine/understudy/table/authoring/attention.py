"""What of a suggested schema needs a person's attention, the most pressing first.

Computed from confidential texts, as the suggestion is: internal until the custodian has replaced it
by what is publicly known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal

import numpy as np

from understudy.table.cells import parse_number
from understudy.table.column import Column
from understudy.table.raw import RawTable
from understudy.table.schema import Schema

Attention = Literal["identifier", "date", "codes", "missing", "derived", "list", "bounds"]

ATTENTION: Final[Mapping[Attention, str]] = {
    "identifier": "looks like an identifier: leave it out",
    "date": "dates as categories: make the column one of dates, or leave it out",
    "codes": "codes as numbers: make them categories",
    "missing": "a value that is probably a code for missing: give it a meaning",
    "derived": "another column settles it: leave one of them out",
    "list": "its list came from the file",
    "bounds": "its bounds were read off the file",
}
"""What each means and what to do, in a few words, the most pressing first."""

_ENOUGH_TO_TELL: Final = 20
_MOSTLY: Final = 0.9
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*")
_NAMES_RECORDS = re.compile(
    r"(^|[_\W])((id|uuid|guid|key|serial|ssn|rowid|nr)($|[_\W])|(no|num|number)$)", re.I
)
_NAMES_CODES = re.compile(
    r"(^|[_\W])(code|cd|zip|postcode|plz|icd|fips|puma|soc|isco|nace|naics|sic)\d*($|[_\W])", re.I
)
_SHORTEST_CODE: Final = 3
_SPARSE: Final = 0.2
"""Codes of one length are so few of the numbers between them; years are not."""
_ROUND: Final = 5
"""Amounts are often multiples of it, and codes not."""
_MANY: Final = 20


def needs_attention(
    raw: RawTable, schema: Schema, derived: Collection[str]
) -> dict[str, tuple[Attention, ...]]:
    """Return what each column needs looked at for, the most pressing first; of one whose origin was
    said, only what that does not settle.

    Args:
        raw: the table.
        schema: its columns.
        derived: those that another column settles (`derived_columns`).
    """
    return {
        column.name: tuple(
            _of(column, _texts(raw, column), raw.rows, derived=column.name in derived)
        )
        for column in schema.columns
        if column.name in raw.names
    }


def identifiers(raw: RawTable, schema: Schema, keep: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns that look like identifiers of the records, but those that are kept; none
    where fewer than two others would be left."""
    found = tuple(
        column.name
        for column in schema.columns
        if column.name not in keep and _identifies(column, _texts(raw, column), raw.rows)
    )
    return found if len(schema) - len(found) >= 2 else ()


def _of(column: Column, texts: Collection[str], rows: int, *, derived: bool) -> Iterator[Attention]:
    if _identifies(column, texts, rows):
        yield "identifier"
    if _are_dates(column, texts):
        yield "date"
    if _are_codes(column, texts):
        yield "codes"
    if _has_unnamed_code(column):
        yield "missing"
    if derived:
        yield "derived"
    if column.origin:
        return
    yield "bounds" if column.ordered else "list"


def _identifies(column: Column, texts: Collection[str], rows: int) -> bool:
    """Return whether every record has a value of its own that is no measurement: a word, or a whole
    number that counts the records or is named for telling them apart."""
    if len(texts) != rows or rows < _ENOUGH_TO_TELL:
        return False
    if not column.ordered:
        return not column.domain.given_labels
    if not column.domain.numeric:
        return False
    numbers = [number for text in texts if (number := parse_number(text)) is not None]
    if any(number != number.to_integral_value() for number in numbers):
        return False
    if numbers and int(max(numbers) - min(numbers)) == rows - 1:
        return True
    return _NAMES_RECORDS.search(column.name) is not None


def _are_dates(column: Column, texts: Collection[str]) -> bool:
    dates = sum(_DATE.fullmatch(text) is not None for text in texts)
    return not column.ordered and dates > _MOSTLY * max(1, len(texts))


def _are_codes(column: Column, texts: Collection[str]) -> bool:
    """Return whether numbers look like codes: named so, or all of one length, sparse, and not
    round."""
    if column.domain.kind != "integers":
        return False
    if _NAMES_CODES.search(column.name):
        return True
    if len(texts) < _MANY or not all(text.isdigit() for text in texts):
        return False
    numbers = [int(text) for text in texts]
    alike = len({len(text) for text in texts}) == 1 and len(min(texts)) >= _SHORTEST_CODE
    sparse = len(texts) < _SPARSE * (max(numbers) - min(numbers))
    return alike and sparse and any(number % _ROUND for number in numbers)


def _has_unnamed_code(column: Column) -> bool:
    """Return whether a number stands for missing and nobody has said what it means."""
    codes = column.missing_codes[: column.missing_count]
    return any(not code.label and parse_number(code.written) is not None for code in codes)


def _texts(raw: RawTable, column: Column) -> set[str]:
    """Return the texts that occur in a column and do not stand for missing."""
    texts, places = raw.distinct(column.name)
    occurs = np.bincount(places, minlength=len(texts)) > 0
    stripped = {text.strip() for text, found in zip(texts, occurs, strict=True) if found}
    return stripped - set(column.missing_values)
