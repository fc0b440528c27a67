"""Every random number that can reach an output is drawn here.

A released table draws from AES-256 in counter mode, keyed by the operating system. The same
generator under a fixed seed serves tests and demonstrations; whatever it makes is marked as not
private.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from understudy.core.arrays import FloatArray, IntArray, WordArray

_WORD = 8
_KEY = 32
_BLOCK = 16

Use = Literal[
    "split",
    "model",
    "tape",
    "attempts",
    "numbers",
    "numbers again",
    "figures",
    "acceptance",
    "totals",
]
"""The uses of random numbers in a run."""


class RandomSource:
    """A stream of independent, uniform 64-bit words, for one process.

    Attributes:
        seeded: whether the key follows from a fixed seed. Everything made from such a source has to
            say that it is not private.
        position: how many words of the stream were drawn.
    """

    def __init__(self, key: bytes, *, seeded: bool, position: int = 0) -> None:
        self.seeded = seeded
        self.position = position
        block, begun = divmod(_WORD * position, _BLOCK)
        counter = modes.CTR(block.to_bytes(_BLOCK, "big"))
        self._stream = Cipher(algorithms.AES256(key), counter).encryptor()
        self._stream.update(bytes(begun))
        self._zeros = bytes(_WORD << 12)
        self._process = os.getpid()

    @classmethod
    def secure(cls) -> RandomSource:
        """Return a fresh source for releases, keyed with 256 bits from the operating system."""
        return cls(os.urandom(_KEY), seeded=False)

    @classmethod
    def fixed(cls, seed: int) -> RandomSource:
        """Return a repeatable source for tests and demonstrations; `seeded` is true."""
        return cls(_demonstration(seed), seeded=True)

    def child(self) -> RandomSource:
        """Return an independent source keyed from this one; seeded where this one is."""
        return RandomSource(self.words(4).tobytes(), seeded=self.seeded)

    def words(self, count: int) -> WordArray:
        """`count` uniform 64-bit words.

        Raises:
            RuntimeError: in a forked process, which would repeat its parent's words.
        """
        if os.getpid() != self._process:
            raise RuntimeError("a random source belongs to one process: make one per worker")
        if len(self._zeros) < count * _WORD:
            self._zeros = bytes(count * _WORD)
        self.position += count
        block = self._stream.update(memoryview(self._zeros)[: count * _WORD])
        return np.frombuffer(block, dtype="<u8").astype(np.uint64, copy=False)

    def below(self, bound: int, count: int) -> IntArray:
        """`count` integers, exactly uniform over 0 … bound − 1 (1 ≤ bound ≤ 2^63)."""
        if not 1 <= bound <= 1 << 63:
            raise ValueError("bound must lie in 1 … 2^63")
        limit = (1 << 64) - (1 << 64) % bound
        words = self.words(count)
        if limit < 1 << 64:
            rejected = np.flatnonzero(words >= np.uint64(limit))
            while rejected.size:
                words = words if words.flags.writeable else words.copy()
                words[rejected] = self.words(rejected.size)
                rejected = rejected[words[rejected] >= np.uint64(limit)]
        return (words % np.uint64(bound)).astype(np.int64)

    def uniforms(self, count: int) -> FloatArray:
        """`count` floats, uniform over the midpoints of 2^52 equal cells of (0, 1)."""
        found = (self.words(count) >> np.uint64(12)).astype(np.float64)
        found += 0.5
        found *= 2.0**-52
        return found


@dataclass(frozen=True)
class Secret:
    """The secret that all random numbers of one run follow from. Whoever knows it can subtract the
    noise.

    Every use has its own key, derived from the secret by HKDF with SHA-256 (RFC 5869), so no stream
    serves two uses. The same use always has the same stream, so a part of a run that is repeated
    gives the same result.

    Attributes:
        key: 32 bytes.
        seeded: as of `RandomSource`.

    Raises:
        ValueError: the key has another length.
    """

    key: bytes = field(repr=False)
    seeded: bool = False

    def __post_init__(self) -> None:
        if len(self.key) != _KEY:
            raise ValueError("a secret has 32 bytes")

    @classmethod
    def fresh(cls) -> Secret:
        """Return 256 bits from the operating system."""
        return cls(os.urandom(_KEY))

    @classmethod
    def fixed(cls, seed: int) -> Secret:
        """Return the repeatable secret of a test or demonstration; `seeded` is true."""
        return cls(_demonstration(seed), seeded=True)

    def source(self, use: Use, number: int = 0, position: int = 0) -> RandomSource:
        """Return the stream for one use.

        Args:
            use: what for.
            number: which of several of the kind, such as the number of a batch; below 2^64.
            position: how many of its words were drawn already, elsewhere.
        """
        purpose = b"understudy run\0" + use.encode() + b"\0" + number.to_bytes(8, "big")
        key = HKDFExpand(SHA256(), _KEY, purpose).derive(self.key)
        return RandomSource(key, seeded=self.seeded, position=position)


def _demonstration(seed: int) -> bytes:
    return hashlib.sha256(f"understudy demonstration {seed}".encode()).digest()
