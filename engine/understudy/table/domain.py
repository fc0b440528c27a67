"""What a column may contain: a list of categories, a grid of numbers, or a continuous range.

A domain is public. It comes from a code book or a questionnaire, never from the records: whoever
derives one from the records has to have somebody declare it public (see `schema.Declaration`).
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, model_validator

from understudy.core.numerals import with_separators
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.core.visible import escaped, first_unseen, has_halves
from understudy.table.lattice import MOST_UNITS, Lattice

MOST_CATEGORIES = 1000
MOST_STEPS = 10_000
MOST_DIGITS = 15
MOST_DECIMALS = 12
LONGEST_TEXT = 1000
LONGEST_UNIT = 40


class Categories(Frozen, what="the categories"):
    """Texts that stand for themselves; the order given is the order of the codes.

    Attributes:
        values: each text as it stands in a file, 1 … `MOST_CATEGORIES`, all different.
        labels: what a person reads in place of each value; empty when the values speak.
    """

    kind: Literal["categories"] = "categories"
    values: tuple[str, ...]
    labels: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _usable(self) -> Categories:
        _check_size(len(self.values))
        check_texts(self.values, "category", "values")
        repeated = first_repeat(self.values)
        if repeated is not None:
            raise Refusal(
                f"Categories {repeated[0] + 1} and {repeated[1] + 1} of the list are the same.",
                "List each category once.",
                field="values",
            )
        if self.labels and len(self.labels) != len(self.values):
            raise Refusal(
                f"There are {len(self.labels)} labels for {len(self.values)} categories.",
                "Give every category a label, or none.",
                field="labels",
            )
        for place, label in enumerate(self.labels, 1):
            check_read(label, f"label at place {place} of the list", "labels")
        return self

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def texts(self) -> tuple[str, ...]:
        """Code → text in a file."""
        return self.values


class Grid(Frozen, what="the range"):
    """Numbers from a minimum in equal steps: minimum + i·step, up to the maximum.

    The bounds and the step are exact decimals, so that no value depends on binary rounding.

    Attributes:
        minimum, maximum: the ends of the range; the last value is the last step that does not
            pass the maximum.
        step: distance of neighbouring values, positive; whole for integers.
    """

    kind: Literal["integers", "numbers"] = "integers"
    minimum: Decimal
    maximum: Decimal
    step: Decimal = Decimal(1)

    @model_validator(mode="after")
    def _usable(self) -> Grid:
        for name in ("minimum", "maximum", "step"):
            check_decimal(getattr(self, name), name, whole=self.kind == "integers")
        if self.step <= 0:
            raise Refusal(
                "The step is not above zero.",
                "Enter the distance between neighbouring values, such as 1.",
                field="step",
            )
        if self.minimum > self.maximum:
            raise Refusal("The minimum is above the maximum.", "Exchange the two.", field="minimum")
        if self.size > MOST_STEPS:
            raise Refusal(
                f"The range holds {self.size:,} values; at most {MOST_STEPS:,} can be used.",
                "Enter a larger step or a narrower range.",
                field="step",
            )
        return self

    @cached_property
    def decimals(self) -> int:
        """Digits after the point that every value is written with."""
        return max(_decimals(number) for number in (self.minimum, self.step))

    @cached_property
    def size(self) -> int:
        """How many values there are."""
        return int((self.maximum - self.minimum) // self.step) + 1

    @cached_property
    def numbers(self) -> tuple[Decimal, ...]:
        """Code → number, exact."""
        return tuple(self.minimum + i * self.step for i in range(self.size))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Code → text in a file, all with the same number of decimals."""
        return tuple(f"{number:.{self.decimals}f}" for number in self.numbers)

    @property
    def ends(self) -> tuple[str, str]:
        """The texts of the lowest and the highest value."""
        return self.texts[0], self.texts[-1]

    def between(self, low: int, high: int) -> str:
        """Return the values from one code to another, in a phrase."""
        ends = (self.texts[low], self.texts[high])
        return " to ".join(map(with_separators, dict.fromkeys(ends)))


