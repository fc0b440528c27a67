"""Boxes: a range of numbers for each of some columns, cut down to what inequalities leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import BoolArray, IntArray, WordArray
from understudy.table.rules.cases import Bound
from understudy.table.rules.conditions import ColumnValues

_MOST_ROUNDS = 64


@dataclass(frozen=True, eq=False)
class CellBoxes:
    """Cells, each with a range of places for every column.

    Attributes:
        values: the columns.
        cells: (n,) which cell each is a part of.
        low, high: (n,) of each column, the first and the last place; of one that is not measured,
            its number in units, twice.
    """

    values: tuple[ColumnValues, ...]
    cells: IntArray
    low: tuple[IntArray, ...]
    high: tuple[IntArray, ...]

    @classmethod
    def of(
        cls,
        values: Sequence[ColumnValues],
        codes: Sequence[npt.NDArray[np.integer]],
        cells: IntArray,
    ) -> CellBoxes:
        """Return whole cells, by their codes."""
        low, high = [], []
        # Codes of records have 16 bits, which places and sums of them do not fit into.
        for each, its in zip(values, (one.astype(np.int64) for one in codes), strict=True):
            first = each.lattice.lowest_in(its) if each.is_measured else each.code_units[its]
            low.append(first)
            high.append(first + each.lattice.held_by(its) - 1 if each.is_measured else first)
        return cls(tuple(values), cells, tuple(low), tuple(high))

    def widen(self) -> CellBoxes:
        """Return them with all numbers of every measured column."""
        low, high = list(self.low), list(self.high)
        for which, each in enumerate(self.values):
            if each.is_measured:
                low[which] = np.zeros(len(self.cells), dtype=np.int64)
                high[which] = np.full(len(self.cells), each.lattice.count - 1)
        return CellBoxes(self.values, self.cells, tuple(low), tuple(high))

    def choose(self, which: int, words: WordArray) -> CellBoxes:
        """Return them with one number of a column, drawn evenly among those that are left.

        Args:
            which: the column.
            words: (n,) 64 random bits for each.
        """
        span = (self.high[which] - self.low[which] + 1).astype(np.uint64)
        chosen = self.low[which] + (words % span).astype(np.int64)
        low, high = list(self.low), list(self.high)
        low[which] = high[which] = chosen
        return CellBoxes(self.values, self.cells, tuple(low), tuple(high))

    def take(self, rows: BoolArray) -> CellBoxes:
        """Return some of them."""
        return CellBoxes(
            self.values,
            self.cells[rows],
            tuple(each[rows] for each in self.low),
            tuple(each[rows] for each in self.high),
        )

    @cached_property
    def _index(self) -> Mapping[int, int]:
        return {values.place: which for which, values in enumerate(self.values)}

    @property
    def divisible(self) -> BoolArray:
        """Whether some column has more than one place left."""
        found = np.zeros(len(self.cells), dtype=bool)
        for low, high in zip(self.low, self.high, strict=True):
            found |= low < high
        return found

    def _units(self, which: int, places: IntArray) -> IntArray:
        values = self.values[which]
        return values.lattice.whole_numbers(places) if values.is_measured else places

    def drawn_in(self, tests: Sequence[Bound]) -> CellBoxes:
        """Return them with what no numbers that meet the tests can reach taken away; those that
        hold none such are left out."""
        boxes = self
        for _ in range(_MOST_ROUNDS):
            before = boxes
            for test in tests:
                boxes = boxes._draw_in(test)
            # Until none changes, so that no box has a say in how far another is drawn in.
            if boxes._equals(before):
                break
        return boxes

    def _equals(self, other: CellBoxes) -> bool:
        """Return whether these ranges are those of others that they were drawn in from."""
        mine, theirs = (*self.low, *self.high), (*other.low, *other.high)
        return all(map(np.array_equal, mine, theirs))

    def _draw_in(self, test: Bound) -> CellBoxes:
        least = {
            values.place: factor
            * self._units(which, (self.low if factor > 0 else self.high)[which])
            for values, factor in test.terms
            for which in (self._index[values.place],)
        }
        total = np.full(len(self.cells), test.constant, dtype=np.int64) + sum(least.values())
        low, high, alive = list(self.low), list(self.high), total <= 0
        for values, factor in test.terms:
            if not values.is_measured:
                continue
            which, left = self._index[values.place], least[values.place] - total
            # factor · number ≤ left
            if factor > 0:
                last = values.lattice.last_places(left // factor)
                high[which] = np.minimum(high[which], last)
            else:
                first = values.lattice.last_places(-(left // -factor) - 1) + 1
                low[which] = np.maximum(low[which], first)
            alive &= low[which] <= high[which]
        return CellBoxes(self.values, self.cells, tuple(low), tuple(high)).take(alive)

    def try_numbers(self, tests: Sequence[Bound]) -> BoolArray:
        """Return (n,) whether some likely numbers in each meet the tests; where it is not, others
        may."""
        found = self._meet(tests, self.low) | self._meet(tests, self.high)
        for test in tests:
            corner = list(self.low)
            for values, factor in test.terms:
                which = self._index[values.place]
                corner[which] = self.low[which] if factor > 0 else self.high[which]
            found |= self._meet(tests, corner)
            found |= self._meet(tests, self._fill(test, corner))
        return found

    def _fill(self, test: Bound, corner: Sequence[IntArray]) -> list[IntArray]:
        """Return numbers that come as near to 0 in a test as its columns go, one after another."""
        filled = list(corner)
        total = self._total(test, filled)
        for values, factor in sorted(test.terms, key=lambda each: -abs(each[1])):
            if not values.is_measured:
                continue
            which = self._index[values.place]
            start = self._units(which, filled[which])
            steps = np.asarray(np.maximum(-total, 0) // abs(factor), dtype=np.int64)
            if factor > 0:
                reached = np.minimum(values.lattice.last_places(start + steps), self.high[which])
            else:
                last = values.lattice.last_places(start - steps - 1) + 1
                reached = np.maximum(last, self.low[which])
            total = total + factor * (self._units(which, reached) - start)
            filled[which] = reached
        return filled

    def _total(self, test: Bound, places: Sequence[IntArray]) -> IntArray:
        total = np.full(len(self.cells), test.constant, dtype=np.int64)
        for values, factor in test.terms:
            which = self._index[values.place]
            total = total + factor * self._units(which, places[which])
        return total

    def _meet(self, tests: Sequence[Bound], places: Sequence[IntArray]) -> BoolArray:
        found = np.ones(len(self.cells), dtype=bool)
        for test in tests:
            found &= self._total(test, places) <= 0
        return found

    def halves(self) -> CellBoxes:
        """Return them cut in two, each in the column with the most places."""
        spans = np.array([high - low for low, high in zip(self.low, self.high, strict=True)])
        widest = spans.argmax(axis=0)
        lows, highs = [], []
        for which, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            here, middle = widest == which, (low + high) // 2
            lows.append(np.concatenate([low, np.where(here, middle + 1, low)]))
            highs.append(np.concatenate([np.where(here, middle, high), high]))
        return CellBoxes(self.values, np.tile(self.cells, 2), tuple(lows), tuple(highs))
