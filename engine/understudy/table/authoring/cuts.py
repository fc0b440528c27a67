"""Cut points on a grid of numbers: presets, and moving, adding or removing one.

A cut is identified by its place: the code of the first value above it, 1 … size − 1. The values of
a measured column are its cells. Nothing here depends on records; every preset follows from the
public range alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Literal

from understudy.core.refusal import Refusal
from understudy.table.buckets import Buckets, ByCuts, ByWidth, EachValue, assign
from understudy.table.cells import without_trailing_zeros
from understudy.table.column import Column
from understudy.table.domain import Ranged, range_of

Base = Literal[2, 10]


def cut_places(column: Column) -> tuple[int, ...]:
    """Return the places of the cuts of a column of numbers.

    Raises:
        Refusal: the column holds categories.
    """
    found = assign(range_of(column.domain), column.buckets).buckets
    return tuple(place for place in range(1, len(found)) if found[place] != found[place - 1])


def separating_cuts(grid: Ranged, cuts: Iterable[Decimal]) -> tuple[Decimal, ...]:
    """Return the cuts that have values of the grid on both sides; the largest of several between
    the same two values. A cut inside a cell of a measured column moves up to the end of the
    cell."""
    kept: dict[int, Decimal] = {}
    for cut in sorted(cuts):
        place = bisect_left(grid.numbers, cut)
        if 0 < place < grid.size:
            kept[place] = grid.numbers[place] if grid.measured else cut
    return tuple(kept.values())


def equal_buckets(grid: Ranged, count: int) -> Buckets:
    """Return buckets with as equal numbers of possible values as possible.

    Args:
        grid: the public range.
        count: how many buckets, 1 … the number of values.

    Raises:
        Refusal: there cannot be so many.
    """
    if not 1 <= count <= grid.size:
        raise Refusal(
            f"The column has {grid.size:,} possible values, which cannot make {count:,} buckets.",
            f"Choose a number from 1 to {grid.size:,}.",
            field="buckets",
        )
    if count == grid.size:
        return EachValue()
    if count == 1:
        return cuts_at(grid, ())
    return cuts_at(grid, [round(part * grid.size / count) for part in range(1, count)])


def power_cuts(grid: Ranged, base: Base) -> Buckets:
    """Return cuts at 1, base, base² … and, for negative values, at their mirror images.

    Below 1 the powers go on as far as the step does.

    Raises:
        Refusal: none of them lies inside the range.
    """
    largest = max(abs(grid.minimum), abs(grid.numbers[-1]))
    power = found = Decimal(1)
    sizes: list[Decimal] = []
    while power <= largest:
        sizes.append(power)
        power *= base
    while found > grid.width:
        found /= base
        sizes.append(found)
    cuts = separating_cuts(grid, [*sizes, *(-size for size in sizes)])
    if not cuts:
        raise Refusal(
            f"No power of {base} lies inside the range of the column.",
            "Choose a width or a number of buckets instead.",
            field="buckets",
        )
    return ByCuts(cuts=tuple(without_trailing_zeros(cut) for cut in cuts))


def move_cut(column: Column, place: int, to: int) -> Buckets:
    """Return the buckets with one cut moved; unchanged where there is no such cut, or no room.

    Args:
        column: of numbers, in any buckets.
        place: which cut.
        to: the new place, limited by its neighbours.
    """
    cuts = cut_places(column)
    if place not in cuts:
        return column.buckets
    which = cuts.index(place)
    low = cuts[which - 1] + 1 if which else 1
    high = cuts[which + 1] - 1 if which + 1 < len(cuts) else range_of(column.domain).size - 1
    there = min(max(to, low), high)
    return _with_places(column, (*cuts[:which], there, *cuts[which + 1 :]))


def add_cut(column: Column, place: int) -> Buckets:
    """Return the buckets with one cut more; unchanged where there is one already, or no room."""
    cuts = cut_places(column)
    if place in cuts or not 0 < place < range_of(column.domain).size:
        return column.buckets
    return _with_places(column, sorted((*cuts, place)))


def remove_cut(column: Column, place: int) -> Buckets:
    """Return the buckets with one cut less; the last one leaves a single bucket."""
    cuts = cut_places(column)
    if place not in cuts:
        return column.buckets
    return _with_places(column, [cut for cut in cuts if cut != place])


def widest_middle(column: Column) -> int | None:
    """Return the middle of the bucket with the most values, for a further cut; None where every
    bucket has one value."""
    ends = (0, *cut_places(column), range_of(column.domain).size)
    size, start = max((high - low, -low) for low, high in pairwise(ends))
    return None if size < 2 else size // 2 - start


def cut_or_none(cuts: Sequence[Decimal]) -> Buckets | None:
    """Return buckets between cuts; None without any."""
    return ByCuts(cuts=tuple(cuts)) if cuts else None


def cuts_at(grid: Ranged, chosen: Sequence[int]) -> Buckets:
    """Return cuts at these places, rising; without any, one bucket holds everything."""
    if not chosen:
        return ByWidth(width=without_trailing_zeros(grid.span))
    return ByCuts(cuts=tuple(without_trailing_zeros(grid.numbers[place]) for place in chosen))


def _with_places(column: Column, chosen: Sequence[int]) -> Buckets:
    """Return cuts at these places; a cut typed between two steps keeps its value."""
    grid, before = range_of(column.domain), column.buckets
    typed: dict[int, Decimal] = {}
    if isinstance(before, ByCuts):
        typed = {bisect_left(grid.numbers, cut): cut for cut in before.cuts}
    if not chosen:
        return cuts_at(grid, ())
    return ByCuts(
        cuts=tuple(typed.get(each, without_trailing_zeros(grid.numbers[each])) for each in chosen)
    )
