"""Small tables as files of every kind and dialect, and hostile records and lines that might change
how others are read.
"""

from __future__ import annotations

import io
import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import Reading
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.csv.neighbour_files import with_line
from understudy.table.sources.reading import read_table

Record = tuple[Any, ...]
"""A town, a day, a count and a pay; None where it is missing, and bytes for a text that is not in
the encoding of the file."""

SCHEMA = Schema(
    columns=(
        # With several codes for missing, some of them among the hostile values below.
        Column(
            name="town",
            domain=Categories(values=("Ghent", "Zürich")),
            missing=True,
            missing_codes=(
                MissingCode(values=("zebra",), label="not applicable"),
                MissingCode(),
                MissingCode(values=("true",), label="refused"),
            ),
        ),
        # The second is another way to write a day.
        Column(
            name="day",
            domain=Categories(values=("2020-01-01", "2020-01-02 00:00:00")),
            missing=True,
            missing_codes=(
                MissingCode(),
                MissingCode(values=("9999-12-31 00:00:00",), label="still there"),
            ),
        ),
        Column(
            name="count",
            domain=Grid(minimum=Decimal(0), maximum=Decimal(9)),
            missing=True,
            missing_codes=(
                MissingCode(),
                MissingCode(values=("-1",), label="refused"),
                MissingCode(values=("40000",), label="not asked"),
                MissingCode(values=("5",), label="not known"),
            ),
        ),
        Column(
            name="pay",
            domain=Grid(
                kind="numbers", minimum=Decimal(0), maximum=Decimal(2), step=Decimal("0.1")
            ),
            missing=True,
        ),
    )
)

KEPT: tuple[Record, ...] = (
    ("Zürich", date(2020, 1, 1), 1, 0.1),
    ("Ghent", date(2020, 1, 2), 9, 0.5),
    ("Zürich", None, 0, 2.0),
    (None, date(2020, 1, 1), 3, None),
)
"""The others: each value is one of the schema or missing."""

_TOWNS: tuple[Any, ...] = (
    None,
    "zebra",
    " Ghent ",
    "Gh\u0308ent",
    '"',
    "'",
    "a,b;c\td|e\nf",
    "x" * 180,
    "2020-01-01 00:00:00",
    "1e5",
    "true",
    b"Z\xfcrich",
)
_DAYS = (
    datetime(2020, 1, 1, 10, 30),
    datetime(2020, 1, 1, 0, 0, 0, 500_000),
    date(9999, 12, 31),
    date(1900, 1, 1),
)
_COUNTS = (None, -1, 40_000, 5, 5.0, 5.4, 2**31, 2**53, 0.5, 1e30)
_PAYS = (None, 0.30000000000000004, -1e30, 1e-12, 7.0)

ZONED = (
    datetime(2020, 1, 1, 23, 30, tzinfo=UTC),
    datetime(2020, 1, 1, 23, 30, tzinfo=timezone(timedelta(hours=5))),
)
DECIMALS = (Decimal("0.1250"), Decimal("1e20"), Decimal("0.1"))
ENDLESS = (math.inf, -math.inf, math.nan)


def records(
    towns: Sequence[Any] = _TOWNS,
    days: Sequence[Any] = _DAYS,
    counts: Sequence[Any] = _COUNTS,
    pays: Sequence[Any] = _PAYS,
) -> Iterator[Record]:
    """Yield records with one hostile value each, and one with nothing in it."""
    town, day, count, pay = KEPT[1]
    yield (None,) * len(SCHEMA)
    yield from ((each, day, count, pay) for each in towns)
    yield from ((town, each, count, pay) for each in days)
    yield from ((town, day, each, pay) for each in counts)
    yield from ((town, day, count, each) for each in pays)


def beyond_types() -> Iterator[Record]:
    """Yield the same with values that not every kind of file knows."""
    yield from records(
        days=(*_DAYS, *ZONED), counts=(*_COUNTS, *DECIMALS), pays=(*_PAYS, *ENDLESS, *DECIMALS)
    )


def words_of(record: Record) -> str:
    """Return a hostile record, told by where it differs from the one it was made of."""
    names = zip(SCHEMA.names, record, KEPT[1], strict=True)
    odd = [f"{name} {str(value)[:40]!r}" for name, value, usual in names if value is not usual]
    return ", ".join(odd)


_KEPT = (
    ("Zürich", "2020-01-01", "1", "0.1"),
    ("Ghent", "2020-01-02", "9", "0.50"),
    ("Zürich", "", "0", "2"),
    ("", "2020-01-01", "3", ""),
)
_QUOTED = 3
"""The place of the cells that stand in quotation marks, where there are such."""

