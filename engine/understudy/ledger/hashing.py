"""Keyed hashes of texts, cells, records and tables, where order plays no part.

A text's hash is SipHash-2-4 under two keys, 128 bits. A cell's is the text's hash enciphered by AES
under a key of its column, a record's the sum of its cells' enciphered by AES under a key for
records, and a table's the sum of those of its records. Sums are of two numbers modulo 2⁶⁴.

So the order of columns and of records is lost, and nothing else but by accident. Two different
records have the same sum of cells with a chance of 2⁻¹²⁸ or so, over the keys, as one cell of them
differs and its hash is as good as random. AES then takes the sums apart: without it, the sum over
a table would be that of its cells, and the two records (1, 2), (3, 4) would weigh as much as
(1, 4), (3, 2). Two different tables differ in how often some record occurs, by d times, and their
sums are equal only where d times a number as good as random is 0 in both halves: 2⁻¹²⁸ for an odd
d, and at most 2⁻⁶² for any d that a table of fewer than 2³³ records can reach. (Clarke, Devadas,
van Dijk, Gassend and Suh 2003 call such sums MSet-Add-Hash, and prove that under a secret key not
even somebody who chooses the tables finds two alike.)
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

Hashes = npt.NDArray[np.uint64]
"""(n, 2): 128 bits each, in two halves."""

_AT_ONCE = 1 << 16
_SIP_KEY = 16
_SEVEN_BITS = 0x7F


@dataclass(frozen=True)
class Keys:
    """The keys that are made from a ledger's one, each for one use.

    Attributes:
        ledger: the ledger's key.
    """

    ledger: bytes

    def made(self, use: str) -> bytes:
        """32 bytes for one use, from which neither the key nor those for other uses follow."""
        return hmac.new(self.ledger, use.encode(), hashlib.sha256).digest()

    def texts(self, texts: pa.Array) -> Hashes:
        """Return the hash of each text."""
        # The process of a run debits and hashes nothing, and would take 0.4 s to load pandas.
        from pandas.util import hash_array

        found = np.empty((len(texts), 2), dtype=np.uint64)
        for start in range(0, len(texts), _AT_ONCE):
            some = texts.slice(start, _AT_ONCE).to_numpy(zero_copy_only=False)
            for half, key in enumerate(self._sip):
                found[start : start + len(some), half] = hash_array(
                    some, hash_key=key, categorize=False
                )
        return found

    def cells(self, column: str, texts: Hashes) -> Hashes:
        """Return the hash of each cell of a column, from that of its text."""
        return _enciphered(self.made(f"cells {column}"), texts)

    def records(self, sums: Hashes) -> Hashes:
        """Return the hash of each record, from the sum of those of its cells."""
        return _enciphered(self.made("records"), sums)

    @cached_property
    def _sip(self) -> tuple[str, str]:
        """Two keys of 112 bits, as the library takes them: in letters."""
        made = self.made("texts")
        letters = "".join(chr(byte & _SEVEN_BITS) for byte in made)
        return letters[:_SIP_KEY], letters[_SIP_KEY:]

    def sealed(self, use: str, said: bytes) -> str:
        """HMAC-SHA256 in hex, which tells nothing without the key."""
        return hmac.new(self.made(use), said, hashlib.sha256).hexdigest()


def _enciphered(key: bytes, hashes: Hashes) -> Hashes:
    """Return each hash as one block of AES: whatever is added up here is not what was added up
    before."""
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    plain = np.ascontiguousarray(hashes, dtype="<u8").tobytes()
    found = np.frombuffer(cipher.update(plain), dtype="<u8")
    return found.astype(np.uint64).reshape(-1, 2)
