"""Counts of people's days: places, moves and times, and a person's days together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.evaluation.mobility.days import Seen
from understudy.models.mobility.stays import HOME
from understudy.table.positions.slots import SLOTS

# What is counted of people, so that a block of them can be left out again.
#
# An interval of a statistic of people comes from leaving out people with all of their days: days of
# one person are alike, and would make it too narrow.


class PeopleSums(Protocol):
    """Sums over people."""

    def left_out(self, block: IntArray, blocks: int) -> FloatArray:
        """Return (1 + blocks, size) the sums over everybody, then without the people of each block.

        Args:
            block: (people,) the block of each person.
            blocks: how many there are; 0 for everybody alone.
        """
        ...


@dataclass(frozen=True, eq=False)
class DayCounts:
    """How often each of several things occurs.

    Attributes:
        person: (n,) of whom.
        key: (n,) which it is.
        size: how many things there are. Public: it follows from the map and the clock.
    """

    person: IntArray
    key: IntArray
    size: int

    @property
    def whole(self) -> FloatArray:
        """(size,) how often each occurs."""
        return np.bincount(self.key, minlength=self.size).astype(np.float64)

    def left_out(self, block: IntArray, blocks: int) -> FloatArray:
        if not blocks:
            return self.whole[None]
        keys = block[self.person] * self.size + self.key
        parts = np.bincount(keys, minlength=blocks * self.size).reshape(blocks, self.size)
        return _without(parts.astype(np.float64))


@dataclass(frozen=True, eq=False)
class Summed:
    """Numbers of each person, to be added up.

    Attributes:
        each: (people, size).
    """

    each: FloatArray

    def left_out(self, block: IntArray, blocks: int) -> FloatArray:
        if not blocks:
            whole: FloatArray = self.each.sum(axis=0)
            return whole[None]
        parts = np.zeros((blocks, self.each.shape[1]))
        np.add.at(parts, block, self.each)
        return _without(parts)


def _without(parts: FloatArray) -> FloatArray:
    whole = parts.sum(axis=0)
    found: FloatArray = np.concatenate([whole[None], whole - parts])
    return found


# What is counted of days: places, moves and times. Sizes follow from the map and the clock.

PERIODS: Final = 4
QUERIES: Final = 200
BINS: Final = 20
"""How many classes of equal width distances of a day fall into, as others have them."""
LONGEST_JUMP: Final = 60
MOST_STAYS: Final = 20
_HOURS: Final = 24
_WIDEST: Final = 7
_DIAGONALS: Final = 4


def places_by_time(seen: Seen) -> DayCounts:
    """Return cells by slots."""
    day, slot, cell = _on_map(seen)
    return DayCounts(seen.days.person[day], cell * SLOTS + slot, seen.where.cells * SLOTS)


def stay_cells(seen: Seen) -> DayCounts:
    """Return cells, a slot each."""
    day, _, cell = _on_map(seen)
    return DayCounts(seen.days.person[day], cell, seen.where.cells)


def zones_by_period(seen: Seen) -> DayCounts:
    """Zones by quarters of the day, a slot each."""
    day, slot, cell = _on_map(seen)
    key = seen.where.zone[cell] * PERIODS + slot * PERIODS // SLOTS
    return DayCounts(seen.days.person[day], key, seen.where.zones**2 * PERIODS)


def _on_map(seen: Seen) -> tuple[IntArray, IntArray, IntArray]:
    """Day, slot and cell of every slot that somebody is on the map in."""
    day, slot = np.nonzero(seen.days.cells < seen.where.cells)
    return day, slot, seen.days.cells[day, slot]


def stays_a_day(seen: Seen) -> DayCounts:
    """Return how many stays each day has; `MOST_STAYS` and more are one."""
    each = np.bincount(seen.stays.day, minlength=len(seen.days.cells))
    return DayCounts(seen.days.person, np.minimum(each, MOST_STAYS), MOST_STAYS + 1)


def hours_of_moves(seen: Seen) -> DayCounts:
    """Return the hours in which people arrive from elsewhere."""
    hour = seen.moves.arrives // (SLOTS // _HOURS)
    return DayCounts(seen.moves.person, hour, _HOURS)


def count_flows(seen: Seen) -> DayCounts:
    """Return moves from zone to zone."""
    zone, zones = seen.where.zone, seen.where.zones**2
    moves = seen.moves
    return DayCounts(moves.person, zone[moves.before] * zones + zone[moves.after], zones**2)


def jumps(seen: Seen) -> DayCounts:
    """Return moves by whole kilometres; `LONGEST_JUMP` and more are one."""
    km = np.minimum(np.rint(seen.moves.km), LONGEST_JUMP).astype(np.int64)
    return DayCounts(seen.moves.person, km, LONGEST_JUMP + 1)


def travel_times(seen: Seen) -> DayCounts:
    """Return moves by the slots between the last one in the cell before and arriving."""
    moves = seen.moves
    there = seen.days.cells[moves.day] == moves.before[:, None]
    there &= np.arange(SLOTS) < moves.arrives[:, None]
    last = SLOTS - 1 - there[:, ::-1].argmax(axis=1)
    # Of who was not in the cell before, a day having begun elsewhere, nothing lies between.
    slots = np.where(there.any(axis=1), moves.arrives - 1 - last, 0)
    return DayCounts(moves.person, slots, SLOTS)


def durations(seen: Seen) -> DayCounts:
    """Return stays by their slots, the way there left to the stay before it."""
    told = seen.stays
    return DayCounts(seen.who, told.end - told.start, SLOTS + 1)


def ends_of_days(seen: Seen) -> DayCounts:
    """Return days by the zones that they begin and end in."""
    runs, zones = seen.runs, seen.where.zones**2
    first = np.flatnonzero(runs.first)
    last = np.r_[first[1:], len(runs.cell)][: len(first)] - 1
    zone = seen.where.zone
    key = zone[runs.cell[first]] * zones + zone[runs.cell[last]]
    return DayCounts(seen.days.person[runs.day[first]], key, zones**2)


def diameters(seen: Seen) -> DayCounts:
    """Return days by how far the two cells are from each other that are farthest: `BINS` classes up
    to the map's diagonal."""
    cells, lines = _lined_up(seen)
    widest = np.zeros(len(cells))
    for apart in range(1, cells.shape[1]):
        found = seen.where.apart[cells[:, :-apart], cells[:, apart:]].max(axis=1)
        np.maximum(widest, found, out=widest)
    return DayCounts(seen.days.person[lines], _classes(widest, _diagonal(seen)), BINS)


