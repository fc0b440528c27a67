"""A table or a query of a database as texts, through SQLAlchemy, read only.

A driver fails the whole result at the first value that it cannot convert, such as a text that is
not UTF-8 or an infinite date. Here such a value becomes one of `unreadable`, and the others are
kept.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Connection, Engine, create_engine, inspect
from sqlalchemy.engine import URL, CursorResult
from sqlalchemy.exc import DataError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from understudy.core.extras import suggest_install
from understudy.core.refusal import Refusal
from understudy.table.cells import NOT_A_VALUE, NOT_TEXT
from understudy.table.declared_reading import usual
from understudy.table.raw import RawTable, table_of
from understudy.table.sources.arrow_texts import TableBuilder
from understudy.table.sources.databases.address import (
    address,
    check_allowed,
    database_name,
    sqlite_file,
)
from understudy.table.sources.header import check_rows, checked_names, name_notes
from understudy.table.sources.source import GIB

if TYPE_CHECKING:
    from psycopg.abc import Buffer, Loader
    from psycopg.adapt import AdaptersMap

_OF_PSYCOPG = ("postgresql", "psycopg")
_TURNED = dict.fromkeys(("text", "varchar", "bpchar", "name"), NOT_TEXT) | dict.fromkeys(
    ("date", "time", "timetz", "timestamp", "timestamptz", "interval"), NOT_A_VALUE
)
"""Types whose values may not be what they are declared to be, and what stands in their place."""

_NO_VALUES = ("bytea", "json", "jsonb")


def text_of(data: bytes) -> str:
    """Return a text in UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return NOT_TEXT


def convert_singly(connection: Connection) -> None:
    """Make PostgreSQL's driver convert texts, dates and times one by one; SQLite's is told so where
    it is opened (`text_of`)."""
    adapters = _adapters(connection)
    if adapters is None:
        return
    for name, instead in _TURNED.items():
        kind = adapters.types[name].oid
        adapters.register_loader(kind, _careful(adapters, kind, instead))


def unsupported_columns(connection: Connection, cursor: Any) -> tuple[int, ...]:
    """Return the places of columns that hold no single values, as far as the database declares
    so."""
    adapters = _adapters(connection)
    if adapters is None:
        return ()
    kinds = [adapters.types.get(column.type_code) for column in cursor.description]
    return tuple(
        place
        for place, kind in enumerate(kinds)
        if kind is not None
        and (kind.name in _NO_VALUES or cursor.description[place].type_code == kind.array_oid)
    )


def _adapters(connection: Connection) -> AdaptersMap | None:
    """Return what turns values, of a connection of PostgreSQL by the driver that is known here."""
    dialect = connection.dialect
    if (dialect.name, dialect.driver) != _OF_PSYCOPG:
        return None
    found: AdaptersMap = connection.connection.driver_connection.adapters  # type: ignore[union-attr]
    return found


def _careful(adapters: AdaptersMap, kind: int, instead: str) -> type[Loader]:
    """Return what turns values of a type as before, and any that it cannot into a text."""
    from psycopg.adapt import Loader as Base
    from psycopg.pq import Format

    found = adapters.get_loader(kind, Format.TEXT)
    assert found is not None
    loader = found

    class Careful(Base):
        def __init__(self, oid: int, context: Any = None) -> None:
            super().__init__(oid, context)
            self._before = loader(oid, context)

        def load(self, data: Buffer) -> Any:
            try:
                return self._before.load(data)
            except Exception:
                # Drivers raise errors of their own and of Python; whichever it is, it is no value.
                return instead

    return Careful


# Sorting the records of a table whose source has no order, such as a database.


def sorted_records(table: pa.Table) -> pa.Table:
    """Return the records sorted by their texts, from the first column to the last, by code points.

    The same records come out as the same table, whatever order they came in.

    Args:
        table: as in `RawTable`.
    """
    columns = [column.chunk(0) for column in table.columns]
    ranks = [
        pc.rank(column.dictionary, tiebreaker="dense").to_numpy()[column.indices.to_numpy()]
        for column in columns
    ]
    order = pa.array(np.lexsort(ranks[::-1]))
    return table_of(
        table.column_names,
        (
            pa.DictionaryArray.from_arrays(column.indices.take(order), column.dictionary)
            for column in columns
        ),
    )


