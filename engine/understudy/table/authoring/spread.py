"""Some records of a table, evenly spread, the same ones in whichever order its records stand.

Records are put in the order of a hash of their texts, in which equal records stand together, and
every so-manieth is taken: of equal ones as large a share as of all. Computed from confidential
texts: internal.
"""

from __future__ import annotations

import hashlib

import numpy as np

from understudy.core.arrays import IntArray, WordArray
from understudy.table.raw import RawTable

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


def evenly_spread_records(raw: RawTable, most: int) -> IntArray:
    """Return the places of at most so many records, in an order that the records alone decide."""
    order = np.argsort(_hashes(raw), kind="stable")
    return np.asarray(order[spread(len(order), most)])


def spread(records: int, most: int) -> IntArray:
    """Return at most so many places among records, as evenly as can be."""
    taken = min(records, most)
    return np.arange(taken, dtype=np.int64) * records // max(1, taken)


def _hashes(raw: RawTable) -> WordArray:
    """Return (records,) a hash of each record's texts, the same for equal records."""
    found = np.zeros(raw.rows, dtype=np.uint64)
    for name in raw.names:
        texts, places = raw.distinct(name)
        codes = np.array([_hash(text) for text in texts], dtype=np.uint64)
        found = (found ^ codes[places]) * _ODD
        found ^= found >> _SHIFT
    return found


def _hash(text: str) -> int:
    """Return 64 bits of a text."""
    sign = hashlib.blake2b(text.encode(), digest_size=8)
    return int.from_bytes(sign.digest(), "little")