_ANY = (
    b"",
    b",,,",
    b";;;",
    b'"',
    b"'",
    b'"Ghent,2020-01-01,1,0.5',
    b"'Ghent;2020-01-01;1;0.5",
    b'Gh"ent,2020-01-02,9,0.5',
    b'"Gh""ent","2020-01-02","9","0.5"',
    b'"Ghent"x,2020-01-02,9,0.5',
    b"Ghent;2020-01-02;9;0,5",
    b"Ghent\t2020-01-02\t9\t0.5",
    b"Ghent|2020-01-02|9|0.5",
    b"Ghent,2020-01-02",
    b"Ghent,2020-01-02,9,0.5,1,2,3",
    b"Ghent,2020-01-02 10:30:00,9,0.5",
    b"Ghent,02.01.2020,9,0.5",
    b"Ghent,2020-01-02,9,1e400",
    b"Ghent,2020-01-02,99999999999999999999999999,nan",
    b"Ghent,2020-01-02,9.0,\xc2\xa00.5",
    b"zebra,NA,null,?",
    b"Z\xfcrich,2020-01-01,1,0.1",
    b"Z\xc3\xbcrich,2020-01-01,1,0.1",
    b"\x8f\xfa\xff\xfe\xc3,\x80\xe4,\xed\xa0\x80,\xf0",
    b"\xef\xbb\xbfGhent,2020-01-02,9,0.5",
    b"\xff\xfeG\0h\0e\0n\0t\0",
    b"\0",
    b"Gh\0ent,2020-01-02,9,0.5",
    b"x" * 5000 + b",2020-01-02,9,0.5",
    b"town,day,count,pay",
    b"Ghent,01/02/2020 10:30,9,0.5",
    b"Ghent;2020-01-02T10:30:00+09:00;9;1,234.5",
    b'"Ghent","13:45","1,007","0,5"',
    b'Ghent,02/01/2020,9,"1,5"',
    b'Ghent,02JAN2020,"1,5","1,5"',
    b"Ghent,20200102,(9),-1.234",
)
_OF_ONE_LINE = (
    b"Ghent\r,2020-01-02,9,0.5",
    ",".join(SCHEMA.names).encode(),
    b"\r",
    b"a\rb,c\rd",
)
"""For files whose lines end with a line feed."""

_OVER_LINES = (
    b'"Gh\nent",2020-01-02,9,0.5',
    b'"a\nb\nc\n","\n","",""',
    b'"Ghent\n"',
    b"Ghent,2020-01-02,9,0.5",
)
"""For files whose cells may hold line breaks: every quotation mark is closed."""


_NO_RECORDS = (
    b"zebra",
    b"zebra,,,",
    b"zebra crossing,2020-01-02,9,0.5",
    b"zebra,1,2,3,4",
    b"Ghent",
    b"Ghent,,,",
    b"Ghent,,,,",
)
"""For files whose rows are left out by rules."""


@dataclass(frozen=True)
class HostileLayout:
    """Text files of one declared reading.

    Attributes:
        reading: as declared.
        lines: the hostile ones.
    """

    reading: Reading
    lines: tuple[bytes, ...]

    @property
    def schema(self) -> Schema:
        """The columns, and that they are in files of this reading."""
        return SCHEMA.with_reading(self.reading)

    def read(self, data: bytes) -> RawTable:
        """Return a file, as declared."""
        return read_table(data, self.reading, name="table.csv")

    def neighbours(self) -> Iterator[tuple[bytes, bytes, int, str]]:
        """Yield a file, one with a line more, how many records stand before, and what it is in
        words."""
        smaller = self._write_file()
        for line in self.lines:
            for before in (0, 2, len(_KEPT)):
                larger = with_line(smaller, line, before + 1, self.reading)
                words = f"{line[:40]!r}, after {before} records, {self.reading.encoding}"
                yield smaller, larger, before, words

    def _write_file(self) -> bytes:
        quote, separator = self.reading.quote, self.reading.separator
        assert separator is not None
        assert self.reading.encoding is not None
        rows: list[tuple[str, ...]] = [SCHEMA.names]
        for cells in _KEPT:
            last = f"{quote}{cells[_QUOTED]}{quote}" if quote else cells[_QUOTED]
            rows.append((*cells[:_QUOTED], last))
        end = "\r" if self.reading.carriage_returns else "\n"
        return end.join(map(separator.join, rows)).encode(self.reading.encoding)


def _layout(encoding: str, separator: str = ",", quote: str | None = '"') -> HostileLayout:
    reading = Reading(kind="csv", encoding=encoding, separator=separator, quote=quote)
    lines: tuple[bytes, ...] = (*_ANY, *_OF_ONE_LINE)
    if encoding.startswith("utf-16"):
        # A record of such a file is made of whole units.
        odd = tuple(line + b"\0" * (len(line) % 2) for line in lines[:4])
        lines = (*odd, *(line.decode("latin-1").encode(encoding) for line in lines))
    return HostileLayout(reading, lines)


UTF_8 = _layout("utf-8")

