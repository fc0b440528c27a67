"""A derivation: a public function of other columns, the base of every kind of it.

A derived column is in no model and costs no budget: it is computed last, from the values that a
record holds as they are written to the file. A derivation therefore has to be total: whatever its
inputs may contain, `domain` names every value that can come out, from the public domains of the
inputs alone.

A kind is a class derived from `Derivation`, registered in `registry.py`. Whatever works on derived
columns asks the object and never for its class. `tests/engine/table/derivations` holds what every
kind has to do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import ClassVar, Final, Literal, Self

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.cells import without_trailing_zeros
from understudy.table.checks import MOST_STEPS
from understudy.table.column import Column
from understudy.table.continuous import Continuous, usual_width
from understudy.table.domain import Domain, Ranged
from understudy.table.grid import Grid
from understudy.table.lattice import MOST_UNITS
from understudy.table.number_spellings import spelling_of

FORMULA: Final = "formula"
"""The field that refusals about a derivation name."""


@dataclass(frozen=True)
class Name:
    """A column, as a formula names it.

    Attributes:
        text: its name.
        negative: whether a minus stands before it.
    """

    text: str
    negative: bool = False


Listed = tuple[tuple[str | None, str], ...]
"""A list in a formula: texts, each with its own name where there is one."""

Argument = Name | str | Listed
"""What stands between the brackets of a formula: a column, a text or number, or a list."""

Shape = Literal["column", "columns", "text", "lines"]


@dataclass(frozen=True)
class FormField:
    """What a form asks for.

    Attributes:
        name: of the setting.
        label: on pages.
        shape: one column, several, a text in one line, or a list of one text a line.
        help: what to know about it.
        options: the texts to choose from; none where any text can be typed.
        optional: whether it may be left blank.
    """

    name: str
    label: str
    shape: Shape
    help: str = ""
    options: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True, eq=False)
class Values:
    """What some records hold in one column.

    Attributes:
        column: which.
        places: (records,) the place of each number, or the code of each text; 0 where there is
            none.
        missing: (records,) which code for missing it is, counted from 0; −1 where there is a value.
    """

    column: Column
    places: IntArray
    missing: IntArray

    @classmethod
    def of_codes(
        cls, column: Column, codes: CodeArray | IntArray, numbers: FloatArray | None = None
    ) -> Values:
        """Return the values of codes, and of a measured column's numbers."""
        codes = codes.astype(np.int64)
        none = column.is_missing(codes)
        missing = np.where(none, codes - column.domain.size, -1)
        if numbers is None or column.domain.ranged is None:
            return cls(column, np.where(none, 0, codes), missing)
        lattice = column.domain.ranged.lattice
        held = np.where(none, lattice.numbers(np.zeros(1, np.int64))[0], numbers)
        return cls(column, np.where(none, 0, lattice.places(held)), missing)

    @cached_property
    def is_missing(self) -> BoolArray:
        """(records,) whether the value is missing."""
        is_missing: BoolArray = self.missing >= 0
        return is_missing

    @property
    def numbers(self) -> Ranged:
        """The numbers of the column."""
        ranged = self.column.domain.ranged
        assert ranged is not None
        return ranged

    def units(self, decimals: int = 0) -> IntArray:
        """Return (records,) the number of each record in units of a last decimal that is none too
        coarse for it."""
        lattice = self.numbers.lattice
        scale = 10 ** max(0, decimals - lattice.decimals)
        return np.asarray(lattice.whole_numbers(self.places) * scale)


