"""Cells of a map taken together: a coarser map, which fewer people can carry.

A public function of the map alone, so that gathering the cells that somebody is in is a function
of that person's rows.
"""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import IntArray
from understudy.models.mobility.geography import Geography


def gathered(fine: Geography, by: int) -> Geography:
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


def blocks(fine: Geography, by: int) -> IntArray:
    """(cells + 1,) the block of each cell of a map; the number of blocks for who is not on it."""
    row, column = np.divmod(np.arange(fine.cells), fine.columns)
    across = -(-fine.columns // by)
    found = row // by * across + column // by
    return np.append(found, gathered(fine, by).cells)


def names(fine: Geography, by: int) -> tuple[str, ...]:
    """(blocks,) what each block is called: its rows from the south and its columns from the west,
    from 1, such as “r01-02c05-06”."""
    width = len(str(max(fine.rows, fine.columns)))

    def of(letter: str, size: int) -> list[str]:
        return [
            f"{letter}{first + 1:0{width}d}-{min(first + by, size):0{width}d}"
            for first in range(0, size, by)
        ]

    return tuple(row + column for row in of("r", fine.rows) for column in of("c", fine.columns))
