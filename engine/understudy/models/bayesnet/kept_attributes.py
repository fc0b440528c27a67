"""The kept-attributes model: copy the first m − ω attributes of the seed, draw the rest (6.13).

Records are held column-wise and in dependency order here, (m, B), so that a column is contiguous in
memory. Attempts are sorted by ω, so that those that resample a column come first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses
from understudy.privacy.randomness import RandomSource

_LEAST_LOG = -600.0
"""e^x underflows for logarithms this far below another."""


@dataclass(frozen=True)
class KeptAttributes:
    """The seedbased model M of the census evaluation.

    Attributes:
        network: the model the last ω attributes are drawn from.
        omega: how many are drawn.
    """

    network: Sequential
    omega: Omega

    def __post_init__(self) -> None:
        self.omega.fits(self.attributes)

    @property
    def attributes(self) -> int:
        """m."""
        return len(self.network.order)

    @property
    def first_resampled(self) -> int:
        """The first position in dependency order that may be resampled: m − max ω."""
        return self.attributes - self.omega.high

    @property
    def last_kept(self) -> int:
        """The longest prefix that is ever kept: m − min ω."""
        return self.attributes - self.omega.low

    def propose(self, seeds: CodeArray, omegas: IntArray, source: RandomSource) -> CodeArray:
        """Return one candidate for each seed.

        Args:
            seeds: (m, B) codes in dependency order, or only as many rows as may be kept.
            omegas: (B,) how many attributes to resample, in descending order.
            source: where the draws come from.

        Returns:
            (m, B) codes in dependency order.
        """
        candidates = np.zeros((self.attributes, len(omegas)), dtype=np.uint16)
        candidates[: self.last_kept] = seeds[: self.last_kept]
        whole = self._whole(omegas)
        if whole:
            drawn = self.network.records(whole, source)
            candidates[:, :whole] = drawn[list(self.network.order)]
        for place in range(self.first_resampled, self.attributes):
            rows = slice(whole, _mask_resampled(omegas, self.attributes - place))
            candidates[place, rows] = self.network.draw(
                self.network.order[place], self._by_attribute(candidates[:, rows]), source
            )
        return candidates

    def _whole(self, omegas: IntArray) -> int:
        """Return how many attempts, the first ones, draw a whole record by the network's tilts.

        These are the ones that keep no attribute, where it is public that they keep none: such a
        candidate needs no test. Where ω is hidden they are drawn by the conditional tables, as
        their distribution is part of every p_d(y).
        """
        if not self.network.is_tilted or not self.omega.per_attempt:
            return 0
        return _mask_resampled(omegas, self.attributes)

    def tails(self, candidates: CodeArray) -> FloatArray:
        """Return (range + 1, B) natural logarithms, for the positions m − max ω … m − min ω, of the
        probability of drawing the candidate's values from that position on."""
        columns = self._by_attribute(candidates)
        total = np.zeros(candidates.shape[1])
        tails = np.empty((self.last_kept - self.first_resampled + 1, candidates.shape[1]))
        if self.last_kept == self.attributes:
            tails[-1] = total
        for place in range(self.attributes - 1, self.first_resampled - 1, -1):
            total = total + self.network.log_likelihood(self.network.order[place], columns)
            if place <= self.last_kept:
                tails[place - self.first_resampled] = total
        return tails

    def log_likelihoods(self, candidates: CodeArray) -> FloatArray:
        """Return (range + 1, B): ln p_d(y) for a seed d whose common prefix with y is exactly
        m − max ω, …, m − min ω or longer, when ω is drawn fairly and hidden.

        p_L(y) = (1/|range|) Σ_{m−ω ≤ L} Π_{i>m−ω} Pr{y_i | parents}; a shorter prefix gives 0.
        """
        return np.asarray(log_sums(self.tails(candidates)) - math.log(len(self.omega.values)))

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) ln p_d(y) of every seed and candidate, ω fixed, or drawn fairly and hidden.

        Args:
            seeds, candidates: (n, m) and (B, m) codes in dependency order, a record a row.
        """
        pairs = len(seeds), len(candidates)
        agree, shared = np.ones(pairs, dtype=bool), np.zeros(pairs, dtype=np.int64)
        for place in range(self.last_kept):
            agree &= seeds[:, place, None] == candidates[:, place]
            shared += agree
        length = shared - self.first_resampled
        by_prefix = self.log_likelihoods(np.ascontiguousarray(candidates.T))
        found = by_prefix[np.maximum(length, 0), np.arange(len(candidates))]
        return np.where(length < 0, -np.inf, found)

    def in_schema_order(self, codes: CodeArray) -> CodeArray:
        """Return (m, B) in dependency order to (B, m) in schema order."""
        return np.ascontiguousarray(codes[np.argsort(list(self.network.order))].T)

    def _by_attribute(self, ordered: CodeArray) -> list[CodeArray]:
        columns: list[CodeArray] = [ordered[0]] * self.attributes
        for place, attribute in enumerate(self.network.order):
            columns[attribute] = ordered[place]
        return columns


def log_sums(logs: FloatArray) -> FloatArray:
    """Return ln(e^{x_0} + … + e^{x_i}) of every column x of a (C, B) array whose columns never
    decrease.

    Each column of the outcome is a function of that column alone, the same to the last bit
    wherever it stands. A column whose first entry would vanish beside its last is added up in
    logarithms from end to end, which takes thirty times as long.
    """
    top = np.where(np.isfinite(logs[-1]), logs[-1], 0.0)
    sums = logs - top
    vanishing = np.flatnonzero(((sums < _LEAST_LOG) & (sums > -np.inf)).any(axis=0))
    np.exp(sums, out=sums)
    for place in range(1, len(sums)):
        sums[place] += sums[place - 1]
    with np.errstate(divide="ignore"):
        np.log(sums, out=sums)
    sums += top
    if vanishing.size:
        sums[:, vanishing] = np.logaddexp.accumulate(logs[:, vanishing], axis=0)
    return sums


def _mask_resampled(omegas: IntArray, least: int) -> int:
    """Return the number of attempts, sorted by ω descending, that resample `least` or more."""
    return int(np.searchsorted(-omegas, -least, side="right"))


def common_prefix(model: KeptAttributes, seeds: CodeArray, candidates: CodeArray) -> IntArray:
    """Return (B,) the seed's class: the length of its common prefix with its candidate, from
    m − max ω (0) to m − min ω (|range| − 1)."""
    shared = np.zeros(candidates.shape[1], dtype=np.int64)
    agree = np.ones(candidates.shape[1], dtype=bool)
    for place in range(model.first_resampled, model.last_kept):
        agree &= seeds[place] == candidates[place]
        shared += agree
    return shared


def likelihood_classes(
    model: KeptAttributes,
    prefix_counts: IntArray,
    seeds: CodeArray,
    candidates: CodeArray,
) -> LikelihoodClasses:
    """Return the plausible seeds of each candidate, grouped by likelihood.

    Args:
        model: the model, read with ω hidden.
        prefix_counts: (range + 1, B) how many records share the first m − max ω, …,
            m − min ω attributes with the candidate.
        seeds, candidates: (m, B) codes in dependency order; of the seeds only as many rows as may
            be kept are looked at.
    """
    sizes = prefix_counts.copy()
    sizes[:-1] -= prefix_counts[1:]
    return LikelihoodClasses(
        sizes=sizes.T,
        log_likelihood=model.log_likelihoods(candidates).T,
        seed_class=common_prefix(model, seeds, candidates),
    )
