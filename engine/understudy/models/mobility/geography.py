"""The public map of traces: a grid of cells, gathered in zones, and coarser maps of the same.

A coarser map, which fewer people can carry, is a public function of the map alone, so that the
block of cells that somebody is in is a function of that person's rows.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
from pydantic import Field

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.validation import Frozen

BINS: Final = 13
"""How many distances are told apart."""


class Geography(Frozen, what="the map"):
    """A rectangle cut into cells of one size, row by row from the south-west.

    Declared by the custodian as public: nothing of it is read off anybody's whereabouts.

    Attributes:
        rows, columns: how many cells there are from south to north and from west to east.
        cell_km: how high and how wide a cell is, in kilometres.
        zones: how many zones there are each way.
        km_a_slot: how far people get in a slot of 20 minutes, as is publicly known.
    """

    rows: int = Field(ge=1, le=100)
    columns: int = Field(ge=1, le=100)
    cell_km: tuple[float, float] = (1.0, 1.0)
    zones: int = Field(default=5, ge=1, le=20)
    km_a_slot: float = Field(default=5.0, gt=0, le=500)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.rows * self.columns

    @cached_property
    def middles(self) -> FloatArray:
        """(cells, 2) how far north and east the middle of each cell lies, in kilometres."""
        row, column = np.divmod(np.arange(self.cells), self.columns)
        return np.column_stack([(row + 0.5) * self.cell_km[0], (column + 0.5) * self.cell_km[1]])

    @cached_property
    def apart(self) -> FloatArray:
        """(cells, cells) kilometres between their middles."""
        found: FloatArray = np.hypot(
            *(self.middles[:, None, axis] - self.middles[None, :, axis] for axis in (0, 1))
        )
        return found

    @cached_property
    def zone(self) -> IntArray:
        """(cells,) the zone of each cell."""
        row, column = np.divmod(np.arange(self.cells), self.columns)
        found: IntArray = (
            row * self.zones // self.rows * self.zones + column * self.zones // self.columns
        )
        return found

    @cached_property
    def edges(self) -> FloatArray:
        """(bins − 1,) kilometres at which distances are cut: the first bin holds the cell itself,
        the others grow by a constant factor up to half of what lies between far corners."""
        least = min(self.cell_km)
        far = float(np.hypot(self.rows * self.cell_km[0], self.columns * self.cell_km[1]))
        grown = np.geomspace(1.25, max(2.0, far / least / 2), BINS - 2)
        return least * np.concatenate([[0.5], grown])

    @cached_property
    def bin(self) -> IntArray:
        """(cells, cells) the bin of the distance between two cells."""
        found = np.searchsorted(self.edges, self.apart.ravel(), side="right")
        return found.reshape(self.apart.shape)

    def between(self, first: IntArray, last: IntArray, share: FloatArray) -> IntArray:
        """Return (n,) the cells that lie so far along the straight line from one cell to
        another."""
        (r0, c0), (r1, c1) = np.divmod(first, self.columns), np.divmod(last, self.columns)
        row = np.rint(r0 + share * (r1 - r0)).astype(np.int64)
        found: IntArray = row * self.columns + np.rint(c0 + share * (c1 - c0)).astype(np.int64)
        return found


def take_together(fine: Geography, by: int) -> Geography:
    """Return the map of blocks of so many cells each way; the last ones may reach over the edge.

    Args:
        fine: the map.
        by: how many cells each way are one place.
    """
    rows, columns = -(-fine.rows // by), -(-fine.columns // by)
    return Geography(
        rows=rows,
        columns=columns,
        cell_km=(fine.cell_km[0] * by, fine.cell_km[1] * by),
        zones=min(fine.zones, max(rows, columns)),
        km_a_slot=fine.km_a_slot,
    )


def block_numbers(fine: Geography, by: int) -> IntArray:
    """Return (cells + 1,) the block of each cell of a map; the number of blocks for who is not on
    it."""
    row, column = np.divmod(np.arange(fine.cells), fine.columns)
    across = -(-fine.columns // by)
    found = row // by * across + column // by
    return np.append(found, take_together(fine, by).cells)


def block_names(fine: Geography, by: int) -> tuple[str, ...]:
    """Return (blocks,) what each block is called: its rows from the south and its columns from the
    west, from 1, such as “r01-02c05-06”."""
    width = len(str(max(fine.rows, fine.columns)))

    def of(letter: str, size: int) -> list[str]:
        return [
            f"{letter}{first + 1:0{width}d}-{min(first + by, size):0{width}d}"
            for first in range(0, size, by)
        ]

    return tuple(row + column for row in of("r", fine.rows) for column in of("c", fine.columns))
