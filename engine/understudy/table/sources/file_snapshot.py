"""Reading a file as it was at one moment, or refusing where it was changed since.

Another program may write to a file while it is read. What is read then is neither the old table nor
the new one, and mapped memory of a file that was cut short ends the process that looks at it. So
bytes are read into memory of our own, and the file has to be the same file, of the same length and
untouched, before and after.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from understudy.core.refusal import Refusal

_BLOCK = 1 << 24
_TICK_NS = 20_000_000
"""Systems note the time of a change as of their last tick; two changes within one look like one."""


@dataclass(frozen=True)
class Stamp:
    """Metadata that changes when a file is written to or replaced.

    Attributes:
        place: its number, and that of its device.
        size: in bytes.
        written: when its content last changed, in nanoseconds.
        touched: when anything about it did, which no program can set back.
    """

    place: tuple[int, int]
    size: int
    written: int
    touched: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """Return the stamp of a file that was looked at."""
        place = found.st_dev, found.st_ino
        return cls(place, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    @property
    def is_fresh(self) -> bool:
        """Whether another change could still leave the same stamp."""
        return 0 <= time.time_ns() - max(self.written, self.touched) < _TICK_NS


@dataclass(frozen=True)
class FileSnapshot:
    """A file as it was at one moment.

    Attributes:
        path: where it is, whatever the working folder will be.
        name: for sentences about it.
        stamp: by which it is known to be the same.
    """

    path: Path
    name: str
    stamp: Stamp

    @classmethod
    def at(cls, path: Path, name: str) -> FileSnapshot:
        """Return the file that is there now.

        Raises:
            OSError, ValueError: there is none, or it may not be read.
        """
        with path.open("rb") as file:
            stamp = Stamp.of(os.fstat(file.fileno()))
            while stamp.is_fresh:
                time.sleep(_TICK_NS / 4e9)
                stamp = Stamp.of(os.fstat(file.fileno()))
        return cls(path.absolute(), name, stamp)

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.stamp.size

    def piece(self, start: int, end: int) -> bytes:
        """Return some of its bytes.

        Raises:
            Refusal: it was changed, or cannot be read any more.
        """
        try:
            with self.path.open("rb", buffering=0) as file:
                self._check(Stamp.of(os.fstat(file.fileno())))
                data = _read(file.fileno(), start, end)
                self._check(Stamp.of(os.fstat(file.fileno())))
        except OSError:
            raise _gone(self.name) from None
        except MemoryError:
            raise Refusal(
                f"{self.name} is larger than the memory that is free.",
                "Close other programs, or save it as Parquet or with fewer columns.",
                field="table",
            ) from None
        if len(data) < end - start:
            raise changed_file(self.name)
        return data

    def check(self) -> None:
        """Check that it is the same still.

        Raises:
            Refusal: it was changed, or is gone.
        """
        try:
            found = self.path.stat()
        except OSError:
            raise _gone(self.name) from None
        self._check(Stamp.of(found))

    def _check(self, stamp: Stamp) -> None:
        if stamp != self.stamp:
            raise changed_file(self.name)


def _read(handle: int, start: int, end: int) -> bytes:
    """Bytes from–to, fewer where the file has ended; held once."""
    if end - start <= _BLOCK:
        return os.pread(handle, end - start, start)
    os.lseek(handle, start, os.SEEK_SET)
    with open(handle, "rb", closefd=False) as file:
        return file.read(end - start)


def changed_file(name: str) -> Refusal:
    """Return the refusal of a file that was changed while it was read."""
    return Refusal(
        f"{name} was changed while it was being used.",
        "Start again, and leave the file as it is until the end.",
        field="table",
    )


def _gone(name: str) -> Refusal:
    return Refusal(f"{name} cannot be read any more.", "Put the file back.", field="table")
