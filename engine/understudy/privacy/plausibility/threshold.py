"""The noisy threshold of both privacy tests (Test 3.2), as an exact coin over integer scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache
from itertools import chain
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import field_validator

from understudy.core.arrays import BoolArray, FloatArray, IntArray, WordArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.privacy.randomness import RandomSource

# The noisy threshold k + Z as an exact coin over integer scores.
#
# A candidate of score x passes a randomised test with probability π(x) = Pr{Z ≤ x − k}. With
# α = e^{−ε0}, j ≥ 0 and i ≥ 1, the noise of scale 1/ε0 gives
#
#     Laplace:    π(k−j) = ½·α^j             π(k+j)   = 1 − ½·α^j
#     geometric:  π(k−i) = α^i/(1+α)         π(k−1+i) = 1 − α^i/(1+α)
#
# so a table of π replaces drawing Z. The proofs of Theorems 4.1 and 4.2 ask of π that it lies in
# (0, 1), never decreases, and that π(x+1)/π(x) and (1−π(x))/(1−π(x+1)) are at most e^{ε0}
# (Definition 3.2 of the dissertation). The table keeps all of this exactly, in integers out of
# 2^128. One sequence is the tail on both sides, and π(x) = T(x)/2^128:
#
#     A_{j+1} = ⌈A_j·E/2^256⌉,   E ≥ 2^256·α,   and
#     Laplace:    A_0 = 2^127,                     T(k−j) = A_j,   T(k+j)   = 2^128 − A_j
#     geometric:  A_1 = ⌈2^128·E/(2^256 + E)⌉,     T(k−i) = A_i,   T(k−1+i) = 2^128 − A_i
#
# The laws differ in the first entry and in where the sequence is mirrored: at k, which is then its
# own mirror image, or between k − 1 and k.
#
# *Ratios.* Rounding is upwards, so A_j/A_{j+1} ≤ e^{ε0}: that is the first ratio below the mirror
# and the second one above it. For the other two, with a = A_j/2^128 ≤ ½ the ratio is at most
# (1 − a·α)/(1 − a) ≤ 2 − α ≤ e^{ε0}. Across the geometric law's mirror both ratios are
# (2^128 − A_1)/A_1, and A_1 ≥ 2^128·α/(1+α) makes that at most 1/α = e^{ε0}. No entry is above
# 2^127: E/2^256 is at most 1 − 2^−15, which leaves A_1 room for its rounding. As E ≤ 2^256, A never
# grows; it never reaches 0. Once ⌈·⌉ gives the same number back it does so for ever, and the table
# ends there.
#
# *Drawing the threshold first.* Let V be uniform among the whole numbers below 2^128, and s the
# smallest score with V < T(s). As T never falls, V < T(x) if and only if s ≤ x; so Pr{s ≤ x} =
# T(x)/2^128 = π(x). A candidate may therefore have its s drawn before it is scored, and pass if its
# score is at least that: the law is the same, and no more of the score has to be known. s is a
# function of V alone, and so independent of the candidate and of the records.
#
# *The stated δ.* Of the tail the theorems use only the probability of passing with a score of t.
# The roundings, A_1's included, add less than 1 + q + q² + … = 1/(1−q) units of 2^−128 to it, with
# q = E/2^256, and that is under `TABLE_ROUNDING` for ε0 ≥ `SMALLEST_EPSILON0`. No tail is ever
# stated to be less than `FINEST_DELTA`, more than ten thousand times that.

SMALLEST_EPSILON0 = 1e-4
"""The least ε0 a coin is built for; the table has about 80/ε0 entries on each side."""

FINEST_DELTA = 1e-30
"""No tail of the noise is ever stated to be less: far above what the table's rounding adds."""

TABLE_ROUNDING = 3e-35
"""No pass probability is above its law's by this much."""

ThresholdNoise = Literal["laplace", "geometric"]
"""The distribution of the noise on a threshold: Laplace, or two-sided geometric (integers)."""

