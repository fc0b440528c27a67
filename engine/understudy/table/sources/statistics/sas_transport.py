"""Checking that a SAS transport file is complete.

The format is one of records of 80 bytes. The library that reads it takes what is there for all that
there was, so what the file tells of its own length is compared with what was read
(https://support.sas.com/content/dam/SAS/support/en/technical-papers/record-layout-of-a-sas-version-5-or-6-data-set-in-sas-transport-xport-format.pdf).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from understudy.core.refusal import Refusal
from understudy.table.sources.source import Source, damaged_file

_RECORD = 80
_HEADER = b"HEADER RECORD*******"
_MEMBER = _HEADER + b"MEMB"
_COLUMNS = (_HEADER + b"NAMESTR", _HEADER + b"NAMSTV8")
_RECORDS = (_HEADER + b"OBS  ", _HEADER + b"OBSV8")
_COUNTED = b"OBSV8"
_DIGITS = slice(48, 63)
_LENGTH_OF_COLUMN = slice(74, 78)
_BLANK = b" "


@dataclass(frozen=True)
class _Layout:
    """Where the records lie.

    Attributes:
        start: the place of the first.
        length: bytes of each.
        count: how many the file says there are; None where it does not say.
    """

    start: int
    length: int
    count: int | None


def check_whole(source: Source, columns: int, rows: int) -> bool:
    """Check that as many records were read as there are.

    Args:
        source: the file.
        columns: how many it has.
        rows: how many records were read.

    Returns:
        Whether the file says how many there are. Where it does not, one that was cut short between
        two records cannot be told from a whole one.

    Raises:
        Refusal: it was cut short, or holds several tables.
    """
    data = source.data
    if len(data) % _RECORD:
        raise damaged_file(source, "sas-transport")
    try:
        layout = _layout(data, columns)
    except (ValueError, struct.error):
        raise damaged_file(source, "sas-transport") from None
    if _next(data, _MEMBER, layout.start) >= 0:
        raise Refusal(
            f"{source.name} holds several tables.",
            "Save the one that is meant in a file of its own.",
            field="table",
        )
    rest = data[layout.start + rows * layout.length :]
    if layout.count not in (None, rows) or rest.strip(_BLANK):
        raise damaged_file(source, "sas-transport")
    # Blanks fill the last 80 bytes up. What is more than these would be records of blanks.
    if len(rest) >= _RECORD or layout.start + rows * layout.length > len(data):
        raise damaged_file(source, "sas-transport")
    return layout.count is not None


def _layout(data: bytes, columns: int) -> _Layout:
    member = _first(data, (_MEMBER,), 0)
    described = int(data[member:][_LENGTH_OF_COLUMN])
    start = _first(data, _COLUMNS, member) + _RECORD
    lengths = [
        struct.unpack_from(">H", data, start + place * described + 4)[0] for place in range(columns)
    ]
    header = _first(data, _RECORDS, start + columns * described)
    said = data[header:][_DIGITS].strip() if _COUNTED in data[header : header + _RECORD] else b""
    return _Layout(header + _RECORD, sum(lengths), int(said) if said.strip(b"0") else None)


def _first(data: bytes, signs: tuple[bytes, ...], start: int) -> int:
    """Return where a header record stands.

    Raises:
        ValueError: nowhere.
    """
    found = [place for sign in signs if (place := _next(data, sign, start)) >= 0]
    if not found:
        raise ValueError
    return min(found)


def _next(data: bytes, sign: bytes, start: int) -> int:
    """Return where a record that begins so stands, or −1."""
    found = data.find(sign, start)
    while found >= 0 and found % _RECORD:
        found = data.find(sign, found + 1)
    return found
