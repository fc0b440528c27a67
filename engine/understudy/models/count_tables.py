"""Tables of counts: what a learner may query of records, and many marginals from few joint tables.

Both `Rows` in memory and records read piece by piece (`StreamedRows`) answer queries, and alike for
the same records in the same order.

Records are counted once in a joint table over several views. Every marginal of these views is then
a sum over its cells, whatever the number of records: the six pairs of four attributes take one pass
over the records instead of six.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Protocol

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import FloatArray, IntArray, ShortFloatArray
from understudy.models.views import Marginal, Number, Rows, View, cells, shape, sum_views
from understudy.table.records import Records
from understudy.table.schema import Schema

Numbers = npt.NDArray[np.unsignedinteger]

MOST_CELLS = 1 << 16
"""The most cells of a joint table for several marginals: it fits a core's cache, and the number of
a cell fits two bytes."""
_PER_CELL = 8
"""The least records per cell, as each marginal takes a pass over all cells."""


@dataclass(frozen=True)
class JointTable:
    """A joint table over several views, and the marginals computed from it.

    Attributes:
        views: of different attributes; the last varies fastest.
        places: the indices of these marginals.
    """

    views: Marginal
    places: tuple[int, ...]


def cells_worthwhile(records: int) -> int:
    """Return the most cells of a joint table that is cheaper to sum than so many records to
    count."""
    return min(MOST_CELLS, records // _PER_CELL)


def joint_tables(
    schema: Schema, marginals: Sequence[Marginal], most_cells: int
) -> tuple[JointTable, ...]:
    """Return joint tables such that each marginal is contained in one of them.

    Greedy: of the marginals that are left, the one of most views and cells starts a joint table. It
    is extended by the view that adds most further pairs for its factor of cells, as long as it has
    no more than `most_cells`.
    """
    views = sorted({view for marginal in marginals for view in marginal})
    numbers = {view: number for number, view in enumerate(views)}
    left: dict[Asked, list[int]] = {}
    for place, marginal in enumerate(marginals):
        left.setdefault(frozenset(numbers[view] for view in marginal), []).append(place)
    growing = _Growing.of(schema, views)
    growing.mark(left, 1)
    larger = [each for each in left if len(each) > 2]
    found = []
    for begun in sorted(left, key=lambda each: (-len(each), -growing.cells(each), left[each])):
        if begun not in left:
            continue
        chosen = growing.extend_views(begun, most_cells)
        seen = growing.list_seen(chosen)
        held = [each for each in growing.within(chosen) if each in left]
        held += [each for each in larger if each in left and each <= seen]
        growing.mark(held, 0)
        places = sorted(place for each in held for place in left.pop(each))
        found.append(JointTable(tuple(views[each] for each in chosen), tuple(places)))
    return tuple(found)


def marginal_tables(
    schema: Schema,
    marginals: Sequence[Marginal],
    records: int,
    tables: Callable[[Sequence[Marginal]], Iterable[npt.NDArray[Number]]],
) -> Iterator[tuple[int, npt.NDArray[Number]]]:
    """Yield the index of each marginal and its table, one joint table after another.

    Args:
        schema: the columns.
        marginals: each of different attributes.
        records: how many there are.
        tables: counts the tables of given views, one after another.
    """
    found = joint_tables(schema, marginals, cells_worthwhile(records))
    for cover, table in zip(found, tables([each.views for each in found]), strict=True):
        for place in cover.places:
            yield place, sum_table(schema, table, cover.views, marginals[place])


def sum_table(
    schema: Schema, table: npt.NDArray[Number], views: Marginal, marginal: Marginal
) -> npt.NDArray[Number]:
    """Return (cells of the marginal,) a table over `views`, summed; see `cell_map`."""
    axes = [_axis(views, view) for view in marginal]
    others = tuple(axis for axis in range(len(views)) if axis not in axes)
    found = table.reshape(shape(schema, views)).sum(axis=others)
    kept = found.transpose([sorted(axes).index(axis) for axis in axes]).ravel()
    fine = tuple(views[axis] for axis in axes)
    return kept if fine == marginal else sum_views(schema, kept, fine, marginal)


def cell_map(schema: Schema, views: Marginal, marginal: Marginal) -> Numbers:
    """Return (cells of `views`,) the cell of the marginal that contains each, in the smallest
    integer type.

    Args:
        schema: the columns.
        views: these contain those of the marginal, or the same attributes no coarser.
        marginal: the smaller marginal.
    """
    sizes = shape(schema, views)
    kind = np.min_scalar_type(cells(schema, marginal)).type
    number = np.zeros((1,) * len(sizes), dtype=kind)
    for view in marginal:
        axis = _axis(views, view)
        values = np.arange(sizes[axis])
        if views[axis] != view:
            values = schema.columns[view.attribute].fold(views[axis].level, view.level)
        along = [-1 if each == axis else 1 for each in range(len(sizes))]
        number = number * kind(view.size(schema)) + values.astype(kind).reshape(along)
    return np.broadcast_to(number, sizes).ravel()


def _axis(views: Marginal, view: View) -> int:
    return next(axis for axis, each in enumerate(views) if each.attribute == view.attribute)


Asked = frozenset[int]
"""A marginal as the indices of its views."""


@dataclass(frozen=True, eq=False)
class _Growing:
    """The greedy state: which pairs of views no joint table contains yet.

    Attributes:
        sizes: (V,) the number of values of each view.
        attributes: (V,) the attribute of each view.
        reads: (V, V) 1 where the second view is a function of the first.
        tells: for each view those that are functions of it.
        left: (V, V) 1 for each pair that no joint table contains yet.
    """

    sizes: FloatArray
    attributes: IntArray
    reads: ShortFloatArray
    tells: tuple[tuple[int, ...], ...]
    left: ShortFloatArray

    @classmethod
    def of(cls, schema: Schema, views: Sequence[View]) -> _Growing:
        attributes = np.array([view.attribute for view in views], dtype=np.int64)
        levels = np.array([view.level for view in views], dtype=np.int64)
        alike = attributes[:, None] == attributes
        reads = alike & (levels[:, None] <= levels)
        return cls(
            np.array([view.size(schema) for view in views], dtype=np.float64),
            attributes,
            reads.astype(np.float32),
            tuple(tuple(np.flatnonzero(each).tolist()) for each in reads),
            np.zeros(reads.shape, dtype=np.float32),
        )

    def mark(self, marginals: Iterable[Asked], as_left: float) -> None:
        """Mark the pairs within these marginals as contained or not."""
        for each in marginals:
            if len(each) == 2:
                one, other = each
                self.left[one, other] = self.left[other, one] = as_left

    def cells(self, views: Iterable[int]) -> float:
        """Return the number of cells of a table over these views."""
        found = 1.0
        for view in views:
            found *= self.sizes.item(view)
        return found

    def list_seen(self, views: Iterable[int]) -> Asked:
        """Return every view that is a function of these."""
        return frozenset(each for view in views for each in self.tells[view])

    def within(self, views: Iterable[int]) -> Iterator[Asked]:
        """Yield every marginal of one or two attributes contained in these views."""
        told = [self.tells[view] for view in views]
        for many in (1, 2):
            for some in combinations(told, many):
                yield from map(frozenset, product(*some))

    def extend_views(self, views: Iterable[int], most_cells: int) -> list[int]:
        """Return these views extended greedily, ascending."""
        chosen = list(views)
        room = most_cells / self.cells(chosen)
        while room > 1:
            beside = self.left @ self.reads[chosen].sum(axis=0)
            if not beside.any():
                break
            brings = self.reads @ beside
            brings[self.sizes > room] = 0
            for each in chosen:
                brings[self.attributes == self.attributes[each]] = 0
            best = int(np.argmax(brings / np.log1p(self.sizes)))
            if not brings[best]:
                break
            chosen.append(best)
            room /= self.sizes[best]
        return sorted(chosen)


_MOST_CELLS = 1 << 25


class CountSource(Protocol):
    """Records that can be counted. Every answer is exact, and so internal."""

    @property
    def schema(self) -> Schema:
        """The columns."""

    def __len__(self) -> int:
        """Return how many records there are."""

    def tables(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """Yield for each marginal (cells,) the number of records in each cell, empty ones too."""

    def count_occupied(self, marginals: Sequence[Marginal]) -> Iterator[IntArray]:
        """Answer as `tables`, but only occupied cells, in order: for marginals with more cells than
        fit in memory."""


def as_counted(records: Records | CountSource) -> CountSource:
    """Return records in memory as `Rows`; other counted records unchanged."""
    return Rows.of(records) if isinstance(records, Records) else records


def count_marginals(
    records: CountSource, marginals: Sequence[Marginal]
) -> Iterator[tuple[int, IntArray]]:
    """Return the index of each marginal and its table; see `marginal_tables`."""
    return marginal_tables(records.schema, marginals, len(records), records.tables)


def occupied_cells(
    records: CountSource, marginals: Sequence[Marginal]
) -> Iterator[tuple[int, IntArray]]:
    """Answer as `count_marginals`, without the cells that no record is in. A table of many more
    cells than records, or of more than `_MOST_CELLS`, is never made."""
    most = min(4 * len(records) + (1 << 20), _MOST_CELLS)
    wide = [cells(records.schema, each) > most for each in marginals]
    narrow = [place for place, is_wide in enumerate(wide) if not is_wide]
    for place, counts in count_marginals(records, [marginals[each] for each in narrow]):
        yield narrow[place], counts[counts > 0]
    rest = [place for place, is_wide in enumerate(wide) if is_wide]
    yield from zip(rest, records.count_occupied([marginals[each] for each in rest]), strict=True)
