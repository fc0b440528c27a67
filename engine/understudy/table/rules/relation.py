"""Relations: which combinations of codes of a few columns are possible.

A relation is known beforehand and holds of a record alone. Several of them together may forbid what
none of them names: with A ≤ B and B ≤ C on four values ten of the sixteen cells of (A, C) are left.
`Relations` projects them all onto a few columns, by eliminating the other columns one after another
(bucket elimination; Dechter and Pearl 1987).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from understudy.core.arrays import BoolArray, ByteArray, CodeArray, IntArray

MOST_CELLS = 1 << 22
"""Of one relation, and of what is projected of several."""
_AT_ONCE = 1 << 16
"""Combinations that are looked at together."""


class TooWide(ValueError):
    """Several relations together bind so many values that they cannot be looked through.

    Attributes:
        columns: the places of the columns they bind.
    """

    def __init__(self, columns: tuple[int, ...]) -> None:
        super().__init__(f"the relations of columns {columns} have too many cells together")
        self.columns = columns


@dataclass(frozen=True, eq=False)
class Relation:
    """Which combinations of codes of some columns are possible.

    Attributes:
        columns: the places of the columns, ascending.
        allowed: whether each combination is possible; an axis a column, of as many codes.

    Raises:
        ValueError: the columns do not ascend, or the axes are not theirs.
    """

    columns: tuple[int, ...]
    allowed: BoolArray

    def __post_init__(self) -> None:
        if list(self.columns) != sorted(set(self.columns)):
            raise ValueError("the columns of a relation ascend")
        if self.allowed.ndim != len(self.columns):
            raise ValueError("a relation has an axis for each of its columns")
        self.allowed.setflags(write=False)

    def spread_over(self, columns: tuple[int, ...]) -> BoolArray:
        """Return what is allowed with an axis for each of these columns, its own among them; those
        of the others are of length 1."""
        sizes = dict(zip(self.columns, self.allowed.shape, strict=True))
        return self.allowed.reshape([sizes.get(each, 1) for each in columns])

    def along(self, column: int) -> BoolArray:
        """Return what is allowed with the axis of one of its columns first."""
        return np.moveaxis(self.allowed, self.columns.index(column), 0)


def number_rows(rows: BoolArray | ByteArray) -> IntArray:
    """Return (n,) a number for each row, the same for equal ones, from 0 on in their order."""
    each = [row.tobytes() for row in rows]
    numbers = {row: number for number, row in enumerate(sorted(set(each)))}
    return np.array([numbers[row] for row in each], dtype=np.int64)


def eliminate(relations: Sequence[Relation], column: int) -> Relation | None:
    """Return what relations that name a column together allow of their other columns: a
    combination is allowed if some value of the column completes it. None if it forbids nothing.

    Raises:
        TooWide: there would be too many combinations.
    """
    every = tuple(sorted({each for one in relations for each in one.columns}))
    axis = every.index(column)
    sizes: dict[int, int] = {}
    for one in relations:
        sizes |= zip(one.columns, one.allowed.shape, strict=True)
    columns = tuple(each for each in every if each != column)
    shape = [sizes[each] for each in columns]
    if len(relations) > 1 and math.prod(shape) > MOST_CELLS:
        raise TooWide((*columns, column))
    spread = [np.moveaxis(one.spread_over(every), axis, 0) for one in relations]
    found = np.zeros(shape, dtype=bool)
    step = max(1, _AT_ONCE // math.prod(shape))
    for start in range(0, sizes[column], step):
        values = (one[start : start + step] for one in spread)
        found |= reduce(np.logical_and, values).any(axis=0)
    return None if found.all() else Relation(columns, found)


@dataclass(frozen=True, eq=False)
class Relations:
    """Every relation among the columns of one table.

    Values of a column that all relations treat alike are one *kind* here: of 120 ages three may be
    left, which makes most rules small whatever columns they bind.

    Attributes:
        sizes: of each column, how many codes it has.
        each: the relations, by code.
    """

    sizes: tuple[int, ...]
    each: tuple[Relation, ...]

    @classmethod
    def of(cls, sizes: Iterable[int], relations: Iterable[Relation]) -> Relations:
        """Return the relations that forbid anything.

        Raises:
            ValueError: a relation has other codes than its columns.
        """
        found = cls(
            tuple(map(int, sizes)), tuple(each for each in relations if not each.allowed.all())
        )
        for one in found.each:
            if one.allowed.shape != tuple(found.sizes[place] for place in one.columns):
                raise ValueError("a relation has an entry for each code of its columns")
        return found

    def __bool__(self) -> bool:
        return bool(self.each)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that some relation names, ascending."""
        return tuple(sorted({place for one in self.each for place in one.columns}))

    @cached_property
    def kinds(self) -> Mapping[int, IntArray]:
        """Of each column that is named, (codes,) the kind of each code."""
        return {place: self._number_kinds(place) for place in self.columns}

    def _number_kinds(self, column: int) -> IntArray:
        """Return (codes,) numbers that two codes share if no relation tells them apart."""
        rows = [
            np.packbits(one.along(column).reshape(self.sizes[column], -1), axis=1)
            for one in self.each
            if column in one.columns
        ]
        return number_rows(np.concatenate(rows, axis=1))

    @cached_property
    def by_kind(self) -> tuple[Relation, ...]:
        """The relations, by kind; those of the same columns as one."""
        found: dict[tuple[int, ...], BoolArray] = {}
        for one in self.each:
            firsts = [np.unique(self.kinds[place], return_index=True)[1] for place in one.columns]
            allowed = one.allowed[np.ix_(*firsts)]
            found[one.columns] = found[one.columns] & allowed if one.columns in found else allowed
        return tuple(Relation(columns, allowed) for columns, allowed in found.items())

    @cached_property
    def possible(self) -> bool:
        """Whether some record meets them all.

        Raises:
            TooWide: they cannot be looked through.
        """
        left = self._eliminate_all(self.by_kind, set(self.columns))
        return all(bool(each.allowed) for each in left)

    def hold(self, columns: Sequence[CodeArray]) -> BoolArray:
        """Return (n,) whether records meet all of them.

        Args:
            columns: (n,) codes of each column, in the order of the schema.
        """
        found = np.ones(len(columns[0]), dtype=bool)
        for one in self.by_kind:
            found &= one.allowed[
                tuple(np.take(self.kinds[place], columns[place]) for place in one.columns)
            ]
        return found

    def list_bound(self, columns: Iterable[int]) -> frozenset[int]:
        """Return these columns, and all that relations bind them to, directly or through others."""
        found, before = set(columns), -1
        while len(found) != before:
            before = len(found)
            found.update(*(one.columns for one in self.each if not found.isdisjoint(one.columns)))
        return frozenset(found)

    def project(self, columns: tuple[int, ...]) -> BoolArray | None:
        """Return which combinations of codes of some columns, ascending, some record shows that
        meets all relations; None where they all are, or cannot be told from what is."""
        bound = self.list_bound(columns)
        near = [one for one in self.by_kind if bound.issuperset(one.columns)]
        if not near:
            return None
        left = self._eliminate_all(
            near, set(bound) & set(self.columns) - set(columns), loosely=True
        )
        if not left or all(one.allowed.all() for one in left):
            return None
        shape = [len(set(self._kind_of(place).tolist())) for place in columns]
        if math.prod(self.sizes[place] for place in columns) > MOST_CELLS:
            return None
        found = np.ones(shape, dtype=bool)
        for one in left:
            found &= one.spread_over(columns)
        return found[np.ix_(*map(self._kind_of, columns))]

    def _kind_of(self, column: int) -> IntArray:
        """Return (codes,) the kind of each code of a column, whether it is named or not."""
        one = np.zeros(self.sizes[column], dtype=np.int64)
        return self.kinds.get(column, one)

    def _eliminate_all(
        self, relations: Sequence[Relation], columns: set[int], *, loosely: bool = False
    ) -> list[Relation]:
        """Return what is left of relations once some columns are eliminated, the cheapest first.

        Args:
            relations: by kind.
            columns: to eliminate.
            loosely: whether relations that are too wide together are taken one at a time, which
                may allow what is impossible, and never forbids what is possible.

        Raises:
            TooWide: they are too wide, and not taken loosely.
        """
        left, waiting = list(relations), set(columns)
        while waiting:
            column = min(sorted(waiting), key=lambda each: _width(left, each))
            waiting.remove(column)
            named = [one for one in left if column in one.columns]
            left = [one for one in left if column not in one.columns]
            try:
                found = [eliminate(named, column)] if named else []
            except TooWide:
                if not loosely:
                    raise
                found = [eliminate([one], column) for one in named]
            left += [one for one in found if one is not None]
        return left


def _width(relations: Sequence[Relation], column: int) -> int:
    """Return how many combinations are left to look through if a column is eliminated."""
    sizes: dict[int, int] = {}
    for one in relations:
        if column in one.columns:
            sizes |= zip(one.columns, one.allowed.shape, strict=True)
    return math.prod(sizes.values())
