"""Small files, each locked by one process; the system lifts the lock when the process ends."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from understudy.core.files import make_private

_LOOK_EVERY = 0.05
_END = b"\0"
"""Ends a note: what follows is left of an earlier one."""


@dataclass(frozen=True)
class Found:
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
    def claimed(self, name: str, text: bytes, patience: float) -> Iterator[int]:
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
    def unheld(self, name: str) -> Iterator[Found | None]:
        """Hold a note that nobody holds, so that no other process takes it up too.

        Yields:
            The note; None if somebody holds it.

        Raises:
            OSError: it cannot be looked at.
        """
        try:
            handle = os.open(self._place / name, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            yield Found(b"")
            return
        try:
            yield Found(_text(handle)) if _free(handle) else None
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
