"""The two privacy tests: plausible deniability and relative sensitivity, their parameters and the
scores that they compare with k; and building one by its name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import Field, field_validator

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.privacy.plausibility.partial import PartialCount, PartialRank
from understudy.privacy.plausibility.threshold import NoisyThreshold, ThresholdNoise, real

# The seeds that can make a candidate, grouped by likelihood: the input of a privacy test.


@dataclass(frozen=True)
class LikelihoodClasses:
    """For a batch of B candidates, the seeds that can make each, grouped by equal likelihood.

    A seed outside every class makes the candidate with probability 0. The likelihood of a
    class must be a deterministic function of class and candidate, also for the candidate's own
    seed: not of the class sizes, nor accumulated while proposing.

    Attributes:
        sizes: how many seeds each class holds, shape (B, C).
        log_likelihood: natural logarithm of the probability with which each of those seeds
            makes the candidate, shape (B, C); −∞ for 0.
        seed_class: the class that holds the candidate's own seed, shape (B,).

    Raises:
        ValueError: the shapes disagree.
    """

    sizes: IntArray
    log_likelihood: FloatArray
    seed_class: IntArray

    def __post_init__(self) -> None:
        batch = self.seed_class.shape
        if self.sizes.shape != self.log_likelihood.shape or self.sizes.shape[:-1] != batch:
            raise ValueError("sizes and log_likelihood need shape (B, C), and seed_class (B,)")

    def at(self, candidates: slice) -> LikelihoodClasses:
        """Return the classes of some of the candidates."""
        return LikelihoodClasses(
            self.sizes[candidates], self.log_likelihood[candidates], self.seed_class[candidates]
        )

    def of_seed(self, each: FloatArray) -> FloatArray:
        """Return (B, 1) of a (B, C) array, the entry of the class that holds the candidate's
        seed."""
        return np.take_along_axis(each, self.seed_class[:, None], axis=1)


Plausible = IntArray | LikelihoodClasses
"""The input of a test: (B,) the number of seeds that can make each candidate, its own included,
where all are equally likely; the likelihood classes otherwise."""


# The plausible-deniability test: its parameters, and the score it compares with k.
#
# A candidate is plausibly deniable when enough records could have made it with about the same
# probability as its seed (Definition 4.1; Tests 4.1 and 4.2 of the dissertation).


class PlausibleDeniability(NoisyThreshold):
    """The first test, with Laplace noise on k.

    Attributes:
        k: how many plausible seeds a candidate needs, its own seed included.
        gamma: factor within which two likelihoods count as similar; above 1.
        epsilon0: as in `NoisyThreshold`.
    """

    noise: ClassVar[ThresholdNoise] = "laplace"

    kind: Literal["plausible-deniability"] = "plausible-deniability"
    gamma: float

    @field_validator("gamma", mode="before")
    @classmethod
    def _gamma(cls, value: Any) -> float:
        number = real(value)
        if number is None or number <= 1:
            raise Refusal(
                "γ has to be a number greater than 1.",
                "Enter the factor within which likelihoods count as similar, such as 4.",
                field="gamma",
            )
        return number

    @property
    def similarity(self) -> float:
        """The factor g in an attempt's ε0 + ln(1 + g/t): γ."""
        return self.gamma

    def scores(self, plausible: Plausible) -> IntArray:
        """Return (B,) the number of plausible seeds of each candidate.

        |{d : ⌊−log_γ p_d(y)⌋ = ⌊−log_γ p_s(y)⌋}|, the seed s included; 0 if p_s(y) = 0
        (4.3). Adding or removing one record changes it by at most 1.
        """
        if not isinstance(plausible, LikelihoodClasses):
            return plausible
        buckets = self._buckets(plausible.log_likelihood)
        alike = (buckets == plausible.of_seed(buckets)) & np.isfinite(buckets)
        counted: IntArray = np.where(alike, plausible.sizes, 0).sum(axis=1)
        return counted

    def partial(self, own: FloatArray, records: int) -> PartialCount:
        """Return the score of some candidates, computed from blocks of records.

        Args:
            own: (B,) ln p_s(y) of each candidate's own seed s.
            records: how many records there are in all.
        """
        return PartialCount(*self.alike(own))

    def alike(self, own: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (B,) and (B,) the least and the greatest double in the same likelihood bucket as
        each.

        The number of the bucket is a monotone function of the double, rounding included. So the
        doubles of a bucket form an interval, whose ends are found by bisection. A likelihood of 0
        has no bucket and an empty interval.
        """
        found = np.isfinite(self._buckets(own))
        inside = np.where(found, own, 0.0)
        bucket = self._buckets(inside)
        within = _ordinal(inside)
        low = self._last(bucket, within, np.full(own.shape, -math.inf))
        high = self._last(bucket, within, np.full(own.shape, math.inf))
        return np.where(found, low, math.inf), np.where(found, high, -math.inf)

    def _last(
        self,
        bucket: FloatArray,
        inside: IntArray,
        beyond: FloatArray,
    ) -> FloatArray:
        """Return the last double of the bucket towards one that lies beyond it, by bisection."""
        outside = _ordinal(beyond)
        for _ in range(64):
            between = (inside >> 1) + (outside >> 1) + (inside & outside & 1)
            same = self._buckets(_double(between)) == bucket
            # Where no double lies between the two, the one inside the bucket stays.
            inside, outside = np.where(same, between, inside), np.where(same, outside, between)
        return _double(inside)

    def _buckets(self, log_likelihood: FloatArray) -> FloatArray:
        # Where the bucket number overflows, the value is infinite and in no bucket.
        with np.errstate(over="ignore"):
            return np.asarray(np.floor(-log_likelihood / math.log(self.gamma)))


def _ordinal(doubles: FloatArray) -> IntArray:
    """Return the doubles as integers in the same order, neighbours to neighbours."""
    bits = np.ascontiguousarray(doubles).view(np.int64)
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)


def _double(ordinals: IntArray) -> FloatArray:
    bits = np.where(ordinals < 0, np.iinfo(np.int64).min - ordinals, ordinals)
    return np.ascontiguousarray(bits).view(np.float64)


# The relative-sensitivity test: its parameters, and the score it compares with k.
#
# Rank the seeds by how likely they make the candidate y, the likeliest first. What the seeds no
# likelier than d weigh together, d itself left out, against d is
#
#     ms(d) = Σ_{s ≠ d, p_s(y) ≤ p_d(y)} p_s(y) / p_d(y)
#
# and the score κ(d) is the largest ms of the ranks down to d's own (Definition 4.2 of the
# dissertation). One record more leaves it or raises it, by at most 1 (Lemma 4.1).
#
# *Exactness.* The noise is an integer, so the test reads ⌊κ⌋, and a rounding error where κ passes a
# whole number would be a change by 2. Let w stand for p: 2^⌊u⌋·fl(2^{u − ⌊u⌋}), u = ln p/ln 2 in
# floating point, is a function of ln p and of nothing else, within 1 ± (|ln p| + 2)·2^−52 of p.
# Lemma 4.1 asks nothing of p, so it holds for w; and for w this module computes ⌊κ⌋ as if there
# were no rounding:
#
# * Ranking and ties are comparisons of w.
# * Records tied with d, and d's own class, are counted in whole numbers. The rest,
#   x = Σ n_j w_j/w_d over the C smaller weights, is a sum of non-negative terms of which every
#   rounding is by a factor of 1 ± 2^−53, at most C + 2 times. So x lies within
#   1 ± (C + 4)·2^−52 of the truth.
# * Scaling a candidate's weights by a power of two changes no ratio and rounds nothing. The largest
#   becomes 1 or more; those under 2^−900 count as 0 where d's is 2^−400 at least, which takes less
#   than 2^−430 from any x that is asked for. That is inside the margin above, or x is so small that
#   its whole part is 0 either way.
# * Where the margin does not settle a whole part, or d's weight is under 2^−400, the candidate is
#   scored again in integers. There, weights a factor of 2^128 under all others count as 0: of x
#   without them what is missing to a whole number is a multiple of 2^e/w_d, 2^e the last place of
#   the smallest of the others, and they add less than that.

_FLUSHED, _NEAR, _APART = 900, 400, 128
"""Exponents of two: below which a weight counts as 0, how small the seed's own may be for that, and
how far apart weights must be for the smaller not to count, as shown above."""

_BLOCK = 1 << 15
"""Entries computed at once, few enough for a core's own cache."""


class RelativeSensitivity(NoisyThreshold):
    """The second test, with two-sided geometric noise on k.

    Attributes:
        k: roughly, by what factor the seeds no likelier than a candidate's own must outweigh it.
        epsilon0: as in `NoisyThreshold`.
    """

    noise: ClassVar[ThresholdNoise] = "geometric"

    kind: Literal["relative-sensitivity"] = "relative-sensitivity"

    @property
    def similarity(self) -> float:
        """The factor g in an attempt's ε0 + ln(1 + g/t): 1."""
        return 1.0

    def scores(self, plausible: Plausible) -> IntArray:
        """Return (B,) ⌊κ⌋ of each candidate's own seed; the seed itself is not counted."""
        if not isinstance(plausible, LikelihoodClasses):
            return np.maximum(plausible - 1, 0)
        candidates, classes = plausible.sizes.shape
        rows = max(1, _BLOCK // classes)
        found = np.empty(candidates, dtype=np.int64)
        for start in range(0, candidates, rows):
            here = slice(start, start + rows)
            found[here] = _scores(plausible.at(here))
        return found

    def partial(self, own: FloatArray, records: int) -> PartialRank:
        """Return the score of some candidates, computed from blocks of records.

        Args:
            own: (B,) ln p_s(y) of each candidate's own seed s.
            records: how many records there are in all.
        """
        return PartialRank(own, records)


def _scores(classes: LikelihoodClasses) -> IntArray:
    mantissas, exponents = _weights(classes.log_likelihood)
    scaled, own, near = _scale_weights(classes, mantissas, exponents)
    least, most = _bounds(*_rank_weights(scaled, classes.sizes), own)
    for row in np.flatnonzero((least != most) | ~near):
        least[row] = _exactly(
            mantissas[row], exponents[row], classes.sizes[row], int(classes.seed_class[row])
        )
    return least


def _weights(log_likelihood: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mantissa, from 1 to 2, and the exponent of each w; NaN and −∞ for a w of 0."""
    power = log_likelihood / math.log(2)
    exponents = np.floor(power)
    with np.errstate(invalid="ignore"):
        power -= exponents
    return np.exp2(power), exponents


def _scale_weights(
    classes: LikelihoodClasses, mantissas: FloatArray, exponents: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return (B, C) weights, each row divided by a power of two; (B, 1) the seed's own; and (B,)
    whether that is large enough for the weights flushed to 0 not to matter."""
    top = exponents.max(axis=1, keepdims=True)
    top[np.isneginf(top)] = 0
    shift = exponents - top
    kept = shift >= -_FLUSHED
    with np.errstate(invalid="ignore"):
        scaled = np.where(kept, np.ldexp(mantissas, np.where(kept, shift, 0).astype(np.intc)), 0.0)
    near = (classes.of_seed(shift) >= -_NEAR)[:, 0]
    return scaled, classes.of_seed(scaled), near


def _rank_weights(weights: FloatArray, sizes: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the weights of each row in ascending order, equal ones merged into one class."""
    steps = weights[:, 1:] - weights[:, :-1]
    if (steps < 0).any():
        order = np.argsort(weights, axis=1)
        weights = np.take_along_axis(weights, order, axis=1)
        sizes = np.take_along_axis(sizes, order, axis=1)
        steps = weights[:, 1:] - weights[:, :-1]
    if ((steps == 0) & (weights[:, 1:] > 0)).any():
        return _merge_equals(weights, sizes)
    return weights, sizes


def _merge_equals(weights: FloatArray, sizes: IntArray) -> tuple[FloatArray, IntArray]:
    """Equal neighbours merged; unused entries have size 0 and weight 0."""
    rows, classes = weights.shape
    place = np.zeros(weights.shape, dtype=np.int64)
    np.cumsum(weights[:, 1:] != weights[:, :-1], axis=1, out=place[:, 1:])
    place += classes * np.arange(rows)[:, None]
    merged_weights, merged_sizes = np.zeros(weights.size), np.zeros(weights.size, dtype=np.int64)
    merged_weights[place.ravel()] = weights.ravel()
    np.add.at(merged_sizes, place.ravel(), sizes.ravel())
    return merged_weights.reshape(weights.shape), merged_sizes.reshape(weights.shape)


def _bounds(weights: FloatArray, sizes: IntArray, own: FloatArray) -> tuple[IntArray, IntArray]:
    """Lower and upper bounds on the exact score, for rows from `_rank_weights`."""
    margin = (weights.shape[1] + 4) * 2.0**-52
    counted = (sizes > 0) & (weights > 0) & (weights >= own)
    ratio = _before(weights * sizes)
    np.divide(ratio, weights, out=ratio, where=counted)
    least, most = (
        _largest(np.floor(ratio * factor), sizes, counted) for factor in (1 - margin, 1 + margin)
    )
    return least, most


def _before(parts: FloatArray) -> FloatArray:
    """Return the exclusive cumulative sum of each row."""
    rows, entries = parts.shape
    sums = np.zeros_like(parts)
    if rows < entries:
        np.cumsum(parts[:, :-1], axis=1, out=sums[:, 1:])
    else:
        for place in range(1, entries):
            np.add(sums[:, place - 1], parts[:, place - 1], out=sums[:, place])
    return sums


def _largest(ratio: FloatArray, sizes: IntArray, counted: BoolArray) -> IntArray:
    """Return (B,) the largest sizes − 1 + ratio among what is counted; 0 where nothing is."""
    ratio += sizes
    ratio *= counted
    largest: IntArray = np.maximum(ratio.max(axis=1) - 1, 0).astype(np.int64)
    return largest


def _exactly(mantissas: FloatArray, exponents: FloatArray, sizes: IntArray, own: int) -> int:
    """⌊κ⌋ of one candidate, in integers."""
    held = sorted(
        (*_integer(mantissa, exponent), size)
        for mantissa, exponent, size in zip(
            mantissas.tolist(), exponents.tolist(), sizes.tolist(), strict=True
        )
        if size and math.isfinite(exponent)
    )
    seeds_own = (-math.inf, 0)
    if math.isfinite(exponents[own]):
        seeds_own = _integer(float(mantissas[own]), float(exponents[own]))
    score, lighter, base, last = 0, 0, 0, -math.inf
    for (exponent, mantissa), tied in groupby(held, key=lambda each: each[:2]):
        if exponent - last > _APART:
            lighter, base = 0, exponent
        count, weight = sum(size for *_, size in tied), mantissa << (exponent - base)
        if (exponent, mantissa) >= seeds_own:
            score = max(score, count - 1 + lighter // weight)
        lighter += count * weight
        last = exponent
    return score


def _integer(mantissa: float, exponent: float) -> tuple[int, int]:
    """Return (e, a) of the weight a·2^e, a a whole number of 53 bits: two weights compare as
    these."""
    fraction, up = math.frexp(mantissa)
    return int(exponent) + up, int(math.ldexp(fraction, 53))


# The two privacy tests, and building one by its name.

PrivacyTest = Annotated[PlausibleDeniability | RelativeSensitivity, Field(discriminator="kind")]
"""Either test. Both have `k`, `epsilon0`, `noise`, `coin`, `similarity`,
`scores` and `partial`."""

TestKind = Literal["plausible-deniability", "relative-sensitivity"]

USUAL_GAMMA = 4.0
"""The default γ, which is that of the published evaluation."""


def privacy_test(
    kind: TestKind, k: int, epsilon0: float | None, gamma: float | None = None
) -> PrivacyTest:
    """Return the test of this kind with these parameters.

    Args:
        gamma: for plausible deniability only, and `USUAL_GAMMA` if it is left out.

    Raises:
        Refusal: one of them is out of range, or γ is given to the test that has none; `field`
            is "kind", "k", "epsilon0" or "gamma".
    """
    if kind == "plausible-deniability":
        return PlausibleDeniability(
            k=k, gamma=USUAL_GAMMA if gamma is None else gamma, epsilon0=epsilon0
        )
    if kind != "relative-sensitivity":
        raise Refusal(
            "There is no privacy test of that name.",
            f"Choose {' or '.join(get_args(TestKind))}.",
            field="kind",
        )
    if gamma is not None:
        raise Refusal(
            "The relative-sensitivity test has no γ.",
            "Leave γ out, or choose the plausible-deniability test.",
            field="gamma",
        )
    return RelativeSensitivity(k=k, epsilon0=epsilon0)
