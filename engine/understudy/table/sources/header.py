"""The header of a table: how many columns it names, and whether their names can be used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from understudy.core.refusal import Refusal
from understudy.table.cells import parse_number
from understudy.table.checks import first_lookalikes, first_repeat, name_problem

_BYTES: Final = 1 << 20
"""A header of more bytes is not counted."""
_SEPARATORS: Final = (b",", b";", b"\t", b"|")
_BINARY: Final = (b"PAR1", b"PK", b"\x1f\x8b")
_QUOTED: Final = re.compile(rb'"(?:[^"]|"")*"')


def count_header(source: Path | bytes, separator: str | None = None) -> int | None:
    """Return how many columns the first line of a text file names; None if that is not told by
    it, as of other formats. The rest of the file is not read.

    Args:
        source: the file, or the bytes of an upload.
        separator: the sign between names; the most frequent of the usual ones if not said.
    """
    try:
        if isinstance(source, Path):
            with source.open("rb") as file:
                start = file.read(_BYTES)
        else:
            start = source[:_BYTES]
    except OSError:
        return None
    if b"\0" in start or start.startswith(_BINARY):
        return None
    line, end, _ = start.replace(b"\r", b"\n").partition(b"\n")
    if not end and len(start) == _BYTES:
        return None
    bare = _QUOTED.sub(b"", line)
    signs = _SEPARATORS if separator is None else (separator.encode(),)
    return 1 + max(bare.count(sign) for sign in signs)


def checked_names(names: Sequence[str], file: str, *, separated: bool = False) -> tuple[str, ...]:
    """Return the column names without blanks around them.

    A file without a header has its first record here, so names are spoken of by position.

    Args:
        names: as they stand in the file.
        file: what it is called.
        separated: whether a sign between them tells one from the next.

    Raises:
        Refusal: there is only one, one is blank, too long or holds what is not seen, or two are the
            same or look it.
    """
    names = [name.strip() for name in names]
    if len(names) < 2:
        more = " If it has more, name the separator between them." if separated else ""
        raise Refusal(
            f"{file} has only one column.",
            f"Choose a table of two columns or more.{more}",
            field="separator" if separated else "table",
        )
    blank = [place for place, name in enumerate(names, 1) if not name]
    if blank:
        raise Refusal(
            f"Column {blank[0]} of {file} has no name"
            + (f", and {len(blank) - 1} more have none." if len(blank) > 1 else "."),
            "Give every column a name in the first row.",
            field="table",
        )
    _check_seen(names, file)
    repeated = first_repeat(names)
    if repeated is not None:
        raise Refusal(
            f"Columns {repeated[0] + 1} and {repeated[1] + 1} of {file} have the same name.",
            "Give each column a name of its own in the first row.",
            field="table",
        )
    alike = first_lookalikes(names)
    if alike is not None:
        raise Refusal(
            f"The names of columns {alike[0] + 1} and {alike[1] + 1} of {file} look the same: they "
            "are the same letters in two forms of Unicode.",
            "Give each column a name of its own in the first row.",
            field="table",
        )
    return tuple(names)


def _check_seen(names: Sequence[str], file: str) -> None:
    """Check that every name can be shown.

    Raises:
        Refusal: one cannot.
    """
    for place, name in enumerate(names, 1):
        # A name over two lines is no name of a schema, but its column can be left out.
        wrong = name_problem(" ".join(name.split()))
        if wrong is not None:
            raise Refusal(
                f"The name of column {place} of {file} {wrong}.",
                "Rename the column in the file.",
                field="table",
            )


def name_notes(names: Sequence[str]) -> tuple[str, ...]:
    """Return what a person should see about the names."""
    if any(parse_number(name) is not None for name in names):
        return (
            "Some column names are numbers. If the first row is a record, put the names above it.",
        )
    return ()


def check_rows(rows: int, file: str) -> None:
    """Check that something follows the header.

    Raises:
        Refusal: nothing does.
    """
    if rows == 0:
        raise Refusal(
            f"{file} has column names but no records.",
            "Choose a file with records under the names.",
            field="table",
        )
