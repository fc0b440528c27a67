"""The chain in a file: SQLite, one table that only grows.

A connection lives for one look or one transaction, so that threads and forked processes never
share one. A transaction is in the file whole or not at all, also where the process is killed or
the power fails in the middle of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from understudy.core import clock
from understudy.core.files import disk_full, is_full, make_private
from understudy.core.refusal import Refusal
from understudy.ledger.chain import FIELDS, GENESIS, Link, check, next_link
from understudy.ledger.key import place_new
from understudy.ledger.noted_head import NotedHead

_VERSION = 1
_PATIENCE = 60.0
# A debit that was told of must be there after a power failure too.
_SYNCHRONOUS = "EXTRA"

_COLUMNS = ", ".join(FIELDS)
_TABLE = (
    """CREATE TABLE events (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, dataset TEXT, run TEXT,
        body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL
    )""",
    """CREATE TRIGGER no_update BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events are never changed'); END""",
    """CREATE TRIGGER no_delete BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END""",
    # What INSERT OR REPLACE takes out, no trigger on DELETE sees.
    f"""CREATE TRIGGER next_only BEFORE INSERT ON events
        WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
        OR NEW.previous IS NOT
            coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '{GENESIS}')
        BEGIN SELECT RAISE(ABORT, 'events follow one another'); END""",
    f"PRAGMA user_version = {_VERSION}",
)


class Writing:
    """A transaction that nobody else writes during.

    Attributes:
        links: the chain as it stands, what was appended here included.
    """

    def __init__(
        self, links: tuple[Link, ...], insert: Callable[[tuple[int | str | None, ...]], object]
    ) -> None:
        self.links = links
        self._insert = insert

    def append(
        self,
        kind: str,
        body: Mapping[str, Any],
        *,
        dataset: str | None = None,
        run: str | None = None,
        day_only: bool = False,
    ) -> None:
        """Add an event; with its day only, where the time would tell what has to stay hidden."""
        last = self.links[-1] if self.links else None
        at = clock.now()
        if day_only:
            at = at.replace(hour=0, minute=0, second=0, microsecond=0)
        moment = at.isoformat(timespec="microseconds")
        link = next_link(last, moment, kind, dataset, run, body)
        self._insert(link.row)
        self.links = (*self.links, link)


class Store:
    """The file that holds the chain.

    Args:
        path: of the file; it and its folder are made by the first who writes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._noted = NotedHead(path)

    def read(self) -> tuple[Link, ...]:
        """Return the chain, found whole; empty where there is no file yet.

        Raises:
            Refusal: it cannot be read, was changed from outside, or lacks what stood in it.
        """
        # Before the chain, which may grow meanwhile.
        noted = self._noted.read()
        with self._spoken():
            links = self._read()
        check(links)
        self._noted.check(noted, links)
        return links

    def _read(self) -> tuple[Link, ...]:
        if not self.path.exists():
            return ()
        with self._connected() as connection:
            return _links(connection) if self._begun(connection) else ()

    def head(self) -> str:
        """Return the hash of the last link, of a chain that is not checked; `GENESIS` without one.

        Raises:
            Refusal: it cannot be read.
        """
        with self._spoken():
            if not self.path.exists():
                return GENESIS
            with self._connected() as connection:
                if not self._begun(connection):
                    return GENESIS
                last = "SELECT hash FROM events ORDER BY seq DESC LIMIT 1"
                row = connection.execute(last).fetchone()
        return GENESIS if row is None else str(row[0])

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """Provide a transaction: what is appended in it is there for good at its end, or not at
        all.

        Raises:
            Refusal: the ledger cannot be written, was changed from outside, or lacks what stood in
                it.
        """
        noted = self._noted.read()
        with self._spoken():
            make_private(self.path.parent)
            if not self.path.exists():
                self._noted.check(noted, ())
                place_new(self.path, b"")
            with self._connected() as connection, _transaction(connection):
                if not self._begun(connection):
                    for statement in _TABLE:
                        connection.execute(statement)
                links = _links(connection)
                check(links)
                self._noted.check(noted, links)
                places = ", ".join("?" * len(FIELDS))
                insert = f"INSERT INTO events ({_COLUMNS}) VALUES ({places})"
                writing = Writing(links, lambda row: connection.execute(insert, row))
                yield writing
        if writing.links and writing.links[-1].hash != noted:
            self._noted.write(writing.links)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        with closing(
            sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
        ) as connection:
            connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
            yield connection

    def _begun(self, connection: sqlite3.Connection) -> bool:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise Refusal(
                f"The ledger {self.path} was written by another version of the program.",
                "Use the newest version that this ledger was used with.",
                field="ledger",
            )
        return bool(version)

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        """What the disk or the database says, in words."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if is_full(error) or "disk is full" in str(error):
                said = disk_full(self.path, "try again: nothing is run or spent without the ledger")
                raise Refusal(said.problem, said.remedy, field="ledger") from None
            busy = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
            raise Refusal(
                f"The ledger {self.path} cannot be used{': it is busy' if busy else ''}.",
                "Try again in a moment."
                if busy
                else "Check that the file is a ledger, and that you may write it and its folder. "
                "Nothing is run or spent without it.",
                field="ledger",
            ) from None


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _links(connection: sqlite3.Connection) -> tuple[Link, ...]:
    rows = connection.execute(f"SELECT {_COLUMNS} FROM events ORDER BY seq")
    return tuple(Link(*row) for row in rows)
