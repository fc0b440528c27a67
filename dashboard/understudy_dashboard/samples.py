"""The simulated tables that anybody can begin with. Nobody in them exists."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from understudy.samples import census, city, discharges
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.opened import Table

CITY_PEOPLE: Final = 1_000
DISCHARGES: Final = 100_000


@dataclass(frozen=True)
class Sample:
    """A simulated table.

    Attributes:
        called: what the ledger and its projects call it.
        about: what it holds, in a sentence.
        ready: what to say once it is open.
        read: reads it.
        schema: its declared schema.
    """

    called: str
    about: str
    ready: str
    read: Callable[[], RawTable]
    schema: Callable[[], Schema]

    @property
    def name(self) -> str:
        """What it is called within a sentence."""
        return f"the {self.called}"

    @property
    def table(self) -> Table:
        """The table of the sample, as a page opens it."""
        return Table(self.name, self.read(), sample=True)


@cache
def _city() -> RawTable:
    # Simulated, so that all sessions may share it; it takes some seconds.
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "city.csv"
        city.write(CITY_PEOPLE, place)
        return read_table(place)


@cache
def _stays() -> RawTable:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "discharges.csv"
        discharges.write(DISCHARGES, place)
        return read_table(place)


CENSUS: Final = Sample(
    called="sample census",
    about="60,000 simulated people with age, work, schooling and income. Nobody in it exists, so "
    "nothing can go wrong, and it is the place to try settings.",
    ready="The sample census is open, and everything is ready: you can generate at once, or walk "
    "through the steps. Nobody in it exists.",
    read=lambda: read_table(census.TABLE),
    schema=census.schema,
)
CITY: Final = Sample(
    called="simulated city",
    about=f"Or two weeks of {CITY_PEOPLE:,} simulated people on the map of a city: who is where "
    "from when on.",
    ready="The simulated city is open. Choose “Made traces” on the Privacy page: it makes people "
    "with whole days on a map. Nobody in it exists.",
    read=_city,
    schema=lambda: Schema.load(city.SCHEMA),
)
STAYS: Final = Sample(
    called="simulated discharges",
    about=f"Or {DISCHARGES:,} simulated stays in hospital: 42 flags each, such as an operation or "
    "a tumour.",
    ready="The simulated discharges are open, and everything is ready: you can generate at once, "
    "or walk through the steps. Nobody in them exists.",
    read=_stays,
    schema=discharges.schema,
)
_EVERY: Final = (CENSUS, CITY, STAYS)


def sample_called(called: str) -> Sample:
    """Return the sample of a project, by what that calls its people; the census where it is
    none."""
    return next((each for each in _EVERY if each.called == called), CENSUS)