LAYOUTS: tuple[HostileLayout, ...] = (
    UTF_8,
    _layout("iso8859-1", ";"),
    _layout("cp1252", "\t", None),
    _layout("utf-8", ",", None),
    _layout("utf-8", ";", "'"),
    _layout("utf-16-le"),
    HostileLayout(UTF_8.reading.changed(carriage_returns=True), _ANY),
    HostileLayout(UTF_8.reading.changed(line_breaks=True), _OVER_LINES),
    HostileLayout(
        UTF_8.reading.changed(leave_out=("names again", "first value alone", "begins with zebra")),
        (*_ANY, *_OF_ONE_LINE, *_NO_RECORDS),
    ),
)


Writer = Callable[[Sequence[Record]], bytes]

_STAND_IN = "~QQ~"
"""In place of a text that is in no encoding, until the file is written."""

_SINGLE = 1 << 24


def parquet(records: Sequence[Record]) -> bytes:
    """Return a Parquet file, in groups of two records."""
    sink = io.BytesIO()
    columns = {
        name: _array(list(values))
        for name, values in zip(SCHEMA.names, zip(*records, strict=True), strict=True)
    }
    pq.write_table(pa.table(columns), sink, row_group_size=2)
    return sink.getvalue()


def _array(values: list[Any]) -> pa.Array:
    """Return values in the narrowest type that holds all of them."""
    there = [value for value in values if value is not None]
    kinds = {type(value) for value in there}
    if kinds <= {str, bytes}:
        data = [value.encode() if isinstance(value, str) else value for value in values]
        return pa.array(data, pa.binary()).view(pa.string())
    if kinds <= {date, datetime}:
        return _times(values, there)
    if kinds == {int}:
        return pa.array(values, pa.int64() if max(map(abs, there)) >= 2**15 else pa.int16())
    if kinds == {Decimal} or (Decimal in kinds and int in kinds):
        return pa.array([None if each is None else Decimal(each) for each in values])
    single = pa.float32() if all(map(_is_short, there)) else pa.float64()
    return pa.array([None if value is None else _double(value) for value in values], single)


def _times(values: list[Any], there: list[Any]) -> pa.Array:
    if all(type(value) is date for value in there):
        return pa.array(values, pa.date32())
    moments = [None if value is None else _moment(value) for value in values]
    zone = next((value.tzinfo for value in there if getattr(value, "tzinfo", None)), None)
    if zone is None:
        return pa.array(moments, pa.timestamp("us"))
    aware = [each if each is None or each.tzinfo else each.replace(tzinfo=UTC) for each in moments]
    return pa.array(aware, pa.timestamp("ms", "Asia/Tokyo"))


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def _is_short(value: Any) -> bool:
    """Return whether a program might keep a number in single precision: few digits are lost."""
    return isinstance(value, float) and abs(value) < _SINGLE and float(f"{value:.6g}") == value


def _double(value: Any) -> float:
    """Return a number in double precision, after single precision where it may have been kept
    so."""
    return float(np.float32(value)) if _is_short(value) else float(value)


def excel(records: Sequence[Record]) -> bytes:
    """Return a workbook. Bytes are left out, as are empty records, which no sheet holds."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (SCHEMA.names, *records):
        sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def sqlite(records: Sequence[Record]) -> bytes:
    """Return an SQLite database, in which any value may stand in any column."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"CREATE TABLE people ({', '.join(map(repr, SCHEMA.names))})")
            for record in records:
                marks = ("CAST(? AS TEXT)" if isinstance(each, bytes) else "?" for each in record)
                said = [each.isoformat() if isinstance(each, date) else each for each in record]
                connection.execute(f"INSERT INTO people VALUES ({', '.join(marks)})", said)
            connection.commit()
        return path.read_bytes()


def statistics(write: Callable[..., Any], missing_text: str = "") -> Writer:
    """Return a writer of files of a statistics program, from that of the library."""

    def write_file(records: Sequence[Record]) -> bytes:
        odd = [each for record in records for each in record if isinstance(each, bytes)]
        frame = pd.DataFrame(
            {
                name: _series(values, missing_text)
                for name, values in zip(SCHEMA.names, zip(*records, strict=True), strict=True)
            }
        )
        with TemporaryDirectory() as folder:
            path = Path(folder) / "table"
            write(frame, str(path))
            data = path.read_bytes()
        for each in odd:
            data = data.replace(_stand_in(each).encode(), each)
        return data

    return write_file


def _stand_in(data: bytes) -> str:
    """Return a text of as many bytes, four or more."""
    assert len(data) >= len(_STAND_IN)
    return _STAND_IN.ljust(len(data), "~")


def _series(values: Sequence[Any], missing_text: str) -> Any:
    there = [value for value in values if value is not None]
    if all(isinstance(value, str | bytes) for value in there):
        texts = [_stand_in(each) if isinstance(each, bytes) else each for each in values]
        return [missing_text if each is None else each for each in texts]
    if all(isinstance(value, date) for value in there):
        if all(type(value) is date for value in there):
            return list(values)
        return [None if value is None else _moment(value) for value in values]
    if all(isinstance(value, int) for value in there) and len(there) == len(values):
        return list(values)
    single = np.float32 if all(map(_is_short, there)) else np.float64
    return np.array([math.nan if each is None else _double(each) for each in values], single)
