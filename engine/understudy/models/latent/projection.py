"""Probabilistic projection of flags (Bindschaedler 2018, §6.3.2): a record is projected on a few
directions and back, and each flag of the candidate is drawn by the chance that comes back.

    candidate of seed d     y_i = 1 with chance r_i(d),  r = Decode(Encode(d))
    ln p_d(y)               Σ_i ln(1 − r_i) + Σ_{y_i = 1} ln(r_i/(1 − r_i))

The code is a function of the seed, so nothing is integrated, and everything up to r is in whole
numbers. The test is about y, and y alone may leave: a second draw from a seed whose first passed is
covered by no test, nor is the code.

**Independent bits.** A chance is T/2^b with T from 1 to 2^b − 1: a bit is 1 if b random bits, read
as a number, are below T. Logarithms are of a table, in multiples of 2^−41. For at most 255 bits
every sum of them stays below 2^12, so it is exact in any order, and within 2^−34 of the logarithm
of the product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray, NamedArrays
from understudy.models.latent.features import S
from understudy.models.latent.moments import MOST_FLAGS, SecondMoments
from understudy.models.latent.principal import ONE, learn_directions
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
        """Return (B, m) a bit for each of (B, m) chances."""
        words = source.words(-(-chances.size // 4)).view(np.uint16)[: chances.size]
        drawn = (words >> np.uint16(16 - self.bits)).reshape(chances.shape)
        return (drawn < chances).astype(np.uint16)

    def log_likelihood(self, chances: IntArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) ln of the chance of (B, m) candidates by (n, m) chances."""
        ones, zeros = self._logs[chances], self._logs[self.whole - chances]
        found = (ones - zeros) @ candidates.T.astype(np.float64)
        found += zeros.sum(axis=1)[:, None]
        return np.asarray(found)

    @cached_property
    def _logs(self) -> FloatArray:
        """(2^b + 1,) of every chance; that of 0 is never asked for."""
        chances = np.arange(1, self.whole + 1) / self.whole
        return np.concatenate([[-np.inf], np.rint(np.log(chances) / _UNIT) * _UNIT])


@dataclass(frozen=True, eq=False)
class Projection:
    """Principal directions of flags, in whole numbers.

    Attributes:
        directions: (m, w) out of `ONE`, each from −1 to 1.
        mean: (m,) out of `ONE`, from 0 to 1.
        floor: τ, the least chance of a flag and of its contrary, out of 2^bits.
        bits: how fine chances are.

    Raises:
        ValueError: one of them is out of bounds.
    """

    directions: IntArray
    mean: IntArray
    floor: int
    bits: int = BITS

    def __post_init__(self) -> None:
        columns = len(self.mean)
        if not 1 <= columns <= MOST_FLAGS or len(self.directions) != columns:
            raise ValueError(f"a projection has 1 to {MOST_FLAGS} flags, each with its mean")
        if (np.abs(self.directions) > ONE).any() or ((self.mean < 0) | (self.mean > ONE)).any():
            raise ValueError("directions are from −1 to 1, and means from 0 to 1")
        if not 1 <= self.bits <= BITS or not 1 <= self.floor <= 1 << (self.bits - 1):
            raise ValueError("no chance is 0, and the least is at most a half")

    @classmethod
    def of(cls, moments: SecondMoments, many: int, floor: int) -> Projection:
        """Return that on so many directions in which flags of these moments vary most."""
        mean = np.clip(np.rint(moments.mean * ONE / S), 0, ONE).astype(np.int64)
        return cls(learn_directions(moments.covariance, many), mean, floor)

    def chances(self, records: CodeArray) -> IntArray:
        """Return (n, m) the chance of every flag of a candidate, of (n, m) records."""
        along = self.directions.astype(np.float64)
        # Whole numbers below 2^53, here and in the product below: no order of adding them rounds.
        centred = records.astype(np.float64) * ONE - self.mean
        codes = np.rint(centred @ along / ONE)
        back = codes @ along.T + self.mean * float(ONE)
        # A division by a power of two is exact, and `rint` rounds a half to the even number.
        found = np.rint(back / (ONE**2 >> self.bits)).astype(np.int64)
        return np.clip(found, self.floor, (1 << self.bits) - self.floor)

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """Return (B, m) a candidate of each of (B, m) seeds."""
        return self._law.draw(self.chances(seeds), source)

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) ln p_d(y) of (n, m) records d and (B, m) candidates y."""
        return self._law.log_likelihood(self.chances(seeds), candidates)

    def decode(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """Return the candidates, which are records."""
        return candidates

    @cached_property
    def _law(self) -> Bernoulli:
        return Bernoulli(self.bits)

    def arrays(self) -> NamedArrays:
        """Return all that it is made of."""
        sizes = np.array([self.floor, self.bits])
        return {"directions": self.directions, "mean": self.mean, "sizes": sizes}

    @classmethod
    def restore(cls, arrays: NamedArrays) -> Projection:
        """Return the model that gave these arrays.

        Raises:
            KeyError, ValueError: there is none.
        """
        names = "directions", "mean", "sizes"
        directions, mean, (floor, bits) = (arrays[each].astype(np.int64) for each in names)
        return cls(directions, mean, int(floor), int(bits))
