"""People's days as records of a table, and back."""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NamedTuple

import numpy as np

from understudy.core.arrays import CodeArray, IntArray
from understudy.models.mobility.stays import Days
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.domain import Domain
from understudy.table.grid import Grid
from understudy.table.positions.slots import SLOTS, slot_clock
from understudy.table.records import Records
from understudy.table.schema import Schema

TRACE, DAY, SLOT, PLACE = "trace", "day", "slot", "place"


FROM_MONDAY: Final = "Day, 0 is a Monday"
_TIME_OF_DAY: Final = "Time, in slots of 20 minutes: " + ", ".join(
    f"{slot} is {slot_clock(slot)}" for slot in (0, 1, SLOTS - 1)
)
_SLOTS_OF_A_DAY: Final = Categories(
    values=tuple(str(slot) for slot in range(SLOTS)),
    labels=tuple(slot_clock(slot) for slot in range(SLOTS)),
)
"""The slots in their order, each labelled with the time at which it begins."""


class TraceColumns(NamedTuple):
    """Which columns of a table say on which day, from which slot on, and where a person is."""

    day: str = DAY
    slot: str = SLOT
    place: str = PLACE


def days_of(records: Records, named: TraceColumns) -> Days:
    """Return the days that records tell of, each filled from its first record on: who is in a place
    stays there until the next record, and was there before the first. Confidential.

    A function of each person's records alone. People without a record have no days.

    Args:
        records: of a schema that says whose they are.
        named: which columns say when and where.

    Raises:
        ValueError: the records say nothing of people.
    """
    if records.whose is None:
        raise ValueError("the records do not say whose they are")
    schema = records.schema
    day, slot, place = (
        records.codes[:, schema.index(name)].astype(np.int64)
        for name in (named.day, named.slot, named.place)
    )
    # Stable: of two records of one slot, the later one in the table holds.
    order = np.lexsort((slot, day, records.whose))
    person, day, slot, place = (each[order] for each in (records.whose, day, slot, place))
    if not len(person):
        return Days(np.zeros((0, SLOTS), np.int64), np.zeros(0, bool), np.zeros(0, np.int64))
    begins = np.r_[True, (person[1:] != person[:-1]) | (day[1:] != day[:-1])]
    number = np.cumsum(begins) - 1
    last = np.full((number[-1] + 1, SLOTS), -1, dtype=np.int64)
    np.maximum.at(last, (number, slot), np.arange(len(slot)))
    last = np.maximum.accumulate(last, axis=1)
    first = np.flatnonzero(begins)
    cells = place[np.where(last >= 0, last, first[:, None])]
    _, people = np.unique(person[begins], return_inverse=True)
    return Days(cells, day[begins] % 7 >= 5, people.astype(np.int64))


def schema_of(people: int, days: int, places: Domain, *, day: str = FROM_MONDAY) -> Schema:
    """Return the columns of made days: which made person, day, slot, place.

    Args:
        people: how many there are.
        days: how many each has.
        places: the cells of the map, each labelled with where it is.
        day: what the column of the day is called.
    """
    return Schema(
        columns=(
            _counting(TRACE, "Made person", 1, max(2, people)),
            _counting(DAY, day, 0, max(1, days - 1)),
            Column(name=SLOT, title=_TIME_OF_DAY, domain=_SLOTS_OF_A_DAY),
            Column(name=PLACE, title="Place on the public map", domain=places),
        )
    )


def codes_of(days: Days, first: int) -> CodeArray:
    """Return (rows, 4) a record for each time somebody comes to a place, in order.

    Args:
        days: made ones, as many for each person.
        first: how many people came before these.
    """
    begins = np.ones(days.cells.shape, dtype=bool)
    begins[:, 1:] = days.cells[:, 1:] != days.cells[:, :-1]
    day, slot = np.nonzero(begins)
    person = days.person[day]
    of_person = day - np.searchsorted(days.person, person)
    found: IntArray = np.column_stack([person + first, of_person, slot, days.cells[day, slot]])
    return found.astype(np.uint16)


def _counting(name: str, title: str, least: int, most: int) -> Column:
    domain = Grid(minimum=Decimal(least), maximum=Decimal(most))
    return Column(name=name, title=title, domain=domain)
