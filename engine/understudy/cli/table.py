"""The options that say which table is read, and how."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.table.declared_reading import Reading
    from understudy.table.fit import Policy
    from understudy.table.raw import RawTable
    from understudy.table.records import Records
    from understudy.table.schema import Schema
    from understudy.table.sources.streamed_table import StreamedTable

_READING = "Reading the table"
_SPELLED = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|"}

_NAMED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

_CONNECTION = "UNDERSTUDY_DATABASE"

Table = Annotated[
    Path | None,
    typer.Argument(
        metavar="TABLE",
        help="The confidential table: CSV, Parquet, Excel, Stata, SPSS or SAS. Leave it out to "
        "read from a database.",
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        rich_help_panel=_READING,
        help="Connection string of a database to read from instead. A password belongs into "
        f"{_CONNECTION}, which is used where this is left out: a list of processes shows options.",
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--query",
        metavar="TEXT",
        rich_help_panel=_READING,
        help="What to read from the database: the name of a table, or a query that begins with "
        "SELECT.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        metavar="SIGN",
        rich_help_panel=_READING,
        help="What stands between two cells of a CSV file: comma, semicolon, tab or pipe "
        "(default: found, and kept in the schema).",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        rich_help_panel=_READING,
        help="Encoding of the texts, such as utf-8 or latin-1 (default: found, and kept in the "
        "schema).",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        rich_help_panel=_READING,
        help="Sheet of an Excel file (default: the first); kept in the schema.",
    ),
]
LeaveOutRows = Annotated[
    list[str] | None,
    typer.Option(
        "--leave-out-rows",
        metavar="RULE",
        rich_help_panel=_READING,
        help="Rows of a text file or a workbook that are no records (repeatable): “names again”, "
        "“first value alone”, “begins with Total” for the first value of a row, or “weight begins "
        "with kg” for that of another column. Kept in the schema, and public.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Connection:
    """A database to read from instead of a file, as it was typed."""

    database: Database = None
    query: Query = None


@dataclass(frozen=True)
class TableSource:
    """Which table is read, and how.

    Attributes:
        table: a file; None for a database.
        database, query: of a database.
    """

    table: Path | None
    database: str | None = None
    query: str | None = None

    @classmethod
    def of(cls, table: Path | None, connection: Connection) -> TableSource:
        """Return a file, or what a connection leads to, as both were typed."""
        return cls(table, connection.database, connection.query)

    def check(self) -> None:
        """Check that it is clear what is to be read.

        Raises:
            Refusal: it is nothing, two things, or half of one.
        """
        if self.table is not None and (self.database, self.query) != (None, None):
            raise Refusal(
                "A file and a database are given.", "Leave one of them out.", field="database"
            )
        if self.table is None and self.query is None:
            raise Refusal(
                "No table is given.",
                "Name a file, or --database and --query.",
                field=None if self.database is None else "query",
            )
        if self.table is None and self._connection is None:
            raise Refusal(
                "No database is given.",
                f"Name its connection string with --database, or in {_CONNECTION}.",
                field="database",
            )

    def read(self, schema: Schema) -> RawTable:
        """Read it as its schema says.

        Raises:
            Refusal: it cannot be read; `field` is the option at fault.
        """
        self.check()
        return self._read_query() if self.table is None else read(self.table, schema)

    def first_read(self, hints: TableHints) -> RawTable:
        """Read a table that no schema describes yet, as is suggested from it.

        Raises:
            Refusal: it cannot be read; `field` is the option at fault.
        """
        self.check()
        if self.table is None:
            return self._read_query()
        from understudy.table.row_rules import parse_rules
        from understudy.table.sources.reading import read_table

        return read_table(
            self.table,
            separator=hints.spelled_separator,
            encoding=hints.encoding,
            sheet=hints.sheet,
            leave_out=parse_rules(hints.leave_out_rows or ()),
        )

    def _read_query(self) -> RawTable:
        from understudy.table.sources.databases.database import read_query

        assert self._connection is not None
        assert self.query is not None
        try:
            return read_query(self._connection, self.query)
        except Refusal as refusal:
            field = "query" if refusal.field == "query" else "database"
            raise Refusal(refusal.problem, refusal.remedy, field=field) from None

    def stream(self, schema: Schema, policies: Mapping[str, Policy]) -> StreamedTable:
        """Read it piece by piece, and never hold it.

        Args:
            schema: its schema.
            policies: per column, what becomes of values outside the schema.

        Raises:
            Refusal: it is no file of Parquet, or does not fit the schema.
        """
        from understudy.table.sources.streamed_table import StreamedTable

        if self.table is None:
            raise Refusal(
                "--streamed: a database is not read piece by piece.",
                "Save its table as Parquet, or leave the option out.",
            )
        return StreamedTable.open(self.table, schema, policies)

    @property
    def name(self) -> str:
        """What the table is called, as a dataset of the ledger."""
        if self.table is not None:
            return self.table.stem
        from understudy.table.sources.databases.database import table_name

        return table_name(self._connection or "", self.query or "")

    @property
    def called(self) -> str:
        """What the table is called, as the pages show it."""
        return self.name if self.table is None else self.table.name

    def again(self) -> list[str]:
        """Return the argument and options as they were typed, for a command to be typed next; a
        password is not among them."""
        shown = self.database
        if shown is not None:
            from understudy.table.sources.databases.address import without_password

            shown = without_password(shown)
        file = [] if self.table is None else [str(self.table)]
        given = {
            "--database": shown,
            "--query": self.query,
        }
        return file + [part for name, value in given.items() if value for part in (name, value)]

    @property
    def _connection(self) -> str | None:
        return self.database or os.environ.get(_CONNECTION)


@dataclass(frozen=True)
class TableHints:
    """How a table is read, as far as the options say.

    Attributes:
        separator, encoding, sheet: of a file; found where None.
        leave_out_rows: rules for rows of a file that are no records.
    """

    separator: Separator = None
    encoding: Encoding = None
    sheet: Sheet = None
    leave_out_rows: LeaveOutRows = None

    @property
    def spelled_separator(self) -> str | None:
        """The separator itself, where it was given by its name."""
        given = self.separator
        return None if given is None else _SPELLED.get(given.lower(), given)

    @property
    def given(self) -> list[str]:
        """The options that say something."""
        said = {
            "separator": self.separator,
            "encoding": self.encoding,
            "sheet": self.sheet,
            "leave_out_rows": self.leave_out_rows,
        }
        return [name for name, value in said.items() if value]


def read(table: Path, schema: Schema) -> RawTable:
    """Read a table file as its schema says.

    Raises:
        Refusal: it cannot be read, or its first line has not the names of the schema.
    """
    from understudy.table.declared_reading import usual
    from understudy.table.fit import check_present
    from understudy.table.sources.reading import read_table

    try:
        raw = read_table(table, schema.reading or usual("csv"))
        if raw.reading.kind == "csv":
            check_present(raw.names, schema.needed)
    except Refusal as refusal:
        if refusal.field not in ("separator", "encoding", *schema.needed):
            raise
        raise _by_declaration(refusal, schema) from None
    return raw


def _by_declaration(refusal: Refusal, schema: Schema) -> Refusal:
    """Return a refusal about a text file, which says where it stands how it is read."""
    how = reading_options(schema.reading_of("csv"))
    return Refusal(
        refusal.problem, f"{refusal.remedy} Text files are read as the schema says: {how}."
    )


def reading_options(reading: Reading) -> str:
    """Return how a text file is read, in words."""
    separator = _NAMED.get(reading.separator or "", f"“{reading.separator}”")
    quote = "no quotation marks" if reading.quote is None else f"quotation mark {reading.quote}"
    breaks = ", cells may run over lines" if reading.line_breaks else ""
    return f"encoding {reading.encoding}, separated by {separator}, {quote}{breaks}"


def list_row_rules(reading: Reading) -> str:
    """Return which rows of a file are left out, in a sentence; "" where none are."""
    if not reading.leave_out:
        return ""
    return f"Left out as no records: {', '.join(rule.words for rule in reading.leave_out)}."


@contextmanager
def name_columns(names: Sequence[str]) -> Iterator[None]:
    """Refusals about a column of these names lose their field: a column is no option, even if
    it is called like one."""
    try:
        yield
    except Refusal as refusal:
        if refusal.field not in names:
            raise
        raise Refusal(refusal.problem, refusal.remedy) from None


def encode_table(
    raw: RawTable, schema: Schema, policies: Mapping[str, Policy], *, settled_here: bool = True
) -> Records:
    """Return the table in codes.

    Args:
        raw: the table.
        schema: its schema.
        policies: per column, what becomes of values outside the schema.
        settled_here: whether --outside can settle them, so that a refusal should say how.

    Raises:
        Refusal: the table does not fit the schema.
    """
    from understudy.table.encoding import encode

    with _settled_by_options(schema, policies, raw.names, settled_here=settled_here):
        return encode(raw, schema, policies)


def streamed_from(
    source: TableSource, schema: Schema, policies: Mapping[str, Policy], *, settled_here: bool
) -> StreamedTable:
    """Return the table, to be read piece by piece; for arguments as of `encode_table`.

    Raises:
        Refusal: it is no file of Parquet, or does not fit the schema.
    """
    with (
        name_columns(schema.of_file.names),
        _settled_by_options(schema, policies, schema.of_file.names, settled_here=settled_here),
    ):
        return source.stream(schema, policies)


@contextmanager
def _settled_by_options(
    schema: Schema, policies: Mapping[str, Policy], names: Sequence[str], *, settled_here: bool
) -> Iterator[None]:
    """Refusals about values outside a column say which option settles them.

    Args:
        schema: the schema.
        policies: what was settled already.
        names: of the columns of the table.
        settled_here: whether --outside can settle them at all.
    """
    from understudy.table.encoding import choices

    try:
        yield
    except Refusal as refusal:
        column = refusal.field
        of_file = schema.of_file
        if not settled_here or column not in of_file.names or column not in names:
            raise
        taken = ("refuse", policies.get(column))
        others = [each for each in choices(of_file.column(column)) if each not in taken]
        options = " or ".join(f"--outside {shlex.quote(f'{column}={each}')}" for each in others)
        remedy = f"{refusal.remedy} On the command line: {options}." if options else refusal.remedy
        raise Refusal(refusal.problem, remedy, field=column) from None