# Parsing what is asked of a database: one table by its name, or one query that only reads.

_NAME = re.compile(r'(?:"[^"]+"|[^\W\d][\w$]*)(?:\.(?:"[^"]+"|[^\W\d][\w$]*)){0,2}')
_PART = re.compile(r'"([^"]+)"|([^."]+)')
_QUOTED = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`"
    r"|\$(\w*)\$.*?\$\1\$",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d]\w*")
_READING = {"select", "with", "values", "table"}
_WRITING = {
    "insert", "update", "delete", "merge", "into", "create", "alter", "drop", "truncate",
    "grant", "revoke", "copy", "call", "exec", "execute", "attach", "detach", "pragma", "vacuum",
    "set", "begin", "commit", "rollback", "lock", "do",
}  # fmt: skip


@dataclass(frozen=True)
class TableName:
    """A table by its name.

    Attributes:
        parts: schema and table, or the table alone.
    """

    parts: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """A query that only reads, without a semicolon at its end."""

    text: str


def parse_query(text: str) -> TableName | Query:
    """Parse what was typed: the name of a table, or a query.

    The check is one of words and not the only one: the transaction is also opened for reading only
    where the database can do that.

    Raises:
        Refusal: it is empty, more than one statement, or more than reading; `field` is "query".
    """
    text = text.strip()
    if not text:
        raise Refusal("No table and no query is given.", "Enter one of them.", field="query")
    if _NAME.fullmatch(text):
        return TableName(tuple(quoted or bare for quoted, bare in _PART.findall(text)))
    text = text.rstrip("; \t\r\n")
    if "\\'" in text or "/*!" in text:
        # Databases differ in where such a quotation or comment ends, and so in what is run.
        raise Refusal(
            "The query holds \\' or /*!, which not every database reads alike.",
            "Write a quotation mark inside quotation marks twice, and leave such comments out.",
            field="query",
        )
    bare = _QUOTED.sub(" ", text)
    if ";" in bare:
        raise Refusal("The query is more than one statement.", "Keep one SELECT.", field="query")
    words = _words(bare)
    if not words or words[0] not in _READING:
        raise Refusal(
            "The query does not begin with SELECT.",
            "Enter the name of a table, or a query that begins with SELECT or WITH.",
            field="query",
        )
    writing = next((word for word in words if word in _WRITING), None)
    if writing is not None:
        raise Refusal(
            f"The query may only read, and it holds the word {writing.upper()}.",
            "If that is the name of a column, put it in double quotation marks.",
            field="query",
        )
    return Query(text)


def check_throughout(query: Query) -> None:
    """Check a query for a database that is not opened for reading only, quotations and all.

    Databases differ in where a quotation or a comment ends, and so in which words are run.

    Raises:
        Refusal: a semicolon or a word that writes stands somewhere in it; `field` is "query".
    """
    writing = next((word for word in _words(query.text) if word in _WRITING), None)
    if writing is not None or ";" in query.text:
        what = "a semicolon" if writing is None else f"the word {writing.upper()}"
        raise Refusal(
            f"The query holds {what}, if only in quotation marks or a comment; of this kind of "
            "database, it could be run.",
            "Have what the query says put into a view, and enter the name of that.",
            field="query",
        )


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


# What went wrong with a database, in words. The driver's own text may quote cells or the password,
# and is looked at but never passed on.

_NO_TABLE = Refusal(
    "The database has no table or view of that name.",
    "Check the spelling and the schema; write schema.table where it is not the usual one.",
    field="query",
)
_NO_COLUMN = Refusal(
    "The query names a column that does not exist.", "Check the spelling.", field="query"
)
_NOT_UNDERSTOOD = Refusal(
    "The database does not understand the query.",
    "Try it in the database's own client first.",
    field="query",
)
_ONLY_READING = Refusal(
    "The query would change something; it may only read.", "Enter a SELECT.", field="query"
)
_TOO_LONG = Refusal(
    "The query took too long and was stopped.",
    "Ask for fewer records or columns, or have the result put in a table first.",
    field="query",
)
_NO_PERMISSION = Refusal(
    "The database does not let this user read that.",
    "Ask whoever runs it for the right to SELECT.",
    field="query",
)
_CALCULATION = Refusal(
    "The database met a value that the query cannot calculate with.",
    "Look for divisions by zero and for texts read as numbers or dates.",
    field="query",
)
_UNREADABLE = Refusal(
    "The result holds a value that cannot be read, such as a date without end or beyond the year "
    "9999.",
    "Leave its column out of the query, or turn it into a text there.",
    field="query",
)
_PASSWORD = Refusal(
    "The database refused the user or the password.", "Check both.", field="password"
)
_NO_DATABASE = Refusal(
    "There is no database of that name on the server.", "Check its name.", field="connection"
)
_NOT_REACHED = Refusal(
    "The database cannot be reached.",
    "Check host and port, and that it runs and takes connections from this machine.",
    field="connection",
)
_LOST = Refusal("The connection to the database was lost.", "Try again.", field="connection")
_NOT_A_DATABASE = Refusal(
    "The file is not an SQLite database, or is damaged.",
    "Choose another file.",
    field="connection",
)
_BUSY = Refusal("The database is busy.", "Try again in a while.", field="connection")
_UNOPENED = Refusal(
    "The SQLite file cannot be opened.", "Check that it may be read.", field="connection"
)

_STATES = (
    ("28", _PASSWORD),
    ("3D", _NO_DATABASE),
    ("3F", _NO_TABLE),
    ("42P01", _NO_TABLE),
    ("42501", _NO_PERMISSION),
    ("42703", _NO_COLUMN),
    ("42", _NOT_UNDERSTOOD),
    ("25", _ONLY_READING),
    ("57014", _TOO_LONG),
    ("22", _CALCULATION),
    ("08", _LOST),
    ("57P", _LOST),
    ("53", _BUSY),
)
"""By SQLSTATE, the code that the SQL standard has for errors, or its beginning."""

_SQLITE = (
    ("SQLITE_INTERRUPT", _TOO_LONG),
    ("SQLITE_CANTOPEN", _UNOPENED),
    ("SQLITE_AUTH", _UNOPENED),
    ("SQLITE_PERM", _UNOPENED),
    ("SQLITE_NOTADB", _NOT_A_DATABASE),
    ("SQLITE_CORRUPT", _NOT_A_DATABASE),
    ("SQLITE_BUSY", _BUSY),
    ("SQLITE_LOCKED", _BUSY),
    ("SQLITE_READONLY", _ONLY_READING),
    ("SQLITE_MISMATCH", _CALCULATION),
)
_SAID_OF_A_QUERY = (
    ("no such table", _NO_TABLE),
    ("no such column", _NO_COLUMN),
)
_SAID_ON_CONNECTING = (
    ("authentication", _PASSWORD),
    ("password", _PASSWORD),
    ("access denied", _PASSWORD),
    ("role", _PASSWORD),
    ("does not exist", _NO_DATABASE),
    ("unknown database", _NO_DATABASE),
    ("timeout", _NOT_REACHED),
)


def refusal_of(error: Exception, *, connected: bool) -> Refusal:
    """Return a refusal that says what kind of thing failed.

    Args:
        error: what the driver or SQLAlchemy raised.
        connected: whether the connection had been made.
    """
    cause: Any = getattr(error, "orig", None) or error
    state = getattr(cause, "sqlstate", None) or ""
    found = _first(_STATES, state) or _first(_SQLITE, getattr(cause, "sqlite_errorname", ""))
    found = found or _explain_words(str(cause).casefold(), connected)
    if found is None and isinstance(error, DataError):
        found = _UNREADABLE
    if found is None:
        found = _NOT_UNDERSTOOD if connected else _NOT_REACHED
    return Refusal(found.problem, found.remedy, field=found.field)


def _first(known: tuple[tuple[str, Refusal], ...], name: str) -> Refusal | None:
    return next((refusal for start, refusal in known if name and name.startswith(start)), None)


def _explain_words(text: str, connected: bool) -> Refusal | None:
    """Explain an error by the words of a driver without codes: of SQLite always, else when
    connecting."""
    known = _SAID_OF_A_QUERY if connected else _SAID_ON_CONNECTING
    return next((refusal for words, refusal in known if words in text), None)


_FOR_READING_ONLY = ("postgresql", "sqlite")
"""The databases that can be opened so."""

MOST_ROWS = 50_000_000
_MOST_BYTES = 4 * GIB
_SECONDS = 600.0
_CONNECTING_SECONDS = 10
_BLOCK_CELLS = 1_000_000
_SQLITE_STEPS = 100_000
_NAMED_AT_MOST = 10


@dataclass(frozen=True)
class Limits:
    """How much a query may return, and how long it may take.

    Attributes:
        rows: records at most.
        size: bytes at most, as they are held.
        seconds: of time at most.
    """

    rows: int = MOST_ROWS
    size: int = _MOST_BYTES
    seconds: float = _SECONDS


def read_query(
    connection: str,
    query: str,
    *,
    password: str | None = None,
    limits: Limits | None = None,
    folders: Sequence[Path] | None = None,
) -> RawTable:
    """Read a table, or what a query returns, in blocks, and put its records in order.

    The transaction is one for reading only where the database has such (PostgreSQL, SQLite); the
    query may be nothing but one SELECT on all of them, checked the more strictly on the others.
    Nothing of the connection is kept.

    Args:
        connection: a connection string as SQLAlchemy understands it.
        query: the name of a table, or a query that begins with SELECT or WITH.
        password: where the connection string has none.
        limits: how much may come and how long it may take.
        folders: where only some folders of this machine may be read from, these.

    Raises:
        Refusal: something of it cannot be used, the database refuses or cannot be reached, or the
            result is too large, has one column, no record, or columns that are not single values;
            `field` is "connection", "password" or "query". It never quotes what the driver said.
    """
    limits = limits or Limits()
    url = address(connection, password)
    check_allowed(url, folders)
    asked = parse_query(query)
    if isinstance(asked, Query) and url.get_backend_name() not in _FOR_READING_ONLY:
        check_throughout(asked)
    with _connect(url, folders, limits) as connected, _answer_errors(connected=True):
        statement = asked.text if isinstance(asked, Query) else _select(connected, asked)
        deadline = time.monotonic() + limits.seconds
        table = _gather_blocks(connected, statement, _name(asked, url), limits, deadline)
    # A database may answer in another order next time, and it is the same table all the same.
    return RawTable(sorted_records(table), usual("database"), name_notes(table.column_names))


def table_name(connection: str, query: str) -> str:
    """Return what to call a table from a database: its own name and that of the database.

    Raises:
        Refusal: either is not understood.
    """
    return _name(parse_query(query), address(connection))


def _name(asked: TableName | Query, url: URL) -> str:
    what = asked.parts[-1] if isinstance(asked, TableName) else "a query"
    return f"{what} of {database_name(url)}"


@contextmanager
def _connect(url: URL, folders: Sequence[Path] | None, limits: Limits) -> Iterator[Connection]:
    """Provide a connection that can only read, where the database knows such, closed at the end."""
    engine = _engine(url, folders, limits)
    try:
        with _answer_errors(connected=False):
            connection = engine.connect()
        with connection:
            with _answer_errors(connected=False):
                _limit(connection, limits)
                convert_singly(connection)
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _answer_errors(*, connected: bool) -> Iterator[None]:
    """Turn what a driver raises into a refusal that quotes nothing of it."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError, UnicodeError) as error:
        raise refusal_of(error, connected=connected) from None


def _engine(url: URL, folders: Sequence[Path] | None, limits: Limits) -> Engine:
    """Return what connects to a database; nothing is logged, and no connection is kept open.

    Raises:
        Refusal: there is no such kind of database, or its driver is not installed.
    """
    options: dict[str, Any] = {"poolclass": NullPool, "hide_parameters": True}
    backend = url.get_backend_name()
    if backend == "sqlite":
        path = sqlite_file(url, folders)
        options["creator"] = lambda: _sqlite(path, limits.seconds)
        # The file is all that counts; SQLite knows neither users nor passwords.
        url = URL.create("sqlite")
    elif backend == "postgresql":
        options["connect_args"] = {"connect_timeout": _CONNECTING_SECONDS}
        if folders is not None:
            # A password kept on the server is not for whoever signs in to it.
            options["connect_args"]["passfile"] = os.devnull
    try:
        return create_engine(url, **options)
    except NoSuchModuleError:
        raise Refusal(
            "The connection string names a kind of database that is not known.",
            "Begin it with postgresql:// or sqlite:///, or another that SQLAlchemy knows.",
            field="connection",
        ) from None
    except ImportError as error:
        raise Refusal(
            f"The driver for this kind of database is not installed ({error.name}).",
            f"Install it beside Understudy: {suggest_install('databases')} for PostgreSQL, or the "
            "driver named here.",
            field="connection",
        ) from None
    except (SQLAlchemyError, TypeError, ValueError):
        raise Refusal(
            "The connection string has a setting that its driver does not know.",
            "Leave out what follows the question mark.",
            field="connection",
        ) from None


def _sqlite(path: Path, seconds: float) -> sqlite3.Connection:
    """Return an SQLite file, opened for reading only, whose queries end after a time."""
    made = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=10.0)
    deadline = time.monotonic() + seconds
    made.text_factory = text_of
    made.set_progress_handler(lambda: int(time.monotonic() > deadline), _SQLITE_STEPS)
    return made


def _limit(connection: Connection, limits: Limits) -> None:
    """Have the database itself refuse to write, and stop what takes too long."""
    if connection.dialect.name == "postgresql":
        connection.execution_options(postgresql_readonly=True)
        milliseconds = max(1, math.ceil(limits.seconds * 1000))
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")


def _select(connection: Connection, asked: TableName) -> str:
    """Return the query for a whole table.

    Raises:
        Refusal: there is no such table or view; `field` is "query".
    """
    *above, name = asked.parts
    schema = above[-1] if above else None
    inspector = inspect(connection)
    there = [*inspector.get_table_names(schema), *inspector.get_view_names(schema)]
    alike = [each for each in there if each.casefold() == name.casefold()]
    found = name if name in there else alike[0] if len(alike) == 1 else None
    if found is None:
        first = ", ".join(sorted(there)[:_NAMED_AT_MOST])
        more = " and others" if len(there) > _NAMED_AT_MOST else ""
        raise Refusal(
            f"The database has no table or view “{'.'.join(asked.parts)}”.",
            f"It has: {first}{more}." if there else "Name its schema too, as in schema.table.",
            field="query",
        )
    quoted = connection.dialect.identifier_preparer.quote
    return "SELECT * FROM " + ".".join(quoted(part) for part in (*above[-1:], found))


def _gather_blocks(
    connection: Connection, statement: str, name: str, limits: Limits, deadline: float
) -> pa.Table:
    """Return what a query returns, each block turned into texts as it comes."""
    streamed = connection.execution_options(stream_results=True, no_parameters=True)
    with streamed.exec_driver_sql(statement) as result:
        with _of_a_query():
            names = checked_names(tuple(result.keys()), name)
        for place in unsupported_columns(connection, result.cursor):
            raise _unwritable(names[place])
        gathering = TableBuilder(names)
        for rows in _blocks(result, max(1, _BLOCK_CELLS // len(names))):
            gathering.add(list(zip(*rows, strict=True)))
            _check_size(gathering, limits, deadline)
    with _of_a_query():
        check_rows(gathering.rows, name)
    return gathering.table()


@contextmanager
def _of_a_query() -> Iterator[None]:
    """Return what to do about names and records that a query, not a file, has."""
    try:
        yield
    except Refusal as refusal:
        raise Refusal(
            refusal.problem[:1].upper() + refusal.problem[1:],
            "Have it return records of two columns or more, each with a name of its own (SELECT … "
            "AS name).",
            field="query",
        ) from None


def _blocks(result: CursorResult[Any], size: int) -> Iterator[Sequence[Any]]:
    while rows := result.fetchmany(size):
        yield rows


def _unwritable(column: str) -> Refusal:
    return Refusal(
        f"Column “{column}” holds lists, binary or other values that are no single text.",
        "Leave it out of the query, or turn it into a text there.",
        field="query",
    )


def _check_size(gathering: TableBuilder, limits: Limits, deadline: float) -> None:
    """Check after every block that it is not too much, and not too late.

    Raises:
        Refusal: it is; `field` is "query".
    """
    if gathering.rows > limits.rows or gathering.size > limits.size:
        raise Refusal(
            f"The query returns more than {limits.rows:,} records or {limits.size / GIB:.1f} GiB.",
            "Ask for fewer records or columns.",
            field="query",
        )
    if time.monotonic() > deadline:
        raise Refusal(
            "The query took too long and was stopped.",
            "Ask for fewer records or columns, or have the result put in a table first.",
            field="query",
        )
