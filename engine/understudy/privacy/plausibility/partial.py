"""Bounds on the score of either test from some of the records, and whether they decide the test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray

# Bounds on a score from some of the records, and whether they decide the test.
#
# A score is that of a set of records which holds the candidate's own seed. One record more leaves
# it or raises it, by at most 1 (docs/guarantee.md, "What both have in common", 2). So with a score
# of x so far and r records still to come, the score of them all lies between x and x + r, and
# whether it reaches what the coin asks for is often plain long before the last record. What is
# decided early is therefore what looking at every record would have decided: no candidate's outcome
# differs, whatever order the records come in, and the law of the outcomes is untouched.
#
# The seed itself counts from the start. The argument `again` marks the block that contains it, so
# that it counts only once.


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
        self._count += count_true(alike, sizes) - self._alone * again

    def settle(self, least: IntArray, left: IntArray) -> tuple[BoolArray, BoolArray]:
        """As of `PartialScore`."""
        return self._count >= least, self._count + left < least

    def keep(self, which: IntArray) -> None:
        """As of `PartialScore`."""
        self._low, self._high = self._low[which], self._high[which]
        self._alone, self._count = self._alone[which], self._count[which]


def count_true(true: BoolArray, sizes: IntArray) -> IntArray:
    """Return (B,) the number of records that are true for each candidate, from (B, R) flags and
    (R,) multiplicities."""
    if sizes.size and (sizes == sizes[0]).all():
        ones = np.bitwise_count(np.packbits(true, axis=1)).sum(axis=1, dtype=np.int64)
        return np.asarray(ones * sizes[0])
    # Whole numbers under 2^53 add up exactly in floating point, in any order.
    found: IntArray = (true @ sizes.astype(np.float64)).astype(np.int64)
    return found


# Bounds on the relative-sensitivity score from some of the records.
#
# Rank the records looked at by their likelihood ℓ = ln p of making the candidate, and let w be the
# doubles that `relative` takes for p. w never falls as ℓ rises, so {s : w_s ≤ w_r} is {s : ℓ_s ≤
# ℓ_r} for the last r of those tied in w, and the score of a seed d is
#
#     κ = max { Σ_{s : ℓ_s ≤ ℓ_r} w_s/w_r − 1 : ℓ_r ≥ ℓ_d }
#
# Let L be what the records with ℓ_s < ℓ_d weigh in units of w_d, T how many have ℓ_s = ℓ_d, d among
# them, and H how many have more. With r = d the sum is T − 1 + L. With an r of more, each of the H
# others weighs at most 1 and the rest at most T + L in units of w_r, so
#
#     T − 1 + L  ≤  κ  ≤  T − 1 + L + H
#
# which mostly decides the test without sorting. Where it does not, the H are sorted and the maximum
# is taken over them.
#
# *Rounding.* T and H are counted in whole numbers, and ties are those of ℓ. A ratio w_s/w_d is
# computed as exp(ℓ_s − ℓ_d), within a factor of 1 ± (|ℓ_s| + |ℓ_d| + |ℓ_s − ℓ_d| + 16)·2^−52 of it:
# w is within 1 ± (|ℓ| + 2)·2^−52 of p, the difference is rounded once, and exp is good to a few
# last places. A sum of C non-negative terms adds C roundings, each by 1 ± 2^−53, and a quotient of
# two such sums at most doubles all of it. `_margin` is more than that. What lies under
# w_d·e^{−reach} is left out of L; at most n records do, which weigh less than 2^−6 together, and
# the upper bound adds that. Where the bounds do not decide, or a ratio would overflow, the
# candidate stays undecided and the caller computes its full score.

_LEFT_OUT = 2.0**-6
_OVERFLOW = 600.0
_Flat = tuple[IntArray, FloatArray, IntArray]


class PartialRank:
    """Bounds on ⌊κ⌋ of B candidates; as `PartialScore`.

    Args:
        own: (B,) ln p_d(y) of each candidate's own seed d.
        records: how many records there are in all.
    """

    def __init__(self, own: FloatArray, records: int) -> None:
        self._known = np.isfinite(own)
        self._own = np.where(self._known, own, 0.0)
        self._reach = math.log(2 * max(1, records) / _LEFT_OUT)
        self._from = np.where(self._known, own - self._reach, math.inf)
        self._tied = np.ones(len(own), dtype=np.int64)
        self._more = np.zeros(len(own), dtype=np.int64)
        self._light = np.zeros(len(own))
        self._terms = 0
        self._ranked = np.zeros(len(own), dtype=np.int64)
        self._heavier: list[_Flat] = []
        self.held = 0

    def add(self, likelihoods: FloatArray, sizes: IntArray, again: BoolArray) -> None:
        """As of `PartialScore`."""
        candidates, records = likelihoods.shape
        place = np.flatnonzero(likelihoods >= self._from[:, None])
        of, record = np.divmod(place, records)
        found = likelihoods.ravel()[place]
        above = found - self._own[of]
        many = sizes[record]
        self._terms += records
        self._tied += _add_sizes(of, many, above == 0, candidates) - again
        lighter = above < 0
        self._light += np.bincount(
            of[lighter], many[lighter] * np.exp(above[lighter]), minlength=candidates
        )
        heavier = above > 0
        if heavier.any():
            self._more += _add_sizes(of, many, heavier, candidates)
            self._heavier.append((of[heavier], found[heavier], many[heavier]))
            self.held += int(np.count_nonzero(heavier))

    def settle(self, least: IntArray, left: IntArray) -> tuple[BoolArray, BoolArray]:
        """As of `PartialScore`."""
        margin = self._margin(0.0)
        low = self._tied - 1 + np.floor(self._light * (1 - margin))
        high = self._tied - 1 + np.floor(self._light * (1 + margin) + _LEFT_OUT)
        reaches = self._known & (low >= least)
        fails = self._known & (high + self._more + left < least)
        # Sorting pays only once many more records have come, or all have.
        due = (self._more >= 2 * self._ranked) | (left == 0)
        asked = (
            self._known & ~reaches & ~fails & due & (self._more > 0) & (high + self._more >= least)
        )
        if asked.any():
            self._ranked[asked] = self._more[asked]
            for at, found, many in self._each(asked):
                between = self._between(at, found, many)
                if between is not None:
                    reaches[at] = max(low[at], between[0]) >= least[at]
                    fails[at] = max(high[at], between[1]) + left[at] < least[at]
        return reaches, fails

    def keep(self, which: IntArray) -> None:
        """As of `PartialScore`."""
        number = np.full(len(self._own), -1)
        number[which] = np.arange(len(which))
        for name in ("_known", "_own", "_from", "_tied", "_more", "_light", "_ranked"):
            setattr(self, name, getattr(self, name)[which])
        kept = [(number[of] >= 0, number[of], found, many) for of, found, many in self._heavier]
        self._heavier = [(of[held], found[held], many[held]) for held, of, found, many in kept]
        self.held = sum(len(of) for of, *_ in self._heavier)

    def _each(self, asked: BoolArray) -> Iterator[tuple[int, FloatArray, IntArray]]:
        """For each of some candidates, the likelihoods of the records likelier than its seed, and
        their multiplicities."""
        parts = [(asked[of], of, found, many) for of, found, many in self._heavier]
        of, found, many = (
            np.concatenate([part[at][part[0]] for part in parts]) for at in (1, 2, 3)
        )
        order = np.argsort(of, kind="stable")
        candidates, starts = np.unique(of[order], return_index=True)
        pieces = np.split(order, starts[1:])
        for candidate, piece in zip(candidates.tolist(), pieces, strict=True):
            yield candidate, found[piece], many[piece]

    def _between(self, at: int, found: FloatArray, many: IntArray) -> tuple[float, float] | None:
        """Return bounds on the largest ms(r) over the likelier records r; None if it overflows."""
        order = np.argsort(found)
        # Ties are those of the likelihoods: what is subtracted below may make others.
        starts = np.flatnonzero(np.diff(found[order], prepend=-np.inf))
        above = found[order][starts] - self._own[at]
        if above[-1] > _OVERFLOW:
            return None
        tied = np.add.reduceat(many[order], starts)
        weight = np.exp(above)
        weighed = np.concatenate([self._light[at : at + 1] + self._tied[at], tied * weight])
        share = np.cumsum(weighed)[:-1] / weight
        margin = float(self._margin(float(above[-1]))[at])
        least = tied - 1 + np.floor(share * (1 - margin))
        most = tied - 1 + np.floor(share * (1 + margin) + _LEFT_OUT)
        return float(least.max()), float(most.max())

    def _margin(self, highest: float) -> FloatArray:
        reach = self._reach + highest
        return np.asarray((self._terms + 4 * (np.abs(self._own) + reach) + 64) * 2.0**-50)


def _add_sizes(of: IntArray, many: IntArray, which: BoolArray, candidates: int) -> IntArray:
    """Return (candidates,) the number of marked records of each."""
    # Whole numbers under 2^53 add up exactly.
    return np.bincount(of[which], many[which], minlength=candidates).astype(np.int64)
