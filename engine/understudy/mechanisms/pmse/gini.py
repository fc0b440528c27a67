"""pMSE of a partition, in exact whole numbers.

Real records are stacked on made ones. A leaf with m records, a of them made, gives the probability
a/m that a record of it is made; with n real and n_s made records, N = n + n_s and c = n_s/N,

    pMSE = (1/N)·Σ m·(a/m − c)² = (1/N)·Σ a²/m − c² = c·(1 − c) − GI/N,   GI = Σ a·(1 − a/m).

*Sensitivity.* Replace one real record: it leaves one leaf and enters another, so one m falls by one
and another rises by one, while every a stays. A leaf with a made records and m ≥ a + 1 loses or
gains a²/(m − 1) − a²/m or a²/m − a²/(m + 1); both are at most n_s/(n_s + 1), and of opposite signs.
So GI of one partition changes by n_s/(n_s + 1) at most, and so does its least value over any class
of partitions that the real records have no say in:

    Δu = n_s/((n_s + 1)·N).

It is attained: all real records in one leaf, all made ones in another, and one real record moved.
The class may depend on the made records and on whatever is public.

*In whole numbers.* What is chosen by is Σ ⌊2^k·a²/m⌋. Two terms change, in opposite directions,
and ⌊x⌋ − ⌊y⌋ ≤ ⌈x − y⌉, so the sum changes by ⌈2^k·n_s/(n_s + 1)⌉ at most: rounding costs nothing.
Doubles hold all of it exactly. A quotient p/q of whole numbers with p < 2^53 that is no whole
number is further below the next one than half the distance of doubles there, so its rounding never
reaches that, and its floor is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal

MOST_MADE = 1 << 21
"""So many made records can be scored, which leaves ten binary digits after the point."""
_MOST_BITS = 24
_EXACT = 52


@dataclass(frozen=True)
class Gini:
    """The score of leaves, for so many made records.

    Attributes:
        made: n_s, how many made records there are.

    Raises:
        Refusal: there are none, or more than `MOST_MADE`.
    """

    made: int

    def __post_init__(self) -> None:
        if not 1 <= self.made <= MOST_MADE:
            raise Refusal(
                f"A candidate is scored by 1 to {MOST_MADE:,} records made from it, and these "
                "would be more or none.",
                "Choose fewer made records per real one.",
                field="ratio",
            )

    @property
    def bits(self) -> int:
        """k, the binary digits after the point."""
        return min(_MOST_BITS, _EXACT - 2 * self.made.bit_length())

    @property
    def sensitivity(self) -> int:
        """How much one replaced record moves a score at most."""
        one = 1 << self.bits
        return -(-one * self.made // (self.made + 1))

    def leaf(self, made: FloatArray, real: FloatArray) -> FloatArray:
        """Return ⌊2^k·a²/m⌋ of every leaf; 0 where it is empty. The arrays are broadcast.

        Args:
            made: a, how many made records each leaf holds.
            real: m − a, how many real ones.
        """
        scored = np.square(made)
        scored *= float(1 << self.bits)
        scored = scored / np.maximum(made + real, 1.0)
        return np.floor(scored, out=scored)

    def pmse(self, score: float | FloatArray, real: int) -> FloatArray:
        """Return pMSE of a score, up to its rounding.

        Args:
            score: the sum of the leaves' scores.
            real: n, how many real records there are.
        """
        both = self.made + real
        share = self.made / both
        return np.asarray(np.asarray(score) / float(1 << self.bits) / both - share**2)


def sensitivity(real: int, made: int) -> Fraction:
    """Return Δu = n_s/((n_s + 1)·(n + n_s)), exactly."""
    return Fraction(made, (made + 1) * (real + made))


def largest(real: int, made: int) -> Fraction:
    """Return c·(1 − c), the largest pMSE there is."""
    return Fraction(real * made, (real + made) ** 2)
