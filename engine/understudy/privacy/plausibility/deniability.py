"""The plausible-deniability test: its parameters, and the score it compares with k.

A candidate is plausibly deniable when enough records could have made it with about the same
probability as its seed (Definition 4.1; Tests 4.1 and 4.2 of the dissertation).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import field_validator

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.privacy.plausibility.coin import ThresholdNoise
from understudy.privacy.plausibility.likelihood import LikelihoodClasses, Plausible
from understudy.privacy.plausibility.partial import PartialCount
from understudy.privacy.plausibility.threshold import NoisyThreshold, real


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
        """(B,) the number of plausible seeds of each candidate.

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
        """(B,) and (B,) the least and the greatest double in the same likelihood bucket as each.

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