NEVER = int(np.iinfo(np.int64).max)
"""A score that no candidate reaches: the threshold of a candidate that cannot pass."""

_ONE = 1 << 128
_ONE_WORD = 1 << 64
_PRECISION = 256


@dataclass(frozen=True)
class PassCoin:
    """Decides which candidates pass, given their scores.

    Attributes:
        k: the threshold.
        epsilon0: 1/ε0 is the scale of the noise on the threshold, at least
            `SMALLEST_EPSILON0`; None for the deterministic test, which passes at k and above.
        noise: the law of the noise.

    Raises:
        ValueError: ε0 is smaller than that.
    """

    k: int
    epsilon0: float | None
    noise: ThresholdNoise = "laplace"

    def __post_init__(self) -> None:
        if self.epsilon0 is not None and not self.epsilon0 >= SMALLEST_EPSILON0:
            raise ValueError(f"a coin needs ε0 of {SMALLEST_EPSILON0} or more")

    def decide(self, scores: IntArray, source: RandomSource) -> BoolArray:
        """Return one fresh, independent coin per candidate: whether each passes.

        Args:
            scores: plausible seeds per candidate, shape (B,).
            source: the run's random words; one is drawn per candidate, and a second for the
                few whose first word does not decide.
        """
        if self.epsilon0 is None:
            return scores >= self.k
        high, low = _thresholds(self.epsilon0, self.noise)
        at = _entry(scores - self.k, high.size)
        drawn = source.words(scores.size)
        bound = high[at]
        passes = drawn < bound
        open_still = np.flatnonzero(drawn == bound)
        if open_still.size:
            passes[open_still] = source.words(open_still.size) < low[at[open_still]]
        return passes

    def least(self, count: int, source: RandomSource) -> IntArray:
        """Return the least score with which each of `count` candidates passes, drawn before they
        are scored.

        `scores >= least` has the same distribution as `decide`, as the module shows, and gives the
        same decisions for the same random words.

        Args:
            count: how many candidates, B.
            source: as of `decide`; a second word is drawn for the few whose first word leaves the
                question open at some score.

        Returns:
            (B,) scores; 0 where every score passes, `NEVER` where none does.
        """
        if self.epsilon0 is None:
            return np.full(count, self.k, dtype=np.int64)
        high, low = _thresholds(self.epsilon0, self.noise)
        drawn = source.words(count)
        at = np.searchsorted(high, drawn, side="left")
        end = np.searchsorted(high, drawn, side="right")
        open_still = np.flatnonzero(at < end)
        for place, second in zip(open_still, source.words(open_still.size), strict=True):
            first, last = at[place], end[place]
            at[place] = first + np.searchsorted(low[first:last], second, side="right")
        least = np.maximum(at - high.size // 2 + self.k, 0).astype(np.int64)
        least[at == 0] = 0
        least[at == high.size] = NEVER
        return least

    def probability(self, scores: IntArray) -> FloatArray:
        """Return probability of passing at each score, in closed form."""
        above = np.asarray(scores, dtype=np.float64) - self.k
        if self.epsilon0 is None:
            return (above >= 0).astype(np.float64)
        if self.noise == "laplace":
            tail = 0.5 * np.exp(-self.epsilon0 * np.abs(above))
        else:
            outwards = np.where(above < 0, -above, above + 1)
            tail = np.exp(-self.epsilon0 * outwards) / (1 + math.exp(-self.epsilon0))
        return np.where(above < 0, tail, 1 - tail)

    def threshold(self, score: int) -> int:
        """T(score): the probability of passing is exactly this integer over 2^128."""
        if self.epsilon0 is None:
            return _ONE if score >= self.k else 0
        high, low = _thresholds(self.epsilon0, self.noise)
        at = int(_entry(np.array(score - self.k), high.size))
        return (int(high[at]) << 64) | int(low[at])


def capped_away(cap: float, count: int, source: RandomSource) -> BoolArray:
    """Return (count,) which candidates the pass cap rejects, whatever they scored.

    Args:
        cap: ρ, the probability of that, rounded up; 0 rejects none.
        count: how many candidates.
        source: one word is drawn for each.
    """
    upper = min(_ONE_WORD - 1, int(cap * float(_ONE_WORD)) + (1 << 12)) if cap else 0
    return source.words(count) < np.uint64(upper)


def _entry(above: IntArray, entries: int) -> IntArray:
    below = entries // 2
    return np.clip(above, -below, entries - below - 1) + below


@lru_cache(maxsize=4)
def _thresholds(epsilon0: float, noise: ThresholdNoise) -> tuple[WordArray, WordArray]:
    """High and low words of T, ascending; entry number (entries // 2) is T(k)."""
    decay = _decay(epsilon0)
    if noise == "laplace":
        upper = _tail(_ONE >> 1, decay)
        lower = upper[1:]
    else:
        upper = lower = _tail(-(-(decay << 128) // ((1 << _PRECISION) + decay)), decay)
    rising = chain(reversed(lower), (_ONE - part for part in upper))
    packed = b"".join(value.to_bytes(16, "little") for value in rising)
    low, high = np.frombuffer(packed, dtype="<u8").astype(np.uint64).reshape(-1, 2).T
    return np.ascontiguousarray(high), np.ascontiguousarray(low)


def _tail(first: int, decay: int) -> list[int]:
    """`first` and the entries after it, down to the first that repeats."""
    up = (1 << _PRECISION) - 1
    tail = [first]
    while (following := (tail[-1] * decay + up) >> _PRECISION) != tail[-1]:
        tail.append(following)
    return tail


def _decay(epsilon0: float) -> int:
    """Return an integer just above 2^256·e^{−ε0}."""
    context = Context(prec=120)
    exact = context.multiply(context.exp(Decimal(-epsilon0)), Decimal(1 << _PRECISION))
    # One for the fraction cut off, one in case the decimals fell just short of an integer.
    return int(exact) + 2


# The base of both privacy tests: a threshold k with noise on it (Test 3.2).

LARGEST_K = 1_000_000_000


class NoisyThreshold(Frozen, what="the privacy test"):
    """A test that compares a score of the candidate with k plus noise.

    Attributes:
        kind: which test it is.
        k: the threshold.
        epsilon0: 1/ε0 is the scale of the noise on k. None is the deterministic test, which
            gives no differential privacy.
        noise: the distribution of that noise.

    Raises:
        Refusal: a value is out of range; `field` is its name.
    """

    noise: ClassVar[ThresholdNoise]

    kind: str
    k: int
    epsilon0: float | None

    @field_validator("k", mode="before")
    @classmethod
    def _k(cls, value: Any) -> int:
        number = real(value)
        if number is None or not 1 <= number <= LARGEST_K or number != int(number):
            raise Refusal(
                f"k has to be a whole number from 1 to {LARGEST_K:,}.",
                "Enter how many records must be plausible seeds of a released one, such as 50.",
                field="k",
            )
        return int(number)

    @field_validator("epsilon0", mode="before")
    @classmethod
    def _epsilon0(cls, value: Any) -> float | None:
        if value is None:
            return None
        number = real(value)
        if number is None or number < SMALLEST_EPSILON0:
            raise Refusal(
                f"ε0 has to be a number of {SMALLEST_EPSILON0} or more.",
                "Enter a positive ε0 such as 1, or leave it out for the deterministic test.",
                field="epsilon0",
            )
        return number

    @property
    def coin(self) -> PassCoin:
        """The exact coin that turns a score into a pass or a rejection."""
        return PassCoin(self.k, self.epsilon0, self.noise)


def real(value: Any) -> float | None:
    """`value` as a finite float; None if it is not a number or does not fit one."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    if isinstance(value, Integral) and abs(int(value)) > 2**53:
        return None
    number = float(value)
    return number if math.isfinite(number) else None
