"""A town of a few cells, and the rows that tell of people's days in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

import numpy as np

from understudy.assurance.real_runs import Pair
from understudy.core.arrays import IntArray
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.tables import layout
from understudy.models.mobility.trace_records import DAY, PLACE, SLOT
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.people import People
from understudy.table.positions.slots import SLOTS
from understudy.table.records import Records
from understudy.table.schema import Schema

TOWN: Final = Geography(rows=1, columns=3, zones=1)
SCHEMA: Final = Schema(
    columns=(
        Column(name=DAY, domain=Grid(minimum=Decimal(0), maximum=Decimal(13))),
        Column(name=SLOT, domain=Grid(minimum=Decimal(0), maximum=Decimal(SLOTS - 1))),
        Column(name=PLACE, domain=Categories(values=("west", "middle", "east", "outside"))),
    ),
    people=People(person="person", order="moment", records_at_most=1000),
)


def day(*arrivals: tuple[int, int]) -> IntArray:
    """Return (72,) where somebody is, from the slots of their arrivals."""
    row = np.zeros(SLOTS, dtype=np.int64)
    for slot, cell in arrivals:
        row[slot:] = cell
    return row


_HOME: Final = day((0, 0))
_WORK: Final = day((0, 0), (24, 1), (51, 0))
_OUT: Final = day((0, 0), (60, 1), (66, 0))
_BOTH: Final = day((0, 0), (24, 1), (51, 2), (60, 0))
_EAST: Final = day((0, 1))
_AWAY: Final = day((0, 3))
_RESTLESS: Final = np.repeat(np.tile([0, 1, 0, 3], 9), 2).astype(np.int64)
_TO_AND_FRO: Final = np.repeat(np.tile([1, 0], 18), 2).astype(np.int64)

WEEKS: Final[tuple[tuple[str, Sequence[IntArray]], ...]] = (
    ("two weeks at work", [*[_WORK] * 5, _HOME, _OUT] * 2),
    ("one day to and fro", [_TO_AND_FRO]),
    ("two weeks to and fro", [_TO_AND_FRO, _RESTLESS] * 7),
    ("out every evening", [_OUT] * 14),
    ("out after work", [_BOTH] * 5),
    ("off the map", [_AWAY] * 3),
)
"""People who would hurt: many days, one, who is cut to a clip, and of whom nothing is told."""

LEAST: Final = {
    **dict.fromkeys((table.name for table in layout(TOWN)), 0.99),
    "returns": 0.8,
    "all": 0.98,
}
"""How near to its clip somebody is in each table, and in all of them together: vectors are cut down
to whole units of a 1,024th, and of fourteen days the first one has nothing to return to."""


def neighbour_days() -> tuple[Pair, ...]:
    """Return tables with and without each of these people: beside nobody, others, or their
    equals."""
    return tuple(_pairs())


def nearest_pairs() -> tuple[Pair, ...]:
    """Return those pairs whose person comes near to every clip."""
    return tuple(each for each in _pairs() if each.words in _NEAREST)


def _pairs() -> Iterator[Pair]:
    for name, week in WEEKS:
        yield _pair(f"{name}, beside others", [[_HOME, _WORK], [_EAST], [_AWAY]], week)
    yield _pair("two weeks at work, beside nobody", [], WEEKS[0][1])
    yield _pair("two weeks at work, beside equals", [WEEKS[0][1]] * 3, WEEKS[0][1])


def _pair(words: str, others: Sequence[Sequence[IntArray]], week: Sequence[IntArray]) -> Pair:
    fewer = arrival_rows(others)
    return Pair(words, arrival_rows([*others, week]), fewer, len(fewer))


_NEAREST: Final = (
    "two weeks at work, beside others",
    "out every evening, beside others",
    "out after work, beside others",
    "off the map, beside others",
)


def arrival_rows(people: Sequence[Sequence[IntArray]]) -> Records:
    """Return the rows that tell of people's days: one for each arrival."""
    found: list[tuple[int, int, int]] = []
    whose: list[int] = []
    for person, week in enumerate(people):
        for number, row in enumerate(week):
            arrivals = [0, *(np.flatnonzero(np.diff(row)) + 1).tolist()]
            found += [(number, slot, int(row[slot])) for slot in arrivals]
            whose += [person] * len(arrivals)
    codes = np.array(found, dtype=np.uint16).reshape(-1, 3)
    return Records(SCHEMA, codes, whose=np.array(whose, dtype=np.int64))
