"""A file that grows, and the hash of what went into it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from understudy.runs.released import Written

_BLOCK = 1 << 20


class GrowingFile:
    """A file to which records are added at its end.

    Args:
        file: what takes the bytes; to go on with it, open for reading and writing.
        written: what it holds already; what follows is cut off. None for a file that is empty.

    Attributes:
        rows: how many records it holds. Whoever writes some counts them.
        size: how many bytes.

    Raises:
        ValueError: the file does not hold what was written.
    """

    def __init__(self, file: IO[bytes], written: Written | None) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.rows, self.size = 0, 0
        if written is not None:
            self._go_on(written)

    def _go_on(self, written: Written) -> None:
        while self.size < written.size:
            block = self._file.read(min(_BLOCK, written.size - self.size))
            if not block:
                break
            self._hash.update(block)
            self.size += len(block)
        if (self.size, self.sha256) != (written.size, written.sha256):
            raise ValueError("the file does not hold what was written")
        self._file.seek(written.size)
        self._file.truncate()
        self.rows = written.rows

    def write(self, data: bytes) -> int:
        """Put some bytes at the end."""
        self._hash.update(data)
        self._file.write(data)
        self.size += len(data)
        return len(data)

    @contextmanager
    def read_again(self) -> Iterator[IO[bytes]]:
        """Provide the file from its beginning on; whatever is written afterwards stands at its
        end."""
        self._file.seek(0)
        try:
            yield self._file
        finally:
            self._file.seek(self.size)

    def settle(self) -> None:
        """Make sure that what is in it survives a power failure (fsync).

        Raises:
            OSError: it might not.
        """
        self._file.flush()
        os.fsync(self._file.fileno())

    @property
    def sha256(self) -> str:
        """Hash of everything in it, in hex."""
        return self._hash.hexdigest()

    @property
    def written(self) -> Written:
        """What is in it by now."""
        return Written(self.rows, self.size, self.sha256)