def lengths(seen: Seen) -> DayCounts:
    """Return days by how far people go from cell to cell: `BINS` classes up to four times the map's
    diagonal, what is longer in the last."""
    runs = seen.runs
    on = np.flatnonzero(~runs.first)
    km = seen.where.apart[runs.cell[on - 1], runs.cell[on]]
    lines = runs.day[runs.first]
    way = np.zeros(len(seen.days.cells))
    np.add.at(way, runs.day[on], km)
    return DayCounts(
        seen.days.person[lines], _classes(way[lines], _DIAGONALS * _diagonal(seen)), BINS
    )


def _lined_up(seen: Seen) -> tuple[IntArray, IntArray]:
    """Return (days, most) the cells of each day that has any, its last one repeated, and which
    days."""
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


def count_visited(seen: Seen) -> DayCounts:
    """Return cells by the days that enter them."""
    runs, cells = seen.runs, seen.where.cells
    day, cell = np.divmod(np.unique(runs.day * cells + runs.cell), cells)
    return DayCounts(seen.days.person[day], cell, cells)


# What is measured of a person's days together: how far, how often, where again.

RANKS: Final = 15
"""How many of a person's most visited places are ranked."""

AGAIN: Final = (20, 28)
"""Hours after which a visit is one of the next day: from the first on, before the second."""

