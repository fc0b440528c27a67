"""How many records share a candidate's prefix, without looking at the records.

Of a seed only the attributes that may be kept matter, so the seeds are held as the tree of the
prefixes that occur among them: each of the longest ones once, with how many seeds begin with it.
A prefix has a number, its rank among those of its length, and a count; a longer one is found from
a shorter one, in a table where that is small and else by a search among packed (number, code) keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import BoolArray, CodeArray, IntArray, ShortIntArray

_SMALL_TABLE = 1 << 20
"""Entries of a table of children that is worth having: as many stay in a core's own cache."""


@dataclass(frozen=True, eq=False)
class Prefixes:
    """The different prefixes of one length among some seeds, and how many begin with each.

    Attributes:
        codes: (prefixes, length) in lexicographic order, each once.
        counts: (prefixes,) how many seeds begin with it, at least 1.
    """

    codes: CodeArray
    counts: IntArray

    @classmethod
    def of(cls, ordered: CodeArray, cardinalities: IntArray) -> Prefixes:
        """Return the prefixes of records.

        Args:
            ordered: (n, length) codes in dependency order.
            cardinalities: (length,) how many values each attribute has.
        """
        return cls._merge_rows(ordered, np.ones(len(ordered), np.int64), cardinalities)

    @classmethod
    def _merge_rows(cls, codes: CodeArray, counts: IntArray, cardinalities: IntArray) -> Prefixes:
        """Return rows that may stand there more than once, each with its count."""
        if len(codes) == 0 or codes.shape[1] == 0:
            least = min(1, len(codes))
            return cls(codes[:least], counts.sum(keepdims=True)[:least])
        words = _pack_rows(codes, cardinalities)
        order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
        starts = np.zeros(len(codes), dtype=bool)
        starts[0] = True
        for word in words:
            in_order = word[order]
            starts[1:] |= in_order[1:] != in_order[:-1]
        first = np.flatnonzero(starts)
        return cls(codes[order[first]], np.add.reduceat(counts[order], first))

    def merge(self, other: Prefixes, cardinalities: IntArray) -> Prefixes:
        """Return the prefixes of both sets of seeds together."""
        return self._merge_rows(
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.counts, other.counts]),
            cardinalities,
        )


@dataclass(frozen=True)
class _Level:
    """The prefixes of one length.

    Attributes:
        number: (leaves,) the prefix that each of the longest begins with.
        count: (prefixes + 1,) how many seeds begin with it; the last is 0, for "none".
        key: (prefixes,) number of the prefix one shorter · cardinality + code, ascending.
        cardinality: how many values the last attribute of the prefix has.
        child: (shorter · cardinality + 1,) the number of the prefix with each key, or that of
            "none", where that table is small; the last entry stands for all keys beyond.
    """

    number: ShortIntArray
    count: IntArray
    key: IntArray
    cardinality: int
    child: ShortIntArray | None

    @property
    def none(self) -> int:
        """The number of no prefix at all."""
        return len(self.count) - 1

    def longer(self, shorter: ShortIntArray, codes: CodeArray) -> ShortIntArray:
        """Return (B,) the numbers of prefixes one longer than some, that of "none" where there is
        none.

        "None" comes after all prefixes one shorter, so what would follow it has a key of its own,
        beyond those that occur.

        Args:
            shorter: (B,) the numbers of the shorter ones.
            codes: (B,) what follows.
        """
        key = np.multiply(shorter, self.cardinality, dtype=np.int64)
        key += codes
        if self.child is not None:
            return np.take(self.child, key, mode="clip")
        place = np.searchsorted(self.key, key)
        np.minimum(place, len(self.key) - 1, out=place)
        return np.where(self.key[place] == key, place, self.none).astype(np.int32)


