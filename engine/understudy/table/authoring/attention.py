"""What of a suggested schema needs a person's attention, the most pressing first.

Computed from confidential texts, as the suggestion is: internal until the custodian has replaced it
by what is publicly known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import Final, Literal

from understudy.table.authoring.identifiers import (
    OccurringTexts,
    identifies_records,
    is_called_weight,
    recognise_identifier,
)
from understudy.table.authoring.public_bounds import find_far_numbers, find_public_bounds
from understudy.table.cells import parse_number
from understudy.table.column import Column
from understudy.table.raw import RawTable
from understudy.table.schema import Schema

Attention = Literal[
    "spelling",
    "identifier",
    "date",
    "codes",
    "missing",
    "weight",
    "weights",
    "derived",
    "far",
    "list",
    "bounds",
    "usual",
]

ATTENTION: Final[Mapping[Attention, str]] = {
    "spelling": "how its values are written can be read in several ways: say which",
    "identifier": "looks like an identifier: leave it out",
    "date": "dates as categories: make the column one of dates, or leave it out",
    "codes": "codes as numbers: make them categories",
    "missing": "a value that is probably a code for missing: give it a meaning",
    "weight": "is called like a survey weight: say whether it is one",
    "weights": "one of several survey weights: say of the others that they are not used",
    "derived": "another column settles it: leave one of them out",
    "far": "a few values lie far outside its bounds: say whether they are right",
    "list": "its list came from the file",
    "bounds": "its bounds were read off the file",
    "usual": "its bounds are those usual for what it is called: check them",
}
"""What each means and what to do, in a few words, the most pressing first."""

_MOSTLY: Final = 0.9
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*")
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
            _of(
                column,
                OccurringTexts.of_column(raw, column.name, column.missing_values),
                derived=column.name in derived,
                weights=schema.weights,
            )
        )
        for column in schema.columns
        if column.name in raw.names
    }


def _of(
    column: Column, found: OccurringTexts, *, derived: bool, weights: Collection[str]
) -> Iterator[Attention]:
    texts = found.texts
    if column.domain.question:
        yield "spelling"
    recognised = recognise_identifier(column.name, found) or identifies_records(column, found)
    if recognised and not column.domain.given_labels:
        yield "identifier"
    if _are_dates(column, texts):
        yield "date"
    if _are_codes(column, texts):
        yield "codes"
    if _has_unnamed_code(column):
        yield "missing"
    yield from _of_weight(column, weights)
    if derived:
        yield "derived"
    # Bounds that are usual for a name are still a guess of what the column is.
    if column.origin and column.origin != "bounds":
        return
    if column.ordered:
        yield from _of_bounds(column, found)
    else:
        yield "list"


def _of_weight(column: Column, weights: Collection[str]) -> Iterator[Attention]:
    """Yield whether a column may be a survey weight, and whether others are one too."""
    if column.domain.numeric and not column.role and is_called_weight(column.name):
        yield "weight"
    if column.name in weights and len(weights) > 1:
        yield "weights"


def _of_bounds(column: Column, found: OccurringTexts) -> Iterator[Attention]:
    """Yield whether the bounds of a column leave out numbers far from all others, and whether they
    are those of the quantity that it is called by."""
    ranged = column.domain.ranged
    if ranged is None or not column.domain.numeric:
        yield "bounds"
        return
    counts: Counter[Decimal] = Counter()
    for text, records in zip(found.texts, found.counts, strict=True):
        number = ranged.value_of(text)
        if number is not None:
            counts[number] += records
    low, high = ranged.minimum, ranged.maximum
    public = find_public_bounds(column.name, column.title, counts)
    # Decades around what the file has are bounds of the file.
    if public is not None and not public.is_century:
        apart = max(abs(low - public.low), abs(high - public.high))
        if apart <= ranged.width:
            yield "usual"
            return
    far = find_far_numbers(counts)
    if far is not None and (
        (far.below and min(counts) < low) or (far.above and max(counts) > high)
    ):
        yield "far"
    yield "bounds"


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
