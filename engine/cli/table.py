"""The options that say how a table file is read."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.refusal import Refusal

if TYPE_CHECKING:
    from engine.table.encoding import Policy
    from engine.table.raw import RawTable
    from engine.table.records import Records
    from engine.table.schema import Schema

_READING = "Reading the table"
_SPELLED = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|"}

Table = Annotated[
    Path,
    typer.Argument(metavar="TABLE", help="The confidential table: CSV, Parquet or Excel."),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        metavar="SIGN",
        rich_help_panel=_READING,
        help="What stands between two cells of a CSV file: comma, semicolon, tab or pipe "
        "(default: found).",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        rich_help_panel=_READING,
        help="Encoding of a CSV file, such as utf-8 or latin-1 (default: found).",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        rich_help_panel=_READING,
        help="Sheet of an Excel file (default: the first).",
    ),
]


def read(table: Path, separator: str | None, encoding: str | None, sheet: str | None) -> RawTable:
    """Read a table as the options say.

    Raises:
        Refusal: it cannot be read; `field` may be separator, encoding or sheet.
    """
    from engine.table.reading import read_table

    spelled = None if separator is None else _SPELLED.get(separator.lower(), separator)
    return read_table(table, separator=spelled, encoding=encoding, sheet=sheet)


def again(separator: str | None, encoding: str | None, sheet: str | None) -> list[str]:
    """The options as they were typed, for a command to be typed next."""
    given = {"--separator": separator, "--encoding": encoding, "--sheet": sheet}
    return [part for name, value in given.items() if value is not None for part in (name, value)]


@contextmanager
def columns_of(raw: RawTable) -> Iterator[None]:
    """Refusals about a column of the table lose their field: a column is no option, even if
    it is called like one."""
    try:
        yield
    except Refusal as refusal:
        if refusal.field not in raw.names:
            raise
        raise Refusal(refusal.problem, refusal.remedy) from None


def encoded(
    raw: RawTable, schema: Schema, policies: Mapping[str, Policy], *, settled_here: bool = True
) -> Records:
    """The table in codes.

    Args:
        raw: the table.
        schema: its schema.
        policies: per column, what becomes of values outside the schema.
        settled_here: whether --outside can settle them, so that a refusal should say how.

    Raises:
        Refusal: the table does not fit the schema.
    """
    from engine.table.encoding import choices, encode

    try:
        return encode(raw, schema, policies)
    except Refusal as refusal:
        column = refusal.field
        if not settled_here or column not in schema.names or column not in raw.names:
            raise
        taken = ("refuse", policies.get(column))
        others = [each for each in choices(schema.column(column)) if each not in taken]
        options = " or ".join(f"--outside {shlex.quote(f'{column}={each}')}" for each in others)
        remedy = f"{refusal.remedy} On the command line: {options}." if options else refusal.remedy
        raise Refusal(refusal.problem, remedy, field=column) from None
