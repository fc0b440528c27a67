"""A simulated city, and its files. Nobody in it exists.

A square of 20 by 20 cells of a kilometre with a river, three towns, four centres of work and 1,500
places to go to. Its people have a home, some a place of work or a school, habits of their own, and
return to where they have been (exploration and preferential return: Song and others, 2010;
Pappalardo and Simini, 2018). All figures are invented; `python -m benchmarks traces` compares what
comes out with statistics of real traces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TextIO

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.samples import FILES

SIDE = 20
CELLS = SIDE * SIDE
SLOTS = 72
DAYS = 14
SHIPPED_SEED = 2018


_VENUES = 1_500
_WORKER, _SHIFT, _STUDENT, _HOME = range(4)
_KINDS = (0.56, 0.12, 0.12, 0.20)
_TOWNS = ((4, 15), (15, 16), (16, 4))
_CENTRES = ((10, 9), (8, 12), (14, 13), (5, 5))
_SLOT_AN_HOUR = 3
_KM_A_SLOT = 2.5


@dataclass(frozen=True)
class Map:
    """Where people live, work and go to.

    Attributes:
        homes: (cells,) how likely a home is in each.
        jobs: (cells,) how much work there is in each.
        venues: (venues,) the cell of each place to go to.
        drawn_to: (venues,) how much each draws people.
        river: (cells,) which are water.
    """

    homes: FloatArray
    jobs: FloatArray
    venues: IntArray
    drawn_to: FloatArray
    river: BoolArray

    @cached_property
    def apart(self) -> FloatArray:
        """(cells, cells) kilometres between the middles of cells."""
        row, column = np.divmod(np.arange(CELLS), SIDE)
        found: FloatArray = np.hypot(row[:, None] - row, column[:, None] - column)
        return found


def build_city(seed: int = 1) -> Map:
    """Return the city; always the same. Another seed makes another, with the same towns."""
    random = np.random.default_rng(seed)
    row, column = np.divmod(np.arange(CELLS), SIDE)
    middle = np.hypot(row - 9.5, column - 9.5)
    river = np.abs(row - (6.5 + 3 * np.sin(column / 4.0))) < 0.6
    towns = sum(np.exp(-(((row - r) ** 2 + (column - c) ** 2) / 3.0)) for r, c in _TOWNS)
    centres = sum(np.exp(-(((row - r) ** 2 + (column - c) ** 2) / 1.6)) for r, c in _CENTRES)
    homes = (np.exp(-middle / 4.5) + 0.45 * towns) * random.lognormal(0, 0.5, CELLS)
    jobs = (centres + 0.04 * np.exp(-middle / 5)) * random.lognormal(0, 0.4, CELLS)
    homes, jobs = np.where(river, 0, homes), np.where(river, 0, jobs)
    busy = homes / homes.sum() + 1.2 * jobs / jobs.sum()
    venues = random.choice(CELLS, _VENUES, p=busy / busy.sum())
    drawn_to = 1 / np.arange(1, _VENUES + 1) ** 0.8
    return Map(homes / homes.sum(), jobs / jobs.sum(), venues, drawn_to / drawn_to.sum(), river)


def simulate(
    people: int, seed: int = SHIPPED_SEED, days: int = DAYS, where: Map | None = None
) -> CodeArray:
    """Return where simulated people are: shape (people, days, 72), the cell in each 20 minutes.

    The first day is a Monday. More people from the same seed begin with the fewer ones. They live
    in the city, unless another map is given.

    Raises:
        Refusal: a number is not positive, or the seed is negative.
    """
    for name, number in (("people", people), ("days", days), ("seed", seed + 1)):
        if number < 1:
            raise Refusal(
                f"A city with {name} set to so little cannot be simulated.",
                "Ask for one person and one day or more, and a seed of zero or more.",
                field=name,
            )
    where = where or build_city()
    return np.stack([_Person(where, (seed, each)).days(days) for each in range(people)])


class _Person:
    """One person, and all that is remembered of them."""

    def __init__(self, where: Map, seed: tuple[int, int]) -> None:
        self.where, self.random = where, np.random.default_rng(seed)
        random = self.random
        self.kind = int(random.choice(4, p=_KINDS))
        self.home = int(random.choice(CELLS, p=where.homes))
        reach = {_WORKER: 5.5, _SHIFT: 5.0, _STUDENT: 2.8}.get(self.kind, 1.0)
        pull = where.jobs * np.exp(-where.apart[self.home] / reach)
        self.work = int(random.choice(CELLS, p=pull / pull.sum()))
        self.leaves = float(np.clip(random.normal(8.1, 0.6), 5.5, 10.5))
        self.length = float(np.clip(random.normal(9.2, 0.7), 5.0, 11.0))
        self.late = bool(random.random() < 0.45)
        self.sociable = float(random.beta(2.2, 2.4))
        self.from_home = float(random.choice([0.0, 0.1, 0.4], p=[0.6, 0.25, 0.15]))
        self.visits: dict[int, int] = {}

    def days(self, number: int) -> CodeArray:
        """Return (days, 72) their cells."""
        return np.stack([self._day(day % 7) for day in range(number)])

    def _day(self, weekday: int) -> CodeArray:
        plan = _Day(self.home)
        if weekday >= 5 or self.kind == _HOME:
            self._errands(plan, weekday)
        elif self.kind == _SHIFT:
            self._shift(plan)
        elif self.random.random() >= self.from_home:
            self._at_work(plan)
        else:
            self._errands(plan, weekday)
        return plan.cells(self.where.apart)

    def _at_work(self, plan: _Day) -> None:
        random = self.random
        student = self.kind == _STUDENT
        start = self.leaves + random.normal(0, 0.25)
        length = (7.2 if student else self.length) + random.normal(0, 0.4)
        if random.random() < 0.12:
            plan.go(start - 0.8, self._somewhere(self.home))
        plan.go(start, self.work)
        if random.random() < (0.25 if student else 0.4):
            lunch = random.normal(12.4, 0.35)
            plan.go(lunch, self._somewhere(self.work))
            plan.go(lunch + random.uniform(0.67, 1.1), self.work)
        self._evening(plan, start + length, self.work)

    def _shift(self, plan: _Day) -> None:
        random = self.random
        start = (13.7 if self.late else 5.7) + random.normal(0, 0.25)
        if random.random() < 0.2:
            self._errands(plan, 0)
            return
        if self.late and random.random() < self.sociable:
            plan.go(random.uniform(9.5, 11), self._somewhere(self.home))
            plan.go(random.uniform(11.5, 12.5), self.home)
        plan.go(start, self.work)
        self._evening(plan, start + 8.2, self.work)

    def _evening(self, plan: _Day, hour: float, at: int) -> None:
        """Go home, perhaps by way of somewhere, and perhaps out again."""
        random = self.random
        while random.random() < 0.65 * self.sociable and hour < 21:
            at = self._somewhere(at)
            plan.go(hour, at)
            hour += random.uniform(0.7, 2.2)
        plan.go(hour, self.home)
        if 16 < hour < 20 and random.random() < 0.3 * self.sociable:
            hour += random.uniform(0.8, 1.8)
            plan.go(hour, self._somewhere(self.home))
            plan.go(hour + random.uniform(1.0, 2.6), self.home)

    def _errands(self, plan: _Day, weekday: int) -> None:
        """Make some trips from home, most about noon and in the late afternoon."""
        random = self.random
        outings = int(random.poisson(1.2 + 1.4 * self.sociable))
        hour = float(np.clip(random.normal(10.6 if weekday >= 5 else 10.0, 1.3), 7.5, 15))
        for _ in range(outings):
            if hour > 20.5:
                break
            at = self._somewhere(self.home)
            plan.go(hour, at)
            hour += random.uniform(0.7, 2.3)
            if random.random() < 0.35:
                plan.go(hour, self._somewhere(at))
                hour += random.uniform(0.7, 1.8)
            plan.go(hour, self.home)
            hour += random.uniform(0.8, 3.4)

    def _somewhere(self, at: int) -> int:
        """Return a place to go to: a new one, or one of those that they have been to."""
        known, random = len(self.visits), self.random
        if not known or random.random() < 0.75 * known**-0.21:
            pull = self.where.drawn_to * np.exp(-self.where.apart[at, self.where.venues] / 2.8)
            found = int(random.choice(_VENUES, p=pull / pull.sum()))
        else:
            counts = np.fromiter(self.visits.values(), dtype=np.float64)
            found = list(self.visits)[int(random.choice(known, p=counts / counts.sum()))]
        self.visits[found] = self.visits.get(found, 0) + 1
        return int(self.where.venues[found])


class _Day:
    """Where somebody sets out to in a day, and when they leave."""

    def __init__(self, home: int) -> None:
        self.stops: list[tuple[float, int]] = [(0.0, home)]

    def go(self, hour: float, to: int) -> None:
        """Move somebody to arrive there at that hour; no earlier than where they were before."""
        self.stops.append((max(hour, self.stops[-1][0] + 0.1), to))

    def cells(self, apart: FloatArray) -> CodeArray:
        """Return (72,) the cell of each slot; those on the way lie on a straight line."""
        found = np.empty(SLOTS, dtype=np.uint16)
        at = self.stops[0][1]
        found[:] = at
        for hour, to in self.stops[1:]:
            arrives = round(hour * _SLOT_AN_HOUR)
            if arrives >= SLOTS:
                break
            steps = int(apart[at, to] // _KM_A_SLOT)
            for step in range(steps):
                if arrives - steps + step > 0:
                    found[arrives - steps + step] = _between(at, to, (step + 1) / (steps + 1))
            found[arrives:] = to
            at = to
        return found


def _between(first: int, last: int, share: float) -> int:
    """Return the cell that lies so far along the straight line between two."""
    (r0, c0), (r1, c1) = divmod(first, SIDE), divmod(last, SIDE)
    return round(r0 + share * (r1 - r0)) * SIDE + round(c0 + share * (c1 - c0))


# The simulated city as files: who is in which cell from when on, or positions as phones give them.
#
# The city lies where the equator crosses the meridian of Greenwich, in the sea.

SCHEMA = FILES / "city.schema.json"
EDGE = 0.18
"""The degrees that the city reaches north and east, so that a cell is a kilometre wide."""

_MONDAY = datetime(2024, 1, 1)


def write(people: int, destination: Path, seed: int = SHIPPED_SEED) -> None:
    """Write the rows of a table: person, moment, day, slot and place, one for each arrival.

    Raises:
        Refusal: there are no people, or the seed is negative.
        OSError: the file cannot be written.
    """
    header = "person,moment,day,slot,place"
    _write(people, destination, seed, header, lambda *arrival: _row(*arrival[:4]))


def write_positions(people: int, destination: Path, seed: int = SHIPPED_SEED) -> None:
    """Write positions: person, time, latitude and longitude, one for each arrival, somewhere in its
    cell and its 20 minutes.

    Raises:
        Refusal, OSError: as of `write`.
    """
    _write(people, destination, seed, "person,time,latitude,longitude", _position)


def _write(
    people: int, destination: Path, seed: int, header: str, line: Callable[..., str]
) -> None:
    unfinished = destination.with_name(destination.name + ".part")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as sink:
            print(header, file=sink)
            _lines(people, seed, line, sink)
        unfinished.replace(destination)
    finally:
        unfinished.unlink(missing_ok=True)


def _lines(people: int, seed: int, line: Callable[..., str], sink: TextIO) -> None:
    made = simulate(people, seed)
    random = np.random.default_rng((seed, people))
    for person, day, slot, cell in _arrivals(made):
        print(line(person, day, slot, cell, random), file=sink)


def _arrivals(made: CodeArray) -> Iterator[tuple[int, int, int, int]]:
    """Yield person, day, slot and cell of every arrival, in order."""
    for person, days in enumerate(made, 1):
        comes = np.ones(days.shape, dtype=bool)
        comes[:, 1:] = days[:, 1:] != days[:, :-1]
        for day, slot in zip(*np.nonzero(comes), strict=True):
            yield person, int(day), int(slot), int(days[day, slot])


def _row(person: int, day: int, slot: int, cell: int) -> str:
    row, column = divmod(cell, SIDE)
    return f"{person},{day * SLOTS + slot},{day},{slot},r{row + 1:02d}c{column + 1:02d}"


def _position(person: int, day: int, slot: int, cell: int, random: np.random.Generator) -> str:
    row, column = divmod(cell, SIDE)
    east, north, minute = random.random(3)
    time = _MONDAY + timedelta(days=day, minutes=20 * slot + int(20 * minute))
    latitude, longitude = ((each * EDGE / SIDE) for each in (row + north, column + east))
    return f"{person},{time:%Y-%m-%dT%H:%M:%SZ},{latitude:.6f},{longitude:.6f}"
