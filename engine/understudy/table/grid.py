"""A kind of column: numbers in equal steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import ClassVar, Final, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import model_validator

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.cells import parse_number, round_number_from
from understudy.table.checks import MOST_STEPS, check_decimal, count_decimals
from understudy.table.domain import (
    Domain,
    KindWords,
    Ranged,
    Reader,
    Scale,
    Setting,
    Verdict,
    join_ends,
)
from understudy.table.field_entry import FieldEntry, plain_number, read_number
from understudy.table.lattice import Lattice
from understudy.table.number_spellings import (
    NUMBER_SPELLING,
    SpeltNumbers,
    spelling_of,
    spelling_of_field,
    suggest_number_spelling,
)

_FEW_STEPS: Final = Decimal(200)
_TYPES: Final[Mapping[str, Literal["integers", "numbers"]]] = {
    "integer": "integers",
    "year": "integers",
    "number": "numbers",
}


class Grid(SpeltNumbers, what="the range"):
    """Numbers from a minimum in equal steps: minimum + i·step, up to the maximum.

    Attributes:
        minimum, maximum: the ends of the range; the last value is the last step that does not
            pass the maximum.
        step: distance of neighbouring values, positive; whole for integers.
        spelling: how text files write the number 1234.5; "" for just so.
    """

    kind: Literal["integers", "numbers"] = "integers"
    step: Decimal = Decimal(1)

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "integers": KindWords(
            "Whole numbers",
            "whole number",
            "integer",
            spellings=("integers", "int", "whole", "year"),
        ),
        "numbers": KindWords(
            "Numbers with decimals",
            "decimal number",
            "number",
            spellings=("numbers", "numeric", "float", "double", "decimal"),
        ),
    }
    scale: ClassVar[Scale] = "steps"
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("minimum", "Smallest", opening="0"),
        Setting("maximum", "Largest", opening="100"),
        Setting("step", "In steps of", opening="1"),
        NUMBER_SPELLING,
    )
    advice: ClassVar[str] = "Numbers between two steps go to the nearest."
    extra_names: ClassVar[frozenset[str]] = frozenset({"step", "spelling"})

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
        self.check_spelling(self.decimals)
        return self

    @cached_property
    def decimals(self) -> int:
        """Digits after the point that every value is written with."""
        return max(count_decimals(number) for number in (self.minimum, self.step))

    @property
    def _steps(self) -> int:
        """How many values there are, those of the gaps included."""
        return int((self.maximum - self.minimum) // self.step) + 1

    @cached_property
    def size(self) -> int:
        """How many values there are."""
        return self._steps - len(self.gaps)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Code → text in a text file, all with the same number of decimals."""
        return tuple(self.write_texts(self._plain_texts, self.decimals))

    @cached_property
    def _plain_texts(self) -> tuple[str, ...]:
        """Code → its number in the usual way."""
        return tuple(f"{number:.{self.decimals}f}" for number in self.numbers)

    @property
    def width(self) -> Decimal:
        """The step."""
        return self.step

    @property
    def resolution(self) -> Decimal:
        """The step."""
        return self.step

    @cached_property
    def numbers(self) -> tuple[Decimal, ...]:
        """Code → its number, exact."""
        every = (self.minimum + i * self.step for i in range(self._steps))
        return tuple(number for number in every if number not in self.gaps)

    @cached_property
    def full_lattice(self) -> Lattice:
        """Its numbers in whole numbers, each a cell of its own, without any gap."""
        first, apart = (int(number.scaleb(self.decimals)) for number in (self.minimum, self.step))
        return Lattice(self.decimals, first, apart, self._steps, 1)

    @property
    def end_texts(self) -> tuple[str, str]:
        """The texts of the lowest and the highest value."""
        return self.texts[0], self.texts[-1]

    @property
    def edges(self) -> FloatArray:
        """(size + 1,) half a step before each value, and half a step after the last."""
        step = float(self.step)
        kept = self.kept_cells
        places = np.append(kept, kept[-1] + 1).astype(np.float64)
        return np.asarray(float(self.minimum) - step / 2 + places * step)

    def between(self, low: int, high: int) -> str:
        """Return the values from one code to another, in a phrase."""
        return join_ends(self._plain_texts[low], self._plain_texts[high])

    def to_field(self) -> FieldEntry:
        """Return what a field of a Table Schema says of it."""
        extra = {"step": plain_number(self.step), **self.spelling_extra()}
        kind = "integer" if self.kind == "integers" else "number"
        return FieldEntry(kind, self.bound_constraints(), extra, self.spelling_settings())

    def substance(self) -> list[object]:
        """Return what codes and texts depend on, for the fingerprint of a schema."""
        return [*super().substance(), *self.spelling_substance()]

    @classmethod
    def claims(cls, entry: FieldEntry) -> bool:
        """Return whether a field is of numbers between bounds."""
        return entry.type in _TYPES and entry.bounded and not entry.listed

    @classmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        """Return the range of a field.

        Raises:
            Refusal: a bound or the step is no number, or unusable.
        """
        low, high = entry.bounds()
        kind = _TYPES[entry.type]
        step = (
            read_number(entry.extra["step"], "step")
            if "step" in entry.extra
            else usual_step(low, high, kind == "integers")
        )
        spelling = spelling_of_field(entry.extra, entry.settings)
        return cls(kind=kind, minimum=low, maximum=high, step=step, spelling=spelling)

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        """Return the values of a column as numbers in steps; of a list, from the smallest to the
        largest, with a step of their last decimal.

        Raises:
            Refusal: they are not all numbers, too far apart for their steps, or have decimals that
                whole numbers cannot have.
        """
        grid = range_of_numbers(domain)
        bounds = {"minimum": grid.minimum, "maximum": grid.maximum, "step": grid.width}
        return cls.read({"kind": kind, **bounds, "spelling": spelling_of(grid)})

    def reader(self, missing_values: Sequence[str], missing: tuple[int, int]) -> Reader:
        """Return what turns a text into the code of the nearest number, of one outside the bounds
        that of the end, and a verdict."""
        # While it is to be said how they are written, no text is known to be one of them.
        texts = () if self.question else self.texts
        known = {text: (code, int(Verdict.FITS)) for code, text in enumerate(texts)}
        known |= dict.fromkeys(missing_values, missing)
        coded = self.numbers_meant(missing_values).union(self.gaps)

        def read(text: str) -> tuple[int, int]:
            verdict = known.get(text) or known.get(text.strip())
            if verdict is not None:
                return verdict
            number = self.value_of(text)
            if number in coded:
                return missing
            return (0, Verdict.NOT_OF_KIND) if number is None else self._nearest(number)

        return read

    def _nearest(self, number: Decimal) -> tuple[int, int]:
        """Return the code of the nearest value, a half going up, and the verdict."""
        if number < self.minimum:
            return 0, Verdict.TOO_LOW
        if number > self.maximum:
            return self.size - 1, Verdict.TOO_HIGH
        if self.gaps:
            code = self.lattice.place(min(number, self.minimum + (self._steps - 1) * self.step))
        else:
            steps = ((number - self.minimum) / self.step).to_integral_value(ROUND_HALF_UP)
            code = min(int(steps), self.size - 1)
        return code, Verdict.FITS if self.numbers[code] == number else Verdict.ROUNDED

    def to_arrow(self, codes: IntArray, missing: BoolArray | None) -> pa.Array:
        """Return codes as numbers: whole ones as int64, others as decimals with the digits that
        they are written with; as texts if typed files hold such."""
        if self.held_as_texts:
            return super().to_arrow(codes, missing)
        return self._arrow_numbers.take(pa.array(codes, pa.int32(), mask=missing))

    @property
    def _arrow_numbers(self) -> pa.Array:
        if self.kind == "integers":
            return pa.array([int(number) for number in self.numbers], pa.int64())
        digits = max(len(text.strip("-").replace(".", "")) for text in self._plain_texts)
        return pa.array(self.numbers, pa.decimal128(max(digits, self.decimals + 1), self.decimals))


