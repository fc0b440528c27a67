"""One made person's days, told as parts: at home, at work, elsewhere, on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from understudy.charts.ribbons import SORTS, Part
from understudy.core.arrays import IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import HOME, WORK, Days, anchors, stays
from understudy.table.positions.slots import SLOTS

_HOME, _WORK, _ELSEWHERE, _WAY = SORTS


def days_of_one(made: Days, person: int) -> Days:
    """Return the days of one of the made people, counted from 0."""
    mine = made.person == person
    return Days(made.cells[mine], made.weekend[mine], np.zeros(int(mine.sum()), dtype=np.int64))


def parts(one: Days, where: Geography, names: Sequence[str]) -> tuple[Part, ...]:
    """Return the parts of one person's days, in order.

    Args:
        one: their days.
        where: the map.
        names: (cells + 1,) what each place is called; the last is off the map.
    """
    told = stays(one, anchors(one, where.cells), where.cells)
    found = []
    for day, start, end, cell, sort in zip(
        told.day, told.start, told.end, told.cell, told.sort, strict=True
    ):
        called = {HOME: _HOME, WORK: _WORK}.get(int(sort), _ELSEWHERE)
        leaves = _leaves(one.cells[day], int(cell), int(start), int(end))
        found.append(Part(int(day), int(start), leaves, called, names[cell]))
        if leaves < end:
            found.append(Part(int(day), leaves, int(end), _WAY))
    return (*found, *_nowhere(one, told.day, names))


def stops(day: int, found: Sequence[Part], names: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the cells of the stays of a day, in order, and what is said of each."""
    stays_ = [each for each in found if each.day == day and each.sort != _WAY and each.place]
    places = {name: cell for cell, name in enumerate(names[:-1])}
    on_map = [each for each in stays_ if each.place in places]
    return (
        [places[each.place] for each in on_map],
        [f"{each.sort}, {each.time}" for each in on_map],
    )


def _leaves(cells: IntArray, cell: int, start: int, end: int) -> int:
    """Return the slot after the last one of a stay in which somebody is there."""
    there = np.flatnonzero(cells[start:end] == cell)
    return start + int(there[-1]) + 1 if len(there) else end


def _nowhere(one: Days, told: IntArray, names: Sequence[str]) -> Iterator[Part]:
    """Days without a stay on the map, each as one part."""
    for day in sorted(set(range(len(one.cells))) - set(told.tolist())):
        yield Part(day, 0, SLOTS, _ELSEWHERE, names[-1])