class PlausibleSeedIndex:
    """The tree of the prefixes that occur among the seeds, of some lengths.

    A leaf is one of the longest prefixes, by its rank.

    Attributes:
        shortest, longest: the lengths of prefix that can be asked about.
        leaves: the longest prefixes.
        cardinalities: (attributes,) in dependency order.
    """

    def __init__(self, leaves: Prefixes, cardinalities: IntArray, shortest: int) -> None:
        """The index of seeds whose longest prefixes are these.

        Args:
            leaves: in dependency order; at least one.
            cardinalities: (attributes,) in dependency order.
            shortest: the least length of prefix that is asked about.

        Raises:
            ValueError: there are no seeds.
        """
        if not len(leaves.codes):
            raise ValueError("an index needs a seed")
        self.leaves = leaves
        self.cardinalities = cardinalities
        self.shortest, self.longest = shortest, leaves.codes.shape[1]

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to build it again where it is sent: the leaves are far smaller than the
        tree."""
        return type(self), (self.leaves, self.cardinalities, self.shortest)

    @classmethod
    def of(
        cls, ordered: CodeArray, cardinalities: IntArray, shortest: int, longest: int
    ) -> PlausibleSeedIndex:
        """Return the index of records, (n, m) codes in dependency order."""
        leaves = Prefixes.of(ordered[:, :longest], cardinalities[:longest])
        return cls(leaves, cardinalities, shortest)

    def __len__(self) -> int:
        """Return how many seeds there are."""
        return int(self.leaves.counts.sum())

    def prepare(self) -> None:
        """Build what is built at the first question, before several threads ask theirs."""
        _ = self._levels, self._leaf_of

    @cached_property
    def _by_place(self) -> CodeArray:
        """(longest, leaves) the leaves, attribute by attribute."""
        return np.ascontiguousarray(self.leaves.codes.T)

    @cached_property
    def _levels(self) -> list[_Level]:
        leaves = len(self.leaves.codes)
        starts = np.zeros(leaves, dtype=bool)
        starts[0] = True
        number, levels = np.zeros(leaves, dtype=np.int32), []
        for length in range(self.longest + 1):
            shorter, cardinality = number, 1
            if length:
                codes = self._by_place[length - 1]
                starts[1:] |= codes[1:] != codes[:-1]
                number = np.cumsum(starts, dtype=np.int32) - np.int32(1)
                cardinality = int(self.cardinalities[length - 1])
            if length >= self.shortest:
                levels.append(self._level(number, shorter, starts, length, cardinality))
        return levels

    def _level(
        self,
        number: ShortIntArray,
        shorter: ShortIntArray,
        starts: BoolArray,
        length: int,
        cardinality: int,
    ) -> _Level:
        first = np.flatnonzero(starts)
        count = np.append(np.add.reduceat(self.leaves.counts, first), 0)
        key = shorter[first].astype(np.int64) * cardinality
        if length:
            key += self._by_place[length - 1][first]
        child = None
        entries = (int(shorter[-1]) + 1) * cardinality + 1
        if entries <= _SMALL_TABLE:
            child = np.full(entries, len(first), dtype=np.int32)
            child[key] = np.arange(len(first), dtype=np.int32)
        return _Level(number, count, key, cardinality, child)

    @cached_property
    def _leaf_of(self) -> npt.NDArray[np.unsignedinteger]:
        """(n,) the leaf of each seed, the seeds taken in lexicographic order."""
        kind = np.min_scalar_type(len(self.leaves.codes))
        return np.repeat(np.arange(len(self.leaves.codes), dtype=kind), self.leaves.counts)

    def leaf(self, rows: IntArray) -> IntArray:
        """Return (B,) the leaves of the seeds with these ranks in lexicographic order."""
        return np.take(self._leaf_of, rows).astype(np.int64)

    def take_kept(self, leaves: IntArray) -> CodeArray:
        """Return (longest, B) the attributes of each leaf, in dependency order."""
        return np.take(self._by_place, leaves, axis=1)

    def count_shared(self, leaves: IntArray, length: int) -> IntArray:
        """Return (B,) how many seeds share the first `length` attributes of these leaves."""
        level = self._levels[length - self.shortest]
        return np.take(level.count, np.take(level.number, leaves))

    def all_prefix_counts(self, candidates: CodeArray) -> IntArray:
        """Return (longest − shortest + 1, B) as `prefix_counts`, of candidates whose seeds need not
        be among these; `shortest` is 0."""
        counts = np.empty((len(self._levels), candidates.shape[1]), dtype=np.int64)
        number = np.zeros(candidates.shape[1], dtype=np.int32)
        for length, level in enumerate(self._levels):
            if length:
                number = level.longer(number, candidates[length - 1])
            np.take(level.count, number, out=counts[length], mode="clip")
        return counts

    def prefix_counts(self, leaves: IntArray, candidates: CodeArray, kept: IntArray) -> IntArray:
        """Return how many seeds share each prefix of each candidate.

        Args:
            leaves: (B,) the leaf of each candidate's seed.
            candidates: (m, B) codes in dependency order.
            kept: (B,) how many attributes each candidate kept of its seed, in ascending order
                and at least `shortest`.

        Returns:
            (longest − shortest + 1, B) counts.
        """
        counts = np.empty((len(self._levels), len(leaves)), dtype=np.int64)
        number = np.take(self._levels[0].number, leaves)
        np.take(self._levels[0].count, number, out=counts[0], mode="clip")
        for step, level in enumerate(self._levels[1:], start=1):
            length = self.shortest + step
            searched = int(np.searchsorted(kept, length, side="left"))
            longer = np.take(level.number, leaves)
            codes = candidates[length - 1, :searched]
            longer[:searched] = level.longer(number[:searched], codes)
            number = longer
            np.take(level.count, number, out=counts[step], mode="clip")
        return counts


def _pack_rows(codes: CodeArray, cardinalities: IntArray) -> list[IntArray]:
    """Return rows as few 63-bit words, which compare as the rows do, the first word first."""
    words: list[IntArray] = []
    room = 0
    for place, cardinality in enumerate(cardinalities.tolist()):
        column = codes[:, place].astype(np.int64)
        bits = max(1, (cardinality - 1).bit_length())
        if words and bits <= room:
            words[-1] <<= bits
            words[-1] |= column
            room -= bits
        else:
            words.append(column)
            room = 63 - bits
    return words
