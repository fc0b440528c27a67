"""Tables of many triples of columns, from few joint tables.

Neighbouring columns are put into blocks of a few, so that three blocks together still make a small
table. Records are counted once for every two or three blocks. Tables of all triples across these
blocks are sums over its cells, and are read off at once, a block at a time. Of 42 columns some
2,600 joint tables hold all 11,480 triples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import FloatArray
from understudy.models.count_tables import MOST_CELLS
from understudy.models.views import Marginal, Number, View, cells, shape
from understudy.table.schema import Schema

WIDEST: Final = round(MOST_CELLS ** (1 / 3))
"""The most values of a column, and the most cells of a block: three blocks make a table of about
`MOST_CELLS`."""
GRAIN: Final = 2.0**-16
"""A model's counts are rounded to its multiples before they are summed, so that sums are exact, in
whichever order they are made."""


def round_counts(counts: FloatArray) -> FloatArray:
    """Return a model's counts, rounded to multiples of `GRAIN`."""
    return np.asarray(np.rint(counts / GRAIN) * GRAIN)


@dataclass(frozen=True, eq=False)
class TripleTable:
    """A joint table over blocks, and the triples that are read off it.

    Attributes:
        views: those of the blocks, one block after another.
        sums: of each block (sums, cells) which of its cells each sum is over.
        read: of each triple its place, and where it is among the sums of each block.
    """

    views: Marginal
    sums: tuple[FloatArray, ...]
    read: tuple[tuple[int, tuple[slice, ...]], ...]

    def tables(self, table: npt.NDArray[Number]) -> Iterator[tuple[int, npt.NDArray[Number]]]:
        """Yield the place of each triple and its table.

        Args:
            table: (cells,) the counts; whole numbers, or multiples of `GRAIN`.
        """
        found = table.reshape([each.shape[1] for each in self.sums]).astype(np.float64)
        for axis, sums in enumerate(self.sums):
            found = np.moveaxis(np.tensordot(sums, found, (1, axis)), 0, axis)
        for place, rows in self.read:
            yield place, found[rows].ravel().astype(table.dtype)


def triple_tables(schema: Schema, triples: Mapping[Marginal, int]) -> Iterator[TripleTable]:
    """Yield joint tables such that each triple is read off one of them.

    Args:
        schema: the columns.
        triples: their places, by views in ascending order, of `WIDEST` values each at most.
    """
    blocks = list(_make_blocks(schema, sorted({view for each in triples for view in each})))
    for many in (3, 2, 1):
        ways = [each for each in product((1, 2, 3), repeat=many) if sum(each) == 3]
        for chosen, way in product(combinations(blocks, many), ways):
            parts = [block.parts[some] for block, some in zip(chosen, way, strict=True)]
            read = tuple(
                (triples[triple], tuple(rows for _, rows in each))
                for each in product(*parts)
                if (triple := tuple(view for views, _ in each for view in views)) in triples
            )
            if read:
                sums = tuple(block.sums[some] for block, some in zip(chosen, way, strict=True))
                views = tuple(view for block in chosen for view in block.views)
                yield TripleTable(views, sums, read)


@dataclass(frozen=True, eq=False)
class _Block:
    """Neighbouring views, of `WIDEST` cells together at most, and what its cells are summed to.

    Attributes:
        schema: the columns.
        views: some of their views.
    """

    schema: Schema
    views: Marginal

    @cached_property
    def parts(self) -> Mapping[int, list[tuple[Marginal, slice]]]:
        """Of one, two and three views every choice, and where it is among the sums."""
        found: dict[int, list[tuple[Marginal, slice]]] = {}
        for many in (1, 2, 3):
            found[many], first = [], 0
            for views in combinations(self.views, many):
                size = cells(self.schema, views)
                found[many].append((views, slice(first, first + size)))
                first += size
        return found

    @cached_property
    def sums(self) -> Mapping[int, FloatArray]:
        """Of one, two and three views (sums, cells) which cells each sum is over."""
        sizes = shape(self.schema, self.views)
        numbers = np.unravel_index(np.arange(cells(self.schema, self.views)), sizes)
        number = dict(zip(self.views, numbers, strict=True))
        found: dict[int, FloatArray] = {}
        for many, parts in self.parts.items():
            rows = [np.zeros((0, len(numbers[0])))]
            for views, _ in parts:
                seen = shape(self.schema, views)
                cell = np.ravel_multi_index([number[view] for view in views], seen)
                rows.append(np.eye(cells(self.schema, views))[:, cell])
            found[many] = np.concatenate(rows)
        return found


def _make_blocks(schema: Schema, views: Sequence[View]) -> Iterator[_Block]:
    """Yield neighbouring views together, as many as fit."""
    together: Marginal = ()
    for view in views:
        if together and cells(schema, (*together, view)) > WIDEST:
            yield _Block(schema, together)
            together = ()
        together = (*together, view)
    if together:
        yield _Block(schema, together)
