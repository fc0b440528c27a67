"""Attempts in batches: draw seeds, propose candidates, score them, decide (Mechanism 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.models.bayesnet.kept_attributes import KeptAttributes, likelihood_classes
from understudy.models.omega import Omega
from understudy.models.prefix_index import PlausibleSeedIndex, Prefixes
from understudy.privacy.plausibility.privacy_test import Plausible, PrivacyTest
from understudy.privacy.plausibility.threshold import capped_away
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

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


@dataclass(frozen=True)
class Drawn:
    """A batch of attempts before anything is known of their seeds.

    Attributes:
        omegas: (B,) ω of each, in descending order.
        attempt: (B,) the place of each in the order of the attempts.
        rows: (B,) the seed of each, by its rank among all seeds; drawn uniformly, with replacement.
    """

    omegas: npt.NDArray[np.int64]
    attempt: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]

    @classmethod
    def of(cls, omega: Omega, seeds: int, first: int, count: int, source: RandomSource) -> Drawn:
        """Attempts first … first + count − 1 over so many seeds."""
        drawn = omega.sequence(first, count, source)
        rows = source.below(seeds, count)
        if omega.fixed:
            return cls(drawn, np.arange(count), rows)
        # Numbers of 8 or 16 bits are sorted by their digits, faster than by comparing them.
        rising = (omega.high - drawn).astype(np.min_scalar_type(omega.high - omega.low))
        attempt = np.argsort(rising, kind="stable")
        return cls(drawn[attempt], attempt, rows)

    def candidates(
        self,
        model: KeptAttributes,
        kept: npt.NDArray[np.uint16],
        codes: npt.NDArray[np.uint16],
        counts: npt.NDArray[np.int64],
    ) -> Candidates:
        """Return what was proposed, with what the seeds say of it.

        Args:
            model: what made it.
            kept: (longest, B) what may be kept of each seed, in dependency order.
            codes: (m, B) what was proposed.
            counts: how many seeds share what each kept, (B,), where all plausible seeds are
                equally likely; else of each length of prefix, (range + 1, B).
        """
        plausible: Plausible = counts
        if not model.omega.per_attempt:
            plausible = likelihood_classes(model, counts, kept, codes)
        return Candidates(codes, self.omegas, self.attempt, plausible)


class Synthesizer:
    """The seeds behind an index, and the model that makes candidates from them."""

    def __init__(self, model: KeptAttributes, seeds: Records | Prefixes) -> None:
        """
        Args:
            model: makes candidates.
            seeds: the records, or the prefixes of theirs that may be kept, in dependency order.

        Raises:
            ValueError: there are none, and something is kept of them.
        """
        self.model = model
        order = list(model.network.order)
        sizes = model.network.schema.cardinalities[order]
        if isinstance(seeds, Records):
            kept = order[: model.last_kept]
            seeds = Prefixes.of(seeds.codes[:, kept], sizes[: model.last_kept])
        if model.last_kept == 0 and not len(seeds.codes):
            # Nothing is ever kept, so nothing is missed: a blank seed stands in.
            seeds = Prefixes(np.zeros((1, 0), np.uint16), np.ones(1, np.int64))
        self.index = PlausibleSeedIndex(seeds, sizes, model.first_resampled)

    def propose(self, first: int, count: int, source: RandomSource) -> Candidates:
        """Attempts first … first + count − 1, up to the test."""
        return self.propose_with_seeds(first, count, source)[0]

    def propose_with_seeds(
        self, first: int, count: int, source: RandomSource
    ) -> tuple[Candidates, npt.NDArray[np.uint16]]:
        """As `propose`, with (longest, B) what may be kept of each seed, in dependency order, for
        whoever checks."""
        model = self.model
        drawn = Drawn.of(model.omega, len(self.index), first, count, source)
        leaves = self.index.leaf(drawn.rows)
        seeds = self.index.kept(leaves)
        codes = model.propose(seeds, drawn.omegas, source)
        kept = model.attributes - drawn.omegas
        if model.omega.per_attempt:
            counts = self._equally_likely(leaves, kept)
        else:
            counts = self.index.prefix_counts(leaves, codes, kept)
        return drawn.candidates(model, seeds, codes, counts), seeds

    def _equally_likely(
        self, leaves: npt.NDArray[np.int64], kept: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        counts = np.empty(len(leaves), dtype=np.int64)
        for length in range(self.index.shortest, self.index.longest + 1):
            here = slice(*np.searchsorted(kept, [length, length + 1]))
            if here.start < here.stop:
                counts[here] = self.index.shared(leaves[here], length)
        return counts


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
        passed = passed & ~capped_away(self.pass_cap, len(scores), source)
        return passed | (candidates.omegas == attributes) if per_attempt else passed

    def released(
        self, model: KeptAttributes, candidates: Candidates, source: RandomSource
    ) -> npt.NDArray[np.uint16]:
        """(passed, m) what passes, as codes in schema order, in the order of the attempts."""
        passed = self.passes(candidates, model.attributes, model.omega.per_attempt, source)
        kept = np.flatnonzero(passed)
        in_order = kept[np.argsort(candidates.attempt[kept], kind="stable")]
        return model.in_schema_order(candidates.codes[:, in_order])


def release(
    synthesizer: Synthesizer, decision: Decision, first: int, count: int, source: RandomSource
) -> npt.NDArray[np.uint16]:
    """Make attempts first … first + count − 1 and return what passes.

    Returns:
        (passed, m) codes in schema order, in the order of the attempts.
    """
    passed = []
    for start in range(first, first + count, BATCH):
        candidates = synthesizer.propose(start, min(BATCH, first + count - start), source)
        passed.append(decision.released(synthesizer.model, candidates, source))
    return np.concatenate(passed)
