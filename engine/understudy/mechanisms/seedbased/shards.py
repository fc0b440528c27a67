"""An index too large for one machine, in shards, and a batch of attempts in steps that each need
the seeds of one shard or none.

    draw       ω and the seeds' ranks                       anywhere
    kept       what may be kept of the seeds                each shard, of its own
    propose    the candidates                               anywhere
    counts     how many seeds share their prefixes          each shard, of its own
    decide     which pass                                   anywhere

A shard is a run of the seeds in lexicographic order, so a seed is in one of them by its rank. What
the shards find adds up to what the whole index finds, and the steps draw from one stream, one
after another: the outcome is that of `Chunks.make`, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from understudy.core.arrays import CodeArray, IntArray
from understudy.mechanisms.seedbased.attempts import BATCH, AttemptSpan, Chunks, Decision, Drawn
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.prefix_index import PlausibleSeedIndex, Prefixes
from understudy.privacy.randomness import RandomSource, Secret


@dataclass(frozen=True, eq=False)
class Shard:
    """Some of the seeds. Confidential.

    Attributes:
        first: the rank of the first.
        index: theirs, from the empty prefix on.
    """

    first: int = field(repr=False)
    index: PlausibleSeedIndex

    def collect_kept(self, batches: Sequence[Step]) -> list[CodeArray]:
        """Return (longest, B) of each batch: what may be kept of the seeds in this shard, 0 for
        others."""
        return [self._select_kept(batch.drawn.rows - self.first) for batch in batches]

    def _select_kept(self, rows: IntArray) -> CodeArray:
        found = np.zeros((self.index.longest, len(rows)), dtype=np.uint16)
        here = np.flatnonzero((rows >= 0) & (rows < len(self.index)))
        found[:, here] = self.index.take_kept(self.index.leaf(rows[here]))
        return found

    def counts(self, batches: Sequence[Step]) -> list[IntArray]:
        """Return (longest + 1, B) of each batch: how many seeds of this shard share each prefix."""
        return [self.index.all_prefix_counts(batch.codes) for batch in batches]


def shards(index: PlausibleSeedIndex, count: int) -> Iterator[Shard]:
    """Yield the seeds of an index in so many shards, or fewer, of about as many prefixes each."""
    leaves, sizes = index.leaves, index.cardinalities
    cuts = np.unique(np.linspace(0, len(leaves.codes), count + 1).astype(np.int64))
    ranks = np.concatenate([[0], np.cumsum(leaves.counts)])
    for start, end in pairwise(cuts.tolist()):
        part = Prefixes(leaves.codes[start:end], leaves.counts[start:end])
        yield Shard(int(ranks[start]), PlausibleSeedIndex(part, sizes, 0))


@dataclass(frozen=True, eq=False)
class Step:
    """A batch on its way.

    Attributes:
        number: of the batch.
        position: how many words of its stream were drawn.
        drawn: ω and seeds.
        kept: (longest, B) what may be kept of the seeds; empty before that is known.
        codes: (m, B) the candidates; empty before they are proposed.
    """

    number: int
    position: int
    drawn: Drawn
    kept: CodeArray
    codes: CodeArray


_NONE: CodeArray = np.zeros((0, 0), dtype=np.uint16)


@dataclass(frozen=True, eq=False)
class ShardSteps:
    """What the steps need that look at no seed. Confidential, as it holds the secret.

    Attributes:
        model: makes candidates.
        seeds: how many there are.
        decision: decides which pass.
        secret: what the run's random numbers follow from.
    """

    model: KeptAttributes
    seeds: int = field(repr=False)
    decision: Decision
    secret: Secret

    @classmethod
    def of(cls, chunks: Chunks) -> ShardSteps:
        """Return those of a run."""
        made = chunks.synthesizer
        return cls(made.model, len(made.index), chunks.decision, chunks.secret)

    def draw(self, span: AttemptSpan) -> list[Step]:
        """Return the first step, of every batch of a span."""
        end = span.first + span.count
        return [
            self._draw_batches(start, min(BATCH, end - start))
            for start in range(span.first, end, BATCH)
        ]

    def _draw_batches(self, first: int, count: int) -> Step:
        number = first // BATCH
        source = self._source(number, 0)
        drawn = Drawn.of(self.model.omega, self.seeds, first, count, source)
        return Step(number, source.position, drawn, _NONE, _NONE)

    def propose(self, batches: Sequence[Step], kept: Sequence[Sequence[CodeArray]]) -> list[Step]:
        """Return the candidates, from what every shard says of the seeds."""
        return [
            self._propose_batches(*each)
            for each in zip(batches, zip(*kept, strict=True), strict=True)
        ]

    def _propose_batches(self, batch: Step, kept: Sequence[CodeArray]) -> Step:
        seeds = np.asarray(np.sum(kept, axis=0, dtype=np.uint16))
        source = self._source(batch.number, batch.position)
        codes = self.model.propose(seeds, batch.drawn.omegas, source)
        return Step(batch.number, source.position, batch.drawn, seeds, codes)

    def decide(self, batches: Sequence[Step], counts: Sequence[Sequence[IntArray]]) -> CodeArray:
        """Return (passed, m) what passes, in the order of the attempts, from what every shard
        counts."""
        return np.concatenate(
            [
                self._decide_batches(*each)
                for each in zip(batches, zip(*counts, strict=True), strict=True)
            ]
        )

    def _decide_batches(self, batch: Step, counts: Sequence[IntArray]) -> CodeArray:
        model, drawn = self.model, batch.drawn
        shared = np.asarray(np.sum(counts, axis=0))[model.first_resampled :]
        if model.omega.per_attempt:
            kept = model.attributes - drawn.omegas - model.first_resampled
            shared = shared[kept, np.arange(len(kept))]
        candidates = drawn.candidates(model, batch.kept, batch.codes, shared)
        source = self._source(batch.number, batch.position)
        return self.decision.release_candidates(model, candidates, source)

    def _source(self, number: int, position: int) -> RandomSource:
        return self.secret.source("attempts", number, position)
