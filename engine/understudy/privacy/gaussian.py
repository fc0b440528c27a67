"""Discrete Gaussian noise by the million, exact, from our own source.

Pr{Z = z} is in proportion to exp(−z²/(2σ²)) over the whole numbers, σ = 2^b. OpenDP draws some
ten thousands of them a second, and training a network wants tens of millions.

The law is drawn by rejection, after Karney (2016), "Sampling exactly from the normal distribution":
|Z| = kσ + j with k in proportion to e^{−k²/2}, j uniform below σ, accepted with probability
exp(−x(2k + x)/2), x = j/σ; then a sign, where −0 is rejected. Every choice compares a uniform
number with a probability. The number is known by its first 64 binary places, the probability in
doubles with a margin of 2^−40; where that doesn't decide, more places of both are made until it
does. So the law is exact wherever numpy's exponential has 40 right bits.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, getcontext, localcontext
from functools import cache, partial
from itertools import accumulate
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, IntArray, WordArray
from understudy.privacy.randomness import RandomSource

MOST_BITS: Final = 48
_BLOCK: Final = 1 << 15
_PLACES: Final = 53
_MARGIN: Final = 2.0**-40
_STEPS: Final = 10
"""So many steps that all others together are less likely than the last of 2^64 numbers."""
_DIGITS: Final = 40

Chance = Callable[[], Decimal]
"""A probability, right to the digits of the context except for the last few."""


def discrete_gaussians(count: int, bits: int, source: RandomSource) -> IntArray:
    """`count` independent draws with σ = 2^bits.

    Raises:
        ValueError: bits are not between 0 and 48.
    """
    if not 0 <= bits <= MOST_BITS:
        raise ValueError(f"σ is 2^b with b from 0 to {MOST_BITS}")
    found = np.empty(count, dtype=np.int64)
    filled = 0
    while filled < count:
        some = _accept_tries(min(_BLOCK, (count - filled) * 3 // 2 + 16), bits, source)
        some = some[: count - filled]
        found[filled : filled + len(some)] = some
        filled += len(some)
    return found


def add_noise(values: IntArray, bits: int, source: RandomSource) -> IntArray:
    """Return whole numbers with noise of σ = 2^bits on each.

    Raises:
        ValueError: as `discrete_gaussians`.
    """
    return values + discrete_gaussians(len(values), bits, source)


def _accept_tries(tries: int, bits: int, source: RandomSource) -> IntArray:
    """Return what is left of so many tries."""
    steps = _steps(source.words(tries), source)
    words = source.words(tries)
    within = (words & np.uint64((1 << bits) - 1)).astype(np.int64)
    negative = (words >> np.uint64(63)).astype(bool)
    kept = _are_accepted(steps, within, bits, source.words(tries), source)
    size = (steps << bits) + within
    kept &= ~(negative & (size == 0))
    return np.where(negative, -size, size)[kept]


def _steps(words: WordArray, source: RandomSource) -> IntArray:
    """Return k for each uniform number, in proportion to e^{−k²/2}."""
    limits = _limits()
    steps = np.searchsorted(limits, words, side="right").astype(np.int64)
    # A number whose first 64 places are those of a limit lies on one side of it or the other.
    before = limits[np.maximum(steps, 1) - 1]
    for place in np.flatnonzero((steps > 0) & (before == words)):
        steps[place] = _exact_step(_Uniform(int(words[place]), source))
    return steps


def _are_accepted(
    steps: IntArray, within: IntArray, bits: int, words: WordArray, source: RandomSource
) -> BoolArray:
    """Return whether each try is accepted: probability exp(−x(2k + x)/2)."""
    x = within * 2.0**-bits
    chance = np.exp(-x * (2 * steps + x) / 2) * 2.0**_PLACES
    number = (words >> np.uint64(64 - _PLACES)).astype(np.float64)
    kept = np.asarray(number + 1 <= chance * (1 - _MARGIN))
    unsettled = ~kept & (number < chance * (1 + _MARGIN))
    for place in np.flatnonzero(unsettled):
        k, j = int(steps[place]), int(within[place])
        drawn = _Uniform(int(words[place]), source)
        kept[place] = drawn.below(partial(_accept, k, j, bits))
    return kept


def _accept(k: int, j: int, bits: int) -> Decimal:
    x = Decimal(j) / (1 << bits)
    return (-x * (2 * k + x) / 2).exp()


@cache
def _limits() -> WordArray:
    """Return the first 64 binary places of Pr{k' ≤ k} for k = 0 …"""
    with localcontext() as context:
        context.prec = _DIGITS
        return np.array([int(_up_to(k) * (1 << 64)) for k in range(_STEPS)], dtype=np.uint64)


def _up_to(k: int) -> Decimal:
    """Return Pr{k' ≤ k}, to the digits of the context."""
    return _cumulate(getcontext().prec)[k]


@cache
def _cumulate(digits: int) -> tuple[Decimal, ...]:
    """Return Pr{k' ≤ k} for k below 40; what lies beyond is below 10^−347."""
    each = [(Decimal(-i * i) / 2).exp() for i in range(40)]
    return tuple(accumulate(one / sum(each) for one in each))


def _exact_step(number: _Uniform) -> int:
    k = 0
    while not number.below(partial(_up_to, k)):
        k += 1
    return k


class _Uniform:
    """A uniform number in [0, 1), of which more binary places are drawn as they are needed."""

    def __init__(self, word: int, source: RandomSource) -> None:
        self._number = word
        self._places = 64
        self._source = source

    def below(self, chance: Chance) -> bool:
        """Return whether it lies below a probability."""
        while True:
            with localcontext() as context:
                context.prec = _DIGITS + self._places // 3
                probability = chance()
                doubt = Decimal(10) ** -(context.prec - 8)
                low = Decimal(self._number) / (1 << self._places)
                high = Decimal(self._number + 1) / (1 << self._places)
                if high <= probability - doubt:
                    return True
                if low >= probability + doubt:
                    return False
            self._number = (self._number << 64) | int(self._source.words(1)[0])
            self._places += 64