class Derivation(Frozen, ABC, what="the derivation"):
    """A public function of other columns.

    Attributes:
        kind: its name, in schemas.
    """

    kind: str

    title: ClassVar[str]
    """On pages, such as “Sum or difference”."""
    calls: ClassVar[Mapping[str, str]]
    """The functions of formulas that are of this kind, each with an example."""
    fields: ClassVar[tuple[FormField, ...]]
    """What a form asks for."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[str, ...]:
        """The names of the columns that it is computed from, each once."""

    @property
    @abstractmethod
    def formula(self) -> str:
        """It as a person types it; `registry.parse_formula` reads it again."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What it computes, in a phrase that custodians read."""

    @property
    def expression(self) -> str | None:
        """It as a rule writes it, missing where one of its inputs is; None if no rule can."""
        return None

    @abstractmethod
    def domain(self, columns: Sequence[Column]) -> Domain:
        """Return every value that can come out.

        Args:
            columns: those of `inputs`, in that order.

        Raises:
            Refusal: it is no function of such columns, or not of every value they may contain.
        """

    @abstractmethod
    def compute(self, values: Sequence[Values], domain: Domain) -> IntArray:
        """Return (records,) the place of each number that comes out, or the code of each text;
        anything where a value is missing.

        Args:
            values: of the columns of `inputs`, in that order.
            domain: as `domain` returned it, perhaps with another spelling.
        """

    @classmethod
    @abstractmethod
    def from_call(cls, function: str, arguments: Sequence[Argument]) -> Self:
        """Return the derivation that a formula calls for.

        Raises:
            Refusal: the arguments do not go with the function.
        """

    @classmethod
    @abstractmethod
    def from_form(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the derivation that a form describes.

        Args:
            texts: by the name of a field, the columns that were chosen or the lines typed; none
                where it was left blank.

        Raises:
            Refusal: something is missing or unusable.
        """

    def find_missing(self, values: Sequence[Values]) -> BoolArray:
        """Return (records,) where nothing can come out, as an input is missing."""
        return np.asarray(np.logical_or.reduce([each.is_missing for each in values]))

    def may_be_missing(self, columns: Sequence[Column]) -> bool:
        """Return whether nothing may come out of some record."""
        return any(column.missing for column in columns)


def refuse_call(usage: str) -> Refusal:
    """Return the refusal of the arguments of a function."""
    return Refusal(
        "The formula is not understood.",
        f"Write it like {usage}; a name with other signs than letters, digits, _ and . stands "
        "between backticks.",
        field=FORMULA,
    )


def require_numbers(column: Column, what: str) -> Ranged:
    """Return the plain numbers of a column.

    Raises:
        Refusal: it holds none.
    """
    ranged = column.domain.ranged
    if ranged is None or not ranged.numeric:
        raise Refusal(
            f"Column “{column.name}” holds {column.domain.words.plural}, and {what} needs numbers.",
            "Make it a column of numbers, or choose another.",
            field=FORMULA,
        )
    return ranged


def span_numbers(
    low: int, high: int, apart: int, decimals: int, inputs: Sequence[Ranged] = ()
) -> Grid | Continuous:
    """Return the equally spaced numbers from one to another, in units of the last decimal, as a
    domain: continuous if one of the inputs is, or if they are too many to be told apart by codes.

    Raises:
        Refusal: they have more digits than a number can.
    """
    check_digits((low, high), decimals)
    minimum, maximum, step = (
        without_trailing_zeros(Decimal(number).scaleb(-decimals)) for number in (low, high, apart)
    )
    spellings = {spelling_of(each) for each in inputs}
    ends = {
        "minimum": minimum,
        "maximum": maximum,
        "spelling": spellings.pop() if len(spellings) == 1 else "",
    }
    count = (high - low) // apart + 1
    if count > MOST_STEPS or (count > 1 and any(each.measured for each in inputs)):
        units = {each.units for each in inputs}
        unit = units.pop() if len(units) == 1 else ""
        width = usual_width(minimum, maximum, step)
        return Continuous.read({**ends, "precision": step, "step": width, "unit": unit})
    whole = all(number == number.to_integral_value() for number in (minimum, step))
    return Grid.read({**ends, "kind": "integers" if whole else "numbers", "step": step})


def check_digits(ends: Sequence[int], decimals: int) -> None:
    """Check that numbers in units of the last of so many decimals have at most 15 digits.

    Raises:
        Refusal: they have more.
    """
    if any(abs(end) >= MOST_UNITS for end in ends):
        raise Refusal(
            f"Its numbers have more than 15 digits if all are written with {decimals} decimals.",
            "Narrow the ranges of its columns, or keep fewer decimals.",
            field=FORMULA,
        )


def place_units(units: IntArray, decimals: int, domain: Domain) -> IntArray:
    """Return the places of numbers, in units of the last of so many decimals, among those of a
    domain of `span_numbers`."""
    ranged = domain.ranged
    assert ranged is not None
    lattice = ranged.lattice
    first, second = lattice.whole_numbers(np.array([0, min(1, lattice.count - 1)]))
    bare = units // 10 ** (decimals - lattice.decimals)
    return np.asarray((bare - first) // max(1, second - first))


def take_text(texts: Mapping[str, Sequence[str]], name: str, label: str) -> str:
    """Return the one text of a field of a form.

    Raises:
        Refusal: it is blank.
    """
    given = [text.strip() for text in texts.get(name, ()) if text.strip()]
    if not given:
        raise Refusal(f"“{label}” is blank.", "Fill it in.", field=name)
    return given[0]


def take_lines(texts: Mapping[str, Sequence[str]], name: str) -> tuple[str, ...]:
    """Return the lines of a field of a form that are not blank."""
    return tuple(text.strip() for text in texts.get(name, ()) if text.strip())


def list_texts(argument: Argument) -> tuple[str, ...]:
    """Return the texts of a list in a formula, or the one that stands for itself; none for a
    column."""
    if isinstance(argument, str):
        return (argument,)
    return () if isinstance(argument, Name) else tuple(text for _, text in argument)


def show_name(name: str) -> str:
    """Return a column as sentences name it."""
    return f"“{name}”"
