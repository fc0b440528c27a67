"""Neighbouring files: comparing how records are read with and without further ones.

The property of reading (docs/guarantee.md) is stated in these words: of two files that differ by
one record, the larger one, *restricted* to the records of the smaller, reads as the smaller one.
"""

from __future__ import annotations

from collections import Counter

from understudy.table.declared_reading import Reading
from understudy.table.encodings import MARKS
from understudy.table.raw import RawTable
from understudy.table.sources.csv.dialect import Dialect

TextRecord = tuple[str, ...]


def records_of(table: RawTable) -> list[TextRecord]:
    """Return the records of a table, each as its texts, in their order."""
    columns = []
    for name in table.names:
        texts, places = table.distinct(name)
        columns.append([texts[place] for place in places.tolist()])
    return list(zip(*columns, strict=True))


def restrict_table(table: RawTable, before: int, added: int) -> list[TextRecord]:
    """Return the records of a table without those that were added.

    Args:
        table: of the larger file.
        before: how many records stand before them.
        added: how many they are.
    """
    found = records_of(table)
    return found[:before] + found[before + added :]


def reads_alike(smaller: RawTable, larger: RawTable, before: int | None) -> bool:
    """Return whether the larger table, restricted to the records of the smaller, is the smaller.

    Args:
        smaller: of a file.
        larger: of the same file with something put in.
        before: how many records stand before that; None where what is read is put in an order of
            its own, so that records count as a collection.
    """
    if smaller.names != larger.names or smaller.rows > larger.rows:
        return False
    if before is None:
        return not Counter(records_of(smaller)) - Counter(records_of(larger))
    rest = restrict_table(larger, before, larger.rows - smaller.rows)
    return rest == records_of(smaller)


def with_line(data: bytes, line: bytes, place: int, reading: Reading) -> bytes:
    """Return a text file with one line more.

    Args:
        data: the file, the first line of which names the columns.
        line: without its end.
        place: after how many lines it is put in, 1 for directly under the names.
        reading: how lines end.
    """
    assert reading.encoding is not None
    end = Dialect(reading).end.decode().encode(reading.encoding)
    lines = split_lines(data, reading)
    place = min(place, len(lines))
    return end.join([*lines[:place], line, *lines[place:]])


def split_lines(data: bytes, reading: Reading) -> list[bytes]:
    """Return the lines of a text file without their ends, a byte order mark with the first; an end
    at the end of the file begins no further line."""
    assert reading.encoding is not None
    end = Dialect(reading).end.decode().encode(reading.encoding)
    sign = next((mark.sign for mark in MARKS if mark.encoding == reading.encoding), b"")
    skipped = len(sign) if sign and data.startswith(sign) else 0
    lines, start, at = [], 0, skipped
    while at < len(data):
        if data[at : at + len(end)] == end:
            lines.append(data[start:at])
            start = at + len(end)
        at += len(end)
    return [*lines, data[start:]] if start < len(data) else lines
