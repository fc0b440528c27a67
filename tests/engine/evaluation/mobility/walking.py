"""Days walked through one by one, to check what is counted of them all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from hypothesis import strategies as st

from tests.engine.models.mobility.town import TOWN, lives, of_lives
from understudy.evaluation.measure import PEOPLE, RELEASED, UNIFORM
from understudy.evaluation.mobility.counts import DayCounts
from understudy.evaluation.mobility.days import DaysStudy, DaysTable, Seen
from understudy.models.mobility.stays import Days

People = list[list[list[int]]]

everybody = st.lists(lives(most_days=5), min_size=1, max_size=4)


@dataclass(frozen=True)
class Stay:
    """A stay: whose, on which of their days, when, where, and whether it is at home."""

    person: int
    number: int
    start: int
    end: int
    cell: int
    at_home: bool


def seen(people: Sequence[Sequence[Sequence[int]]]) -> Seen:
    """People's days in the town."""
    return Seen(of_lives(people), TOWN)


def walked(people: People) -> list[list[Stay]]:
    """The stays of every day, day by day; homes are looked up."""
    at = seen(people).at
    found = []
    for person, days in enumerate(people):
        for number, cells in enumerate(days):
            known: list[list[int]] = []
            slot = 0
            for cell, run in groupby(cells):
                length = len(list(run))
                if length >= 2 and cell < TOWN.cells and (not known or known[-1][1] != cell):
                    known.append([slot if known else 0, cell])
                slot += length
            ends = [*(each[0] for each in known[1:]), 72][: len(known)]
            found.append(
                [
                    Stay(person, number, start, end, cell, cell == at.home[person])
                    for (start, cell), end in zip(known, ends, strict=True)
                ]
            )
    return found


def moves_of(people: People) -> list[tuple[Stay, Stay]]:
    """Each stay of a day with the one before it."""
    return [pair for day in walked(people) for pair in pairwise(day)]


def on_map(cells: Sequence[int]) -> list[int]:
    """The cells of a day in order, each once where it repeats, those off the map left out."""
    return [cell for cell, _ in groupby(cell for cell in cells if cell < TOWN.cells)]


def tallied(counted: DayCounts) -> Counter[tuple[int, int]]:
    """How often each key was counted of each person."""
    return Counter(zip(counted.person.tolist(), counted.key.tolist(), strict=True))


def homebodies(number: int, seed: int, days: int = 5) -> Days:
    """People who live anywhere in the town and are elsewhere twice a day, for a while."""
    random = np.random.default_rng(seed)
    people = []
    for _ in range(number):
        home, *often = random.integers(0, TOWN.cells, 4)
        week = []
        for _ in range(days):
            cells = np.full(72, home)
            for begins in (20, 45):
                start, length = begins + int(random.integers(0, 8)), int(random.integers(3, 15))
                cells[start : start + length] = random.choice(often)
            week.append(cells.tolist())
        people.append(week)
    return of_lives(people)


def study(
    released: Days | None = None, *, people: int = 80, members: Days | None = None, key: int = 1
) -> DaysStudy:
    """A release beside as many other people, held-out people and people who were counted."""
    counted = homebodies(people, 3) if members is None else members
    sides = {
        PEOPLE: ("reals", homebodies(people, 1)),
        UNIFORM: ("marginals", homebodies(people, 5)),
        RELEASED: ("released", homebodies(people, 2) if released is None else released),
    }
    tables = tuple(
        DaysTable(name, role, Seen(days, TOWN))  # type: ignore[arg-type]
        for name, (role, days) in sides.items()
    )
    held_out = Seen(homebodies(people, 4), TOWN)
    return DaysStudy(tables, held_out, members=Seen(counted, TOWN), key=key)
