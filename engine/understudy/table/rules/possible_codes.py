"""Which combinations of codes rules leave possible.

A code of a measured column stands for all numbers of its cell, so that a combination is possible if
*some* numbers in its cells do not break the condition. Whether cells hold such numbers is decided
exactly: bounds are drawn in as far as the inequalities reach, a few likely numbers are tried, and
what is still open is cut in two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.rules.boxes import CellBoxes
from understudy.table.rules.cases import NOT_FALSE, Bound, CaseFinder
from understudy.table.rules.conditions import CodesView, Condition
from understudy.table.rules.relation import MOST_CELLS, Relation

_MOST_OPEN: Final = 1 << 22
"""Of combinations that are cut in two, all cuts counted."""


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
    view = CodesView(places, sizes)
    known: dict[frozenset[object], BoolArray] = {}
    allowed = np.zeros(sizes, dtype=bool)
    for case in CaseFinder(shown, view, len(places)).cases(condition, NOT_FALSE):
        key = frozenset(test.key for test in case.tests)
        if key not in known:
            known[key] = _find_numbers(shown, view, case.tests)
        allowed |= case.codes & known[key]
    return Relation(places, allowed)


def _find_numbers(shown: str, view: CodesView, tests: Sequence[Bound]) -> BoolArray:
    """Return whether cells hold numbers that meet all tests, an axis a column; of length 1 where
    the tests do not name it."""
    by_place = {values.place: values for test in tests for values, _ in test.terms}
    places = sorted(by_place)
    shape = [
        size if place in by_place else 1
        for place, size in zip(view.columns, view.sizes, strict=True)
    ]
    grid = [np.broadcast_to(view.codes(place), shape).reshape(-1) for place in places]
    found = np.full(math.prod(shape), not tests)
    whole = np.full(len(found), bool(tests))
    for place, each in zip(places, grid, strict=True):
        whole &= ~by_place[place].column.is_missing(each)
    cells = np.flatnonzero(whole)
    boxes = CellBoxes.of(
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
                f"Whether the cells of the columns of the rule “{shown}” hold numbers that meet it "
                "takes too long to find out.",
                "Derive the column that the others settle, or give the columns coarser cells.",
                field="rules",
            )
        boxes = boxes.halves() if len(boxes.cells) else boxes
    return found.reshape(shape)
