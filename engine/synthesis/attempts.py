"""Attempts in batches: draw seeds, propose candidates, score them, decide (Mechanism 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.bayesnet.kept import KeptAttributes, likelihood_classes
from engine.models.omega import Omega
from engine.privacy.plausibility.coin import turned_away
from engine.privacy.plausibility.likelihood import Plausible
from engine.privacy.plausibility.privacy_test import PrivacyTest
from engine.privacy.randomness import RandomSource
from engine.synthesis.index import PlausibleSeedIndex
from engine.table.records import Records

BATCH = 1 << 14
"""Attempts handled at once: a batch of eleven columns then stays in a core's own cache."""


@dataclass(frozen=True)
class Candidates:
    """A batch of proposals with what the seeds say of them. Internal.

    Attributes:
        codes: (m, B) in dependency order, sorted by ω descending.
        omegas: (B,) ω of each.
        attempt: (B,) the place of each in the order of the attempts.
        plausible: what a test scores.
    """

    codes: npt.NDArray[np.uint16]
    omegas: npt.NDArray[np.int64]
    attempt: npt.NDArray[np.int64]
    plausible: Plausible

    def scores(self, test: PrivacyTest) -> npt.NDArray[np.int64]:
        """(B,) the score of each under this test."""
        return test.scores(self.plausible)


class Synthesizer:
    """The seeds behind an index, and the model that makes candidates from them."""

    def __init__(self, model: KeptAttributes, seeds: Records) -> None:
        self.model = model
        order = list(model.network.order)
        self._inverse = np.argsort(order)
        codes = seeds.codes
        if model.last_kept == 0 and not len(seeds):
            # Nothing is ever kept, so nothing is missed: a blank seed stands in.
            codes = np.zeros((1, len(order)), dtype=np.uint16)
        self.index = PlausibleSeedIndex.of(
            codes[:, order],
            seeds.schema.cardinalities[order],
            model.first_resampled,
            model.last_kept,
        )

    def propose(self, first: int, count: int, source: RandomSource) -> Candidates:
        """Attempts first … first + count − 1, up to the test.

        Each draws its seed uniformly, with replacement.
        """
        return self.propose_with_seeds(first, count, source)[0]

    def propose_with_seeds(
        self, first: int, count: int, source: RandomSource
    ) -> tuple[Candidates, npt.NDArray[np.uint16]]:
        """As `propose`, with (longest, B) what may be kept of each seed, in dependency order, for
        whoever checks."""
        model = self.model
        omegas, attempt = _downwards(model.omega, model.omega.sequence(first, count, source))
        leaves = self.index.leaf(source.below(len(self.index), count))
        seeds = self.index.kept(leaves)
        codes = model.propose(seeds, omegas, source)
        kept = model.attributes - omegas
        plausible: Plausible
        if model.omega.per_attempt:
            plausible = self._equally_likely(leaves, kept)
        else:
            counts = self.index.prefix_counts(leaves, codes, kept)
            plausible = likelihood_classes(model, counts, seeds, codes)
        return Candidates(codes, omegas, attempt, plausible), seeds

    def _equally_likely(
        self, leaves: npt.NDArray[np.int64], kept: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        counts = np.empty(len(leaves), dtype=np.int64)
        for length in range(self.index.shortest, self.index.longest + 1):
            here = slice(*np.searchsorted(kept, [length, length + 1]))
            if here.start < here.stop:
                counts[here] = self.index.shared(leaves[here], length)
        return counts

    def in_schema_order(self, codes: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
        """(m, B) in dependency order to (B, m) in schema order."""
        return np.ascontiguousarray(codes[self._inverse].T)


def _downwards(
    omega: Omega, drawn: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """ω in descending order, and (B,) the place that each had."""
    if omega.fixed:
        return drawn, np.arange(len(drawn))
    # Numbers of 8 or 16 bits are sorted by their digits, which is faster than by comparing them.
    rising = (omega.high - drawn).astype(np.min_scalar_type(omega.high - omega.low))
    attempt = np.argsort(rising, kind="stable")
    return drawn[attempt], attempt


@dataclass(frozen=True)
class Decision:
    """The privacy test, and the coin that turns candidates away after it.

    Attributes:
        test: either test.
        pass_cap: ρ, the chance that a candidate is turned away after the test, whatever it
            scored (run-guarantee §3); 0 turns none away.
    """

    test: PrivacyTest
    pass_cap: float

    def passes(
        self, candidates: Candidates, attributes: int, per_attempt: bool, source: RandomSource
    ) -> npt.NDArray[np.bool_]:
        """(B,) what is released. A candidate whose announced ω is m kept nothing of its seed:
        it passes untested."""
        scores = candidates.scores(self.test)
        passed = self.test.coin.decide(scores, source)
        passed = passed & ~turned_away(self.pass_cap, len(scores), source)
        return passed | (candidates.omegas == attributes) if per_attempt else passed


def release(
    synthesizer: Synthesizer, decision: Decision, first: int, count: int, source: RandomSource
) -> npt.NDArray[np.uint16]:
    """Make attempts first … first + count − 1 and return what passes.

    Returns:
        (passed, m) codes in schema order, in the order of the attempts.
    """
    passed = []
    model = synthesizer.model
    for start in range(first, first + count, BATCH):
        candidates = synthesizer.propose(start, min(BATCH, first + count - start), source)
        kept = np.flatnonzero(
            decision.passes(candidates, model.attributes, model.omega.per_attempt, source)
        )
        in_order = kept[np.argsort(candidates.attempt[kept], kind="stable")]
        passed.append(synthesizer.in_schema_order(candidates.codes[:, in_order]))
    return np.concatenate(passed)
