"""Attempts: days proposed of a seed's key, and tested against every seed.

All seeds of a key make its candidates as likely, so the score of a candidate is the number of other
seeds of its key, and known before it is made. The test's coin is thrown first, and only what passes
is made: the outcome has the same law, as what is drawn besides the key depends on the key alone.

p_d(y) = 1[key(d) = key(y)]·c(y), where c(y) is the chance of y given its key: every seed that can
make a candidate makes it as likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.mechanisms.plausible_traces.conditionals import Drafts, walk, walk_schedules
from understudy.mechanisms.plausible_traces.keys import CARDINALITIES, SORTS, WIDTH, Keeps, keys_of
from understudy.models.categorical import BITS, WHOLE
from understudy.models.mobility.law import Law
from understudy.models.mobility.stays import LONGEST
from understudy.models.prefix_index import PlausibleSeedIndex
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.plausibility.threshold import capped_away
from understudy.privacy.randomness import RandomSource

_NOBODYS: Final = -1
_ALONE: Final = 4
"""Numbers of a candidate that there is one of: works, pattern, home, work."""
CANDIDATE: Final = _ALONE + 3 * LONGEST
"""How many numbers a candidate has."""


@dataclass(frozen=True, eq=False)
class KeptSchedules:
    """The model. May be published: the law is made of noisy tables.

    Attributes:
        law: how made people live.
        keeps: what is kept of a seed.
    """

    law: Law
    keeps: Keeps

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """Return (B, CANDIDATE) a candidate from each key, drawn independently.

        Args:
            seeds: (B, WIDTH) keys of days that something can be made of.
            source: the randomness.
        """
        return encode_candidates(self.propose_drafts(seeds, source))

    def propose_schedules(self, seeds: CodeArray, source: RandomSource) -> Drafts:
        """Answer as `propose`, without the places."""
        drafts = Drafts.blank(len(seeds))
        if len(seeds):
            walk_schedules(self.law, seeds, self.keeps, drafts, _Drawing(source))
        return drafts

    def propose_drafts(self, seeds: CodeArray, source: RandomSource) -> Drafts:
        """Answer as `propose`, not yet as codes."""
        drafts = Drafts.blank(len(seeds))
        if len(seeds):
            walk(self.law, seeds, self.keeps, drafts, _Drawing(source))
        return drafts

    def keys(self, candidates: CodeArray) -> CodeArray:
        """Return (B, WIDTH) the key of each candidate: that of its seed."""
        return keys_of(decode_candidates(candidates).schedules, self.keeps)

    def log_chance(self, candidates: CodeArray) -> FloatArray:
        """Return (B,) ln c(y): how likely each candidate is, given its key. To the last bit a
        function of the candidate alone; −∞ where it cannot be."""
        scoring = _Scoring(np.zeros(len(candidates)))
        if len(candidates):
            drafts = decode_candidates(candidates)
            walk(self.law, self.keys(candidates), self.keeps, drafts, scoring)
        return scoring.logs

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return (n, B) ln p_d(y) of every key of a seed and every candidate; see
        `SeedbasedModel`."""
        chance = self.log_chance(candidates)
        number: dict[bytes, int] = {}
        own = _number_keys(self.keys(candidates), number)
        seed = _number_keys(seeds, number)
        alike = (seed[:, None] == own) & (own != _NOBODYS)
        return np.where(alike, chance, -np.inf)


def encode_candidates(drafts: Drafts) -> CodeArray:
    """Return (B, CANDIDATE) candidates as codes."""
    alone = np.column_stack([drafts.works, drafts.pattern, drafts.home, drafts.work])
    # A sort of −1 is written as 0.
    rows = [alone, drafts.sort + 1, drafts.start, drafts.cell]
    return np.concatenate(rows, axis=1).astype(np.uint16)


def decode_candidates(candidates: CodeArray) -> Drafts:
    """Return the candidates that `encode_candidates` wrote."""
    numbers = candidates.astype(np.int64)
    works, pattern, home, work = numbers[:, :_ALONE].T.copy()
    sort, start, cell = np.split(numbers[:, _ALONE:], 3, axis=1)
    return Drafts(works, pattern, sort - 1, start, home, work, cell)


def _number_keys(keys: CodeArray, number: dict[bytes, int]) -> IntArray:
    """Return (n,) a number for each key, the same for the same; those of days without stays have
    none."""
    rows = np.ascontiguousarray(keys)
    found = [number.setdefault(row.tobytes(), len(number)) for row in rows]
    usable = keys[:, SORTS.start] > 0
    return np.where(usable, np.array(found, dtype=np.int64), _NOBODYS)


@dataclass(frozen=True)
class _Drawing:
    """Draws each number."""

    source: RandomSource

    def __call__(self, rows: IntArray, weights: IntArray, values: IntArray) -> None:
        if not len(rows):
            return
        words = self.source.words(len(rows)) >> np.uint64(64 - BITS)
        sums = np.cumsum(weights, axis=1)
        values[rows] = (sums <= words.astype(np.int64)[:, None]).sum(axis=1)


@dataclass(frozen=True, eq=False)
class _Scoring:
    """Adds up how likely each number was."""

    logs: FloatArray

    def __call__(self, rows: IntArray, weights: IntArray, values: IntArray) -> None:
        chosen = np.minimum(values[rows], weights.shape[1] - 1)
        share = np.take_along_axis(weights, chosen[:, None], axis=1)[:, 0] / float(WHOLE)
        share[values[rows] >= weights.shape[1]] = 0
        with np.errstate(divide="ignore"):
            self.logs[rows] += np.log(share)


@dataclass(frozen=True, eq=False)
class Seeds:
    """One day of each seed, as its key. Confidential.

    Attributes:
        keys: (S, WIDTH), a row for each person among the seeds, those without a usable day too.
    """

    keys: CodeArray

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

    def draw_seeds(self, count: int, source: RandomSource) -> tuple[CodeArray, IntArray]:
        """Return (count, WIDTH) the keys of seeds drawn uniformly, with replacement, and (count,)
        how many seeds have each, itself included."""
        leaves = self.index.leaf(source.below(len(self), count))
        return self.index.take_kept(leaves).T, self.index.count_shared(leaves, WIDTH)

    @property
    def distinct(self) -> tuple[CodeArray, IntArray]:
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

    def passes(self, keys: CodeArray, sharers: IntArray, source: RandomSource) -> BoolArray:
        """Return (B,) what is released. Nothing is made of a day without stays, so that such an
        attempt fails.

        Args:
            keys: (B, WIDTH) of the seeds.
            sharers: (B,) how many seeds have each key, its own included.
            source: of the coins.
        """
        passed = self.test.coin.decide(self.test.scores(sharers), source)
        away = capped_away(self.pass_cap, len(keys), source)
        return passed & ~away & (keys[:, SORTS.start] > 0)

    def chance(self, keys: CodeArray, sharers: IntArray) -> FloatArray:
        """Return (B,) the probability of each to pass."""
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
    keys, sharers = seeds.draw_seeds(count, source)
    passed = np.flatnonzero(decision.passes(keys, sharers, source))
    return passed, model.propose_drafts(np.ascontiguousarray(keys[passed]), source)
