"""Reading: with one record more in a file, all others are read as without it.

Each kind of file is written with and without a hostile record, which stands first, in the middle
and last, and both are read under one reading, one schema and the same policies. What is compared is
every text of every other record, and every code and every number under each policy: of numbers in
steps and continuous ones, of numbers in a declared spelling, of dates, and of dates with times in a
declared spelling and time zone.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import pyreadstat

from understudy.assurance import hostile_files
from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.hostile_files import (
    KEPT,
    LAYOUTS,
    SCHEMA,
    HostileLayout,
    Record,
    beyond_types,
    records,
    words_of,
)
from understudy.core.arrays import CodeArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.table.authoring.edits import with_kind, with_range
from understudy.table.column import Column
from understudy.table.declared_reading import Kind
from understudy.table.domain import Domain
from understudy.table.encoding import encode
from understudy.table.fit import Policy
from understudy.table.kinds import class_of_kind
from understudy.table.raw import RawTable
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.csv.neighbour_files import reads_alike
from understudy.table.sources.databases.database import read_query
from understudy.table.sources.excel.excel_file import read_excel
from understudy.table.sources.reading import read_table
from understudy.table.sources.source import open_source
from understudy.table.sources.statistics.statistics_file import read_statistics
from understudy.table.sources.streamed_table import StreamedTable

Reader = Callable[[bytes], RawTable]
Codes = list[tuple[float, ...]]
"""Of each record: its codes and numbers, one kind of the same columns after another."""

_ABSENT = -math.inf
"""In place of a missing number, which would not equal itself."""

PART = "Reading"
_MOST_BYTES = 1 << 20
_FEW = 7
"""No multiple of the number of places at which a record is put in."""

_NUMBERS = [column.name for column in SCHEMA.columns if column.ordered]
_REFUSED: Mapping[str, Policy] = dict.fromkeys(SCHEMA.names, "refuse")
_MISSING: Mapping[str, Policy] = dict.fromkeys(SCHEMA.names, "missing")
_CLIPPED: Mapping[str, Policy] = {**_MISSING, **dict.fromkeys(_NUMBERS, "clip")}
_POLICIES = (_REFUSED, _MISSING, _CLIPPED)
"""A table with values that no policy covers is refused before anything is spent; with “missing”
there are none."""


@dataclass(frozen=True)
class NeighbourFiles:
    """Two files, the second with something more in it.

    Attributes:
        smaller, larger: their bytes.
        before: how many records stand before what was put in; None where a table is put in an order
            of its own.
        words: what was put in, and where.
    """

    smaller: bytes
    larger: bytes
    before: int | None
    words: str


def list_checks() -> tuple[Check, ...]:
    """Return every kind of file that can be written here, and Parquet read piece by piece."""
    found = [_check("text files", text_files)]
    found += [_check(name, partial(_read_typed, name=name)) for name in TYPED]
    streamed = Check(
        PART,
        "Parquet, piece by piece",
        "codes, numbers and refusals as of the file read whole, under each policy",
        GUARANTEE,
        piece_by_piece,
    )
    return (*found, streamed)


def _check(name: str, measure: Callable[[Effort], MeasuredValue]) -> Check:
    claim = (
        "(0, 0): with one record more, each text of all others is the same, and each code and "
        "number under each policy; or the table is refused, where the policy does not cover its "
        "values"
    )
    return Check(PART, name, claim, GUARANTEE, measure)


def text_files(effort: Effort) -> MeasuredValue:
    """Under each layout."""
    total = NOTHING
    for layout in LAYOUTS:
        total |= compare_readings(some(_of_lines(layout), effort), layout.read, layout.schema)
    return total


def text_file(layout: HostileLayout, read: Reader, effort: Effort) -> MeasuredValue:
    """Under one layout, by another reader."""
    return compare_readings(some(_of_lines(layout), effort), read, layout.schema)


def _of_lines(layout: HostileLayout) -> Iterator[NeighbourFiles]:
    return (NeighbourFiles(*each) for each in layout.neighbours())


def some(pairs: Iterator[NeighbourFiles], effort: Effort) -> Iterator[NeighbourFiles]:
    """Return all of them, or with less effort than is usual every few. They are no random ones, so
    with more there are no more."""
    return islice(pairs, 0, None, min(_FEW, round(1 / min(1.0, effort.times))))


def compare_readings(
    pairs: Iterable[NeighbourFiles], read: Reader, schema: Schema = SCHEMA
) -> MeasuredValue:
    """Return 0 where one record more changed no other, and infinity elsewhere."""
    total = NOTHING
    # The smaller file is the same for many.
    through = partial(SeenRecords.through, read, schema)
    again = lru_cache(maxsize=1)(through)
    for pair in pairs:
        try:
            alike = _alike(again(pair.smaller), through(pair.larger), pair.before)
        except Refusal:
            alike = False
        total |= MeasuredValue(1, 0.0 if alike else math.inf, pair.words)
    return total


@dataclass(frozen=True)
class SeenRecords:
    """A file as it was read, and encoded under each policy.

    Attributes:
        raw: its texts.
        codes: the codes and numbers of each record, by policy; None where the table is refused.
    """

    raw: RawTable
    codes: tuple[Codes | None, ...]

    @classmethod
    def through(cls, read: Reader, schema: Schema, data: bytes) -> SeenRecords:
        """Return a file, read.

        Raises:
            Refusal: it cannot be read.
        """
        raw = read(data)
        return cls(raw, tuple(_codes(raw, schema, each) for each in _POLICIES))


def _alike(one: SeenRecords, more: SeenRecords, before: int | None) -> bool:
    """Return whether the second, restricted to the records of the first, is the first."""
    if not reads_alike(one.raw, more.raw, before):
        return False
    added = more.raw.rows - one.raw.rows
    for policies, fewer, codes in zip(_POLICIES, one.codes, more.codes, strict=True):
        if codes is None:
            if policies is _MISSING:
                return False
        elif fewer is None or not _same_codes(fewer, codes, before, added):
            return False
    return True


def _codes(raw: RawTable, schema: Schema, policies: Mapping[str, Policy]) -> Codes | None:
    try:
        kinds = (make(schema) for make in _KINDS)
        return _rows(*([encode(raw, each, policies)] for each in kinds))
    except Refusal:
        return None


def make_measured(schema: Schema) -> Schema:
    """Return the same schema with its columns of numbers continuous, and days as dates."""
    made = [with_kind(each, "continuous") if each.ordered else each for each in schema.columns]
    return _with_days(schema, made, _DATES)


def make_spelt(schema: Schema) -> Schema:
    """Return the same schema with its columns of numbers continuous and in a spelling, and days
    with times in another, on the clock of a time zone."""
    made = [
        with_range(each, spelling="1,234.5") if each.domain.numeric else each
        for each in make_measured(schema).columns
    ]
    return _with_days(schema, made, _MOMENTS)


def _with_days(schema: Schema, columns: Sequence[Column], domain: Domain) -> Schema:
    """Return a schema of these columns, days as another kind."""
    found = [each.changed(domain=domain) if each.name == "day" else each for each in columns]
    return schema.with_columns(found)


_ENDS: Final = {"minimum": "1900-01-01", "maximum": "2020-12-31", "step": "year"}
_DATES: Final = class_of_kind("dates").read({**_ENDS, "spelling": "DD.MM.YYYY"})
_MOMENTS: Final = class_of_kind("moments").read(
    {**_ENDS, "spelling": "DD/MM/YYYY hh:mm or MM/DD/YYYY hh:mm", "zone": "Europe/Berlin from UTC"}
)
_KINDS: Final = (lambda schema: schema, make_measured, make_spelt)
"""The same columns as kinds of their own."""


def _rows(*kinds: Iterable[Records]) -> Codes:
    found = []
    for alike in zip(*kinds, strict=True):
        parts: list[CodeArray | FloatArray] = []
        for each in alike:
            parts.append(each.codes)
            if each.numbers is not None:
                parts.append(np.where(np.isnan(each.numbers), _ABSENT, each.numbers))
        found += np.hstack(parts).tolist()
    return list(map(tuple, found))


def _same_codes(one: Codes, more: Codes, before: int | None, added: int) -> bool:
    if before is None:
        return not Counter(one) - Counter(more)
    return more[:before] + more[before + added :] == one


@dataclass(frozen=True)
class Typed:
    """A kind of file whose values have types.

    Attributes:
        write: makes one.
        read: reads one.
        hostile: the records that are put in.
        ordered: whether the records keep their order.
    """

    write: hostile_files.Writer
    read: Reader
    hostile: Callable[[], Iterable[Record]]
    ordered: bool = True

    def neighbours(self) -> Iterator[NeighbourFiles]:
        """Yield each hostile record first, in the middle and last."""
        smaller = self.write(KEPT)
        for record in self.hostile():
            for place in (0, 2, len(KEPT)):
                larger = self.write([*KEPT[:place], record, *KEPT[place:]])
                words = f"{words_of(record)}, after {place} records"
                yield NeighbourFiles(smaller, larger, place if self.ordered else None, words)


def _read_typed(effort: Effort, name: str) -> MeasuredValue:
    """Of one of `TYPED`, by its name."""
    return compare_readings(some(TYPED[name].neighbours(), effort), TYPED[name].read)


def _read_named(name: str) -> Reader:
    return lambda data: read_table(data, name=name)


def _excel(data: bytes) -> RawTable:
    # In this process, as below.
    source = open_source(data, "table.xlsx", _MOST_BYTES)
    return read_excel(source, sheet=None, limit=sys.maxsize)


def _statistics(name: str, kind: Kind) -> Reader:
    # In this process: what is written here ends none.
    return lambda data: read_statistics(open_source(data, name, _MOST_BYTES), kind, encoding=None)


def _database(data: bytes) -> RawTable:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.db"
        path.write_bytes(data)
        return read_query(f"sqlite:///{path}", "people")


def _without_bytes() -> Iterator[Record]:
    return (each for each in records() if not any(isinstance(value, bytes) for value in each))


TYPED: Mapping[str, Typed] = {
    "Parquet": Typed(hostile_files.parquet, _read_named("table.parquet"), beyond_types),
    "Excel": Typed(hostile_files.excel, _excel, _without_bytes),
    "Stata": Typed(
        hostile_files.statistics(pyreadstat.write_dta), _statistics("table.dta", "stata"), records
    ),
    "SPSS": Typed(
        hostile_files.statistics(pyreadstat.write_sav), _statistics("table.sav", "spss"), records
    ),
    "SAS transport": Typed(
        hostile_files.statistics(pyreadstat.write_xport),
        _statistics("table.xpt", "sas-transport"),
        records,
    ),
    "SQLite": Typed(hostile_files.sqlite, _database, records, ordered=False),
}


def piece_by_piece(effort: Effort) -> MeasuredValue:
    """Return 0 where a Parquet file read piece by piece comes to what it comes to whole."""
    total = NOTHING
    parquet = TYPED["Parquet"]
    with TemporaryDirectory() as folder:
        within = (pair for pair in parquet.neighbours() if pair.before == 2)
        for number, pair in enumerate(some(within, effort)):
            path = Path(folder) / f"{number}.parquet"
            path.write_bytes(pair.larger)
            whole = parquet.read(pair.larger)
            same = all(
                _codes(whole, SCHEMA, policies) == _stream_table(path, policies)
                for policies in _POLICIES
            )
            total |= MeasuredValue(1, 0.0 if same else math.inf, pair.words)
    return total


def _stream_table(path: Path, policies: Mapping[str, Policy]) -> Codes | None:
    try:
        kinds = (make(SCHEMA) for make in _KINDS)
        return _rows(*(StreamedTable.open(path, each, policies).records() for each in kinds))
    except Refusal:
        return None
