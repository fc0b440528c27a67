"""Which runs have a process: a locked file for each, whose lock the system lifts when it is gone.

The lock is taken before the run is debited and handed on to the process that does the run. So a
run of which the end is not known and whose lock is free has no process, however it ended.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.ledger.store import make_private

_LOOK_EVERY = 0.05


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

    @contextmanager
    def claimed(self, run: str, folder: Path, patience: float = 60.0) -> Iterator[int]:
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
        make_private(self._place.parent)
        make_private(self._place)
        handle = self._locked_anew(self._place / run, patience)
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, os.fsencode(folder.absolute()), 0)
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
    def orphan(self, run: str) -> Iterator[Orphan | None]:
        """Hold the lock of a run that has no process, so that no other looker sees to it too.

        Yields:
            The run; None if it has a process, or somebody else sees to it.

        Raises:
            OSError: the lock cannot be looked at.
        """
        try:
            handle = os.open(self._place / run, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            yield Orphan(run, None)
            return
        try:
            yield Orphan(run, _folder(handle)) if _free(handle) else None
        finally:
            os.close(handle)

    def runs(self) -> tuple[str, ...]:
        """The runs that there is a file for."""
        with suppress(OSError):
            return tuple(sorted(path.name for path in self._place.iterdir()))
        return ()

    def forget(self, run: str) -> None:
        """Take away the file of a run whose end is known, or that was never debited."""
        with suppress(OSError):
            (self._place / run).unlink()


def _free(handle: int) -> bool:
    """Whether a lock could be taken."""
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _folder(handle: int) -> Path | None:
    """The folder noted in a lock's file; None where its maker did not get so far."""
    noted = os.pread(handle, os.fstat(handle).st_size, 0)
    return Path(os.fsdecode(noted)) if noted else None


def _still(handle: int, path: Path) -> bool:
    """Whether a path still leads to an open file."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False
