"""What is counted of days: places, moves and times. Sizes follow from the map and the clock."""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.evaluation.mobility.seen import Seen
from understudy.evaluation.mobility.tallies import Counted, Summed
from understudy.table.positions.slots import SLOTS

PERIODS: Final = 4
QUERIES: Final = 200
BINS: Final = 20
"""How many classes of equal width distances of a day fall into, as others have them."""
LONGEST_JUMP: Final = 60
MOST_STAYS: Final = 20
_HOURS: Final = 24
_WIDEST: Final = 7
_DIAGONALS: Final = 4


def places_by_time(seen: Seen) -> Counted:
    """Cells by slots."""
    day, slot, cell = _on_map(seen)
    return Counted(seen.days.person[day], cell * SLOTS + slot, seen.where.cells * SLOTS)


def places(seen: Seen) -> Counted:
    """Cells, a slot each."""
    day, _, cell = _on_map(seen)
    return Counted(seen.days.person[day], cell, seen.where.cells)


def zones_by_period(seen: Seen) -> Counted:
    """Zones by quarters of the day, a slot each."""
    day, slot, cell = _on_map(seen)
    key = seen.where.zone[cell] * PERIODS + slot * PERIODS // SLOTS
    return Counted(seen.days.person[day], key, seen.where.zones**2 * PERIODS)


def _on_map(seen: Seen) -> tuple[IntArray, IntArray, IntArray]:
    """Day, slot and cell of every slot that somebody is on the map in."""
    day, slot = np.nonzero(seen.days.cells < seen.where.cells)
    return day, slot, seen.days.cells[day, slot]


def stays_a_day(seen: Seen) -> Counted:
    """Return how many stays each day has; `MOST_STAYS` and more are one."""
    each = np.bincount(seen.stays.day, minlength=len(seen.days.cells))
    return Counted(seen.days.person, np.minimum(each, MOST_STAYS), MOST_STAYS + 1)


def hours_of_moves(seen: Seen) -> Counted:
    """Return the hours in which people arrive from elsewhere."""
    hour = seen.moves.arrives // (SLOTS // _HOURS)
    return Counted(seen.moves.person, hour, _HOURS)


def flows(seen: Seen) -> Counted:
    """Moves from zone to zone."""
    zone, zones = seen.where.zone, seen.where.zones**2
    moves = seen.moves
    return Counted(moves.person, zone[moves.before] * zones + zone[moves.after], zones**2)


def jumps(seen: Seen) -> Counted:
    """Moves by whole kilometres; `LONGEST_JUMP` and more are one."""
    km = np.minimum(np.rint(seen.moves.km), LONGEST_JUMP).astype(np.int64)
    return Counted(seen.moves.person, km, LONGEST_JUMP + 1)


def travel_times(seen: Seen) -> Counted:
    """Moves by the slots between the last one in the cell before and arriving."""
    moves = seen.moves
    there = seen.days.cells[moves.day] == moves.before[:, None]
    there &= np.arange(SLOTS) < moves.arrives[:, None]
    last = SLOTS - 1 - there[:, ::-1].argmax(axis=1)
    # Of who was not in the cell before, a day having begun elsewhere, nothing lies between.
    slots = np.where(there.any(axis=1), moves.arrives - 1 - last, 0)
    return Counted(moves.person, slots, SLOTS)


def durations(seen: Seen) -> Counted:
    """Stays by their slots, the way there left to the stay before it."""
    told = seen.stays
    return Counted(seen.who, told.end - told.start, SLOTS + 1)


def ends_of_days(seen: Seen) -> Counted:
    """Days by the zones that they begin and end in."""
    runs, zones = seen.runs, seen.where.zones**2
    first = np.flatnonzero(runs.first)
    last = np.r_[first[1:], len(runs.cell)][: len(first)] - 1
    zone = seen.where.zone
    key = zone[runs.cell[first]] * zones + zone[runs.cell[last]]
    return Counted(seen.days.person[runs.day[first]], key, zones**2)


def diameters(seen: Seen) -> Counted:
    """Days by how far the two cells are from each other that are farthest: `BINS` classes up to the
    map's diagonal."""
    cells, lines = _lined_up(seen)
    widest = np.zeros(len(cells))
    for apart in range(1, cells.shape[1]):
        found = seen.where.apart[cells[:, :-apart], cells[:, apart:]].max(axis=1)
        np.maximum(widest, found, out=widest)
    return Counted(seen.days.person[lines], _classes(widest, _diagonal(seen)), BINS)


def lengths(seen: Seen) -> Counted:
    """Days by how far people go from cell to cell: `BINS` classes up to four times the map's
    diagonal, what is longer in the last."""
    runs = seen.runs
    on = np.flatnonzero(~runs.first)
    km = seen.where.apart[runs.cell[on - 1], runs.cell[on]]
    lines = runs.day[runs.first]
    way = np.zeros(len(seen.days.cells))
    np.add.at(way, runs.day[on], km)
    return Counted(
        seen.days.person[lines], _classes(way[lines], _DIAGONALS * _diagonal(seen)), BINS
    )


def _lined_up(seen: Seen) -> tuple[IntArray, IntArray]:
    """(days, most) the cells of each day that has any, its last one repeated, and which days."""
    runs = seen.runs
    begins = np.flatnonzero(runs.first)
    each = np.diff(np.r_[begins, len(runs.cell)])
    most = int(each.max(initial=1))
    place = np.minimum(np.arange(most), each[:, None] - 1) + begins[:, None]
    return runs.cell[place], runs.day[begins]


def _diagonal(seen: Seen) -> float:
    where = seen.where
    return float(np.hypot(where.rows * where.cell_km[0], where.columns * where.cell_km[1]))


def _classes(km: FloatArray, most: float) -> IntArray:
    return np.minimum((km / most * BINS).astype(np.int64), BINS - 1)


def entering(seen: Seen) -> Summed:
    """Of each person, the days that enter each of `QUERIES` rectangles, and all of them."""
    runs = seen.runs
    row, column = np.divmod(runs.cell, seen.where.columns)
    found = np.zeros((len(seen.days.cells), QUERIES + 1), dtype=bool)
    for number, (south, west, high, wide) in enumerate(rectangles(seen)):
        inside = (row >= south) & (row < south + high)
        inside &= (column >= west) & (column < west + wide)
        found[runs.day[inside], number] = True
    found[:, -1] = True
    begins = np.searchsorted(seen.days.person, np.arange(len(seen)))
    return Summed(np.add.reduceat(found, begins, axis=0, dtype=np.float64))


def rectangles(seen: Seen) -> list[tuple[int, int, int, int]]:
    """Return the rectangles that are asked about, always the same ones of a map: the southernmost
    row, the westernmost column, how many rows and columns."""
    random = np.random.default_rng(5)
    found = []
    for _ in range(QUERIES):
        south, west = random.integers(0, seen.where.rows), random.integers(0, seen.where.columns)
        high, wide = random.integers(1, _WIDEST + 1, 2)
        found.append((int(south), int(west), int(high), int(wide)))
    return found


def visited(seen: Seen) -> Counted:
    """Cells by the days that enter them."""
    runs, cells = seen.runs, seen.where.cells
    day, cell = np.divmod(np.unique(runs.day * cells + runs.cell), cells)
    return Counted(seen.days.person[day], cell, cells)
