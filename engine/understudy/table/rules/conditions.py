"""Conditions on the values of a record: rules whose columns and values are known.

A condition is true, false, or unknown because a value is missing, as in R. Numbers are compared
exactly: each column counts in whole units of its last decimal. Whether many records meet a
condition is worked out for all of them together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, reduce
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import BoolArray, IntArray
from understudy.table.cells import parse_number
from understudy.table.checks import count_decimals
from understudy.table.column import Column
from understudy.table.lattice import PlacedNumbers

_SAFE: Final = 1 << 62
"""Whole numbers below this are summed as 64 bits, others as long as they are."""

Wholes = npt.NDArray[Any]
"""Whole numbers, of 64 bits or as long as they are."""

TEXT: Final = "text"
NUMBER: Final = "number"


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The values of a column as a rule sees them.

    Attributes:
        place: of the column in the schema.
        column: the column.
    """

    place: int
    column: Column

    @property
    def is_measured(self) -> bool:
        """Whether records hold numbers beside the codes."""
        return self.column.measured

    @cached_property
    def listed_numbers(self) -> tuple[Decimal, ...] | None:
        """The number of each value that has a code of its own; None where there are no numbers."""
        ranged = self.column.domain.ranged
        if ranged is not None:
            return ranged.numbers
        found = [parse_number(text) for text in self.column.domain.texts]
        return None if None in found else tuple(number for number in found if number is not None)

    @property
    def unit(self) -> str:
        """What its values are: the name of its kind for days and times, “number”, or “text”."""
        ranged = self.column.domain.ranged
        if ranged is not None and ranged.axis == "moments":
            return ranged.kind
        return TEXT if self.listed_numbers is None else NUMBER

    @cached_property
    def lattice(self) -> PlacedNumbers:
        """The numbers that records may hold, of a measured column."""
        ranged = self.column.domain.ranged
        assert ranged is not None
        return ranged.lattice

    @cached_property
    def decimals(self) -> int:
        """Digits after the point; a unit is one of the last."""
        if self.is_measured:
            return self.lattice.decimals
        return max(map(count_decimals, self.listed_numbers or ()), default=0)

    @cached_property
    def code_units(self) -> Wholes:
        """Code → its number in units, 0 for codes for missing; of a column that is not measured."""
        numbers = [int(each.scaleb(self.decimals)) for each in self.listed_numbers or ()]
        return as_wholes(numbers + [0] * self.column.missing_count)

    @cached_property
    def most(self) -> int:
        """The largest of its numbers in units, taken without their signs."""
        if self.is_measured:
            ends = self.lattice.whole_numbers(np.array([0, self.lattice.count - 1]))
            return int(np.abs(ends).max())
        return max((abs(int(unit)) for unit in self.code_units), default=0)

    def reach(self, factor: int) -> int:
        """Return the largest of its numbers in units, each multiplied."""
        if self.is_measured:
            ends = self.lattice.whole_numbers(np.array([0, self.lattice.count - 1]))
        else:
            ends = self.code_units[: self.column.domain.size]
        return max(factor * int(ends.min()), factor * int(ends.max()))


def can_be_broken(condition: Condition) -> bool:
    """Return whether a condition on one column, or that a sum is not above 0, can be false; True
    of all other conditions, where it is not looked into."""
    if isinstance(condition, CodeTest):
        return bool((condition.known & ~condition.true).any())
    if isinstance(condition, LinearTest) and not condition.exact and not condition.counts:
        return sum(values.reach(factor) for values, factor in condition.terms) > -condition.constant
    return True


def as_wholes(numbers: Sequence[int]) -> Wholes:
    """Return whole numbers as an array: of 64 bits if they fit, and else as long as they are."""
    if all(abs(number) < _SAFE for number in numbers):
        return np.array(numbers, dtype=np.int64)
    found = np.empty(len(numbers), dtype=object)
    found[:] = numbers
    return found


# What a condition is judged on: records, or every combination of codes.


class ColumnsView(ABC):
    """The columns of many records, as conditions look at them."""

    @abstractmethod
    def codes(self, place: int) -> npt.NDArray[np.integer]:
        """Return the code of each record in a column."""

    @abstractmethod
    def units(self, values: ColumnValues) -> Wholes:
        """Return the number of each record in a column, in its units; any where it is missing."""


@dataclass(frozen=True)
class CodesView(ColumnsView):
    """Every combination of codes of some columns that are not measured, an axis a column.

    Attributes:
        columns: the places of the columns, ascending.
        sizes: how many codes each has.
    """

    columns: tuple[int, ...]
    sizes: tuple[int, ...]

    def codes(self, place: int) -> IntArray:
        """Return the codes of a column along its axis."""
        which = self.columns.index(place)
        shape = [-1 if axis == which else 1 for axis in range(len(self.columns))]
        return np.arange(self.sizes[which]).reshape(shape)

    def units(self, values: ColumnValues) -> Wholes:
        """Return the numbers of a column along its axis."""
        return values.code_units[self.codes(values.place)]

    @property
    def cells(self) -> int:
        """How many combinations there are."""
        return prod(self.sizes)


# Conditions.


@dataclass(frozen=True, eq=False)
class Truth:
    """Where a condition is true, and where it is known whether it is.

    Attributes:
        true: where it is true.
        known: where it is true or false.
    """

    true: BoolArray
    known: BoolArray

    @property
    def false(self) -> BoolArray:
        """Where it is false."""
        return self.known & ~self.true


