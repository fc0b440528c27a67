"""Attempts: a seed is drawn, and what was made of it passes where enough other seeds have its key.

All seeds of a key make its candidates as likely, so the score of a candidate is the number of other
seeds of its key, and known before it is made. The test's coin is thrown first, and only what passes
is made: the outcome has the same law, as what is drawn besides the key depends on the key alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import IntArray
from understudy.mechanisms.plausible_traces.conditionals import Drafts
from understudy.mechanisms.plausible_traces.keys import CARDINALITIES, SORTS, WIDTH, Codes
from understudy.mechanisms.plausible_traces.proposing import KeptSchedules
from understudy.models.prefix_index import PlausibleSeedIndex
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.plausibility.threshold import capped_away
from understudy.privacy.randomness import RandomSource


@dataclass(frozen=True, eq=False)
class Seeds:
    """One day of each seed, as its key. Confidential.

    Attributes:
        keys: (S, WIDTH), a row for each person among the seeds, those without a usable day too.
    """

    keys: Codes

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.keys)

    @cached_property
    def index(self) -> PlausibleSeedIndex:
        """How many have each key.

        Raises:
            ValueError: there are no seeds.
        """
        return PlausibleSeedIndex.of(self.keys, CARDINALITIES, WIDTH, WIDTH)

    def drawn(self, count: int, source: RandomSource) -> tuple[Codes, IntArray]:
        """(count, WIDTH) the keys of seeds drawn uniformly, with replacement, and (count,) how many
        seeds have each, itself included."""
        leaves = self.index.leaf(source.below(len(self), count))
        return self.index.kept(leaves).T, self.index.shared(leaves, WIDTH)

    @property
    def distinct(self) -> tuple[Codes, IntArray]:
        """(kinds, WIDTH) the different keys and (kinds,) how many seeds have each."""
        return self.index.leaves.codes, self.index.leaves.counts


@dataclass(frozen=True)
class Decision:
    """The privacy test, and the coin that turns candidates away after it.

    Attributes:
        test: relative sensitivity.
        pass_cap: ρ, the chance that a candidate is turned away whatever it scored.
    """

    test: RelativeSensitivity
    pass_cap: float

    def passes(self, keys: Codes, sharers: IntArray, source: RandomSource) -> npt.NDArray[np.bool_]:
        """(B,) what is released. Nothing is made of a day without stays, so that such an attempt
        fails.

        Args:
            keys: (B, WIDTH) of the seeds.
            sharers: (B,) how many seeds have each key, its own included.
            source: of the coins.
        """
        passed = self.test.coin.decide(self.test.scores(sharers), source)
        away = capped_away(self.pass_cap, len(keys), source)
        return passed & ~away & (keys[:, SORTS.start] > 0)

    def chance(self, keys: Codes, sharers: IntArray) -> npt.NDArray[np.float64]:
        """(B,) the probability of each to pass."""
        passing = self.test.coin.probability(self.test.scores(sharers))
        return np.asarray(passing * (1 - self.pass_cap) * (keys[:, SORTS.start] > 0))


def make_attempts(
    model: KeptSchedules, seeds: Seeds, decision: Decision, count: int, source: RandomSource
) -> tuple[IntArray, Drafts]:
    """Make so many attempts.

    Returns:
        (passed,) which of them passed, in order, and what they made.

    Raises:
        ValueError: there are no seeds.
    """
    keys, sharers = seeds.drawn(count, source)
    passed = np.flatnonzero(decision.passes(keys, sharers, source))
    return passed, model.drafted(np.ascontiguousarray(keys[passed]), source)
