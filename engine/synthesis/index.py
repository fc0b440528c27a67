"""How many records share a candidate's prefix, without looking at the records.

The seeds are sorted once, in dependency order. A prefix that occurs has a number, its rank
among the prefixes of that length, and a count; a longer one is found from a shorter one by a
search among packed (number, code) keys.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class _Level:
    """The prefixes of one length that occur among the seeds.

    Attributes:
        number: (n,) each seed's prefix.
        count: (prefixes + 1,) how many seeds share it; the last is 0, for "none".
        key: (prefixes,) number of the prefix one shorter · cardinality + code, ascending.
    """

    number: npt.NDArray[np.int32]
    count: npt.NDArray[np.int32]
    key: npt.NDArray[np.int64]


class PlausibleSeedIndex:
    """The seeds in dependency order, and the counts of their prefixes of some lengths.

    Attributes:
        seeds: (n, m) codes in dependency order, sorted.
        shortest, longest: the lengths of prefix that can be asked about.
    """

    def __init__(
        self, ordered: Codes, cardinalities: npt.NDArray[np.int64], shortest: int, longest: int
    ) -> None:
        self.seeds = np.ascontiguousarray(ordered[_sorted_rows(ordered, cardinalities)])
        self.shortest, self.longest = shortest, longest
        self._cardinalities = cardinalities
        self._levels = self._build()

    def __len__(self) -> int:
        return len(self.seeds)

    def _build(self) -> list[_Level]:
        records = len(self.seeds)
        starts = np.zeros(records, dtype=bool)
        starts[:1] = True
        number = np.zeros(records, dtype=np.int32)
        none = np.zeros(0, np.int64)
        levels = [_Level(number, _counts(np.flatnonzero(starts), records), none)]
        for length in range(1, self.longest + 1):
            codes = self.seeds[:, length - 1]
            starts = starts.copy()
            starts[1:] |= codes[1:] != codes[:-1]
            first = np.flatnonzero(starts)
            key = number[first].astype(np.int64) * self._cardinalities[length - 1] + codes[first]
            number = (np.cumsum(starts, dtype=np.int32) - 1).astype(np.int32)
            level = _Level(number, _counts(first, records), key)
            levels = [*levels, level] if length > self.shortest else [level]
        return levels

    def shared(self, rows: npt.NDArray[np.int64], length: int) -> npt.NDArray[np.int64]:
        """(B,) how many seeds share the first `length` attributes of these seeds."""
        level = self._levels[length - self.shortest]
        return level.count[level.number[rows]].astype(np.int64)

    def prefix_counts(
        self, rows: npt.NDArray[np.int64], candidates: Codes, kept: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """How many seeds share each prefix of each candidate.

        Args:
            rows: (B,) the seed of each candidate.
            candidates: (m, B) codes in dependency order.
            kept: (B,) how many attributes each candidate kept of its seed, in ascending order
                and at least `shortest`.

        Returns:
            (longest − shortest + 1, B) counts.
        """
        counts = np.empty((len(self._levels), len(rows)), dtype=np.int64)
        number = self._levels[0].number[rows]
        counts[0] = self._levels[0].count[number]
        for step, level in enumerate(self._levels[1:], start=1):
            length = self.shortest + step
            searched = int(np.searchsorted(kept, length, side="left"))
            found = self._child(level, number[:searched], candidates[length - 1, :searched], length)
            number = np.concatenate([found, level.number[rows[searched:]]])
            counts[step] = level.count[number]
        return counts

    def _child(
        self, level: _Level, parent: npt.NDArray[np.int32], codes: Codes, length: int
    ) -> npt.NDArray[np.int32]:
        """The number of the prefix one longer, or −1 where it does not occur."""
        alive = np.flatnonzero(parent >= 0)
        key = parent[alive].astype(np.int64) * self._cardinalities[length - 1] + codes[alive]
        place = np.searchsorted(level.key, key)
        hit = level.key[np.minimum(place, len(level.key) - 1)] == key
        child = np.full(len(parent), -1, dtype=np.int32)
        child[alive[hit]] = place[hit]
        return child


def _counts(first: npt.NDArray[np.int64], records: int) -> npt.NDArray[np.int32]:
    """Run lengths from where runs start, and a 0 at the end so that −1 counts nothing."""
    return np.append(np.diff(first, append=records), 0).astype(np.int32)


def _sorted_rows(ordered: Codes, cardinalities: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Row numbers in lexicographic order, through as few packed 63-bit words as will do."""
    words: list[npt.NDArray[np.int64]] = []
    room = 0
    for place, cardinality in enumerate(cardinalities.tolist()):
        codes = ordered[:, place].astype(np.int64)
        bits = max(1, (cardinality - 1).bit_length())
        if words and bits <= room:
            words[-1] = (words[-1] << bits) | codes
            room -= bits
        else:
            words.append(codes)
            room = 63 - bits
    if len(words) == 1:
        return np.argsort(words[0], kind="stable")
    return np.lexsort(words[::-1])
