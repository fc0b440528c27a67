"""The numbers that a column may hold, in exact whole numbers, and the cells they are in.

Everything about equally spaced ones is counted in units of the last decimal, so that no number
depends on binary rounding: a text, its number and its text again are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray

MOST_UNITS = 10**15
"""A number of fewer units has at most 15 significant digits, which a double tells from all others
of as many."""


class PlacedNumbers(ABC):
    """Rising numbers in cells of neighbours. A number is known by its place, 0 … count − 1.

    Attributes:
        count: how many numbers there are.
        decimals: digits after the point; a unit is one of the last digit.
        apart: the distance of neighbours in units, but for gaps; 0 where it is not always the same.
    """

    count: int
    decimals: int
    apart: int

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many cells there are."""

    @abstractmethod
    def cells_of(self, places: IntArray) -> IntArray:
        """Return the cell of each place."""

    @abstractmethod
    def lowest_in(self, cells: IntArray) -> IntArray:
        """Return the lowest place of each cell."""

    @abstractmethod
    def held_by(self, cells: IntArray) -> IntArray:
        """Return how many places each cell holds."""

    @abstractmethod
    def place(self, number: Decimal) -> int:
        """Return the place of the number that one between the lowest and the highest is put on."""

    @abstractmethod
    def number(self, place: int) -> Decimal:
        """Return the exact number at a place."""

    @abstractmethod
    def whole_numbers(self, places: IntArray) -> IntArray:
        """Return the number at each place, in units."""

    @abstractmethod
    def last_places(self, units: IntArray) -> IntArray:
        """Return the place of the last number that is not above each number of units; one outside
        0 … count − 1 where there is none, or where all are below."""

    @abstractmethod
    def numbers(self, places: IntArray) -> FloatArray:
        """Return the double nearest to the number at each place."""

    @abstractmethod
    def holds(self, numbers: FloatArray) -> BoolArray:
        """Return whether each number is one that `numbers` returns."""

    @abstractmethod
    def places(self, numbers: FloatArray) -> IntArray:
        """Return the place of each number, which has to be one that `numbers` returned."""


