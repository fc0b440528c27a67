"""Connection strings: parsing them, hiding the password, checking what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from understudy.core.refusal import Refusal
from understudy.table.sources.source import allowed_path

_DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
}
_SECRET = ("pass", "pwd", "secret", "token", "key", "connect")
_SERVERS = ("postgresql", "mysql", "mariadb", "mssql", "oracle")
_HARMLESS = ("host", "port", "sslmode", "application_name", "connect_timeout", "charset")
_EXAMPLES = (
    "Write it like postgresql://user@host/database, or sqlite:////folder/file.db for an SQLite "
    "file."
)


def address(connection: str, password: str | None = None) -> URL:
    """Return a connection string, with the driver this project brings and the password filled in.

    Raises:
        Refusal: it is none; `field` is "connection".
    """
    if not connection.strip():
        raise Refusal("No connection string is given.", _EXAMPLES, field="connection")
    try:
        url = make_url(connection.strip())
        _ = url.port
    except (ArgumentError, ValueError):
        raise Refusal(
            "The connection string is not understood.", _EXAMPLES, field="connection"
        ) from None
    if url.drivername in _DRIVERS:
        url = url.set(drivername=_DRIVERS[url.drivername])
    return url if not password else url.set(password=password)


def without_password(connection: str) -> str:
    """Return a connection string without its password, which may be shown and stored.

    Raises:
        Refusal: it is none; `field` is "connection".
    """
    url = make_url_or_refuse(connection)
    harmless = {
        name: value
        for name, value in url.query.items()
        if not any(part in name.casefold() for part in _SECRET)
        or name.casefold() == "connect_timeout"
    }
    return url._replace(password=None).set(query=harmless).render_as_string(hide_password=False)


def password_in(connection: str) -> str | None:
    """Return the password that a connection string carries, if any.

    Raises:
        Refusal: it is none; `field` is "connection".
    """
    return make_url_or_refuse(connection).password


def make_url_or_refuse(connection: str) -> URL:
    """Return an address as of `address`, the driver left as it was typed.

    Raises:
        Refusal: it is none; `field` is "connection".
    """
    address(connection)
    return make_url(connection.strip())


def database_name(url: URL) -> str:
    """Return the name of a database for messages, without host or user."""
    return PurePath(url.database or "").stem or "the database"


def sqlite_file(url: URL, folders: Sequence[Path] | None) -> Path:
    """Return where the file of an SQLite database is.

    Raises:
        Refusal: it names none, or one that may not be opened; `field` is "connection".
    """
    named = url.database or ""
    if named in ("", ":memory:") or named.startswith("file:"):
        raise Refusal(
            "The connection string names no SQLite file.",
            "Write sqlite:/// and the path of the file after it.",
            field="connection",
        )
    path = allowed_path(Path(named), folders, field="connection")
    if not path.is_file():
        raise Refusal(
            "There is no SQLite file at this path.",
            "Check the path. An absolute one has four slashes: sqlite:////folder/file.db.",
            field="connection",
        )
    return path


def check_allowed(url: URL, folders: Sequence[Path] | None) -> None:
    """Check, where only some folders may be read, that no setting opens other files.

    Raises:
        Refusal: one may; `field` is "connection".
    """
    if folders is None or url.get_backend_name() == "sqlite":
        return
    if url.get_backend_name() not in _SERVERS:
        raise Refusal(
            "Databases of this kind cannot be opened on this server.",
            "Use one of: sqlite, " + ", ".join(_SERVERS) + ".",
            field="connection",
        )
    further = sorted(set(url.query) - set(_HARMLESS))
    if further:
        raise Refusal(
            "The connection string has a setting that is not allowed on this server.",
            "Leave out all but: " + ", ".join(_HARMLESS) + ".",
            field="connection",
        )
