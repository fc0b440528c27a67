"""A table that was opened: its texts, how they may be read again, its first schema, and the
samples."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Final

from understudy.core.refusal import Refusal
from understudy.ledger.likeness import Likeness
from understudy.samples import archives, census, city, discharges
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.positions.reading import read_positions
from understudy.table.sources.reading import read_table


@dataclass(frozen=True)
class LoadedTable:
    """A table as read: every value still a text.

    Attributes:
        name: what it is called, such as the name of its file.
        raw: its values. Confidential.
        sample: whether it is one of the simulated tables that anybody can begin with.
        connection: of a database, the connection string without its password, and the query; two
            empty texts for a file. None leaves what its project remembers.
        again: reads a file once more, in another way; None where that cannot be.
        reading_chosen: whether somebody said how it is read when it was opened.
        likeness: what the ledger knows it by; None where that was not found yet. Secret.
    """

    name: str
    raw: RawTable
    sample: bool = False
    connection: tuple[str, str] | None = None
    again: Callable[[Reading], RawTable] | None = None
    reading_chosen: bool = False
    likeness: Likeness | None = field(default=None, repr=False, compare=False)

    def read_as(self, reading: Reading) -> LoadedTable:
        """Return the same, read in another way; of positions that are there, what they become.

        Raises:
            Refusal: it cannot be read so, or not once more.
        """
        if self.raw.reading == reading:
            return self
        if reading.positions is not None and reading.of_file() == self.raw.reading:
            return replace(self, raw=read_positions(self.raw, reading.positions).raw, likeness=None)
        if self.again is None:
            raise Refusal(
                "The file is not there to be read once more.",
                "Open it again, and then say how it is read.",
                field="table",
            )
        return replace(self, raw=self.again(reading), likeness=None)

    def with_reading(self, schema: Schema) -> Schema:
        """Return a schema from elsewhere, which may not say how the file is read, with how this
        is."""
        if schema.reading is not None or self.raw.reading.is_usual:
            return schema
        return schema.with_reading(self.raw.reading)

    def fit_reading(self, schema: Schema) -> tuple[LoadedTable, Schema]:
        """Return the table as a schema says that it is read; or where somebody said how when it was
        opened, the schema with that.

        Raises:
            Refusal: it cannot be read so.
        """
        kind = self.raw.reading.kind
        if self.reading_chosen and self.raw.reading != schema.reading_of(kind):
            return self, schema.with_reading(self.raw.reading)
        wanted = schema.reading_of(kind)
        there = self.again is not None or wanted.of_file() == self.raw.reading
        return (self.read_as(wanted) if there else self), schema


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
    def table(self) -> LoadedTable:
        """The table of the sample, as a page opens it."""
        return LoadedTable(self.name, self.read(), sample=True)


@cache
def _read_city() -> RawTable:
    # Simulated, so that all sessions may share it; it takes some seconds.
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "city.csv"
        city.write(CITY_PEOPLE, place)
        return read_table(place)


@cache
def _read_stays() -> RawTable:
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
    schema=partial(census.schema, ruled=True),
)
HOSPITAL: Final = Sample(
    called="sample hospital",
    about=f"Or {archives.SHIPPED_STAYS:,} simulated stays in a hospital: dates and times, costs "
    "that add up, codes for missing, and rules that every released row keeps.",
    ready="The sample hospital is open, with its rules and its derived columns, and everything is "
    "ready: you can generate at once, or walk through the steps. Nobody in it exists.",
    read=lambda: read_table(archives.HOSPITAL),
    schema=lambda: Schema.load(archives.HOSPITAL_SCHEMA),
)
CITY: Final = Sample(
    called="simulated city",
    about=f"Or two weeks of {CITY_PEOPLE:,} simulated people on the map of a city: who is where "
    "from when on.",
    ready="The simulated city is open. Choose “Made traces” on the Privacy page: it makes people "
    "with whole days on a map. Nobody in it exists.",
    read=_read_city,
    schema=lambda: Schema.load(city.SCHEMA),
)
STAYS: Final = Sample(
    called="simulated discharges",
    about=f"Or {DISCHARGES:,} simulated stays in hospital: 42 flags each, such as an operation or "
    "a tumour.",
    ready="The simulated discharges are open, and everything is ready: you can generate at once, "
    "or walk through the steps. Nobody in them exists.",
    read=_read_stays,
    schema=discharges.schema,
)
_EVERY: Final = (CENSUS, HOSPITAL, CITY, STAYS)


def find_sample(called: str) -> Sample:
    """Return the sample of a project, by what that calls its people; the census where it is
    none."""
    return next((each for each in _EVERY if each.called == called), CENSUS)
