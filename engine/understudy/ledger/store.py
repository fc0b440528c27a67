"""The files of a ledger: its chain, its key, its last hash, and which runs are under way.

The chain is in SQLite, one table that only grows. A connection lives for one look or one
transaction, so that threads and forked processes never share one. A transaction is in the file
whole or not at all, also where the process is killed or the power fails in the middle of it.

The last hash of the chain is noted beside it, so that a ledger that was lost, emptied or put back
from an older copy is not taken for one in which nothing was spent. It is written after the chain.
So where that is interrupted, the chain is ahead of it, never behind.

The key of the ledger's hashes, by which tables are recognised without being stored, never leaves
the folder of the ledger, so that nobody who is handed an exported ledger can test a guess of a
table against it.

Every run under way has a locked note, whose lock the system lifts when its process is gone. The
lock is taken before the run is debited and handed on to the process that does the run. So a run of
which the end is not known and whose lock is free has no process, however it ended.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import hmac
import os
import re
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from understudy.core import clock
from understudy.core.files import is_full, make_private, refuse_full_disk, replace_text
from understudy.core.refusal import Refusal
from understudy.ledger.chain import FIELDS, GENESIS, Link, check_chain, next_link

_KEY_BYTES = 32


def mark_key(key: bytes) -> str:
    """Return what tells whether a key is the same, and nothing else about it."""
    return hmac.new(key, b"understudy ledger key", hashlib.sha256).hexdigest()


def load_key(path: Path) -> bytes:
    """Return the key in a file, made if there is none; of two makers, one wins and both read it.

    Raises:
        OSError: it can neither be read nor made.
    """
    with suppress(FileNotFoundError):
        return path.read_bytes()
    write_new(path, secrets.token_bytes(_KEY_BYTES))
    return path.read_bytes()


def write_new(path: Path, content: bytes) -> None:
    """Put a file, readable by its owner only, in its place whole, unless one is there already.

    Raises:
        OSError: it cannot be written.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()


_HASH: Final = re.compile(r"[0-9a-f]{64}")


class NotedHead:
    """The note beside a ledger.

    Args:
        ledger: the file of the chain.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._path = ledger.with_suffix(".head")

    def read(self) -> str:
        """Return the hash that was noted last; `GENESIS` where none was, or it cannot be read."""
        try:
            with self._path.open("rb") as file:
                found = file.read(100).decode("ascii").strip()
        except (OSError, ValueError):
            return GENESIS
        return found if _HASH.fullmatch(found) else GENESIS

    def write(self, links: Sequence[Link]) -> None:
        """Note the last of these. Where the disk refuses that, the older note stands, which holds
        as well."""
        with suppress(OSError):
            replace_text(self._path, f"{links[-1].hash}\n")

    def check(self, noted: str, links: Sequence[Link]) -> None:
        """Check that a chain leads on from what was noted before it was read.

        Raises:
            Refusal: it does not.
        """
        if noted == GENESIS or any(link.hash == noted for link in reversed(links)):
            return
        what = "is gone, or empty" if not links else "lacks events that stood in it"
        raise Refusal(
            f"The ledger {self._ledger} {what}, so it does not tell all that was spent.",
            "Put the newest copy of it back. If that is older, write down elsewhere what was spent "
            f"since, and take {self._path} away: the ledger then goes on with what it holds.",
            field="ledger",
        )


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
        with self._translate_errors():
            links = self._read()
        check_chain(links)
        self._noted.check(noted, links)
        return links

    def _read(self) -> tuple[Link, ...]:
        if not self.path.exists():
            return ()
        with self._connect() as connection:
            return _links(connection) if self._prepare_database(connection) else ()

    def head(self) -> str:
        """Return the hash of the last link, of a chain that is not checked; `GENESIS` without one.

        Raises:
            Refusal: it cannot be read.
        """
        with self._translate_errors():
            if not self.path.exists():
                return GENESIS
            with self._connect() as connection:
                if not self._prepare_database(connection):
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
        with self._translate_errors():
            make_private(self.path.parent)
            if not self.path.exists():
                self._noted.check(noted, ())
                write_new(self.path, b"")
            with self._connect() as connection, _transaction(connection):
                if not self._prepare_database(connection):
                    for statement in _TABLE:
                        connection.execute(statement)
                links = _links(connection)
                check_chain(links)
                self._noted.check(noted, links)
                places = ", ".join("?" * len(FIELDS))
                insert = f"INSERT INTO events ({_COLUMNS}) VALUES ({places})"
                writing = Writing(links, lambda row: connection.execute(insert, row))
                yield writing
        if writing.links and writing.links[-1].hash != noted:
            self._noted.write(writing.links)

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        with closing(
            sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
        ) as connection:
            connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
            yield connection

    def _prepare_database(self, connection: sqlite3.Connection) -> bool:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise Refusal(
                f"The ledger {self.path} was written by another version of the program.",
                "Use the newest version that this ledger was used with.",
                field="ledger",
            )
        return bool(version)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """What the disk or the database says, in words."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if is_full(error) or "disk is full" in str(error):
                said = refuse_full_disk(
                    self.path, "try again: nothing is run or spent without the ledger"
                )
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