class Condition(ABC):
    """A condition on a record."""

    @property
    @abstractmethod
    def places(self) -> frozenset[int]:
        """The places of the columns that it names."""

    @abstractmethod
    def judge(self, view: ColumnsView) -> Truth:
        """Return where it is true, and where that is known."""


@dataclass(frozen=True, eq=False)
class CodeTest(Condition):
    """That a column has one of some codes.

    Attributes:
        place: of the column.
        true, known: (codes,) as of `Truth`.
    """

    place: int
    true: BoolArray
    known: BoolArray

    @property
    def places(self) -> frozenset[int]:
        """The column."""
        return frozenset((self.place,))

    def judge(self, view: ColumnsView) -> Truth:
        """Return where it is true, and where that is known."""
        codes = view.codes(self.place)
        return Truth(self.true[codes], self.known[codes])


@dataclass(frozen=True, eq=False)
class SameText(Condition):
    """That two columns hold the same text.

    Attributes:
        left, right: the places of the columns.
        left_keys, right_keys: code → a number that the same texts share, below 0 for missing.
    """

    left: int
    right: int
    left_keys: IntArray
    right_keys: IntArray

    @property
    def places(self) -> frozenset[int]:
        """Both columns."""
        return frozenset((self.left, self.right))

    def judge(self, view: ColumnsView) -> Truth:
        """Return where it is true, and where that is known."""
        left = self.left_keys[view.codes(self.left)]
        right = self.right_keys[view.codes(self.right)]
        known = (left >= 0) & (right >= 0)
        return Truth(known & (left == right), known)


@dataclass(frozen=True, eq=False)
class LinearTest(Condition):
    """That a sum of columns and of conditions is at most 0, or exactly 0.

    A condition counts as 1 where it is true and as 0 where it is false. The sum is unknown where a
    part of it is.

    Attributes:
        terms: each column with the whole number that its units count for.
        counts: each condition with the whole number that it counts for.
        constant: what is added.
        exact: whether the sum has to be 0; at most 0 if not.
    """

    terms: tuple[tuple[ColumnValues, int], ...]
    counts: tuple[tuple[Condition, int], ...]
    constant: int
    exact: bool

    @property
    def places(self) -> frozenset[int]:
        """The columns of the sum and of its conditions."""
        inner = (condition.places for condition, _ in self.counts)
        return frozenset(values.place for values, _ in self.terms).union(*inner)

    @cached_property
    def wide(self) -> bool:
        """Whether the sum may not fit into 64 bits."""
        most = sum(abs(factor) * values.most for values, factor in self.terms)
        most += sum(abs(factor) for _, factor in self.counts) + abs(self.constant)
        return most >= _SAFE

    def judge(self, view: ColumnsView) -> Truth:
        """Return where it is true, and where that is known."""
        kind = object if self.wide else np.int64
        total: Wholes = np.array(self.constant, dtype=kind)
        known: BoolArray = np.array(True)
        for values, factor in self.terms:
            total = total + view.units(values).astype(kind) * factor
            known = known & ~values.column.is_missing(view.codes(values.place))
        for condition, factor in self.counts:
            truth = condition.judge(view)
            total = total + truth.true.astype(kind) * factor
            known = known & truth.known
        met = np.asarray(total == 0 if self.exact else total <= 0, dtype=bool)
        return Truth(known & met, np.broadcast_to(known, met.shape))


@dataclass(frozen=True, eq=False)
class NotTrue(Condition):
    """That a condition is false."""

    inner: Condition

    @property
    def places(self) -> frozenset[int]:
        """The columns of the condition."""
        return self.inner.places

    def judge(self, view: ColumnsView) -> Truth:
        """Return where it is true, and where that is known."""
        truth = self.inner.judge(view)
        return Truth(truth.false, truth.known)


@dataclass(frozen=True, eq=False)
class Together(Condition):
    """That all of some conditions are true, or that any of them is.

    Attributes:
        parts: the conditions.
        every: whether all of them have to be.
    """

    parts: tuple[Condition, ...]
    every: bool

    @property
    def places(self) -> frozenset[int]:
        """The columns of all conditions."""
        return frozenset[int]().union(*(part.places for part in self.parts))

    def judge(self, view: ColumnsView) -> Truth:
        """Return where it is true, and where that is known."""
        truths = [part.judge(view) for part in self.parts]
        if self.every:
            true = reduce(np.logical_and, (each.true for each in truths))
            false = reduce(np.logical_or, (each.false for each in truths))
        else:
            true = reduce(np.logical_or, (each.true for each in truths))
            false = reduce(np.logical_and, (each.false for each in truths))
        return Truth(true, true | false)


def imply(condition: Condition, then: Condition) -> Condition:
    """Return that a condition is false or another true."""
    return Together((NotTrue(condition), then), every=False)


def agree(left: Condition, right: Condition) -> Condition:
    """Return that two conditions are both true or both false."""
    return Together((imply(left, right), imply(right, left)), every=True)


def list_linear_tests(condition: Condition) -> Iterator[LinearTest]:
    """Yield the comparisons of sums within a condition."""
    match condition:
        case LinearTest():
            yield condition
            for inner, _ in condition.counts:
                yield from list_linear_tests(inner)
        case NotTrue():
            yield from list_linear_tests(condition.inner)
        case Together():
            for part in condition.parts:
                yield from list_linear_tests(part)
