"""A small town and the days of a few people in it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from hypothesis import strategies as st

from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.people import People
from understudy.table.positions.slots import SLOTS
from understudy.table.records import Records
from understudy.table.schema import Schema

TOWN = Geography(rows=3, columns=4, cell_km=(1.0, 2.0), zones=2, km_a_slot=20)


def days(*people: Sequence[Sequence[tuple[int, int]]], first: int = 0) -> Days:
    """Days of people, each a list of (slot from which on, cell)."""
    cells, person, number = [], [], []
    for who, told in enumerate(people):
        for day, arrivals in enumerate(told, first):
            row = np.zeros(SLOTS, dtype=np.int64)
            for slot, cell in arrivals:
                row[slot:] = cell
            cells.append(row)
            person.append(who)
            number.append(day)
    return Days(
        np.array(cells).reshape(-1, SLOTS),
        np.array(number) % 7 >= 5,
        np.array(person, dtype=np.int64),
    )


@st.composite
def lives(draw: st.DrawFn, *, cells: int = TOWN.cells, most_days: int = 60) -> list[list[int]]:
    """The days of one person: of each, the cells of the 72 slots; some of them off the map."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    number = draw(st.integers(1, most_days))
    favourites = random.integers(0, cells + 1, draw(st.integers(1, 6)))
    restless = draw(st.sampled_from([1, 4, 12, SLOTS]))
    found = []
    for _ in range(number):
        starts = np.sort(random.integers(0, SLOTS, restless))
        row = np.full(SLOTS, random.choice(favourites))
        for start in starts:
            row[start:] = random.choice(favourites)
        found.append(row.tolist())
    return found


def of_lives(people: Sequence[Sequence[Sequence[int]]]) -> Days:
    """People's days, one person after another, each from a Monday on."""
    cells = [row for person in people for row in person]
    return Days(
        np.array(cells, dtype=np.int64).reshape(-1, SLOTS),
        np.array([day % 7 >= 5 for person in people for day in range(len(person))], dtype=bool),
        np.repeat(np.arange(len(people)), [len(person) for person in people]),
    )


def schema(where: Geography = TOWN, most_days: int = 14) -> Schema:
    """A table of traces over a map."""
    places = tuple(f"p{number}" for number in range(where.cells))
    return Schema(
        columns=(
            Column(name="day", domain=Grid(minimum=Decimal(0), maximum=Decimal(most_days - 1))),
            Column(name="slot", domain=Grid(minimum=Decimal(0), maximum=Decimal(SLOTS - 1))),
            Column(name="place", domain=Categories(values=(*places, "outside"))),
        ),
        people=People(person="person", order="moment", records_at_most=1000),
    )


def records(told: Days, where: Geography = TOWN) -> Records:
    """The rows that tell of people's days: one for each arrival."""
    begins = np.ones(told.cells.shape, dtype=bool)
    begins[:, 1:] = told.cells[:, 1:] != told.cells[:, :-1]
    day, slot = np.nonzero(begins)
    first = np.searchsorted(told.person, told.person)
    number = np.arange(len(told.person)) - first
    codes = np.column_stack([number[day], slot, told.cells[day, slot]]).astype(np.uint16)
    return Records(schema(where), codes, whose=told.person[day])


def commuters(number: int, seed: int = 0) -> Days:
    """People who live in the west of the town and work in the east, and go elsewhere between."""
    random = np.random.default_rng(seed)
    people = []
    for _ in range(number):
        home, work = int(random.choice([0, 4, 8])), int(random.choice([3, 7]))
        week = []
        for day in range(7):
            out = int(random.integers(20, 30))
            if day >= 5:
                week.append([(0, home), (out + 12, 5), (out + 18, home)])
            else:
                week.append([(0, home), (out, work), (out + 25, 6), (out + 30, home)])
        people.append(week)
    return days(*people)
