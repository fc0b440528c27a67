"""Two tables of known totals together: which of their cells a record can be in, whether some table
has all totals and keeps the rules, and how many rows of a release are in each two cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.known_totals import BoundTotals
from understudy.table.rounded_tables import (
    find_any,
    find_surplus,
    round_table,
    scale_table,
)
from understudy.table.rules.relation import Relations

_MOST_CELLS: Final = 1 << 20
_NAMED: Final = 3


@dataclass(frozen=True, eq=False)
class JointTotals:
    """The totals of a schema. A single table of them stands beside a second of one cell.

    Attributes:
        bound: the tables, one or two.
        columns: of the schema.
        allowed: (cells of the first, cells of the second) which two some record can be in.
    """

    bound: tuple[BoundTotals, ...]
    columns: tuple[Column, ...]
    allowed: BoolArray

    @classmethod
    def of(
        cls, bound: Sequence[BoundTotals], columns: Sequence[Column], relations: Relations
    ) -> JointTotals:
        """Return the totals of columns under relations.

        Raises:
            Refusal: there are too many cells together, totals are above 0 in cells that no record
                can be in, or no table has all of them.
        """
        sizes = [len(each.counts) for each in bound] + [1]
        if sizes[0] * sizes[1] > _MOST_CELLS:
            raise Refusal(
                f"The two tables of totals have {sizes[0]:,} and {sizes[1]:,} cells, too many to "
                "be hit together.",
                "Give one of them by buckets, or take it out.",
                field="totals",
            )
        allowed = np.ones((sizes[0], sizes[1]), dtype=bool)
        if len(bound) == 2:
            allowed &= _match_shared(bound[0], bound[1], columns)
        for some in (bound[:1], bound[1:], bound):
            allowed &= _list_possible(some, bound, columns, relations)
        found = cls(tuple(bound), tuple(columns), allowed)
        found._check()
        return found

    @property
    def rows(self) -> IntArray:
        """The totals of the first table."""
        return self.bound[0].counts

    @property
    def others(self) -> IntArray:
        """The totals of the second table; the sum of all, if there is none."""
        if len(self.bound) == 2:
            return self.bound[1].counts
        return np.array([self.bound[0].declared.total], dtype=np.int64)

    @property
    def whole(self) -> int:
        """How many rows all totals count."""
        return self.bound[0].declared.total

    @property
    def proportional(self) -> bool:
        """Whether any number of rows can have these totals in proportion: none of them counts the
        table."""
        return all(each.declared.of == "population" for each in self.bound)

    def allot(self, shares: FloatArray, rows: int) -> IntArray:
        """Return (cells of the first, cells of the second) how many rows of a release are in each
        two cells: near shares, with all totals exact, or in proportion where there are fewer or
        more rows.

        Args:
            shares: (cells of the first, cells of the second) from 0 on.
            rows: of the release.
        """
        found = round_table(shares, self.allowed, self.rows, self.others)
        assert found is not None, "that some table has these totals was checked"
        return scale_table(found, rows)

    def list_codes(self, cell: int, other: int) -> dict[int, BoolArray]:
        """Return, by the place of each column, which of its codes are in two cells."""
        found = self.bound[0].list_codes(self.columns, cell)
        for place, codes in (
            self.bound[1].list_codes(self.columns, other) if len(self.bound) == 2 else {}
        ).items():
            found[place] = found[place] & codes if place in found else codes
        return found

    def _check(self) -> None:
        for bound, possible in zip(
            self.bound, (self.allowed.any(axis=1), self.allowed.any(axis=0)), strict=False
        ):
            wrong = np.flatnonzero((bound.counts > 0) & ~possible)
            if len(wrong):
                raise Refusal(
                    f"The totals by {bound.declared.title} count {bound.counts[wrong[0]]:,} rows "
                    f"with {bound.name_cell(self.columns, int(wrong[0]))}, which the rules forbid.",
                    "Correct the total, or take out a rule about these columns.",
                    field="totals",
                )
        if find_any(self.allowed, self.rows, self.others) is not None:
            return
        some, beside = find_surplus(self.allowed, self.rows, self.others)
        one, other = self.bound
        raise Refusal(
            f"No table has both the totals by {one.declared.title} and by {other.declared.title}: "
            f"the {self.rows[some].sum():,} rows with {self._name(one, some)} can only be among "
            f"those with {self._name(other, beside)}, of which there are "
            f"{self.others[beside].sum():,}.",
            "Correct a total, or take out a rule about these columns.",
            field="totals",
        )

    def _name(self, bound: BoundTotals, cells: IntArray) -> str:
        counted = [int(cell) for cell in cells if bound.counts[cell]]
        names = [bound.name_cell(self.columns, cell) for cell in counted[:_NAMED]]
        more = f" or {len(counted) - _NAMED:,} more" if len(counted) > _NAMED else ""
        return " or ".join(names) + more if names else "nothing"


def _match_shared(one: BoundTotals, other: BoundTotals, columns: Sequence[Column]) -> BoolArray:
    """Return which two cells have a value of each column in common that both tables are by."""
    found = np.ones((len(one.counts), len(other.counts)), dtype=bool)
    groups = [
        dict(zip((place for place, _ in each.views), cells, strict=True))
        for each in (one, other)
        for cells in [np.unravel_index(np.arange(len(each.counts)), each.shape)]
    ]
    levels = dict(other.views)
    for place, level in one.views:
        if place in levels:
            maps = columns[place].level_map(level), columns[place].level_map(levels[place])
            common = np.zeros((maps[0].max() + 1, maps[1].max() + 1), dtype=bool)
            common[maps] = True
            found &= common[np.ix_(groups[0][place], groups[1][place])]
    return found


def _list_possible(
    some: Sequence[BoundTotals],
    bound: Sequence[BoundTotals],
    columns: Sequence[Column],
    relations: Relations,
) -> BoolArray:
    """Return which cells some record can be in, as far as relations among the columns of some of
    the tables tell; of the other tables, of length 1."""
    places = tuple(sorted({place for each in some for place, _ in each.views}))
    allowed = relations.project(places) if relations and places else None
    if allowed is None:
        return np.ones((1, 1), dtype=bool)
    codes = [np.zeros(0, dtype=np.uint16)] * len(columns)
    fine = np.nonzero(allowed)
    for place, of in zip(places, fine, strict=True):
        codes[place] = of.astype(np.uint16)
    cells = [
        each.number_cells(columns, codes) if each in some else np.zeros(len(fine[0]), np.int64)
        for each in bound
    ] + [np.zeros(len(fine[0]), np.int64)]
    shape = [len(each.counts) if each in some else 1 for each in bound] + [1]
    found = np.zeros((shape[0], shape[1]), dtype=bool)
    found[cells[0], cells[1]] = True
    return found
