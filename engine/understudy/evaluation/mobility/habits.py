"""What is measured of a person's days together: how far, how often, where again."""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.evaluation.mobility.seen import Seen
from understudy.evaluation.mobility.tallies import Counted, Summed
from understudy.models.mobility.stays import HOME
from understudy.table.positions.slots import SLOTS

RANKS: Final = 15
"""How many of a person's most visited places are ranked."""

AGAIN: Final = (20, 28)
"""Hours after which a visit is one of the next day: from the first on, before the second."""

SHARES: Final = 100
_TENTHS: Final = 10
_MOST_PLACES: Final = 500
_MOST_BITS: Final = 12


def home_to_work(seen: Seen) -> Counted:
    """People by tenths of a kilometre between home and work; who has no place of work, or no home,
    counts as beyond all others."""
    home, work = seen.at.home, seen.at.work
    most = _tenths_across(seen) + 1
    km = seen.where.apart[home, work]
    key = np.where((home >= 0) & (work >= 0), (km * _TENTHS).astype(np.int64), most)
    return Counted(np.arange(len(seen)), key, most + 1)


def time_at_home(seen: Seen) -> Counted:
    """People by the share of their slots at home, in hundredths."""
    days = seen.days
    home = days.cells == seen.at.home[days.person][:, None]
    slots = np.bincount(days.person, weights=home.sum(axis=1), minlength=len(seen))
    share = slots / np.maximum(1, SLOTS * days.per_person)
    return Counted(np.arange(len(seen)), (share * SHARES).astype(np.int64), SHARES + 1)


def radius_of_gyration(seen: Seen) -> Counted:
    """People by tenths of a kilometre; see `gyration`."""
    radius = gyration(seen)
    there = np.flatnonzero(~np.isnan(radius))
    key = (radius[there] * _TENTHS).astype(np.int64)
    return Counted(there, key, _tenths_across(seen) + 1)


def gyration(seen: Seen) -> FloatArray:
    """(people,) the root of the mean squared distance from the middle of all slots that somebody is
    on the map in, in kilometres; not a number for who is never there."""
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


def distinct_places(seen: Seen) -> Counted:
    """People by how many cells they have stays in."""
    found = known_by_day(seen)[:, -1].astype(np.int64)
    return Counted(np.arange(len(seen)), np.minimum(found, _MOST_PLACES), _MOST_PLACES + 1)


def known_by_day(seen: Seen) -> FloatArray:
    """(people, days) how many cells each has had stays in by the end of each day. After the last
    day of somebody nothing is added."""
    told, cells = seen.stays, seen.where.cells
    keys = seen.who * cells + told.cell
    # Stays are in the order of days, so the first of each cell is on its earliest day.
    first = np.unique(keys, return_index=True)[1]
    found = np.zeros((len(seen), int(seen.days.per_person.max(initial=1))))
    np.add.at(found, (seen.who[first], seen.number[told.day[first]]), 1)
    return found.cumsum(axis=1)


def entropy_of_places(seen: Seen) -> Counted:
    """People by the entropy of the cells that their time in stays is spent in, in tenths of a
    bit."""
    told, cells, people = seen.stays, seen.where.cells, len(seen)
    keys, inverse = np.unique(seen.who * cells + told.cell, return_inverse=True)
    time = np.bincount(inverse, weights=told.end - told.start, minlength=len(keys))
    person = keys // cells
    total = np.bincount(person, weights=time, minlength=people)
    share = time / total[person]
    bits = np.bincount(person, weights=-share * np.log2(share), minlength=people)
    there = np.flatnonzero(total > 0)
    key = np.minimum(np.rint(bits[there] * _TENTHS), _MOST_BITS * _TENTHS).astype(np.int64)
    return Counted(there, key, _MOST_BITS * _TENTHS + 1)


def growth(seen: Seen) -> Summed:
    """Of each person, the places known by the end of each day; see `growth_exponent`."""
    return Summed(known_by_day(seen))


def growth_exponent(known: FloatArray) -> FloatArray:
    """(rows,) μ of places ∝ days^μ, by least squares on a double logarithmic scale. Not a number
    for fewer than three days, or where nobody has a place."""
    days = known.shape[1]
    if days < _FEWEST_DAYS:
        return np.full(len(known), np.nan)
    return _slopes(np.arange(1, days + 1), known)


_FEWEST_DAYS: Final = 3


def visits(seen: Seen) -> Summed:
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
    """(rows,) the exponent of visits ∝ rank^−ζ over ranks 2 to 15 (Zipf), by least squares on a
    double logarithmic scale. A rank that nobody has ends the ranks; not a number below four."""
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
    """(rows,) the share of stays away from home that are repeated; not a number for none."""
    found: FloatArray = np.divide(
        sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0
    )
    return found


def _tenths_across(seen: Seen) -> int:
    where = seen.where
    across = np.hypot(where.rows * where.cell_km[0], where.columns * where.cell_km[1])
    return int(across * _TENTHS)


def _slopes(at: IntArray, values: FloatArray) -> FloatArray:
    """(rows,) the slope of each row on a double logarithmic scale."""
    if not values.any():
        return np.full(len(values), np.nan)
    x, y = np.log(at), np.log(np.maximum(values, 1e-12))
    x = x - x.mean()
    found: FloatArray = (y * x).sum(axis=1) / (x**2).sum()
    return found
