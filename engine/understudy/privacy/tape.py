"""A log of the noise drawn while a model is learned, so that a resumed run repeats it.

OpenDP draws from a generator of its own, which cannot be seeded. So whatever it draws for a run is
written to a tape before it is used. A run that learns again is answered from the tape as far as it
goes: the same query gets the same noise, and no query is answered with fresh noise twice.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.privacy.randomness import Secret

_MARK = 16
_HEAD = _MARK + 1 + 8
_WIDTHS = ("<i2", "<i4", "<i8")
_SPREAD = 64
"""Noise is smaller than this many scales, except for a probability below e^{−64}."""
_SETTLE_EVERY = 0.05
"""Seconds between calls of fsync: how much drawing a power failure can lose."""


class Tape(Protocol):
    """Draws noise, or repeats what was drawn before."""

    def draw_answer(
        self, what: str, values: IntArray, scale: float, draw: Callable[[], IntArray]
    ) -> IntArray:
        """Return the noisy answer to this query: from the tape, or drawn now.

        Args:
            what: the kind of query.
            values: the exact values.
            scale: of the noise.
            draw: draws the answer: integers that are spread about `scale` around 0.

        Raises:
            Refusal: the tape has another query at this place.
        """
        ...


class NoTape:
    """Always draws, and keeps nothing: for what is learned once or never released."""

    def draw_answer(
        self, what: str, values: IntArray, scale: float, draw: Callable[[], IntArray]
    ) -> IntArray:
        """Answer as `Tape` says, always now."""
        return draw()


class KeptTape:
    """A tape in a file that only its owner may read; new entries are appended.

    An entry is a MAC of the query, the width and count of its numbers, the numbers, and a MAC of
    all that, both keyed with the run's secret. An entry without a valid MAC, such as a torn end of
    the file, was never used and is cut off.

    Args:
        path: the file; made if it is not there.
        secret: of the run.

    Raises:
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path, secret: Secret) -> None:
        self._key = secret.source("tape").words(4).tobytes()
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._file: BinaryIO = os.fdopen(handle, "r+b", buffering=0)
        self._left = path.stat().st_size
        self._number = 0
        self._settled = time.monotonic()

    def __enter__(self) -> KeptTape:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def draw_answer(
        self, what: str, values: IntArray, scale: float, draw: Callable[[], IntArray]
    ) -> IntArray:
        """Answer as `Tape` says."""
        asked = self._sign_query(what, values, scale)
        if self._left:
            found = self._replay(asked)
            if found is not None:
                self._number += 1
                return found
        answer = draw()
        self._put(asked, answer, scale)
        self._number += 1
        return answer

    def _sign_query(self, what: str, values: IntArray, scale: float) -> bytes:
        """Return the MAC of a query: keyed because the values are confidential."""
        said = f"{self._number} {what} {scale!r} {values.size}".encode()
        hashed = hashlib.blake2b(said, key=self._key, digest_size=_MARK)
        hashed.update(np.ascontiguousarray(values, dtype="<i8").data)
        return hashed.digest()

    def _replay(self, asked: bytes) -> IntArray | None:
        """Return the next answer on the tape; None at its end, where a torn entry is cut off.

        Raises:
            Refusal: the next entry answers another query.
        """
        start = self._file.tell()
        head = self._file.read(_HEAD)
        if len(head) == _HEAD and head[_MARK] < len(_WIDTHS):
            kind = np.dtype(_WIDTHS[head[_MARK]])
            size = int.from_bytes(head[_MARK + 1 :], "little") * kind.itemsize
            if size + _MARK <= self._left - _HEAD:
                data = _all_of(self._file, size)
                if self._file.read(_MARK) == self._seal(head, data):
                    if head[:_MARK] != asked:
                        raise divergence_refusal()
                    self._left -= _HEAD + size + _MARK
                    return np.frombuffer(data, kind).astype(np.int64)
        self._file.seek(start)
        self._file.truncate()
        self._left = 0
        return None

    def _put(self, asked: bytes, answer: IntArray, scale: float) -> None:
        width = _width(answer, scale)
        data = answer.astype(_WIDTHS[width]).tobytes()
        head = asked + bytes([width]) + len(answer).to_bytes(8, "little")
        # One write, so that a kill leaves the entry or the beginning of one.
        _put_all(self._file, head + data + self._seal(head, data))
        now = time.monotonic()
        if now - self._settled > _SETTLE_EVERY:
            os.fsync(self._file.fileno())
            self._settled = time.monotonic()

    def _seal(self, head: bytes, data: bytes) -> bytes:
        hashed = hashlib.blake2b(head, key=self._key, digest_size=_MARK)
        hashed.update(data)
        return hashed.digest()


def divergence_refusal() -> Refusal:
    """Return the refusal where a resumed run asks other queries than before."""
    return Refusal(
        "The run does not learn again as it learned before it was interrupted, so that it cannot "
        "go on as the run that was paid for.",
        "Resume it on the machine and with the libraries that it was begun with. Its ε stays "
        "spent; a new run is a new spend.",
        field="resume",
    )


def _width(answer: IntArray, scale: float) -> int:
    """Return the bytes of each number of an entry. They follow from the scale alone, except for a
    probability below e^{-64}, so the size of an entry says nothing about the noise."""
    for width, kind in enumerate(_WIDTHS[:-1]):
        most = np.iinfo(kind).max
        if scale * _SPREAD <= most and np.abs(answer).max(initial=0) <= most:
            return width
    return len(_WIDTHS) - 1


def _all_of(file: BinaryIO, size: int) -> bytes:
    """Read `size` bytes, or as many as there are."""
    parts = []
    while size:
        part = file.read(size)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _put_all(file: BinaryIO, data: bytes) -> None:
    """Write all of the bytes; one system call may write fewer."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
