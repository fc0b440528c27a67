"""Rows of categories, drawn from a Dirichlet posterior in whole numbers: no share is ever a float.

Rows from one draw of the parameter are a Pólya urn: each row is drawn with chances in proportion to
the posterior weights, after which its cell weighs one more. Rows each from a draw of its own are
drawn from the weights as they are. Weights are whole numbers of 1/q, so every chance is a quotient
of whole numbers, and what is drawn has exactly the law that the curves are computed for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import IntArray
from understudy.privacy.randomness import RandomSource


@dataclass(frozen=True, eq=False)
class Urn:
    """Posterior weights.

    Attributes:
        weights: (cells,) of each, in parts; at least one is above 0.
        one: how many parts one record weighs.
    """

    weights: IntArray
    one: int

    def rows(self, count: int, source: RandomSource, *, one_draw: bool) -> IntArray:
        """(count,) the cell of each row."""
        up_to = np.cumsum(self.weights)
        if not one_draw:
            return np.searchsorted(up_to, source.below(int(up_to[-1]), count), side="right")
        total = int(up_to[-1])
        parts = below(total + self.one * np.arange(count, dtype=np.int64), source)
        fresh = parts < total
        # A part beyond the first total belongs to an earlier row, whose cell is drawn again.
        before = np.where(fresh, np.arange(count), (parts - total) // self.one)
        while True:
            further = before[before]
            if np.array_equal(further, before):
                break
            before = further
        cells = np.searchsorted(up_to, np.where(fresh, parts, 0), side="right")
        return np.asarray(cells[before])


def below(bounds: IntArray, source: RandomSource) -> IntArray:
    """(n,) a whole number for each bound, exactly uniform over 0 … bound − 1."""
    sizes = bounds.astype(np.uint64)
    # 2^64 mod bound; words in the last, incomplete round are drawn again.
    over = (np.uint64(0) - sizes) % sizes
    words = source.words(len(sizes)).copy()
    again = np.flatnonzero(words > ~over)
    while again.size:
        words[again] = source.words(again.size)
        again = again[words[again] > ~over[again]]
    return (words % sizes).astype(np.int64)
