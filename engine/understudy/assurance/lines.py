"""Small text files in several dialects, and hostile lines that might change how others are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from understudy.assurance.hostile import SCHEMA
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.csv.neighbouring import with_line
from understudy.table.sources.reading import read_table

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
)
_OF_ONE_LINE = (b"Ghent\r,2020-01-02,9,0.5", b"\r", b"a\rb,c\rd")
"""For files whose lines end with a line feed."""

_OVER_LINES = (
    b'"Gh\nent",2020-01-02,9,0.5',
    b'"a\nb\nc\n","\n","",""',
    b'"Ghent\n"',
    b"Ghent,2020-01-02,9,0.5",
)
"""For files whose cells may hold line breaks: every quotation mark is closed."""


@dataclass(frozen=True)
class Layout:
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
        smaller = self._written()
        for line in self.lines:
            for before in (0, 2, len(_KEPT)):
                larger = with_line(smaller, line, before + 1, self.reading)
                words = f"{line[:40]!r}, after {before} records, {self.reading.encoding}"
                yield smaller, larger, before, words

    def _written(self) -> bytes:
        quote, separator = self.reading.quote, self.reading.separator
        assert separator is not None
        assert self.reading.encoding is not None
        rows: list[tuple[str, ...]] = [SCHEMA.names]
        for cells in _KEPT:
            last = f"{quote}{cells[_QUOTED]}{quote}" if quote else cells[_QUOTED]
            rows.append((*cells[:_QUOTED], last))
        end = "\r" if self.reading.carriage_returns else "\n"
        return end.join(map(separator.join, rows)).encode(self.reading.encoding)


def _layout(encoding: str, separator: str = ",", quote: str | None = '"') -> Layout:
    reading = Reading(kind="csv", encoding=encoding, separator=separator, quote=quote)
    lines: tuple[bytes, ...] = (*_ANY, *_OF_ONE_LINE)
    if encoding.startswith("utf-16"):
        # A record of such a file is made of whole units.
        odd = tuple(line + b"\0" * (len(line) % 2) for line in lines[:4])
        lines = (*odd, *(line.decode("latin-1").encode(encoding) for line in lines))
    return Layout(reading, lines)


UTF_8 = _layout("utf-8")

LAYOUTS: tuple[Layout, ...] = (
    UTF_8,
    _layout("iso8859-1", ";"),
    _layout("cp1252", "\t", None),
    _layout("utf-8", ",", None),
    _layout("utf-8", ";", "'"),
    _layout("utf-16-le"),
    Layout(UTF_8.reading.changed(carriage_returns=True), _ANY),
    Layout(UTF_8.reading.changed(line_breaks=True), _OVER_LINES),
)
