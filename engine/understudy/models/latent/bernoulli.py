"""Bits that are drawn independently, each with a chance of its own in whole numbers, exactly.

A chance is T/2^b with T from 1 to 2^b − 1: a bit is 1 if b random bits, read as a number, are below
T. Logarithms are of a table, in multiples of 2^−41. For at most 255 bits every sum of them stays
below 2^12, so it is exact in whatever order it is added up, and within 2^−34 of the logarithm of
the product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.privacy.randomness import RandomSource

BITS: Final = 16
_UNIT: Final = 2.0**-41


@dataclass(frozen=True)
class Bernoulli:
    """Bits by chances out of 2^b.

    Attributes:
        bits: b, from 1 to 16.
    """

    bits: int = BITS

    @property
    def whole(self) -> int:
        """What a chance of 1 would be."""
        return 1 << self.bits

    def draw(self, chances: IntArray, source: RandomSource) -> CodeArray:
        """(B, m) a bit for each of (B, m) chances."""
        words = source.words(-(-chances.size // 4)).view(np.uint16)[: chances.size]
        drawn = (words >> np.uint16(16 - self.bits)).reshape(chances.shape)
        return (drawn < chances).astype(np.uint16)

    def log_likelihood(self, chances: IntArray, candidates: CodeArray) -> FloatArray:
        """(n, B) ln of the chance of (B, m) candidates by (n, m) chances."""
        ones, zeros = self._logs[chances], self._logs[self.whole - chances]
        found = (ones - zeros) @ candidates.T.astype(np.float64)
        found += zeros.sum(axis=1)[:, None]
        return np.asarray(found)

    @cached_property
    def _logs(self) -> FloatArray:
        """(2^b + 1,) of every chance; that of 0 is never asked for."""
        chances = np.arange(1, self.whole + 1) / self.whole
        return np.concatenate([[-np.inf], np.rint(np.log(chances) / _UNIT) * _UNIT])
