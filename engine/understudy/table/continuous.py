"""A kind of column: measured numbers, which records hold beside the cells that they are in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, Decimal
from functools import cached_property
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.table.cells import without_trailing_zeros
from understudy.table.checks import (
    LONGEST_UNIT,
    MOST_STEPS,
    check_decimal,
    check_read,
    count_decimals,
)
from understudy.table.domain import (
    Domain,
    KindWords,
    Measured,
    Setting,
    exact_text,
    join_ends,
    read_typed,
)
from understudy.table.field_entry import FieldEntry, plain_number, read_number, read_text
from understudy.table.grid import range_of_numbers, usual_step
from understudy.table.lattice import MOST_UNITS, Lattice
from understudy.table.number_spellings import (
    NUMBER_SPELLING,
    SpeltNumbers,
    spelling_of,
    spelling_of_field,
)


class Continuous(SpeltNumbers, Measured, what="the range"):
    """A measured number between public bounds, kept to a public precision.

    A record holds the number itself. What works on codes sees the cell that it is in: cells of one
    width from the minimum on, the last of them with the maximum. All of it is exact decimals.

    Attributes:
        minimum, maximum: the bounds, both of which may occur; whole precisions apart.
        precision: the distance of neighbouring numbers; what is read is put on the nearest.
        step: the width of a cell, a whole number of precisions.
        unit: what is counted, such as “kg”; empty where it needs none.
        spelling: how text files write the number 1234.5; "" for just so.

    Raises:
        Refusal: a number is unusable, the precision does not go into the range or the step, a
            number would need more than 15 digits, or there would be too many cells.
    """

    kind: Literal["continuous"] = "continuous"
    step: Decimal
    precision: Decimal
    unit: str = ""

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "continuous": KindWords("Continuous", "continuous number", "continuous")
    }
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("minimum", "Smallest", opening="0"),
        Setting("maximum", "Largest", opening="100"),
        Setting("step", "In cells of", opening="1"),
        Setting(
            "precision",
            "Precision",
            opening="1",
            help="The distance of neighbouring numbers: 0.1 keeps one decimal. It has to go into "
            "the range and into a cell.",
        ),
        Setting(
            "unit",
            "Unit",
            help="What is counted, such as kg. It is shown beside the column in what is released.",
            placeholder="none",
            read=read_typed,
        ),
        NUMBER_SPELLING,
    )
    advice: ClassVar[str] = (
        "Numbers finer than the precision go to the nearest. A model sees the cell that "
        "a number is in, and the released number is drawn evenly within its cell."
    )
    extra_names: ClassVar[frozenset[str]] = frozenset({"step", "precision", "unit", "spelling"})

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
        self.check_spelling(self.decimals)
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
        return max(count_decimals(number) for number in (self.minimum, self.precision))

    @cached_property
    def full_lattice(self) -> Lattice:
        """Its numbers and cells in whole numbers, without any gap."""
        first, apart, span, step = (
            int(number.scaleb(self.decimals))
            for number in (self.minimum, self.precision, self.maximum - self.minimum, self.step)
        )
        return Lattice(self.decimals, first, apart, span // apart + 1, step // apart)

    @property
    def units(self) -> str:
        """What is counted."""
        return self.unit

    @property
    def width(self) -> Decimal:
        """The width of a cell."""
        return self.step

    @property
    def resolution(self) -> Decimal:
        """The precision."""
        return self.precision

    @cached_property
    def numbers(self) -> tuple[Decimal, ...]:
        """Cell → its lowest number, exact."""
        return tuple(self.minimum + i * self.step for i in self.kept_cells.tolist())

    @property
    def edges(self) -> FloatArray:
        """(size + 1,) where each cell begins, and the highest number."""
        kept = self.kept_cells
        places = np.append(kept, kept[-1] + 1).astype(np.float64)
        edges = float(self.minimum) + places * float(self.step)
        return np.asarray(np.minimum(edges, float(self.maximum)))

    def spell_places(self, places: Iterable[int]) -> list[str]:
        """Return the number at each place, all with the same number of decimals."""
        return self.write_texts(self.full_lattice.texts(self.every_places(places)), self.decimals)

    def between(self, low: int, high: int) -> str:
        """Return the numbers from one cell to another, in a phrase."""
        lattice = self.lattice
        first, last = lattice.lowest_in(np.array([low, high])).tolist()
        last += int(lattice.held_by(np.array([high]))[0]) - 1
        return join_ends(*self.full_lattice.texts(self.every_places((first, last))))

    def substance(self) -> list[object]:
        """Return what codes and texts depend on, the unit among it."""
        more = exact_text(self.precision), self.unit, *self.spelling_substance()
        return [*super().substance(), *more]

    def to_field(self) -> FieldEntry:
        """Return what a field of a Table Schema says of it."""
        extra = {"step": plain_number(self.step), "precision": plain_number(self.precision)}
        unit = {"unit": self.unit} if self.unit else {}
        extra = {**extra, **unit, **self.spelling_extra()}
        return FieldEntry("number", self.bound_constraints(), extra, self.spelling_settings())

    @classmethod
    def claims(cls, entry: FieldEntry) -> bool:
        """Return whether a field names a precision or a unit."""
        return bool({"precision", "unit"} & entry.extra.keys())

    @classmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        """Return the range of a field.

        Raises:
            Refusal: it is none of numbers between bounds with a precision, or unusable.
        """
        extra = entry.extra
        bounded = entry.type == "number" and entry.bounded
        if not bounded or "enum" in entry.constraints or "precision" not in extra:
            raise Refusal(
                "A precision and a unit are those of a continuous column, and it is none.",
                "Make it a number with constraints.minimum, constraints.maximum and a precision, "
                "or take the two out.",
            )
        low, high = entry.bounds()
        precision = read_number(extra["precision"], "precision")
        step = (
            read_number(extra["step"], "step")
            if "step" in extra
            else usual_width(low, high, precision)
        )
        unit = read_text(extra.get("unit", ""), "Its unit")
        spelling = spelling_of_field(extra, entry.settings)
        return cls.read(
            {
                "minimum": low, "maximum": high, "precision": precision, "step": step,
                "unit": unit, "spelling": spelling,
            }
        )  # fmt: skip

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        """Return a range as a continuous one, its steps as cells, with as many decimals as its
        bounds and its step have.

        Raises:
            Refusal: it is a list with values that are no numbers, it holds one value only, or its
                step does not go into its decimals.
        """
        grid = range_of_numbers(domain)
        finest = max(map(count_decimals, (grid.minimum, grid.maximum, grid.width)))
        return cls(
            minimum=grid.minimum,
            maximum=grid.maximum,
            precision=Decimal(1).scaleb(-finest),
            step=grid.width,
            spelling=spelling_of(grid),
        )


def usual_width(minimum: Decimal, maximum: Decimal, precision: Decimal) -> Decimal:
    """Return the width of the cells of a continuous range that names none: about as many as there
    are steps in a range of numbers, each of whole precisions."""
    usual = usual_step(minimum, maximum, whole=False)
    whole = (usual / precision).to_integral_value(ROUND_CEILING) if precision > 0 else Decimal(1)
    return without_trailing_zeros(max(whole, Decimal(1)) * precision)