SHARES: Final = 100
_TENTHS: Final = 10
_MOST_PLACES: Final = 500
_MOST_BITS: Final = 12


def home_to_work(seen: Seen) -> DayCounts:
    """Return people by tenths of a kilometre between home and work; who has no place of work, or no
    home, counts as beyond all others."""
    home, work = seen.at.home, seen.at.work
    most = _tenths_across(seen) + 1
    km = seen.where.apart[home, work]
    key = np.where((home >= 0) & (work >= 0), (km * _TENTHS).astype(np.int64), most)
    return DayCounts(np.arange(len(seen)), key, most + 1)


def time_at_home(seen: Seen) -> DayCounts:
    """Return people by the share of their slots at home, in hundredths."""
    days = seen.days
    home = days.cells == seen.at.home[days.person][:, None]
    slots = np.bincount(days.person, weights=home.sum(axis=1), minlength=len(seen))
    share = slots / np.maximum(1, SLOTS * days.per_person)
    return DayCounts(np.arange(len(seen)), (share * SHARES).astype(np.int64), SHARES + 1)


def radius_of_gyration(seen: Seen) -> DayCounts:
    """Return people by tenths of a kilometre; see `gyration`."""
    radius = gyration(seen)
    there = np.flatnonzero(~np.isnan(radius))
    key = (radius[there] * _TENTHS).astype(np.int64)
    return DayCounts(there, key, _tenths_across(seen) + 1)


def gyration(seen: Seen) -> FloatArray:
    """Return (people,) the root of the mean squared distance from the middle of all slots that
    somebody is on the map in, in kilometres; not a number for who is never there."""
    day, slot = np.nonzero(seen.days.cells < seen.where.cells)
    at = seen.where.middles[seen.days.cells[day, slot]]
    person, people = seen.days.person[day], len(seen)
    slots = np.bincount(person, minlength=people).astype(np.float64)
    slots[slots == 0] = np.nan
    middle = np.column_stack(
        [np.bincount(person, weights=at[:, axis], minlength=people) / slots for axis in (0, 1)]
    )
    gap = ((at - middle[person]) ** 2).sum(axis=1)
    found: FloatArray = np.sqrt(np.bincount(person, weights=gap, minlength=people) / slots)
    return found


def distinct_places(seen: Seen) -> DayCounts:
    """Return people by how many cells they have stays in."""
    found = known_by_day(seen)[:, -1].astype(np.int64)
    return DayCounts(np.arange(len(seen)), np.minimum(found, _MOST_PLACES), _MOST_PLACES + 1)


def known_by_day(seen: Seen) -> FloatArray:
    """Return (people, days) how many cells each has had stays in by the end of each day. After the
    last day of somebody nothing is added."""
    told, cells = seen.stays, seen.where.cells
    keys = seen.who * cells + told.cell
    # Stays are in the order of days, so the first of each cell is on its earliest day.
    first = np.unique(keys, return_index=True)[1]
    found = np.zeros((len(seen), int(seen.days.per_person.max(initial=1))))
    np.add.at(found, (seen.who[first], seen.number[told.day[first]]), 1)
    return found.cumsum(axis=1)


def entropy_of_places(seen: Seen) -> DayCounts:
    """Return people by the entropy of the cells that their time in stays is spent in, in tenths of
    a bit."""
    told, cells, people = seen.stays, seen.where.cells, len(seen)
    keys, inverse = np.unique(seen.who * cells + told.cell, return_inverse=True)
    time = np.bincount(inverse, weights=told.end - told.start, minlength=len(keys))
    person = keys // cells
    total = np.bincount(person, weights=time, minlength=people)
    share = time / total[person]
    bits = np.bincount(person, weights=-share * np.log2(share), minlength=people)
    there = np.flatnonzero(total > 0)
    key = np.minimum(np.rint(bits[there] * _TENTHS), _MOST_BITS * _TENTHS).astype(np.int64)
    return DayCounts(there, key, _MOST_BITS * _TENTHS + 1)