_LOOK_EVERY = 0.05
_END = b"\0"
"""Ends a note: what follows is left of an earlier one."""


@dataclass(frozen=True)
class _Found:
    """A note that nobody holds.

    Attributes:
        text: what it says; b"" where its maker did not get so far, or there is none.
    """

    text: bytes


class LockedNotes:
    """Notes by their names.

    Args:
        place: the folder that they are in.
    """

    def __init__(self, place: Path) -> None:
        self._place = place

    @contextmanager
    def claim(self, name: str, text: bytes, patience: float) -> Iterator[int]:
        """Hold a note, and have it say something.

        Args:
            name: of the note.
            text: what it says from here on.
            patience: how many seconds to wait for whoever holds it.

        Yields:
            The file descriptor that holds the lock, for a process to inherit. Once that has it,
            the lock is held until both are gone.

        Raises:
            BlockingIOError: somebody holds it.
            OSError: the place cannot be written.
        """
        make_private(self._place.parent)
        make_private(self._place)
        handle = self._locked_anew(self._place / name, patience)
        try:
            os.pwrite(handle, text + _END, 0)
            yield handle
        finally:
            os.close(handle)

    def _locked_anew(self, path: Path, patience: float) -> int:
        """Make a file and lock it; again, if a sweeper took it away in between."""
        deadline = time.monotonic() + patience
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if _free(handle):
                if _still(handle, path):
                    return handle
            elif time.monotonic() >= deadline:
                os.close(handle)
                raise BlockingIOError(errno.EAGAIN, "the lock is held")
            else:
                time.sleep(_LOOK_EVERY)
            os.close(handle)

    @contextmanager
    def unheld(self, name: str) -> Iterator[_Found | None]:
        """Hold a note that nobody holds, so that no other process takes it up too.

        Yields:
            The note; None if somebody holds it.

        Raises:
            OSError: it cannot be looked at.
        """
        try:
            handle = os.open(self._place / name, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            yield _Found(b"")
            return
        try:
            yield _Found(_text(handle)) if _free(handle) else None
        finally:
            os.close(handle)

    def read(self, name: str) -> bytes:
        """Return what a note says, whoever holds it; b"" where there is none."""
        with suppress(OSError):
            return (self._place / name).read_bytes().partition(_END)[0]
        return b""

    def names(self) -> tuple[str, ...]:
        """Return the names of the notes that there are."""
        with suppress(OSError):
            return tuple(sorted(path.name for path in self._place.iterdir()))
        return ()

    def forget(self, name: str) -> None:
        """Take a note away."""
        with suppress(OSError):
            (self._place / name).unlink()


def _free(handle: int) -> bool:
    """Return whether a lock could be taken."""
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _text(handle: int) -> bytes:
    return os.pread(handle, os.fstat(handle).st_size, 0).partition(_END)[0]


def _still(handle: int, path: Path) -> bool:
    """Return whether a path still leads to an open file."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False


@dataclass(frozen=True)
class Orphan:
    """A run without a process.

    Attributes:
        run: its name.
        folder: where it left its files; None where that is not known.
    """

    run: str
    folder: Path | None


class Underway:
    """The locks of one ledger.

    Args:
        place: the folder that they are in.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        self._notes = LockedNotes(place)

    @contextmanager
    def claim(self, run: str, folder: Path, patience: float = 60.0) -> Iterator[int]:
        """Hold the lock of a new run, or of one that is to go on.

        Args:
            run: its name.
            folder: where it leaves its files.
            patience: how many seconds to wait for whoever holds the lock. Only a sweeper can hold
                that of a new run.

        Yields:
            The file descriptor that holds the lock, for a process to inherit. Once that has it,
            the lock is held until both are gone.

        Raises:
            BlockingIOError: the run has a process.
            OSError: the place cannot be written.
        """
        with self._notes.claim(run, os.fsencode(folder.absolute()), patience) as handle:
            yield handle

    @contextmanager
    def orphan(self, run: str) -> Iterator[Orphan | None]:
        """Hold the lock of a run that has no process, so that no other process takes it up too.

        Yields:
            The run; None if it has a process, or somebody else sees to it.

        Raises:
            OSError: the lock cannot be looked at.
        """
        with self._notes.unheld(run) as found:
            if found is None:
                yield None
            else:
                yield Orphan(run, Path(os.fsdecode(found.text)) if found.text else None)

    def runs(self) -> tuple[str, ...]:
        """Return the runs that there is a note for."""
        return self._notes.names()

    def forget(self, run: str) -> None:
        """Take away the note of a run whose end is known, or that was never debited."""
        self._notes.forget(run)
