"""What is counted of people, so that a block of them can be left out again.

An interval of a statistic of people comes from leaving out people with all of their days: days of
one person are alike, and would make it too narrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from understudy.core.arrays import FloatArray, IntArray


class Tally(Protocol):
    """Sums over people."""

    def left_out(self, block: IntArray, blocks: int) -> FloatArray:
        """(1 + blocks, size) the sums over everybody, then without the people of each block.

        Args:
            block: (people,) the block of each person.
            blocks: how many there are; 0 for everybody alone.
        """
        ...


@dataclass(frozen=True, eq=False)
class Counted:
    """How often each of several things occurs.

    Attributes:
        person: (n,) of whom.
        key: (n,) which it is.
        size: how many things there are. Public: it follows from the map and the clock.
    """

    person: IntArray
    key: IntArray
    size: int

    @property
    def whole(self) -> FloatArray:
        """(size,) how often each occurs."""
        return np.bincount(self.key, minlength=self.size).astype(np.float64)

    def left_out(self, block: IntArray, blocks: int) -> FloatArray:
        """See `Tally`."""
        if not blocks:
            return self.whole[None]
        keys = block[self.person] * self.size + self.key
        parts = np.bincount(keys, minlength=blocks * self.size).reshape(blocks, self.size)
        return _without(parts.astype(np.float64))


@dataclass(frozen=True, eq=False)
class Summed:
    """Numbers of each person, to be added up.

    Attributes:
        each: (people, size).
    """

    each: FloatArray

    def left_out(self, block: IntArray, blocks: int) -> FloatArray:
        """See `Tally`."""
        if not blocks:
            whole: FloatArray = self.each.sum(axis=0)
            return whole[None]
        parts = np.zeros((blocks, self.each.shape[1]))
        np.add.at(parts, block, self.each)
        return _without(parts)


def _without(parts: FloatArray) -> FloatArray:
    whole = parts.sum(axis=0)
    found: FloatArray = np.concatenate([whole[None], whole - parts])
    return found