def count_known_places(seen: Seen) -> Summed:
    """Of each person, the places known by the end of each day; see `growth_exponent`."""
    return Summed(known_by_day(seen))


def growth_exponent(known: FloatArray) -> FloatArray:
    """Return (rows,) μ of places ∝ days^μ, by least squares on a double logarithmic scale. Not a
    number for fewer than three days, or where nobody has a place."""
    days = known.shape[1]
    if days < _FEWEST_DAYS:
        return np.full(len(known), np.nan)
    return _slopes(np.arange(1, days + 1), known)


_FEWEST_DAYS: Final = 3


def share_visits(seen: Seen) -> Summed:
    """Of each person with a stay, the shares of their visits at each of their `RANKS` most visited
    cells; see `visit_exponent`. A night that ends where the day before ended is the same visit."""
    person, cell = _visits(seen)
    keys, counts = np.unique(person * seen.where.cells + cell, return_counts=True)
    who = keys // seen.where.cells
    order = np.lexsort((-counts, who))
    who, counts = who[order], counts[order]
    rank = np.arange(len(who)) - np.searchsorted(who, who)
    total = np.bincount(who, weights=counts, minlength=len(seen))
    found = np.zeros((len(seen), RANKS))
    top = rank < RANKS
    found[who[top], rank[top]] = counts[top] / total[who[top]]
    return Summed(found)


def visit_exponent(ranked: FloatArray) -> FloatArray:
    """Return (rows,) the exponent of visits ∝ rank^−ζ over ranks 2 to 15 (Zipf), by least squares
    on a double logarithmic scale. A rank that nobody has ends the ranks; not a number below
    four."""
    found = np.full(len(ranked), np.nan)
    for row, each in enumerate(ranked):
        last = int(np.argmin(np.r_[each > 0, False]))
        if last >= _FEWEST_RANKS:
            found[row] = -_slopes(np.arange(2, last + 1), each[None, 1:last])[0]
    return found


_FEWEST_RANKS: Final = 4


def _visits(seen: Seen) -> tuple[IntArray, IntArray]:
    """Return whose each visit is, and where."""
    person, cell = seen.who, seen.stays.cell
    moved = np.r_[True, (person[1:] != person[:-1]) | (cell[1:] != cell[:-1])][: len(person)]
    return person[moved], cell[moved]


def returns(seen: Seen) -> Summed:
    """Of each person, the stays away from home that the next one in the same cell follows by 20 to
    28 hours, and all stays away from home; see `share_of_returns`."""
    told = seen.stays
    away = told.sort != HOME
    person, cell = seen.who[away], told.cell[away]
    slot = (seen.number[told.day] * SLOTS + told.start)[away]
    order = np.lexsort((slot, cell, person))
    person, cell, slot = person[order], cell[order], slot[order]
    again = (person[1:] == person[:-1]) & (cell[1:] == cell[:-1])
    gap, hour = np.diff(slot), SLOTS // 24
    again &= (gap >= AGAIN[0] * hour) & (gap < AGAIN[1] * hour)
    found = np.zeros((len(seen), 2))
    found[:, 0] = np.bincount(person[1:][again], minlength=len(seen))
    found[:, 1] = np.bincount(person, minlength=len(seen))
    return Summed(found)


def share_of_returns(sums: FloatArray) -> FloatArray:
    """Return (rows,) the share of stays away from home that are repeated; not a number for none."""
    found: FloatArray = np.divide(
        sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0
    )
    return found


def _tenths_across(seen: Seen) -> int:
    where = seen.where
    across = np.hypot(where.rows * where.cell_km[0], where.columns * where.cell_km[1])
    return int(across * _TENTHS)


def _slopes(at: IntArray, values: FloatArray) -> FloatArray:
    """Return (rows,) the slope of each row on a double logarithmic scale."""
    if not values.any():
        return np.full(len(values), np.nan)
    x, y = np.log(at), np.log(np.maximum(values, 1e-12))
    x = x - x.mean()
    found: FloatArray = (y * x).sum(axis=1) / (x**2).sum()
    return found
