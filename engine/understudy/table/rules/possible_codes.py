"""Which combinations of codes a condition leaves possible.

A code of a measured column stands for all numbers of its cell, so that a combination is possible if
*some* numbers in its cells do not break the condition. The condition is taken apart into cases, in
each of which the codes meet a test of codes and the numbers meet linear inequalities. Whether cells
hold such numbers is decided exactly: bounds are drawn in as far as the inequalities reach, a few
likely numbers are tried, and what is still open is cut in two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, Literal

import numpy as np

from understudy.core.arrays import BoolArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.rules.conditions import (
    CodesView,
    ColumnValues,
    Condition,
    LinearTest,
    NotTrue,
    Together,
    list_linear_tests,
)
from understudy.table.rules.relation import MOST_CELLS, Relation

_MOST_CASES: Final = 512
_MOST_OPEN: Final = 1 << 22
"""Of combinations that are cut in two, all cuts counted."""
_MOST_ROUNDS: Final = 64

Truth3 = Literal["true", "false", "unknown"]
Wanted = frozenset[Truth3]
NOT_FALSE: Final[Wanted] = frozenset(("true", "unknown"))
_TURNED: Final[Mapping[Truth3, Truth3]] = {"true": "false", "false": "true", "unknown": "unknown"}


def relate_codes(shown: str, condition: Condition, columns: Sequence[Column]) -> Relation:
    """Return which combinations of codes of the columns of a condition are possible.

    Args:
        shown: the rule, as it stands in a sentence.
        condition: what the rule asks.
        columns: of the records.

    Raises:
        Refusal: there are too many combinations or too many cases.
    """
    places = tuple(sorted(condition.places))
    sizes = tuple(columns[place].cardinality for place in places)
    if math.prod(sizes) > MOST_CELLS:
        names = ", ".join(
            f"“{columns[place].name}” ({columns[place].cardinality:,})" for place in places
        )
        raise Refusal(
            f"The rule “{shown}” binds {math.prod(sizes):,} combinations of values, of {names}; at "
            f"most {MOST_CELLS:,} can be looked through.",
            "Give these columns coarser steps or cells, or split the rule into several.",
            field="rules",
        )
    solver = _Solver(shown, CodesView(places, sizes), columns)
    allowed = np.zeros(sizes, dtype=bool)
    for case in solver.cases(condition, NOT_FALSE):
        allowed |= case.codes & solver.find_numbers(case.tests)
    return Relation(places, allowed)


@dataclass(frozen=True)
class _Bound:
    """That a sum of columns is at most 0.

    Attributes:
        terms: each column with the whole number that its units count for.
        constant: what is added.
    """

    terms: tuple[tuple[ColumnValues, int], ...]
    constant: int

    @property
    def key(self) -> tuple[tuple[tuple[int, int], ...], int]:
        """What tells it from others."""
        return tuple((values.place, factor) for values, factor in self.terms), self.constant


@dataclass(frozen=True, eq=False)
class _Case:
    """Some combinations of codes, and what their numbers have to meet.

    Attributes:
        codes: which combinations, an axis a column; of length 1 where a column does not count.
        tests: the inequalities.
    """

    codes: BoolArray
    tests: tuple[_Bound, ...] = ()


class _Solver:
    """Finds the possible combinations of one rule."""

    def __init__(self, shown: str, view: CodesView, columns: Sequence[Column]) -> None:
        self._shown, self._view, self._columns = shown, view, columns
        self._known: dict[frozenset[object], BoolArray] = {}

    def _check(self, cases: list[_Case]) -> list[_Case]:
        if len(cases) > _MOST_CASES:
            raise Refusal(
                f"The rule “{self._shown}” has more than {_MOST_CASES} cases to look through.",
                "Split it into several rules.",
                field="rules",
            )
        return cases

    # Cases.

    def cases(self, condition: Condition, wanted: Wanted) -> list[_Case]:
        """Return the cases in which a condition has one of some truths."""
        sums = list_linear_tests(condition)
        if not any(values.measured for test in sums for values, _ in test.terms):
            return self._of_codes(condition, wanted)
        match condition:
            case NotTrue():
                return self.cases(condition.inner, frozenset(_TURNED[each] for each in wanted))
            case Together():
                return self._of_parts(condition, wanted)
            case LinearTest():
                return self._check(
                    [case for one in wanted for case in self._of_sum(condition, one)]
                )
        raise TypeError(f"a {type(condition).__name__} tests no numbers")

    def _of_codes(self, condition: Condition, wanted: Wanted) -> list[_Case]:
        truth = condition.judge(self._view)
        codes = np.zeros(truth.true.shape, dtype=bool)
        for one, where in (("true", truth.true), ("false", truth.false), ("unknown", ~truth.known)):
            if one in wanted:
                codes = codes | where
        return [_Case(codes)] if codes.any() else []

    def _of_parts(self, condition: Together, wanted: Wanted) -> list[_Case]:
        """Return the cases of several conditions. Of all together, the worst part decides: false,
        unknown, true; of any of them, the best."""
        ranks: tuple[Truth3, ...] = ("false", "unknown", "true")
        if not condition.every:
            ranks = ranks[::-1]
        at_least = [frozenset(ranks[rank:]) for rank in range(3)]
        at_most = [frozenset(ranks[: rank + 1]) for rank in range(3)]
        if wanted in at_least:
            return self._all(condition.parts, wanted)
        if wanted in at_most:
            found = [case for part in condition.parts for case in self.cases(part, wanted)]
            return self._check(found)
        if wanted == {"unknown"}:
            found = []
            for part in condition.parts:
                others = [each for each in condition.parts if each is not part]
                rest = self._all(others, at_least[1])
                found += self._join(self.cases(part, wanted), rest)
            return self._check(found)
        return self._check(
            [case for one in wanted for case in self.cases(condition, frozenset((one,)))]
        )

    def _all(self, parts: Sequence[Condition], wanted: Wanted) -> list[_Case]:
        found = [_Case(np.ones((1,) * len(self._view.columns), dtype=bool))]
        for part in parts:
            found = self._join(found, self.cases(part, wanted))
        return found

    def _join(self, left: list[_Case], right: list[_Case]) -> list[_Case]:
        """Return every case of the one together with every case of the other."""
        found = []
        for one, other in product(left, right):
            codes = one.codes & other.codes
            if codes.any():
                tests = {test.key: test for test in (*one.tests, *other.tests)}
                found.append(_Case(codes, tuple(tests.values())))
                self._check(found)
        return found

    def _of_sum(self, test: LinearTest, truth: Truth3) -> list[_Case]:
        """Return the cases in which a comparison of a sum has a truth."""
        if test.wide:
            raise Refusal(
                f"The numbers of the rule “{self._shown}” have too many digits.",
                "Give its columns fewer decimals, or write the rule with rounder numbers.",
                field="rules",
            )
        missing = np.zeros((1,) * len(self._view.columns), dtype=bool)
        for values, _ in test.terms:
            missing = missing | values.column.is_missing(self._view.codes(values.place))
        if truth == "unknown":
            found = [_Case(missing)] if missing.any() else []
            for condition, _ in test.counts:
                found += self.cases(condition, frozenset(("unknown",)))
            return found
        found = []
        for truths in product((True, False), repeat=len(test.counts)):
            constant, some = test.constant, [_Case(~missing)]
            for (condition, factor), holds in zip(test.counts, truths, strict=True):
                constant += factor if holds else 0
                one: Wanted = frozenset(("true" if holds else "false",))
                some = self._join(some, self.cases(condition, one))
            for bounds in _bounds_of(test, constant, truth == "true"):
                joined = [_Case(case.codes, (*case.tests, *bounds)) for case in some]
                found += [case for case in joined if case.codes.any()]
            self._check(found)
        return found

    # Numbers in cells.

    def find_numbers(self, tests: Sequence[_Bound]) -> BoolArray:
        """Return whether cells hold numbers that meet all tests, an axis a column; of length 1
        where the tests do not name it."""
        if not tests:
            return np.ones((1,) * len(self._view.columns), dtype=bool)
        key = frozenset(test.key for test in tests)
        if key not in self._known:
            self._known[key] = self._search(tests)
        return self._known[key]

    def _search(self, tests: Sequence[_Bound]) -> BoolArray:
        places = sorted({values.place for test in tests for values, _ in test.terms})
        by_place = {values.place: values for test in tests for values, _ in test.terms}
        shape = [
            size if place in by_place else 1
            for place, size in zip(self._view.columns, self._view.sizes, strict=True)
        ]
        codes = [self._view.codes(place) for place in places]
        grid = [np.broadcast_to(each, shape).reshape(-1) for each in codes]
        found = np.zeros(math.prod(shape), dtype=bool)
        whole = np.ones(len(found), dtype=bool)
        for place, each in zip(places, grid, strict=True):
            whole &= ~by_place[place].column.is_missing(each)
        cells = np.flatnonzero(whole)
        boxes = _Boxes.of(
            [by_place[place] for place in places], [each[cells] for each in grid], cells
        )
        seen = 0
        while len(boxes.cells):
            boxes = boxes.drawn_in(tests)
            met = boxes.try_numbers(tests)
            found[boxes.cells[met]] = True
            boxes = boxes.take(~found[boxes.cells] & boxes.divisible)
            seen += len(boxes.cells)
            if seen > _MOST_OPEN:
                raise Refusal(
                    f"Whether the cells of the columns of the rule “{self._shown}” hold numbers "
                    "that meet it takes too long to find out.",
                    "Derive the column that the others settle, or give the columns coarser cells.",
                    field="rules",
                )
            boxes = boxes.halves() if len(boxes.cells) else boxes
        return found.reshape(shape)


def _bounds_of(test: LinearTest, constant: int, holds: bool) -> Iterator[tuple[_Bound, ...]]:
    """Yield the ways in which a comparison of a sum holds, or does not."""
    terms = tuple((values, factor) for values, factor in test.terms if factor)
    turned = tuple((values, -factor) for values, factor in terms)
    if holds:
        below = _Bound(terms, constant)
        yield (below, _Bound(turned, -constant)) if test.exact else (below,)
        return
    yield (_Bound(turned, 1 - constant),)
    if test.exact:
        yield (_Bound(terms, constant + 1),)


@dataclass(frozen=True, eq=False)
class _Boxes:
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
        cls, values: Sequence[ColumnValues], codes: Sequence[IntArray], cells: IntArray
    ) -> _Boxes:
        """Return whole cells, by their codes."""
        low, high = [], []
        for each, its in zip(values, codes, strict=True):
            first = each.lattice.lowest_in(its) if each.measured else each.code_units[its]
            low.append(first)
            high.append(first + each.lattice.held_by(its) - 1 if each.measured else first)
        return cls(tuple(values), cells, tuple(low), tuple(high))

    def take(self, rows: BoolArray) -> _Boxes:
        """Return some of them."""
        return _Boxes(
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
        return values.lattice.whole_numbers(places) if values.measured else places

    def drawn_in(self, tests: Sequence[_Bound]) -> _Boxes:
        """Return them with what no numbers that meet the tests can reach taken away; those that
        hold none such are left out."""
        boxes = self
        for _ in range(_MOST_ROUNDS):
            before = [int(each.sum()) for each in (*boxes.low, *boxes.high)]
            for test in tests:
                boxes = boxes._draw_in(test)
            if before == [int(each.sum()) for each in (*boxes.low, *boxes.high)]:
                break
        return boxes

    def _draw_in(self, test: _Bound) -> _Boxes:
        least = {
            values.place: factor
            * self._units(which, (self.low if factor > 0 else self.high)[which])
            for values, factor in test.terms
            for which in (self._index[values.place],)
        }
        total = np.full(len(self.cells), test.constant, dtype=np.int64) + sum(least.values())
        low, high, alive = list(self.low), list(self.high), total <= 0
        for values, factor in test.terms:
            if not values.measured:
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
        return _Boxes(self.values, self.cells, tuple(low), tuple(high)).take(alive)

    def try_numbers(self, tests: Sequence[_Bound]) -> BoolArray:
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

    def _fill(self, test: _Bound, corner: Sequence[IntArray]) -> list[IntArray]:
        """Return numbers that come as near to 0 in a test as its columns go, one after another."""
        filled = list(corner)
        total = self._total(test, filled)
        for values, factor in sorted(test.terms, key=lambda each: -abs(each[1])):
            if not values.measured:
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

    def _total(self, test: _Bound, places: Sequence[IntArray]) -> IntArray:
        total = np.full(len(self.cells), test.constant, dtype=np.int64)
        for values, factor in test.terms:
            which = self._index[values.place]
            total = total + factor * self._units(which, places[which])
        return total

    def _meet(self, tests: Sequence[_Bound], places: Sequence[IntArray]) -> BoolArray:
        found = np.ones(len(self.cells), dtype=bool)
        for test in tests:
            found &= self._total(test, places) <= 0
        return found

    def halves(self) -> _Boxes:
        """Return them cut in two, each in the column with the most places."""
        spans = np.array([high - low for low, high in zip(self.low, self.high, strict=True)])
        widest = spans.argmax(axis=0)
        lows, highs = [], []
        for which, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            here, middle = widest == which, (low + high) // 2
            lows.append(np.concatenate([low, np.where(here, middle + 1, low)]))
            highs.append(np.concatenate([np.where(here, middle, high), high]))
        return _Boxes(self.values, np.tile(self.cells, 2), tuple(lows), tuple(highs))