@dataclass(frozen=True)
class Lattice(PlacedNumbers):
    """Equally spaced numbers in cells of equally many; the last cell may hold fewer, or one more.

    Attributes:
        decimals: digits after the point; a unit is one of the last digit.
        first: the lowest number, in units.
        apart: the distance of neighbouring numbers, in units, at least 1.
        count: how many numbers there are, at least 2.
        per_cell: how many places a cell holds, at least 1.
    """

    decimals: int
    first: int
    apart: int
    count: int
    per_cell: int

    @property
    def cells(self) -> int:
        """How many cells there are. A highest number that would have one for itself is in the one
        below, unless every number has."""
        return self.count if self.per_cell == 1 else -(-(self.count - 1) // self.per_cell)

    def cells_of(self, places: IntArray) -> IntArray:
        """Return the cell of each place."""
        return np.minimum(places // self.per_cell, self.cells - 1)

    def lowest_in(self, cells: IntArray) -> IntArray:
        """Return the lowest place of each cell."""
        return cells * self.per_cell

    def held_by(self, cells: IntArray) -> IntArray:
        """Return how many places each cell holds."""
        last = self.count - (self.cells - 1) * self.per_cell
        return np.where(cells == self.cells - 1, last, self.per_cell)

    def place(self, number: Decimal) -> int:
        """Return the nearest place of a number between the lowest and the highest, a half going
        up."""
        over, under = number.as_integer_ratio()
        steps = over * 10**self.decimals - self.first * under
        apart = self.apart * under
        return int((2 * steps + apart) // (2 * apart))

    def number(self, place: int) -> Decimal:
        """Return the exact number at a place."""
        return Decimal(self.first + place * self.apart).scaleb(-self.decimals)

    def whole_numbers(self, places: IntArray) -> IntArray:
        """Return the number at each place, in units."""
        return np.asarray(self.first + places * self.apart)

    def last_places(self, units: IntArray) -> IntArray:
        """Return the place of the last number that is not above each number of units."""
        return np.asarray((units - self.first) // self.apart)

    def numbers(self, places: IntArray) -> FloatArray:
        """Return the double nearest to the number at each place, as its text would be read."""
        # Two whole numbers that doubles hold exactly: their quotient is rounded once.
        return np.asarray(self.whole_numbers(places) / 10.0**self.decimals)

    def holds(self, numbers: FloatArray) -> BoolArray:
        """Return whether each number is one that `numbers` returns."""
        low, high = self.numbers(np.array([0, self.count - 1]))
        inside = (low <= numbers) & (numbers <= high)
        kept = self.numbers(self.places(np.where(inside, numbers, low)))
        return np.asarray(inside & (kept == numbers))

    def places(self, numbers: FloatArray) -> IntArray:
        """Return the place of each number, which has to be one that `numbers` returned."""
        units = np.rint(numbers * 10.0**self.decimals).astype(np.int64)
        return (units - self.first) // self.apart

    def texts(self, places: Iterable[int]) -> list[str]:
        """Return the number at each place, all with the same number of decimals."""
        return [self._text(self.first + place * self.apart) for place in places]

    def _text(self, units: int) -> str:
        digits = str(abs(units)).zfill(self.decimals + 1)
        sign, point = "-" if units < 0 else "", len(digits) - self.decimals
        return f"{sign}{digits[:point]}.{digits[point:]}" if self.decimals else f"{sign}{digits}"


@dataclass(frozen=True)
class Gapped(PlacedNumbers):
    """The numbers of another row without a few of them, such as those that stand for missing.

    Cells that hold no other number are none; all others hold the places that are left.

    Attributes:
        every: the numbers with those that are left out.
        gaps: (gaps,) the places among these that are left out, rising.
    """

    every: PlacedNumbers
    gaps: IntArray = field(compare=False)
    count: int = field(init=False)
    decimals: int = field(init=False)
    apart: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", self.every.count - len(self.gaps))
        object.__setattr__(self, "decimals", self.every.decimals)
        object.__setattr__(self, "apart", self.every.apart)

    @cached_property
    def kept_cells(self) -> IntArray:
        """(cells,) which of all cells each is: those that hold a number."""
        cells, held = np.unique(self.every.cells_of(self.gaps), return_counts=True)
        emptied = cells[held == self.every.held_by(cells)]
        return np.setdiff1d(np.arange(self.every.cells), emptied)

    def every_places(self, places: IntArray) -> IntArray:
        """Return the place of each number among all of them."""
        before = self.gaps - np.arange(len(self.gaps))
        return np.asarray(places + np.searchsorted(before, places, side="right"))

    def _own_places(self, places: IntArray) -> IntArray:
        """Return the places of numbers among all of them as places among those that are left."""
        return np.asarray(places - np.searchsorted(self.gaps, places))

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.kept_cells)

    def cells_of(self, places: IntArray) -> IntArray:
        """Return the cell of each place."""
        return np.searchsorted(self.kept_cells, self.every.cells_of(self.every_places(places)))

    def lowest_in(self, cells: IntArray) -> IntArray:
        """Return the lowest place of each cell."""
        return self._own_places(self.every.lowest_in(self.kept_cells[cells]))

    def held_by(self, cells: IntArray) -> IntArray:
        """Return how many places each cell holds."""
        own = self.kept_cells[cells]
        gone = np.bincount(self.every.cells_of(self.gaps), minlength=self.every.cells)
        return np.asarray(self.every.held_by(own) - gone[own])

    def place(self, number: Decimal) -> int:
        """Return the place that a number is put on; in place of one that is left out, that of the
        nearest, a half going up."""
        place = self.every.place(number)
        below = above = place
        while self._is_gap(below):
            below -= 1
        while self._is_gap(above):
            above += 1
        if above >= self.every.count:
            above = below
        elif below < 0:
            below = above
        near = self.every.number(above) - number <= number - self.every.number(below)
        return int(self._own_places(np.array([above if near else below]))[0])

    def _is_gap(self, place: int) -> bool:
        """Return whether a place among all numbers is one of those that are left out."""
        at = int(np.searchsorted(self.gaps, place))
        return at < len(self.gaps) and int(self.gaps[at]) == place

    def number(self, place: int) -> Decimal:
        """Return the exact number at a place."""
        return self.every.number(int(self.every_places(np.array([place]))[0]))

    def whole_numbers(self, places: IntArray) -> IntArray:
        """Return the number at each place, in units."""
        return self.every.whole_numbers(self.every_places(places))

    def last_places(self, units: IntArray) -> IntArray:
        """Return the place of the last number that is not above each number of units."""
        places = self.every.last_places(units)
        return np.asarray(places - np.searchsorted(self.gaps, places, side="right"))

    def numbers(self, places: IntArray) -> FloatArray:
        """Return the double nearest to the number at each place."""
        return self.every.numbers(self.every_places(places))

    def holds(self, numbers: FloatArray) -> BoolArray:
        """Return whether each number is one that `numbers` returns."""
        held = self.every.holds(numbers)
        places = self.every.places(np.where(held, numbers, self.every.numbers(np.array([0]))))
        return np.asarray(held & ~np.isin(places, self.gaps))

    def places(self, numbers: FloatArray) -> IntArray:
        """Return the place of each number, which has to be one that `numbers` returned."""
        return self._own_places(self.every.places(numbers))
