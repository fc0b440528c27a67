"""Suggestions for a map: from what an atlas says and from public numbers, never from a position."""

from __future__ import annotations

import math
from typing import Final

from understudy.core.refusal import Refusal
from understudy.table.positions.area import MOST_CELLS, Area

PEOPLE_A_CELL: Final = 10
"""So many people a cell, at ε = 1, are the fewest that a map tells more than noise of."""

_MOST_EACH_WAY: Final = 100


def cells_for(people: int, epsilon: float) -> int:
    """n·ε/10, rounded down: how many cells a map has at most that tells more than noise of so many
    people; 0 where no map does."""
    return math.floor(people * epsilon / PEOPLE_A_CELL)


def cells_carried(people: int, epsilon: float) -> int:
    """Return how many cells a map can have, for so many people who are publicly known to be there:
    n·ε/10, and as many as a map may have at most.

    Raises:
        Refusal: nobody is there, or ε is no positive number.
    """
    if people < 1:
        raise Refusal(
            "Nobody is said to be in the table.",
            "Enter how many people are publicly known to be in it at least.",
            field="people",
        )
    if not (epsilon > 0 and math.isfinite(epsilon)):
        raise Refusal("ε is no positive number.", "Enter one, such as 1.", field="epsilon")
    return max(1, min(MOST_CELLS, cells_for(people, epsilon)))


def square_cells(area: Area, cell_km: float) -> Area:
    """Return the same area in cells that are as good as square.

    Args:
        area: whose rows and columns are not looked at.
        cell_km: how wide a cell is to be, in kilometres.

    Raises:
        Refusal: that is no positive number, or makes too many cells.
    """
    if not (cell_km > 0 and math.isfinite(cell_km)):
        raise Refusal(
            "The width of a cell is no positive number of kilometres.",
            "Enter one, such as 1.",
            field="cell_km",
        )
    north, east = area.extent_km
    rows, columns = (max(1, round(min(each / cell_km, 1e6))) for each in (north, east))
    if max(rows, columns) > _MOST_EACH_WAY or rows * columns > MOST_CELLS:
        raise Refusal(
            f"Cells of {cell_km:g} km cut the area into {rows:,} by {columns:,}; it may have "
            f"{_MOST_EACH_WAY} each way, and {MOST_CELLS:,} in all.",
            f"Choose cells of {_least_km(north, east):g} km or more, or a smaller area.",
            field="cell_km",
        )
    return area.cut(rows, columns)


def fit_cells(area: Area, cells: int) -> Area:
    """Return the same area in cells that are as good as square, and no more than so many."""
    north, east = area.extent_km
    found = [
        (rows, columns)
        for rows in range(1, min(cells, _MOST_EACH_WAY) + 1)
        if (columns := min(_MOST_EACH_WAY, cells // rows, max(1, round(east * rows / north)))) >= 1
    ]
    # The squarest of those with nearly as many cells as there may be.
    most = max(rows * columns for rows, columns in found)
    near = [each for each in found if each[0] * each[1] >= 0.9 * most]
    rows, columns = min(near, key=lambda each: _skew(north / each[0], east / each[1]))
    return area.cut(rows, columns)


def _skew(north: float, east: float) -> float:
    return abs(math.log(north / east))


def _least_km(north: float, east: float) -> float:
    """Return a width of cells, in whole tenths of a kilometre, of which there are not too many."""
    least = max(math.sqrt(north * east / MOST_CELLS), max(north, east) / _MOST_EACH_WAY)
    tenths = math.ceil(least * 10)
    while (
        round(north * 10 / tenths) * round(east * 10 / tenths) > MOST_CELLS
        or round(max(north, east) * 10 / tenths) > _MOST_EACH_WAY
    ):
        tenths += 1
    return tenths / 10
