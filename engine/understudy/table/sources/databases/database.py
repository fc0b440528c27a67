"""Reading a table or a query of a database as texts, through SQLAlchemy, read only."""

from __future__ import annotations

import math
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from sqlalchemy import Connection, Engine, create_engine, inspect
from sqlalchemy.engine import URL, CursorResult
from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from understudy.core.extras import suggest_install
from understudy.core.refusal import Refusal
from understudy.table.declared_reading import usual
from understudy.table.raw import RawTable
from understudy.table.sources.databases.address import (
    address,
    check_allowed,
    database_name,
    sqlite_file,
)
from understudy.table.sources.databases.errors import refusal_of
from understudy.table.sources.databases.query import Query, TableName, check_throughout, parse_query
from understudy.table.sources.databases.record_order import sorted_records
from understudy.table.sources.databases.values import convert_singly, text_of, unsupported_columns
from understudy.table.sources.header import check_rows, checked_names, name_notes
from understudy.table.sources.source import GIB
from understudy.table.sources.table_builder import TableBuilder

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
    with _connected(url, folders, limits) as connected, _answered(connected=True):
        statement = asked.text if isinstance(asked, Query) else _select(connected, asked)
        deadline = time.monotonic() + limits.seconds
        table = _gathered(connected, statement, _name(asked, url), limits, deadline)
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
def _connected(url: URL, folders: Sequence[Path] | None, limits: Limits) -> Iterator[Connection]:
    """Provide a connection that can only read, where the database knows such, closed at the end."""
    engine = _engine(url, folders, limits)
    try:
        with _answered(connected=False):
            connection = engine.connect()
        with connection:
            with _answered(connected=False):
                _limit(connection, limits)
                convert_singly(connection)
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _answered(*, connected: bool) -> Iterator[None]:
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


def _gathered(
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
    """What to do about names and records that a query, not a file, has."""
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
