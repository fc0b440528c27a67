"""Converting the values of a database one by one.

A driver fails the whole result at the first value that it cannot convert, such as a text that is
not UTF-8 or an infinite date. Here such a value becomes one of `unreadable`, and the others are
kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from understudy.table.cells import NOT_A_VALUE, NOT_TEXT

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