def range_of_numbers(domain: Domain) -> Ranged:
    """Return the range of a column of numbers, or the one that a list of numbers spans.

    Raises:
        Refusal: its values are not all numbers, or too far apart for their steps.
    """
    ranged = domain.ranged
    if ranged is None:
        return spanned_grid(domain.texts)
    if not domain.numeric:
        raise Refusal(
            f"It holds {domain.words.plural}, which are no numbers.",
            "Keep it as it is, or make it one of categories.",
            field="kind",
        )
    return ranged


def spanned_grid(texts: Sequence[str]) -> Grid:
    """Return the grid from the smallest to the largest of some numbers, with a step of their last
    decimal.

    Raises:
        Refusal: they are not all numbers, or too far apart for their steps.
    """
    spelling = None
    parsed = [parse_number(text) for text in texts]
    if None in parsed:
        spelling = suggest_number_spelling({text.strip() for text in texts})
        if spelling is not None and not spelling.question:
            parsed = [spelling.read(text) for text in texts]
    numbers = [number for number in parsed if number is not None]
    if len(numbers) < len(parsed):
        raise Refusal(
            f"{len(parsed) - len(numbers):,} of its {len(parsed):,} categories are not numbers.",
            "Remove them, or keep it as categories.",
            field="kind",
        )
    finest = max(map(count_decimals, numbers))
    return Grid(
        kind="integers" if finest == 0 else "numbers",
        minimum=min(numbers),
        maximum=max(numbers),
        step=Decimal(1).scaleb(-finest),
        spelling="" if spelling is None else spelling.text,
    )


def usual_step(minimum: Decimal, maximum: Decimal, whole: bool) -> Decimal:
    """Return the step of a range that names none: 1 for integers that fit, else a few round
    steps."""
    span = max(maximum - minimum, Decimal(0))
    if not span or (whole and span < MOST_STEPS):
        return Decimal(1)
    return round_number_from(span / _FEW_STEPS)
