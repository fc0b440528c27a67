"""What went wrong with a database, in words. The driver's own text may quote cells or the password,
and is looked at but never passed on."""

from __future__ import annotations

from typing import Any

from sqlalchemy.exc import DataError

from understudy.core.refusal import Refusal

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
    found = found or _told(str(cause).casefold(), connected)
    if found is None and isinstance(error, DataError):
        found = _UNREADABLE
    if found is None:
        found = _NOT_UNDERSTOOD if connected else _NOT_REACHED
    return Refusal(found.problem, found.remedy, field=found.field)


def _first(known: tuple[tuple[str, Refusal], ...], name: str) -> Refusal | None:
    return next((refusal for start, refusal in known if name and name.startswith(start)), None)


def _told(text: str, connected: bool) -> Refusal | None:
    """By the words of a driver that gives no code: of SQLite always, of others when connecting."""
    known = _SAID_OF_A_QUERY if connected else _SAID_ON_CONNECTING
    return next((refusal for words, refusal in known if words in text), None)
