"""The simulated city as files: who is in which cell from when on, or positions as phones give them.

The city lies where the equator crosses the meridian of Greenwich, in the sea.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TextIO

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.samples import FILES
from understudy.samples.city import SHIPPED_SEED, SIDE, SLOTS, simulate

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
    """Person, day, slot and cell of every arrival, in order."""
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
