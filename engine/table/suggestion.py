"""A schema to begin with, suggested from a file for a person to correct.

What is suggested comes from confidential records: bounds rounded outward, but still theirs. It
becomes a schema to build on only when the custodian replaces it by what is publicly known and
declares it so. Each column's notes say what to look at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np

from engine.refusal import Refusal
from engine.table.buckets import Buckets, ByWidth, EachValue
from engine.table.column import MISSING_TOKENS, Column
from engine.table.domain import (
    LONGEST_TEXT,
    MOST_CATEGORIES,
    MOST_DECIMALS,
    MOST_DIGITS,
    Categories,
    Grid,
)
from engine.table.numerals import nice_at_least, number_in, plain
from engine.table.raw import RawTable
from engine.table.schema import Schema

_FEW_NUMBERS = 20
_MOST_UNIT_STEPS = 1000
_STEPS = Decimal(200)
_ROUNDINGS = Decimal(20)
_BUCKETS = Decimal(10)
_LONGEST_TOKEN = 10
_PADDED = re.compile(r"[+-]?0[0-9]+")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_NUMBERS_MIXED = 0.9
_ENOUGH_TO_TELL = 20


@dataclass(frozen=True)
class Suggestion:
    """A schema taken from a file. Internal until the custodian declares it public.

    Attributes:
        schema: the suggested columns, not declared.
        notes: per column, sentences on what to look at.
    """

    schema: Schema
    notes: Mapping[str, tuple[str, ...]]


def suggest_schema(raw: RawTable, leave_out: Collection[str] = ()) -> Suggestion:
    """Suggest a schema for a table.

    Args:
        raw: the table.
        leave_out: columns to skip.

    Raises:
        Refusal: a column is missing throughout, or has more categories than can be used (it
            looks like an identifier), or fewer than two columns remain; `field` is the first
            column concerned.
    """
    unknown = sorted(set(leave_out) - set(raw.names))
    if unknown:
        raise Refusal(
            f"The table has no column “{unknown[0]}” to leave out.",
            "Name columns as the first row of the file does.",
            field="leave_out",
        )
    columns: list[Column] = []
    notes: dict[str, tuple[str, ...]] = {}
    refusals: list[Refusal] = []
    for name in raw.names:
        if name not in leave_out:
            try:
                found = _Draft(name, _texts(raw, name), raw.rows)
                columns.append(found.column())
                notes[name] = tuple(found.notes)
            except Refusal as refusal:
                refusals.append(_about(name, refusal))
    if refusals:
        raise _together(refusals)
    return Suggestion(Schema(columns=tuple(columns)), notes)


def _about(name: str, refusal: Refusal) -> Refusal:
    """A refusal that names the column it is about."""
    if refusal.field == name:
        return refusal
    return Refusal(
        f"Column “{name}” cannot be described: {refusal.problem}",
        "Leave it out, or change its unit or its texts in the file.",
        field=name,
    )


def _together(refusals: Sequence[Refusal]) -> Refusal:
    """Several columns that cannot be used, in one refusal."""
    if len(refusals) == 1:
        return refusals[0]
    names = ", ".join(str(refusal.field) for refusal in refusals)
    return Refusal(
        " ".join(refusal.problem for refusal in refusals),
        f"Leave these columns out, or correct them in the file: {names}.",
        field=refusals[0].field,
    )


def _texts(raw: RawTable, name: str) -> set[str]:
    """The texts that occur in a column."""
    texts, places = raw.distinct(name)
    occurs = np.bincount(places, minlength=len(texts)) > 0
    return {text for text, found in zip(texts, occurs, strict=True) if found}


class _Draft:
    """The making of one column: what its texts are, and what there is to say about them."""

    def __init__(self, name: str, texts: set[str], rows: int) -> None:
        self.name = name
        self.notes: list[str] = []
        stripped = {text.strip() for text in texts}
        self._tokens = [token for token in MISSING_TOKENS if token in stripped]
        self._texts = sorted(stripped - set(self._tokens))
        self._numbers = {text: number_in(text) for text in self._texts}
        if not self._take_word_as_missing():
            self._note_missing()
        if not self._texts:
            raise Refusal(
                f"Column “{name}” is missing in every record.", "Leave it out.", field=name
            )
        self._all_differ = len(self._texts) == rows >= _ENOUGH_TO_TELL

    def column(self) -> Column:
        """The suggested column.

        Raises:
            Refusal: too many categories.
        """
        if len(self._texts) == 1:
            self.notes.append(
                "Every record has the same value: list the others that are possible, or leave the "
                "column out."
            )
        if self._all_differ:
            self.notes.append(
                "Every record has a value of its own. If it identifies the record, leave the "
                "column out."
            )
        numbers = [number for number in self._numbers.values() if number is not None]
        all_numbers = len(numbers) == len(self._texts)
        if not all_numbers or self._are_codes() or self._are_few(numbers):
            return self._as_categories(all_numbers)
        return self._as_grid(numbers)

    def _take_word_as_missing(self) -> bool:
        """Take a single short word among numbers to stand for missing, whatever the word is."""
        words = [text for text, number in self._numbers.items() if number is None]
        if len(words) != 1 or len(self._texts) < 3 or not _is_token(words[0]):
            return False
        self._tokens.append(words[0])
        self._texts.remove(words[0])
        del self._numbers[words[0]]
        self.notes.append(
            "The only text among numbers is taken to stand for missing. If it is a value of its "
            "own, make the column one of categories."
        )
        return True

    def _note_missing(self) -> None:
        if len(self._tokens) > 1:
            self.notes.append(
                f"{len(self._tokens)} different texts are taken to stand for missing; all of them "
                "will be written as the first."
            )
        elif self._tokens and self._tokens[0]:
            self.notes.append("One text is taken to stand for missing. Is it a value of its own?")

    def _are_codes(self) -> bool:
        """Whether the numbers are padded with zeros, so that their text matters."""
        return any(_PADDED.fullmatch(text) for text in self._texts)

    def _are_few(self, numbers: Sequence[Decimal]) -> bool:
        """Whether the numbers are few and whole, each written in one way only."""
        whole = all(number == number.to_integral_value() for number in numbers)
        few = len(self._texts) <= _FEW_NUMBERS
        return whole and few and len(set(numbers)) == len(self._texts)

    def _as_categories(self, all_numbers: bool) -> Column:
        self._check_categories()
        if all_numbers and self._are_codes():
            self.notes.append("The numbers begin with zeros and are kept as codes.")
        elif not all_numbers:
            self._note_mixed()
        self.notes.append(
            "These categories are the ones that occur in the file. Complete them from the code "
            "book or the questionnaire, and remove those that nobody outside would know."
        )
        values = sorted(self._texts, key=self._rank)
        return self._made(Categories(values=tuple(values)), EachValue())

    def _check_categories(self) -> None:
        if self._commas() > _NUMBERS_MIXED and len(self._texts) > _FEW_NUMBERS:
            raise Refusal(
                f"Column “{self.name}” holds numbers with decimal commas.",
                "Save the file with decimal points, or leave the column out.",
                field=self.name,
            )
        if len(self._texts) > MOST_CATEGORIES:
            raise Refusal(
                f"Column “{self.name}” has more than {MOST_CATEGORIES:,} categories and looks "
                "like an identifier, a date or free text.",
                "Leave it out, or group its values in the file first.",
                field=self.name,
            )
        if any(len(text) > LONGEST_TEXT for text in self._texts):
            raise Refusal(
                f"Column “{self.name}” holds texts of more than {LONGEST_TEXT:,} characters.",
                "Leave it out.",
                field=self.name,
            )

    def _commas(self) -> float:
        """The share of texts that are numbers with a decimal comma (or whole)."""
        commas = [text for text in self._texts if _DECIMAL_COMMA.fullmatch(text)]
        whole = sum(number is not None for number in self._numbers.values())
        return (len(commas) + whole) / len(self._texts) if commas else 0.0

    def _note_mixed(self) -> None:
        numbers = sum(number is not None for number in self._numbers.values())
        if self._commas() > _NUMBERS_MIXED:
            self.notes.append(
                "The texts look like numbers with decimal commas. To use them as numbers, save the "
                "file with decimal points."
            )
        elif numbers > _NUMBERS_MIXED * len(self._texts):
            self.notes.append(
                f"All but {len(self._texts) - numbers} of the different texts are numbers. To use "
                "them as numbers, correct the others in the file or count them as missing."
            )

    def _rank(self, text: str) -> tuple[bool, Decimal, str]:
        number = self._numbers[text]
        return number is None, number or Decimal(0), text

    def _as_grid(self, numbers: Sequence[Decimal]) -> Column:
        if any(number and number.adjusted() >= MOST_DIGITS - 1 for number in numbers):
            raise Refusal(
                f"Column “{self.name}” holds numbers of {MOST_DIGITS} digits or more.",
                "Leave it out if it is an identifier, or change its unit in the file.",
                field=self.name,
            )
        whole = all(number == number.to_integral_value() for number in numbers)
        low, high = _round_bounds(min(numbers), max(numbers))
        step = Decimal(1) if whole else _finest(numbers)
        if high - low > (_MOST_UNIT_STEPS if whole else _STEPS) * step:
            step = max(step, nice_at_least((high - low) / _STEPS))
            self.notes.append(
                f"Numbers are rounded to steps of {step:f}. A smaller step keeps more detail and "
                "needs more records. If the numbers are codes, make the column one of categories."
            )
        low, high = _outward(low, high, step)
        self.notes.append(
            "The bounds come from the smallest and largest value in the file, rounded. Replace "
            "them by what is publicly known, such as the limits on the questionnaire."
        )
        grid = Grid(kind="integers" if whole else "numbers", minimum=low, maximum=high, step=step)
        return self._made(grid, _buckets(grid))

    def _made(self, domain: Categories | Grid, buckets: Buckets) -> Column:
        return Column(
            name=self.name,
            domain=domain,
            missing=bool(self._tokens),
            missing_values=tuple(self._tokens) or ("",),
            buckets=buckets,
        )


def _is_token(word: str) -> bool:
    """Whether a word is short and has no digit, so that it is neither a range nor a top code."""
    return len(word) <= _LONGEST_TOKEN and not any(letter.isdigit() for letter in word)


def _round_bounds(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Bounds rounded outward to a round number, about a twentieth of the range."""
    span = high - low
    return _outward(low, high, nice_at_least((span or abs(high) or Decimal(1)) / _ROUNDINGS))


def _outward(low: Decimal, high: Decimal, unit: Decimal) -> tuple[Decimal, Decimal]:
    """The nearest multiples of a unit that enclose a range."""
    down = (low / unit).to_integral_value(ROUND_FLOOR) * unit
    up = (high / unit).to_integral_value(ROUND_CEILING) * unit
    return plain(down), plain(up)


def _finest(numbers: Sequence[Decimal]) -> Decimal:
    """One unit of the last decimal that occurs."""
    exponents = [number.normalize().as_tuple().exponent for number in numbers]
    finest = min(exponent for exponent in exponents if isinstance(exponent, int))
    return Decimal(1).scaleb(max(finest, -MOST_DECIMALS))


def _buckets(grid: Grid) -> Buckets:
    """About ten buckets of a round number of steps, for all but short ranges."""
    if grid.size <= _FEW_NUMBERS:
        return EachValue()
    steps = nice_at_least((grid.size - 1) / _BUCKETS)
    return ByWidth(width=plain(grid.step * steps))