class Continuous(Frozen, what="the range"):
    """A measured number between public bounds, kept to a public precision.

    A record holds the number itself. What works on codes sees the cell that it is in: cells of one
    width from the minimum on, the last of them with the maximum. All of it is exact decimals.

    Attributes:
        minimum, maximum: the bounds, both of which may occur; whole precisions apart.
        precision: the distance of neighbouring numbers; what is read is put on the nearest.
        step: the width of a cell, a whole number of precisions.
        unit: what is counted, such as “kg”; empty where it needs none.

    Raises:
        Refusal: a number is unusable, the precision does not go into the range or the step, a
            number would need more than 15 digits, or there would be too many cells.
    """

    kind: Literal["continuous"] = "continuous"
    minimum: Decimal
    maximum: Decimal
    precision: Decimal
    step: Decimal
    unit: str = ""

    @model_validator(mode="after")
    def _usable(self) -> Continuous:
        for name in ("minimum", "maximum", "precision", "step"):
            check_decimal(getattr(self, name), name)
        for name in ("precision", "step"):
            if getattr(self, name) <= 0:
                raise Refusal(
                    f"The {name} is not above zero.",
                    "Enter a positive number, such as 0.1.",
                    field=name,
                )
        if self.minimum >= self.maximum:
            raise Refusal(
                "The minimum is not below the maximum.",
                "Enter two different bounds, the lower one first.",
                field="minimum",
            )
        self._check_precision()
        self._check_unit()
        return self

    def _check_precision(self) -> None:
        ranges = (("maximum", self.maximum - self.minimum), ("step", self.step))
        for name, span in ranges:
            if span % self.precision:
                what = "The range" if name == "maximum" else "The step"
                raise Refusal(
                    f"{what} is not a whole number of precisions of {self.precision:f}.",
                    f"Enter another {name}, or a precision that goes into it.",
                    field=name,
                )
        if max(abs(self.minimum), abs(self.maximum)).scaleb(self.decimals) >= MOST_UNITS:
            raise Refusal(
                f"With {self.decimals} decimals the numbers of the column have more than 15 "
                "digits.",
                "Enter a coarser precision or bounds with fewer decimals.",
                field="precision",
            )
        if self.size > MOST_STEPS:
            raise Refusal(
                f"The range holds {self.size:,} cells; at most {MOST_STEPS:,} can be used.",
                "Enter a larger step or a narrower range.",
                field="step",
            )

    def _check_unit(self) -> None:
        check_read(self.unit, "unit", "unit")
        if self.unit != self.unit.strip() or "\n" in self.unit or len(self.unit) > LONGEST_UNIT:
            raise Refusal(
                f"The unit has blanks at its ends, several lines or over {LONGEST_UNIT} letters.",
                "Enter a short one, such as kg.",
                field="unit",
            )

    @cached_property
    def decimals(self) -> int:
        """Digits after the point that every number is written with."""
        return max(_decimals(number) for number in (self.minimum, self.precision))

    @cached_property
    def lattice(self) -> Lattice:
        """Its numbers and cells in whole numbers."""
        first, apart, span, step = (
            int(number.scaleb(self.decimals))
            for number in (self.minimum, self.precision, self.maximum - self.minimum, self.step)
        )
        return Lattice(self.decimals, first, apart, span // apart + 1, step // apart)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.lattice.cells

    @cached_property
    def numbers(self) -> tuple[Decimal, ...]:
        """Cell → its lowest number, exact."""
        return tuple(self.minimum + i * self.step for i in range(self.size))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Cell → its numbers in a phrase, which is no number."""
        return tuple(self.between(cell, cell) for cell in range(self.size))

    @property
    def ends(self) -> tuple[str, str]:
        """The texts of the lowest and the highest number."""
        low, high = self.lattice.texts((0, self.lattice.count - 1))
        return low, high

    def between(self, low: int, high: int) -> str:
        """Return the numbers from one cell to another, in a phrase."""
        lattice = self.lattice
        last = lattice.count if high == lattice.cells - 1 else (high + 1) * lattice.per_cell
        ends = lattice.texts((low * lattice.per_cell, last - 1))
        return " to ".join(map(with_separators, dict.fromkeys(ends)))


Ranged = Grid | Continuous
"""What has an order and distances."""

Domain = Annotated[Categories | Grid | Continuous, Field(discriminator="kind")]


def check_decimal(number: Decimal, name: str, *, whole: bool = False) -> None:
    """Check that a number is small and short enough for exact arithmetic.

    Raises:
        Refusal: it is not; `field` is `name`.
    """
    short = number.is_finite() and (
        number == 0 or (number.adjusted() < MOST_DIGITS and _decimals(number) <= MOST_DECIMALS)
    )
    if not short:
        raise Refusal(
            f"The {name} is not a number with up to {MOST_DIGITS} digits before the point and "
            f"{MOST_DECIMALS} after it.",
            "Enter a plain number.",
            field=name,
        )
    if whole and _decimals(number) > 0:
        raise Refusal(
            f"The {name} of a column of integers is not a whole number.",
            "Enter a whole number, or choose numbers instead of integers.",
            field=name,
        )


def _decimals(number: Decimal) -> int:
    """Digits after the point, trailing zeros left out."""
    if number == 0:
        return 0
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    trailing = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    return max(0, -exponent - trailing)


def _check_size(size: int) -> None:
    if size == 0:
        raise Refusal("The list of categories is empty.", "List what may occur.", field="values")
    if size > MOST_CATEGORIES:
        raise Refusal(
            f"There are {size:,} categories; at most {MOST_CATEGORIES:,} can be used.",
            "Group the values in the file first, or leave the column out.",
            field="values",
        )


def check_texts(texts: Iterable[str], what: str, field: str) -> None:
    """Check that texts can be written to a file and told from nothing.

    Raises:
        Refusal: one is blank, too long or holds a control character; it is named by position.
    """
    for place, text in enumerate(texts, 1):
        if not text.strip():
            raise Refusal(
                f"The {what} at place {place} of the list is blank.",
                "Leave it out; blanks in a file are missing values.",
                field=field,
            )
        if len(text) > LONGEST_TEXT or "\0" in text or has_halves(text):
            raise Refusal(
                f"The {what} at place {place} of the list is longer than {LONGEST_TEXT} characters "
                "or holds a null character or half of one.",
                "Shorten it in the file and in the schema.",
                field=field,
            )


def check_read(text: str, what: str, field: str) -> None:
    """Check that a text which people read is one that they see whole; it may have lines.

    Raises:
        Refusal: it is too long, or holds a character that is not seen.
    """
    place = first_unseen(text.replace("\n", " "))
    if place is not None:
        raise Refusal(
            f"The {what} holds a character that is not seen, {escaped(text[place])}, at place "
            f"{place + 1}.",
            "Type it anew, without what was pasted.",
            field=field,
        )
    if len(text) > LONGEST_TEXT:
        raise Refusal(
            f"The {what} is longer than {LONGEST_TEXT} characters.", "Shorten it.", field=field
        )


def first_repeat(texts: Iterable[str]) -> tuple[int, int] | None:
    """Return the first two places that hold the same text, counted from 0."""
    seen: dict[str, int] = {}
    for place, text in enumerate(texts):
        if text in seen:
            return seen[text], place
        seen[text] = place
    return None
