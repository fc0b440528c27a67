"""Records counted while they are read, piece by piece; see `count_tables.Counted`.

Memory grows with the records only by one byte each, for the part that each is in. All tables of one
call are counted in one reading of the file, as far as they fit in memory together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import ByteArray, IntArray, WordArray
from understudy.models.views import Marginal, Rows, cells
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable
from understudy.table.split import HELD_OUT, PARAMETERS, PARTS, SEEDS, STRUCTURE

T = TypeVar("T")


class MergeBuffer(Generic[T]):
    """Items merged such that each takes part in a number of merges logarithmic in their number. The
    buffer holds at most twice the size of the final result.

    Args:
        merge: merges two items into one.
        size: the size of an item, in any unit.
    """

    def __init__(self, merge: Callable[[T, T], T], size: Callable[[T], int]) -> None:
        self._merge, self._size = merge, size
        self._each: list[T] = []

    def __len__(self) -> int:
        """Return the number of items not merged yet."""
        return len(self._each)

    def add(self, item: T) -> None:
        """Add an item."""
        self._each.append(item)
        while len(self._each) > 1 and self._size(self._each[-2]) <= 2 * self._size(self._each[-1]):
            last = self._each.pop()
            self._each.append(self._merge(self._each.pop(), last))

    def merge_all(self) -> T:
        """Return all items merged into one.

        Raises:
            ValueError: there is no item.
        """
        if not self._each:
            raise ValueError("nothing was added")
        self._each = [reduce(lambda last, one: self._merge(one, last), reversed(self._each))]
        return self._each[0]


_MOST_CELLS = 1 << 25
"""The most cells of all tables that are counted in one reading: 256 MiB."""
_TURN = 1 << 16
"""Records that are counted at once, few enough for a core's cache."""


@dataclass(frozen=True, eq=False)
class StreamedRows:
    """Some parts of a streamed table, one part after another and each in the order of the file.

    Attributes:
        table: the table.
        parts: (n,) which part each of its records is in, as of `split.assign`.
        chosen: the parts.
    """

    table: StreamedTable
    parts: ByteArray
    chosen: tuple[int, ...]

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.table.schema

    def __len__(self) -> int:
        return sum(self._sizes)

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        """How many records there are of each chosen part."""
        sizes = np.zeros(PARTS, dtype=np.int64)
        for start in range(0, len(self.parts), _TURN):
            sizes += np.bincount(self.parts[start : start + _TURN], minlength=PARTS)
        return tuple(int(sizes[part]) for part in self.chosen)

    def rows(self, attributes: Sequence[int] | None = None) -> Iterator[Rows]:
        """Yield the records, in the order of the file, some at a time.

        Args:
            attributes: those that are looked at; the other columns hold anything. All of them, if
                left out.

        Raises:
            Refusal: as of `StreamedTable.pieces`.
        """
        wanted = np.isin(np.arange(PARTS), self.chosen)
        for piece in self.table.pieces(attributes):
            of = self.parts[piece.start : piece.start + len(piece)]
            taken = np.flatnonzero(wanted[of])
            read = {place: np.take(each, taken) for place, each in piece.columns.items()}
            other = next(iter(read.values()))
            yield Rows(self.schema, [read.get(place, other) for place in range(len(self.schema))])

    def tables(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """Count marginals; see `Counted.tables`."""
        for together in _readings(marginals, lambda each: cells(self.schema, each)):
            yield from self._count(together)

    def count_occupied(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """Count occupied cells; see `Counted.count_occupied`."""
        for together in _readings(marginals, self._hold):
            yield from self._count_occupied(together)

    def _hold(self, marginal: Marginal) -> int:
        """Return the most memory for the occupied cells of a marginal, in cells of a table."""
        return 4 * min(cells(self.schema, marginal), len(self))

    def _count(self, marginals: Sequence[Marginal]) -> list[IntArray]:
        """Return the tables, in one reading."""
        totals = [np.zeros(cells(self.schema, each), dtype=np.int64) for each in marginals]
        for rows in self._turns(marginals):
            for marginal, total in zip(marginals, totals, strict=True):
                _add(total, rows.cell_numbers(marginal))
        return totals

    def _count_occupied(self, marginals: Sequence[Marginal]) -> list[IntArray]:
        """Return the counts of the cells that some record is in, in one reading."""
        piles = [MergeBuffer(_join, lambda each: len(each[0])) for _ in marginals]
        for rows in self.rows(_attributes(marginals)):
            for marginal, pile in zip(marginals, piles, strict=True):
                numbers = rows.cell_numbers(marginal).astype(np.uint64)
                pile.add(np.unique(numbers, return_counts=True))
        return [pile.merge_all()[1] for pile in piles]

    def _turns(self, marginals: Sequence[Marginal]) -> Iterator[Rows]:
        """Yield the records in blocks that fit a core's cache."""
        for rows in self.rows(_attributes(marginals)):
            for start in range(0, len(rows), _TURN):
                part = slice(start, start + _TURN)
                yield Rows(self.schema, [column[part] for column in rows.columns])


@dataclass(frozen=True, eq=False)
class StreamedSplit:
    """The four parts of a streamed table; see `split.Split`."""

    table: StreamedTable
    parts: ByteArray

    @property
    def seeds(self) -> StreamedRows:
        """Records that candidates are made from and tested against."""
        return self.of(SEEDS)

    @property
    def structure(self) -> StreamedRows:
        """Records the dependency structure is learned from."""
        return self.of(STRUCTURE)

    @property
    def parameters(self) -> StreamedRows:
        """Records the conditional probabilities are learned from."""
        return self.of(PARAMETERS)

    @property
    def held_out(self) -> StreamedRows:
        """Records used to compare with."""
        return self.of(HELD_OUT)

    def of(self, *parts: int) -> StreamedRows:
        """Return some of the parts, one after another; see `split`."""
        return StreamedRows(self.table, self.parts, parts)


def _attributes(marginals: Sequence[Marginal]) -> list[int]:
    return sorted({view.attribute for each in marginals for view in each})


def _readings(items: Sequence[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield the items in groups, in order, each group as many cells as fit in memory, one item at
    least."""
    together: list[T] = []
    room: float = _MOST_CELLS
    for item in items:
        if together and size(item) > room:
            yield together
            together, room = [], _MOST_CELLS
        together.append(item)
        room -= size(item)
    if together:
        yield together


def _add(total: IntArray, numbers: npt.NDArray[np.unsignedinteger]) -> None:
    """Add one to the count of each number, without a second table where it would be sparse."""
    if len(total) > len(numbers):
        np.add.at(total, numbers, 1)
    else:
        total += np.bincount(numbers, minlength=len(total))


def _join(
    one: tuple[WordArray, IntArray], other: tuple[WordArray, IntArray]
) -> tuple[WordArray, IntArray]:
    """Return two sparse tables, merged."""
    if not len(one[0]) or not len(other[0]):
        return one if len(one[0]) else other
    numbers = np.concatenate([one[0], other[0]])
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    first = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
    return numbers[first], np.add.reduceat(np.concatenate([one[1], other[1]])[order], first)
