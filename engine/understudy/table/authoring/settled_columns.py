"""Columns that another column settles, as a region settles its density and a code its group.

No model of noisy counts keeps such a pair exactly, so made records contradict themselves in it.
Whoever has the one can work out the other, so it is best left out. Computed from confidential
texts: internal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray, WordArray
from understudy.table.cells import parse_number
from understudy.table.raw import RawTable

# Some records of a table, evenly spread, the same ones in whichever order its records stand.
#
# Records are put in the order of a hash of their texts, in which equal records stand together, and
# every so-manieth is taken: of equal ones as large a share as of all. Computed from confidential
# texts: internal.

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


_LOOKED_AT: Final = 10_000
_FEW: Final = 500
"""So many records show of most pairs that one does not settle the other."""
_ENOUGH_TO_TELL: Final = 20
_SETTLED: Final = 0.98
_EACH: Final = 10
"""A value that settles another has so many records on average: with fewer it may be somebody who
has several rows, and whom each fact about them goes with."""
_MOST_CELLS: Final = 500_000
"""Of a table of two columns; of longer lists together nothing is said."""
_MOSTLY: Final = 0.9

Settling = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class _Looked:
    """A column of the records that are looked at.

    Attributes:
        name: its name.
        places: (records,) the place of each text among those that occur.
        texts: those that occur.
    """

    name: str
    places: IntArray
    texts: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many texts occur."""
        return len(self.texts)

    @cached_property
    def most_frequent(self) -> int:
        """How many records have the most frequent text."""
        return int(np.bincount(self.places).max())

    @cached_property
    def by_size(self) -> IntArray | None:
        """The place of each record's number among those that occur, from the least; None if
        most texts are no numbers, or nearly every record has a number of its own, as one that
        counts the records."""
        if self.size > _MOSTLY * len(self.places):
            return None
        numbers = [parse_number(text) for text in self.texts]
        if sum(number is not None for number in numbers) < _MOSTLY * self.size:
            return None
        sizes = [float("-inf") if each is None else float(each) for each in numbers]
        return np.asarray(np.unique(sizes, return_inverse=True)[1][self.places])

    def few(self) -> _Looked:
        """Return the same of some records only, evenly spread."""
        return _Looked(self.name, self.places[spread(len(self.places), _FEW)], self.texts)


def derived_columns(settling: Settling, names: Collection[str]) -> dict[str, str]:
    """For each column that another one settles, which one that is: the shortest list of several.

    Args:
        settling: what settles what, of all columns.
        names: those that are used.
    """
    return {
        name: next(other for other in others if other in names)
        for name, others in settling.items()
        if name in names and any(other in names for other in others)
    }


def settling_columns(raw: RawTable, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return, for each column that others settle in nearly all records, which: the shortest list
    first.

    How well column A settles B is told as by Goodman and Kruskal's λ (1954): by how much of the
    errors of guessing the most frequent value of B are gone where that of the same A is guessed
    instead. A record does not count in the guess about itself, so that a column does not settle
    all others by having a value for each record. A number also settles B where B changes seldom
    as the number grows, as an income settles its decile. In which order the records stand makes
    no difference.

    Args:
        raw: the table; at most 10,000 records of it are looked at, evenly spread.
        names: the columns to look at. Of two that settle each other the later is settled.
    """
    looked = [each for each in _rank_texts(raw, names) if each.size > 1]
    found: dict[str, tuple[str, ...]] = {}
    for place, column in enumerate(looked):
        settling = [
            other
            for at, other in enumerate(looked)
            if (other.size, at < place) > (column.size, False) and _settles(other, column)
        ]
        if settling:
            found[column.name] = tuple(
                each.name for each in sorted(settling, key=lambda each: each.size)
            )
    return found


def _rank_texts(raw: RawTable, names: Collection[str]) -> Iterator[_Looked]:
    rows = evenly_spread_records(raw, _LOOKED_AT)
    for name in names:
        texts, places = raw.distinct(name)
        occurring, found = np.unique(places[rows], return_inverse=True)
        # By the texts, as which text a file begins with is a matter of its order.
        order = sorted(range(len(occurring)), key=lambda at: texts[occurring[at]])
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        yield _Looked(name, ranks[found], tuple(texts[occurring[at]].strip() for at in order))


def _settles(one: _Looked, other: _Looked) -> bool:
    if len(other.places) - other.most_frequent < _ENOUGH_TO_TELL:
        return False
    if one.size * other.size > _MOST_CELLS:
        return False
    few = one.few(), other.few()
    if one.size * _EACH <= len(one.places) and (
        _wrong(*few, itself=True) <= _errors(few[1])
        and _wrong(one, other, itself=False) <= _errors(other)
    ):
        return True
    return one.by_size is not None and _changes(one.by_size, other) <= _errors(other)


def _counts(places: IntArray, size: int, other: _Looked) -> IntArray:
    """Return (size, texts) how many records have each value of one column and each text of
    another."""
    cells = np.bincount(places * other.size + other.places, minlength=size * other.size)
    return np.asarray(cells.reshape(size, other.size))


def _errors(column: _Looked) -> float:
    """Return how many records may be wrong of a column that is settled."""
    return (1 - _SETTLED) * (len(column.places) - column.most_frequent)


def _wrong(one: _Looked, other: _Looked, *, itself: bool) -> int:
    """Count the records in which the most frequent value of those with the same value of one column
    is another; whether a record counts itself among those."""
    pairs = _counts(one.places, one.size, other)
    right = pairs.max(axis=1)
    if not itself:
        second = np.partition(pairs, -2, axis=1)[:, -2]
        right = np.where((right >= 2) & (right - 1 >= second), right, 0)
    return len(one.places) - int(right.sum())


def _changes(by_size: IntArray, other: _Looked) -> int:
    """Return how often a column changes as a number grows: from the most frequent value beside one
    number to that beside the next, and in every record that has another value beside its number."""
    pairs = _counts(by_size, int(by_size.max()) + 1, other)
    changed = np.count_nonzero(np.diff(pairs.argmax(axis=1)))
    return int(changed + pairs.sum() - pairs.max(axis=1).sum())
