"""Positions in time into rows that say from which slot on somebody is in which cell.

What becomes of one person's positions depends on those alone: every rule is declared beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.people import MOST_PER_PERSON, People
from understudy.table.positions.area import OUTSIDE
from understudy.table.positions.positions import ORDER, PERSON, Positions
from understudy.table.positions.slots import SLOTS
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.schema import Schema
from understudy.table.sources.positions.counted import Counted
from understudy.table.sources.positions.fixes import Fixes, fixes_of
from understudy.table.sources.positions.moments import MICROSECONDS_A_DAY

Whole = npt.NDArray[np.int64]

_A_SLOT = MICROSECONDS_A_DAY // SLOTS
_SLOTS_AN_HOUR = SLOTS // 24


@dataclass(frozen=True, eq=False)
class Traces:
    """Rows, and what became of the positions. Confidential.

    Attributes:
        raw: the columns person, moment, day, slot and place; its notes tell what was counted.
        counted: the same in numbers.
    """

    raw: RawTable
    counted: Counted


def read_positions(raw: RawTable, how: Positions) -> Traces:
    """Return the rows that positions make.

    Of several positions of a person in one slot, the latest holds; of those at one moment, that
    which stands last in the file. A row is written where a person comes to another cell, and at the
    first position of each day; in between they stay, for `gap_hours` at most where that is
    declared.

    Raises:
        Refusal: as of `fixes.fixes_of`.
    """
    fixes = fixes_of(raw, how)
    order = np.lexsort((fixes.moment, fixes.person))
    person, moment, cell = (each[order] for each in (fixes.person, fixes.moment, fixes.cell))
    dates, slot = moment // MICROSECONDS_A_DAY, moment % MICROSECONDS_A_DAY // _A_SLOT
    begins = np.searchsorted(person, np.arange(len(fixes.people)))
    # Day 0 of the calendar that moments are counted in is a Monday.
    day = dates - dates[begins][person] // 7 * 7
    kept = day < how.days
    outside = len(how.area.names)
    rows = _last_of_slots(*(each[kept] for each in (person, day, slot, cell)))
    gaps = _gaps(rows, how, outside)
    found = _arrivals(_with(rows, gaps))
    counted = Counted(
        positions=raw.rows,
        faulty=raw.rows - len(person),
        people=len(fixes.people),
        rows=len(found.person),
        outside=int((cell == outside).sum()),
        late=int((~kept).sum()),
        shortened=len(np.unique(person[~kept])),
        single=int((np.bincount(person, minlength=len(fixes.people)) == 1).sum()),
        unordered=_unordered(fixes),
        contrary=_contrary(person, moment, cell),
        zoneless=fixes.zoneless,
        gaps=len(gaps.person),
    )
    reading = raw.reading.changed(positions=how)
    made = RawTable(_texts(found, fixes.people, how), reading, counted.sentences(how), raw.labels)
    return Traces(made, counted)


def described_schema(how: Positions) -> Schema:
    """Return what the rows may contain, and whose they are; not yet declared public."""
    return Schema(
        columns=(
            _counting("day", how.days),
            _counting("slot", SLOTS),
            Column(name="place", domain=Categories(values=(*how.area.names, OUTSIDE))),
        ),
        people=People(person=PERSON, order=ORDER, records_at_most=MOST_PER_PERSON),
    )


def _counting(name: str, numbers: int) -> Column:
    return Column(name=name, domain=Grid(minimum=Decimal(0), maximum=Decimal(max(1, numbers - 1))))


@dataclass(frozen=True, eq=False)
class _Rows:
    """(n,) person, day, slot and cell of each row, ordered by the first three."""

    person: Whole
    day: Whole
    slot: Whole
    cell: Whole

    def of(self, which: npt.NDArray[np.bool_]) -> _Rows:
        return _Rows(self.person[which], self.day[which], self.slot[which], self.cell[which])


def _last_of_slots(person: Whole, day: Whole, slot: Whole, cell: Whole) -> _Rows:
    """Return the last position of each slot."""
    same = (np.diff(person) == 0) & (np.diff(day) == 0) & (np.diff(slot) == 0)
    last = np.r_[~same, True][: len(person)]
    return _Rows(person, day, slot, cell).of(last)


def _gaps(rows: _Rows, how: Positions, outside: int) -> _Rows:
    """Return where somebody counts as outside, as nothing was heard of them for too long; on the
    same day alone, as every day begins with its own first position."""
    if how.gap_hours is None:
        return rows.of(np.zeros(len(rows.person), dtype=bool))
    wait = how.gap_hours * _SLOTS_AN_HOUR
    same = (np.diff(rows.person) == 0) & (np.diff(rows.day) == 0)
    until = np.where(same, rows.slot[1:], SLOTS)
    until = np.r_[until, np.full(min(1, len(rows.person)), SLOTS)]
    lost = (rows.slot + wait < until) & (rows.cell != outside)
    found = rows.of(lost)
    return replace(found, slot=found.slot + wait, cell=np.full_like(found.cell, outside))


def _with(rows: _Rows, others: _Rows) -> _Rows:
    pairs = zip(vars(rows).values(), vars(others).values(), strict=True)
    person, day, slot, cell = (np.concatenate(pair) for pair in pairs)
    order = np.lexsort((slot, day, person))
    return _Rows(person[order], day[order], slot[order], cell[order])


def _arrivals(rows: _Rows) -> _Rows:
    """Return all but the rows of who is where they were."""
    same = (np.diff(rows.person) == 0) & (np.diff(rows.day) == 0) & (np.diff(rows.cell) == 0)
    return rows.of(np.r_[True, ~same][: len(rows.person)])


def _unordered(fixes: Fixes) -> int:
    """Return how many stand behind a later one of the same person, as the file has them."""
    order = np.argsort(fixes.person, kind="stable")
    person, moment = fixes.person[order], fixes.moment[order]
    # The latest so far of each person: moments lie far closer together than people are put apart.
    apart = moment - moment.min(initial=0)
    apart = apart + person * (int(apart.max(initial=0)) + 1) if len(apart) else apart
    return int((apart < np.maximum.accumulate(apart)).sum()) if len(apart) else 0


def _contrary(person: Whole, moment: Whole, cell: Whole) -> int:
    same = (np.diff(person) == 0) & (np.diff(moment) == 0) & (np.diff(cell) != 0)
    return int(same.sum())


def _texts(rows: _Rows, people: list[str], how: Positions) -> pa.Table:
    days = [str(day) for day in range(how.days)]
    slots = [str(slot) for slot in range(SLOTS)]
    moments = [str(moment) for moment in range(how.days * SLOTS)]
    columns = (
        text_column(rows.person, people),
        text_column(rows.day * SLOTS + rows.slot, moments),
        text_column(rows.day, days),
        text_column(rows.slot, slots),
        text_column(rows.cell, [*how.area.names, OUTSIDE]),
    )
    return table_of((PERSON, ORDER, "day", "slot", "place"), columns)
