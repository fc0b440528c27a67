"""A kind of derivation: bands of a number, of a date or of a time, between public cuts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.derivations.derivation import (
    FORMULA,
    Argument,
    Derivation,
    FormField,
    Name,
    Values,
    list_texts,
    refuse_call,
    show_name,
    take_lines,
    take_text,
)
from understudy.table.domain import Domain, Ranged
from understudy.table.rules.tree import quote_column, quote_constant


class Bands(Derivation, what="the bands"):
    """The band that a number, a date or a time lies in.

    Attributes:
        column: whose.
        cuts: where a band begins, as typed, rising; a number on a cut is in the band above.
        labels: the text of each band, one more than cuts; if none are given, such as “18 to under
            65”.
    """

    kind: Literal["bands"] = "bands"
    column: str
    cuts: tuple[str, ...]
    labels: tuple[str, ...] = ()

    title: ClassVar[str] = "Bands of a number or date"
    calls: ClassVar[Mapping[str, str]] = {
        "bands": 'bands(age, c(18, 65), c("child", "adult", "old"))'
    }
    fields: ClassVar[tuple[FormField, ...]] = (
        FormField("column", "Of column", "column"),
        FormField(
            "cuts", "A band begins at", "lines", "One number or date a line, the lowest first."
        ),
        FormField(
            "labels",
            "Texts of the bands",
            "lines",
            "One a line, as the file writes them: one more than cuts.",
            optional=True,
        ),
    )

    @model_validator(mode="after")
    def _usable(self) -> Bands:
        if not self.cuts:
            raise Refusal("The bands have no cut.", "Name where one begins.", field=FORMULA)
        if self.labels and len(self.labels) != len(self.cuts) + 1:
            raise Refusal(
                f"There are {len(self.labels)} texts for {len(self.cuts) + 1} bands.",
                "Name one text more than cuts, the lowest band first.",
                field=FORMULA,
            )
        return self

    @property
    def inputs(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def formula(self) -> str:
        """Cuts, then texts."""
        lists = [f"c({', '.join(map(quote_constant, self.cuts))})"]
        if self.labels:
            lists.append(f"c({', '.join(map(quote_constant, self.labels))})")
        return f"bands({', '.join([quote_column(self.column), *lists])})"

    @property
    def words(self) -> str:
        """Where bands begin."""
        return f"bands of {show_name(self.column)} that begin at {', '.join(self.cuts)}"

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each band."""
        if self.labels:
            return self.labels
        between = (f"{low} to under {high}" for low, high in pairwise(self.cuts))
        return (f"under {self.cuts[0]}", *between, f"{self.cuts[-1]} and over")

    def domain(self, columns: Sequence[Column]) -> Domain:
        """Return the texts of the bands."""
        ranged = columns[0].domain.ranged
        if ranged is None:
            raise Refusal(
                f"Column “{self.column}” holds {columns[0].domain.words.plural}, which have no "
                "order to cut.",
                "Make it a column of numbers or dates, or use a look-up.",
                field=FORMULA,
            )
        numbers = self._read_cuts(ranged)
        if any(low >= high for low, high in pairwise(numbers)):
            raise Refusal(
                f"The cuts {', '.join(self.cuts)} do not rise.",
                "Name each once, the lowest first.",
                field=FORMULA,
            )
        return Categories(values=self.texts)

    def _read_cuts(self, ranged: Ranged) -> list[Decimal]:
        """Return the number of each cut.

        Raises:
            Refusal: one is none.
        """
        numbers = [ranged.parse(cut) for cut in self.cuts]
        if None in numbers:
            raise Refusal(
                f"The cut “{self.cuts[numbers.index(None)]}” is none that {ranged.words.plural} "
                "have.",
                "Write it like 18, 0.5, 2020-03-01 or 07:45.",
                field=FORMULA,
            )
        return [number for number in numbers if number is not None]

    def compute(self, values: Sequence[Values], domain: Domain) -> IntArray:
        """Return the band of each number."""
        ranged = values[0].numbers
        unit = Decimal(10) ** ranged.lattice.decimals
        starts = [math.ceil(cut * unit) for cut in self._read_cuts(ranged)]
        units = values[0].units(ranged.lattice.decimals)
        return np.searchsorted(np.array(starts), units, side="right").astype(np.int64)

    @classmethod
    def from_call(cls, function: str, arguments: Sequence[Argument]) -> Self:
        """Return the bands of a column, a list of cuts and perhaps one of texts."""
        match arguments:
            case [Name(column), cuts]:
                return cls(column=column, cuts=list_texts(cuts))
            case [Name(column), cuts, labels]:
                return cls(column=column, cuts=list_texts(cuts), labels=list_texts(labels))
        raise refuse_call(cls.calls[function])

    @classmethod
    def from_form(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the bands of a form."""
        return cls(
            column=take_text(texts, "column", "Of column"),
            cuts=take_lines(texts, "cuts"),
            labels=take_lines(texts, "labels"),
        )
