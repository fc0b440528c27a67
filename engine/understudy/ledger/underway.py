"""Which runs have a process: a locked note for each, whose lock the system lifts when it is gone.

The lock is taken before the run is debited and handed on to the process that does the run. So a
run of which the end is not known and whose lock is free has no process, however it ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from understudy.ledger.locked_notes import LockedNotes


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
        with self._notes.claimed(run, os.fsencode(folder.absolute()), patience) as handle:
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
