"""Kinds of derivations of codes: their first characters, and what a public list says of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Final, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from understudy.core.arrays import IntArray
from understudy.core.numerals import join_first
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.checks import first_repeat
from understudy.table.column import Column
from understudy.table.derivations.derivation import (
    FORMULA,
    Argument,
    Derivation,
    FormField,
    Name,
    Values,
    refuse_call,
    show_name,
    take_lines,
    take_text,
)
from understudy.table.domain import Domain
from understudy.table.rules.tree import quote_column, quote_constant

_MOST_NAMED: Final = 5


def _require_codes(column: Column) -> tuple[str, ...]:
    """Return every text that a column may contain.

    Raises:
        Refusal: its numbers are not listed.
    """
    if column.measured:
        raise Refusal(
            f"Column “{column.name}” holds {column.domain.words.plural}, which are not listed.",
            "Choose a column of categories, or of numbers in steps.",
            field=FORMULA,
        )
    return column.domain.texts


def _split_pair(line: str) -> tuple[str, str, str]:
    """Return code, sign and text of a line; the sign with blanks around it, if there is one."""
    return line.partition(" = ") if " = " in line else line.partition("=")


def _place_texts(texts: Sequence[str], values: Values, domain: Domain) -> IntArray:
    """Return the code of the text for each record, given the text for each code of its input."""
    codes = {text: code for code, text in enumerate(domain.texts)}
    of_code = np.array([codes[text] for text in texts], dtype=np.int64)
    return np.asarray(of_code[values.places])


class Prefix(Derivation, what="the prefix"):
    """The first characters of a code, such as the chapter of a diagnosis.

    Attributes:
        column: whose codes.
        length: how many characters; a code with fewer stays whole.
    """

    kind: Literal["prefix"] = "prefix"
    column: str
    length: int = Field(ge=1, le=100)

    title: ClassVar[str] = "First characters of a code"
    calls: ClassVar[Mapping[str, str]] = {"prefix": "prefix(code, 2)"}
    fields: ClassVar[tuple[FormField, ...]] = (
        FormField("column", "Of column", "column"),
        FormField("length", "How many characters", "text"),
    )

    @property
    def inputs(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def formula(self) -> str:
        """The column, then how many."""
        return f"prefix({quote_column(self.column)}, {self.length})"

    @property
    def words(self) -> str:
        """How many of which."""
        if self.length == 1:
            return f"first character of {show_name(self.column)}"
        return f"first {self.length} characters of {show_name(self.column)}"

    def _shorten(self, texts: Sequence[str]) -> list[str]:
        """Return the beginning of each text, without blanks at its ends."""
        return [text.strip()[: self.length].strip() for text in texts]

    def domain(self, columns: Sequence[Column]) -> Domain:
        """Return every beginning of a code."""
        return Categories(values=tuple(dict.fromkeys(self._shorten(_require_codes(columns[0])))))

    def compute(self, values: Sequence[Values], domain: Domain) -> IntArray:
        """Return the code of each beginning."""
        return _place_texts(self._shorten(values[0].column.domain.texts), values[0], domain)

    @classmethod
    def from_call(cls, function: str, arguments: Sequence[Argument]) -> Self:
        """Return the beginning of a column's codes."""
        match arguments:
            case [Name(column), str(length)] if length.isdecimal():
                return cls.read({"column": column, "length": int(length)})
        raise refuse_call(cls.calls[function])

    @classmethod
    def from_form(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the beginning that a form asks for."""
        column, length = (
            take_text(texts, "column", "Of column"),
            take_text(texts, "length", "How many characters"),
        )
        if not length.isdecimal():
            raise Refusal(
                "How many characters is not a whole number.", "Enter one such as 2.", field="length"
            )
        return cls.read({"column": column, "length": int(length)})


class LookUp(Derivation, what="the look-up"):
    """The text that a public list has for a code.

    Attributes:
        column: whose codes.
        pairs: each code with its text; every code that the column may contain is among them.
    """

    kind: Literal["lookup"] = "lookup"
    column: str
    pairs: tuple[tuple[str, str], ...]

    title: ClassVar[str] = "Look-up in a list"
    calls: ClassVar[Mapping[str, str]] = {"lookup": 'lookup(code, c("1" = "North", "2" = "South"))'}
    fields: ClassVar[tuple[FormField, ...]] = (
        FormField("column", "Of column", "column"),
        FormField(
            "pairs",
            "Code = text",
            "lines",
            "One a line, such as A01 = Infections, for every code that the column may contain.",
        ),
    )

    @model_validator(mode="after")
    def _usable(self) -> LookUp:
        repeated = first_repeat(code for code, _ in self.pairs)
        if repeated is not None:
            raise Refusal(
                f"The look-up names the code “{self.pairs[repeated[0]][0]}” twice.",
                "Name it once.",
                field=FORMULA,
            )
        return self

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        return dict(self.pairs)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def formula(self) -> str:
        """The column, then every code with its text."""
        pairs = (f"{quote_constant(code)} = {quote_constant(text)}" for code, text in self.pairs)
        return f"lookup({quote_column(self.column)}, c({', '.join(pairs)}))"

    @property
    def words(self) -> str:
        """Of which column."""
        return f"look-up of {show_name(self.column)} in a list of {len(self.pairs):,} codes"

    def domain(self, columns: Sequence[Column]) -> Domain:
        """Return every text of a code that the column may contain."""
        codes = _require_codes(columns[0])
        missed = [code for code in codes if code not in self._texts]
        if missed:
            named = join_first([f"“{code}”" for code in missed], _MOST_NAMED)
            raise Refusal(
                f"The look-up has no text for {named}, which column “{self.column}” may contain.",
                "Add them to the list, or take them out of the column.",
                field=FORMULA,
            )
        return Categories(values=tuple(dict.fromkeys(self._texts[code] for code in codes)))

    def compute(self, values: Sequence[Values], domain: Domain) -> IntArray:
        """Return the code of each text."""
        texts = [self._texts[code] for code in values[0].column.domain.texts]
        return _place_texts(texts, values[0], domain)

    @classmethod
    def from_call(cls, function: str, arguments: Sequence[Argument]) -> Self:
        """Return the look-up of a column in a list of codes with texts."""
        match arguments:
            case [Name(column), tuple(listed)] if all(code is not None for code, _ in listed):
                return cls.read({"column": column, "pairs": listed})
        raise refuse_call(cls.calls[function])

    @classmethod
    def from_form(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the look-up of a form."""
        split = [_split_pair(line) for line in take_lines(texts, "pairs")]
        bare = next((line for line, sign, _ in split if not sign), None)
        if bare is not None or not split:
            raise Refusal(
                f"The line “{bare}” has no equals sign." if bare else "The look-up is empty.",
                "Write a code, an equals sign and its text in each line.",
                field="pairs",
            )
        pairs = tuple((code.strip(), text.strip()) for code, _, text in split)
        return cls(column=take_text(texts, "column", "Of column"), pairs=pairs)
