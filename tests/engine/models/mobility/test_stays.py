"""Days as stays, against a walk through each day slot by slot."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.mobility.town import TOWN, days, lives, of_lives
from understudy.models.mobility.stays import HOME, OTHER, WORK, Days, anchors, stays, visits
from understudy.table.positions.slots import SLOTS


def plain_anchors(told: Days, person: int) -> tuple[int, int]:
    mine = [day for day in range(len(told.person)) if told.person[day] == person]
    night = Counter(int(cell) for day in mine for cell in told.cells[day, :18] if cell < TOWN.cells)
    home = min(night, key=lambda cell: (-night[cell], cell)) if night else -1
    office = [int(cell) for day in mine if not told.weekend[day] for cell in told.cells[day, 27:51]]
    elsewhere = Counter(cell for cell in office if cell < TOWN.cells and cell != home)
    if not elsewhere:
        return home, -1
    work = min(elsewhere, key=lambda cell: (-elsewhere[cell], cell))
    return home, work if elsewhere[work] * 4 >= len(office) else -1


def plain_stays(cells: list[int], home: int, work: int) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int]] = []
    slot = 0
    for cell, run in groupby(cells):
        length = len(list(run))
        if length >= 2 and cell < TOWN.cells and (not found or found[-1][1] != cell):
            found.append((slot if found else 0, cell))
        slot += length
    sorts = {home: HOME, work: WORK} if work >= 0 else {home: HOME}
    return [(start, cell, sorts.get(cell, OTHER)) for start, cell in found]


@given(st.lists(lives(most_days=9), min_size=1, max_size=4))
def test_stays_are_what_a_walk_through_the_day_finds(people: list[list[list[int]]]) -> None:
    told = of_lives(people)
    at = anchors(told, TOWN.cells)
    for person in range(len(people)):
        assert (at.home[person], at.work[person]) == plain_anchors(told, person)
    found = stays(told, at, TOWN.cells)
    for day in range(len(told.cells)):
        mine = found.day == day
        person = told.person[day]
        plain = plain_stays(told.cells[day].tolist(), int(at.home[person]), int(at.work[person]))
        ours = [found.start[mine], found.cell[mine], found.sort[mine]]
        assert list(zip(*(each.tolist() for each in ours), strict=True)) == plain


def test_a_stay_ends_where_the_next_begins() -> None:
    told = days([[(0, 2), (30, 5), (31, 6), (50, 2)], [(0, 2)]])
    found = stays(told, anchors(told, TOWN.cells), TOWN.cells)
    assert found.start.tolist() == [0, 31, 50, 0]
    assert found.end.tolist() == [31, 50, SLOTS, SLOTS]
    assert found.first.tolist() == [True, False, False, True]
    assert found.last.tolist() == [False, False, True, True]


def test_work_takes_a_quarter_of_the_office_hours() -> None:
    for slots, work in ((5, -1), (6, 3)):
        told = days([[(0, 1), (30, 3), (30 + slots, 1)]])
        assert anchors(told, TOWN.cells).work.tolist() == [work]


def test_weekends_say_nothing_of_work() -> None:
    told = days([[(0, 1), (27, 3), (60, 1)]], first=5)
    assert anchors(told, TOWN.cells).work.tolist() == [-1]


def test_nobody_is_no_trouble() -> None:
    nobody = Days(np.zeros((0, SLOTS), np.int64), np.zeros(0, bool), np.zeros(0, np.int64))
    assert len(stays(nobody, anchors(nobody, TOWN.cells), TOWN.cells).day) == 0


def plain_visits(cells: list[int]) -> list[tuple[int, int]]:
    """(start, cell) of the stays of a day, and the furthest slot off each way between two."""
    runs, slot = [], 0
    for cell, run in groupby(cells):
        length = len(list(run))
        runs.append((slot, cell, length))
        slot += length
    kept = [number for number, (_, cell, length) in enumerate(runs) if length >= 2 and cell < 12]
    found = list(kept)
    for one, other in pairwise(kept):
        first, last = runs[one][1], runs[other][1]
        best, most = None, SLOW.km_a_slot
        for number in range(one + 1, other):
            at = runs[number][1]
            if at == TOWN.cells:
                continue
            far = TOWN.apart[first, at] + TOWN.apart[at, last] - TOWN.apart[first, last]
            if far > most or (far == most and best is None):
                best, most = number, far
        if best is not None:
            found.append(best)
    told: list[tuple[int, int]] = []
    for number in sorted(found):
        start, cell, _ = runs[number]
        if not told or told[-1][1] != cell:
            told.append((start if told else 0, cell))
    return told


SLOW = TOWN.model_copy(update={"km_a_slot": 3.0})


@given(st.lists(lives(most_days=5), min_size=1, max_size=3))
def test_visits_are_stays_and_what_lies_far_off_the_way(people: list[list[list[int]]]) -> None:
    told = of_lives(people)
    found = visits(told, anchors(told, TOWN.cells), SLOW)
    for day in range(len(told.cells)):
        mine = found.day == day
        ours = list(zip(found.start[mine].tolist(), found.cell[mine].tolist(), strict=True))
        assert ours == plain_visits(told.cells[day].tolist())
