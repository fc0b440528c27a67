"""Numbers within the cells of records, chosen such that the records break no rule.

Cells are released, and what stands in the file is a number in each. Numbers are drawn as they are
without rules, and drawn again for the records whose numbers break a rule: so they are spread evenly
over what the rules leave of the cells. Where that is very little, one number after another is
drawn evenly among those that the rules leave after the ones before it, and at last, where cells
hold no such numbers together, from other cells. All of it follows from released codes, public
rules and the run's own random words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import BoolArray, CodeArray, IntArray, WordArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.rules.boxes import CellBoxes
from understudy.table.rules.cases import NOT_FALSE, CaseFinder
from understudy.table.rules.conditions import (
    ColumnsView,
    ColumnValues,
    Condition,
    Together,
    Wholes,
    list_linear_tests,
)
from understudy.table.schema import Schema

_DRAWS: Final = 64
"""How many times all numbers of a record are drawn anew at most."""
_TRIES: Final = 16
"""How many times they are then chosen one after another, in their cells and in any."""

Words = Callable[[int], WordArray]
"""(n, measured columns) random words of the n records, other ones at every turn."""


@dataclass(frozen=True, eq=False)
class PlacesView(ColumnsView):
    """Records by their codes and the places of their numbers.

    Attributes:
        records: (n, columns) codes.
        places: (n,) the place of each measured column's number.
    """

    records: CodeArray
    places: Mapping[int, IntArray]

    def codes(self, place: int) -> npt.NDArray[np.integer]:
        """Return (n,) the code of each record in a column."""
        return self.records[:, place]

    def units(self, values: ColumnValues) -> Wholes:
        """Return (n,) the number of each record in a column, in its units."""
        if values.is_measured:
            return values.lattice.whole_numbers(self.places[values.place])
        units: Wholes = values.code_units[self.codes(values.place)]
        return units


@dataclass(frozen=True, eq=False)
class _Group:
    """Conditions that measured columns link.

    Attributes:
        conditions: what is asked.
        measured: the measured columns that they name, ascending.
    """

    conditions: tuple[Condition, ...]
    measured: tuple[int, ...]

    @cached_property
    def whole(self) -> Condition:
        """All of them together."""
        return Together(self.conditions, every=True)

    @cached_property
    def values(self) -> tuple[ColumnValues, ...]:
        """The columns whose numbers they compare."""
        tests = (test for each in self.conditions for test in list_linear_tests(each))
        found = {values.place: values for test in tests for values, _ in test.terms}
        return tuple(found[place] for place in sorted(found))


class CellNumbers:
    """Chooses the numbers of records under the rules of a schema.

    Args:
        schema: the columns and rules.
        draw: from (n, columns) codes and (n, measured columns) words to the (n,) places of each
            measured column, as they are drawn without rules; any place where a value is missing.
    """

    def __init__(
        self, schema: Schema, draw: Callable[[CodeArray, WordArray], Mapping[int, IntArray]]
    ) -> None:
        self._schema, self._draw = schema, draw

    @cached_property
    def _groups(self) -> tuple[_Group, ...]:
        measured, found = set(self._schema.measured_places), []
        for group in _link_conditions(self._schema.conditions, self._schema.columns):
            named = frozenset[int]().union(*(each.places for each in group))
            found.append(_Group(tuple(group), tuple(sorted(named & measured))))
        return tuple(found)

    def choose(self, codes: CodeArray, words: Words) -> tuple[CodeArray, Mapping[int, IntArray]]:
        """Return the records' codes, and the place of each measured column's number.

        The codes are those that are given except where cells hold no numbers together that break no
        rule.

        Args:
            codes: (n, columns) of the records.
            words: random words.

        Raises:
            Refusal: no numbers meet all rules of a record.
        """
        places = {place: each.copy() for place, each in self._draw(codes, words(0)).items()}
        for group in self._groups:
            left = np.flatnonzero(self._breaks(group, codes, places))
            for turn in range(1, _DRAWS):
                if not len(left):
                    break
                again = self._draw(codes[left], words(turn)[left])
                for place in group.measured:
                    places[place][left] = again[place]
                some = {place: places[place][left] for place in group.measured}
                left = left[self._breaks(group, codes[left], some)]
            if len(left):
                codes = self._choose_in_turn(group, codes, places, left, words)
        return codes, places

    def _breaks(self, group: _Group, codes: CodeArray, places: Mapping[int, IntArray]) -> BoolArray:
        view, found = PlacesView(codes, places), np.zeros(len(codes), dtype=bool)
        for condition in group.conditions:
            found |= condition.judge(view).false
        return found

    def _choose_in_turn(
        self,
        group: _Group,
        codes: CodeArray,
        places: dict[int, IntArray],
        left: IntArray,
        words: Words,
    ) -> CodeArray:
        """Choose numbers one after another for the records that are left; return the codes."""
        codes = codes.copy()
        for turn in range(_DRAWS, _DRAWS + 2 * _TRIES):
            if not len(left):
                break
            widened = turn >= _DRAWS + _TRIES
            drawn = words(turn)[left]
            for boxes in self._fill_boxes(group, codes[left], drawn, widened=widened):
                rows = left[boxes.cells]
                for values, chosen in zip(boxes.values, boxes.low, strict=True):
                    if values.is_measured:
                        places[values.place][rows] = chosen
                        codes[rows, values.place] = values.lattice.cells_of(chosen)
            some = {place: places[place][left] for place in group.measured}
            left = left[self._breaks(group, codes[left], some)]
        if len(left):
            raise Refusal(
                "The rules on columns "
                + ", ".join(f"“{self._schema.names[place]}”" for place in group.measured)
                + " leave no values for some records that they allow one by one.",
                "Let the cells of these columns begin at the values that the rules name.",
                field="rules",
            )
        return codes

    def _fill_boxes(
        self, group: _Group, codes: CodeArray, words: WordArray, *, widened: bool
    ) -> Iterator[CellBoxes]:
        """Yield the records for which numbers are chosen that meet all tests of one case; numbered
        by their row."""
        view = PlacesView(codes, {})
        cases = CaseFinder("", view, 1).cases(group.whole, NOT_FALSE)
        waiting = np.ones(len(codes), dtype=bool)
        applies = [np.broadcast_to(case.codes, waiting.shape) for case in cases]
        # Another of a record's own cases comes first at every turn, by bits that choose no number.
        many = np.sum(applies, axis=0, dtype=np.uint64) if cases else np.uint64(0)
        first = ((words[:, 0] >> np.uint64(32)) % np.maximum(many, 1)).astype(np.int64)
        ranks = np.cumsum(applies, axis=0) - 1 if cases else ()
        places = [*zip(cases, applies, ranks, strict=True)]
        order = [(*each, later) for later in (True, False) for each in places]
        for case, which_rows, rank, later in order:
            rows = np.flatnonzero(which_rows & waiting & ((rank >= first) == later))
            if not len(rows):
                continue
            named = {values.place for test in case.tests for values, _ in test.terms}
            values = [each for each in group.values if each.place in named]
            boxes = CellBoxes.of(values, [codes[rows, each.place] for each in values], rows)
            boxes = (boxes.widen() if widened else boxes).drawn_in(case.tests)
            for which, each in enumerate(values):
                if each.is_measured and len(boxes.cells):
                    turn = self._schema.measured_places.index(each.place)
                    boxes = boxes.choose(which, words[boxes.cells, turn]).drawn_in(case.tests)
            waiting[boxes.cells] = False
            yield boxes


def _link_conditions(
    conditions: Iterable[Condition], columns: Sequence[Column]
) -> list[list[Condition]]:
    """Return the conditions that name measured columns, those that such columns link together,
    directly or through others."""
    groups: list[tuple[set[int], list[Condition]]] = []
    for condition in conditions:
        measured = {place for place in condition.places if columns[place].measured}
        if not measured:
            continue
        together = [condition]
        for other in [each for each in groups if each[0] & measured]:
            groups.remove(other)
            measured |= other[0]
            together = [*other[1], *together]
        groups.append((measured, together))
    return [each for _, each in groups]
