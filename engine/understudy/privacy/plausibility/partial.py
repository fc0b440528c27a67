"""Bounds on a score from some of the records, and whether they decide the test.

A score is that of a set of records which holds the candidate's own seed. One record more leaves it
or raises it, by at most 1 (docs/guarantee.md, "What both have in common", 2). So with a score of x
so far and r records still to come, the score of them all lies between x and x + r, and whether it
reaches what the coin asks for is often plain long before the last record. What is decided early is
therefore what looking at every record would have decided: no candidate's outcome differs, whatever
order the records come in, and the law of the outcomes is untouched.

The seed itself counts from the start. The argument `again` marks the block that contains it, so
that it counts only once.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray


class PartialScore(Protocol):
    """What is known of the score of each of B candidates after some of the records."""

    @property
    def held(self) -> int:
        """How many numbers are held in memory that grow with the records."""
        ...

    def add(self, likelihoods: FloatArray, sizes: IntArray, again: BoolArray) -> None:
        """Take further records into account.

        Args:
            likelihoods: (B, R) ln p_d(y) of each candidate y and record d.
            sizes: (R,) the multiplicity of each record.
            again: (B,) whether the candidate's own seed is one of them.
        """
        ...

    def settle(self, least: IntArray, left: IntArray) -> tuple[BoolArray, BoolArray]:
        """Return which candidates certainly score at least `least`, and which certainly less.

        Both are false for a candidate that is not decided yet.

        Args:
            least: (B,) the score to reach.
            left: (B,) how many records are still to come, the seed not counted.
        """
        ...

    def keep(self, which: IntArray) -> None:
        """Forget all candidates but those of these places, ascending, which they are numbered by
        from now on."""
        ...


class PartialCount:
    """The number of records whose likelihood is within an interval, which is exact.

    Args:
        low, high: (B,) the interval, ends included; it holds that of the seed, or nothing.
    """

    held = 0

    def __init__(self, low: FloatArray, high: FloatArray) -> None:
        self._low, self._high = low, high
        self._alone = (low <= high).astype(np.int64)
        self._count = self._alone.copy()

    def add(self, likelihoods: FloatArray, sizes: IntArray, again: BoolArray) -> None:
        """As of `PartialScore`."""
        alike = likelihoods >= self._low[:, None]
        alike &= likelihoods <= self._high[:, None]
        self._count += counted(alike, sizes) - self._alone * again

    def settle(self, least: IntArray, left: IntArray) -> tuple[BoolArray, BoolArray]:
        """As of `PartialScore`."""
        return self._count >= least, self._count + left < least

    def keep(self, which: IntArray) -> None:
        """As of `PartialScore`."""
        self._low, self._high = self._low[which], self._high[which]
        self._alone, self._count = self._alone[which], self._count[which]


def counted(true: BoolArray, sizes: IntArray) -> IntArray:
    """(B,) the number of records that are true for each candidate, from (B, R) flags and (R,)
    multiplicities."""
    if sizes.size and (sizes == sizes[0]).all():
        ones = np.bitwise_count(np.packbits(true, axis=1)).sum(axis=1, dtype=np.int64)
        return np.asarray(ones * sizes[0])
    # Whole numbers under 2^53 add up exactly in floating point, in any order.
    found: IntArray = (true @ sizes.astype(np.float64)).astype(np.int64)
    return found
