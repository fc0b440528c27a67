"""A kind of derivation: sums and differences of numbers, exact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from understudy.core.arrays import BoolArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.checks import first_repeat
from understudy.table.column import Column
from understudy.table.derivations.derivation import (
    FORMULA,
    Argument,
    Derivation,
    FormField,
    Name,
    Values,
    check_digits,
    place_units,
    refuse_call,
    require_numbers,
    show_name,
    span_numbers,
    take_lines,
)
from understudy.table.domain import Domain
from understudy.table.rules.tree import quote_column


class Sum(Derivation, what="the sum"):
    """The sum of some columns of numbers without others.

    Attributes:
        plus, minus: the columns that are added, and those taken away.
        skip_missing: whether a missing number counts as 0; the sum is missing only if all of its
            numbers are. Otherwise one missing number makes it missing.
    """

    kind: Literal["sum"] = "sum"
    plus: tuple[str, ...]
    minus: tuple[str, ...] = ()
    skip_missing: bool = False

    title: ClassVar[str] = "Sum or difference"
    calls: ClassVar[Mapping[str, str]] = {
        "+": "drugs + bed - rebate",
        "sum": "sum(drugs, bed), where a missing number counts as 0",
    }
    fields: ClassVar[tuple[FormField, ...]] = (
        FormField("plus", "Add", "columns"),
        FormField("minus", "Take away", "columns", optional=True),
        FormField(
            "skip_missing",
            "If a number is missing",
            "text",
            options=("the sum is missing", "it counts as 0"),
        ),
    )

    @model_validator(mode="after")
    def _usable(self) -> Sum:
        if len(self.inputs) < 2:
            raise Refusal("A sum needs two columns or more.", "Name another.", field=FORMULA)
        repeated = first_repeat(self.inputs)
        if repeated is not None:
            raise Refusal(
                f"Column “{self.inputs[repeated[0]]}” stands in the sum twice.",
                "Name it once.",
                field=FORMULA,
            )
        return self

    @property
    def inputs(self) -> tuple[str, ...]:
        """What is added, then what is taken away."""
        return (*self.plus, *self.minus)

    @property
    def formula(self) -> str:
        """Names with signs between; `sum(…)` if missing numbers count as 0."""
        plus, minus = [[*map(quote_column, names)] for names in (self.plus, self.minus)]
        if self.skip_missing:
            return f"sum({', '.join([*plus, *(f'-{name}' for name in minus)])})"
        lead = "" if plus else "- "
        return lead + " - ".join([" + ".join(plus), *minus] if plus else minus)

    @property
    def expression(self) -> str | None:
        """The formula; None if missing numbers count as 0, which no rule can say."""
        return None if self.skip_missing else self.formula

    @property
    def words(self) -> str:
        """What is added and what taken away."""
        text = " + ".join(map(show_name, self.plus))
        text += "".join(f" − {show_name(name)}" for name in self.minus)
        return f"{text.strip()}{', a missing number counting as 0' if self.skip_missing else ''}"

    @property
    def _signs(self) -> tuple[int, ...]:
        return (1,) * len(self.plus) + (-1,) * len(self.minus)

    def domain(self, columns: Sequence[Column]) -> Domain:
        """Return every sum of numbers that the columns may hold."""
        ranges = [require_numbers(column, "a sum") for column in columns]
        decimals = max(each.lattice.decimals for each in ranges)
        low = high = apart = 0
        for ranged, sign in zip(ranges, self._signs, strict=True):
            lattice = ranged.lattice
            scale = 10 ** (decimals - lattice.decimals)
            first, *_ = ends = [
                int(units) * scale * sign
                for units in lattice.whole_numbers(np.array([0, lattice.count - 1]))
            ]
            check_digits(ends, decimals)
            apart = math.gcd(apart, lattice.apart * scale if lattice.count > 1 else 0)
            if self.skip_missing:
                apart, ends = math.gcd(apart, first), [*ends, 0]
            low, high = low + min(ends), high + max(ends)
        return span_numbers(low, high, apart or 1, decimals, ranges)

    def compute(self, values: Sequence[Values], domain: Domain) -> IntArray:
        """Return the place of each sum."""
        decimals = max(each.numbers.lattice.decimals for each in values)
        total = np.zeros(len(values[0].places), np.int64)
        for each, sign in zip(values, self._signs, strict=True):
            total += sign * np.where(each.is_missing, 0, each.units(decimals))
        return place_units(total, decimals, domain)

    def find_missing(self, values: Sequence[Values]) -> BoolArray:
        """Return where a number is missing, or all of them if missing ones are skipped."""
        if not self.skip_missing:
            return super().find_missing(values)
        return np.asarray(np.logical_and.reduce([each.is_missing for each in values]))

    def may_be_missing(self, columns: Sequence[Column]) -> bool:
        """Return whether a sum can be missing."""
        if not self.skip_missing:
            return super().may_be_missing(columns)
        return all(column.missing for column in columns)

    @classmethod
    def from_call(cls, function: str, arguments: Sequence[Argument]) -> Self:
        """Return a sum; a name with a minus before it is taken away."""
        names = [each for each in arguments if isinstance(each, Name)]
        if len(names) < len(arguments) or not names:
            raise refuse_call(cls.calls[function])
        plus, minus = (
            tuple(each.text for each in names if each.negative is taken) for taken in (False, True)
        )
        return cls(plus=plus, minus=minus, skip_missing=function == "sum")

    @classmethod
    def from_form(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the sum of a form."""
        skip = take_lines(texts, "skip_missing") == (cls.fields[-1].options[1],)
        return cls(
            plus=take_lines(texts, "plus"), minus=take_lines(texts, "minus"), skip_missing=skip
        )
