"""The noisy threshold k + Lap(1/ε0), flipped as an exact coin over integer scores.

A candidate of score x passes the randomised test with probability

    π(x) = ½·e^{−ε0(k−x)}  for x < k,        π(x) = 1 − ½·e^{−ε0(x−k)}  for x ≥ k,

so a table of π replaces real-valued noise. The proof of Theorem 1 asks of π that it lies in
(0, 1), never decreases, and that π(x+1)/π(x) and (1−π(x))/(1−π(x+1)) are at most e^{ε0}
(Definition 3.2 of the dissertation). The table keeps all of this exactly, in integers out of
2^128. One sequence is the tail on both sides:

    A_0 = 2^127,   A_{j+1} = ⌈A_j·E/2^256⌉,   E ≥ 2^256·e^{−ε0},
    T(k−j) = A_j,   T(k+j) = 2^128 − A_j,   π(x) = T(x)/2^128.

*Ratios.* Rounding is upwards, so A_j/A_{j+1} ≤ e^{ε0}: that is the first ratio below k and the
second one above it. For the other two, with a = A_j/2^128 ≤ ½ the ratio is at most
(1 − a·e^{−ε0})/(1 − a) ≤ 2 − e^{−ε0} ≤ e^{ε0}. As E ≤ 2^256, A never grows; it never reaches 0.
Once ⌈·⌉ gives the same number back it does so for ever, and the table ends there.

*The stated δ.* Theorem 1 uses π(t) ≤ δ = e^{−ε0(k−t)} and nothing else of the tail, and the
true tail is half of that. With q = E/2^256 the roundings add less than 1 + q + q² + … =
1/(1−q) units of 2^−128, which is under 3e-35 for ε0 ≥ `SMALLEST_EPSILON0`. So π(t) stays below
the stated δ wherever that is 6e-35 or more; below `FINEST_DELTA` no δ is ever stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from engine.privacy.randomness import RandomSource

SMALLEST_EPSILON0 = 1e-4
"""The least ε0 a coin is built for; the table has about 80/ε0 entries on each side."""

FINEST_DELTA = 1e-30
"""No attempt is ever said to have a smaller δ: far above what the table's rounding adds."""

_ONE = 1 << 128
_PRECISION = 256


@dataclass(frozen=True)
class PassCoin:
    """Decides which candidates pass, given their scores.

    Attributes:
        k: the threshold.
        epsilon0: parameter of the Laplace noise on the threshold, at least
            `SMALLEST_EPSILON0`; None for the deterministic test, which passes at k and above.

    Raises:
        ValueError: ε0 is smaller than that.
    """

    k: int
    epsilon0: float | None

    def __post_init__(self) -> None:
        if self.epsilon0 is not None and not self.epsilon0 >= SMALLEST_EPSILON0:
            raise ValueError(f"a coin needs ε0 of {SMALLEST_EPSILON0} or more")

    def decide(self, scores: npt.NDArray[np.int64], source: RandomSource) -> npt.NDArray[np.bool_]:
        """One fresh, independent coin per candidate: whether each passes.

        Args:
            scores: plausible seeds per candidate, shape (B,).
            source: the run's random words; one is drawn per candidate, and a second for the
                few whose first word leaves the question open.
        """
        if self.epsilon0 is None:
            return scores >= self.k
        high, low = _thresholds(self.epsilon0)
        at = _entry(scores - self.k, high.size)
        drawn = source.words(scores.size)
        bound = high[at]
        passes = drawn < bound
        open_still = np.flatnonzero(drawn == bound)
        if open_still.size:
            passes[open_still] = source.words(open_still.size) < low[at[open_still]]
        return passes

    def probability(self, scores: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Probability of passing at each score, in closed form."""
        above = np.asarray(scores, dtype=np.float64) - self.k
        if self.epsilon0 is None:
            return (above >= 0).astype(np.float64)
        tail = 0.5 * np.exp(-self.epsilon0 * np.abs(above))
        return np.where(above < 0, tail, 1 - tail)

    def threshold(self, score: int) -> int:
        """T(score): the probability of passing is exactly this integer over 2^128."""
        if self.epsilon0 is None:
            return _ONE if score >= self.k else 0
        high, low = _thresholds(self.epsilon0)
        at = int(_entry(np.array(score - self.k), high.size))
        return (int(high[at]) << 64) | int(low[at])


def _entry(above: npt.NDArray[np.int64], entries: int) -> npt.NDArray[np.int64]:
    reach = entries // 2
    return np.clip(above, -reach, reach) + reach


@lru_cache(maxsize=4)
def _thresholds(epsilon0: float) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """High and low words of T(k−J) … T(k+J); the middle entry is T(k) = 2^127."""
    tail = _tail(epsilon0)
    rising = chain(reversed(tail[1:]), (_ONE - part for part in tail))
    packed = b"".join(value.to_bytes(16, "little") for value in rising)
    low, high = np.frombuffer(packed, dtype="<u8").astype(np.uint64).reshape(-1, 2).T
    return np.ascontiguousarray(high), np.ascontiguousarray(low)


def _tail(epsilon0: float) -> list[int]:
    decay = _decay(epsilon0)
    up = (1 << _PRECISION) - 1
    tail = [_ONE >> 1]
    while (following := (tail[-1] * decay + up) >> _PRECISION) != tail[-1]:
        tail.append(following)
    return tail


def _decay(epsilon0: float) -> int:
    """An integer just above 2^256·e^{−ε0}."""
    context = Context(prec=120)
    exact = context.multiply(context.exp(Decimal(-epsilon0)), Decimal(1 << _PRECISION))
    # One for the fraction cut off, one in case the decimals fell just short of an integer.
    return int(exact) + 2
