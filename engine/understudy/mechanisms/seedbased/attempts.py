"""Attempts in batches, until the goal of a run is reached.

Every batch draws from a stream of its own, which follows from the run's secret and the number of
the batch. So a chunk that is made again, here or on another machine, comes out the same: whoever
lost the outcome of one asks for it again, and nothing is drawn twice. Each chunk is released once,
in the order of its attempts, so what was lost on the way shows nowhere, and costs nothing.

An index too large for one machine is in shards, and a batch of attempts in steps that each need the
seeds of one shard or none.

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

import hashlib
import platform
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np

from understudy import __version__
from understudy.core.arrays import BoolArray, CodeArray, IntArray
from understudy.mechanisms.mechanism import FellShort
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.models.bayesnet.allotted_records import AllottedRecords
from understudy.models.bayesnet.kept_attributes import KeptAttributes, likelihood_classes
from understudy.models.omega import Omega
from understudy.models.prefix_index import PlausibleSeedIndex, Prefixes
from understudy.privacy.plausibility.privacy_test import Plausible, PrivacyTest
from understudy.privacy.plausibility.threshold import capped_away
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.records import Records
from understudy.table.rules.masks import compile_masks

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

    codes: CodeArray
    omegas: IntArray
    attempt: IntArray
    plausible: Plausible

    def scores(self, test: PrivacyTest) -> IntArray:
        """Return (B,) the score of each under this test."""
        return test.scores(self.plausible)


@dataclass(frozen=True)
class Drawn:
    """A batch of attempts before anything is known of their seeds.

    Attributes:
        omegas: (B,) ω of each, in descending order.
        attempt: (B,) the place of each in the order of the attempts.
        rows: (B,) the seed of each, by its rank among all seeds; drawn uniformly, with replacement.
    """

    omegas: IntArray
    attempt: IntArray
    rows: IntArray

    @classmethod
    def of(cls, omega: Omega, seeds: int, first: int, count: int, source: RandomSource) -> Drawn:
        """Return attempts first … first + count − 1 over so many seeds."""
        drawn = omega.sequence(first, count, source)
        rows = source.below(seeds, count)
        if omega.is_fixed:
            return cls(drawn, np.arange(count), rows)
        # Numbers of 8 or 16 bits are sorted by their digits, faster than by comparing them.
        rising = (omega.high - drawn).astype(np.min_scalar_type(omega.high - omega.low))
        attempt = np.argsort(rising, kind="stable")
        return cls(drawn[attempt], attempt, rows)

    def candidates(
        self,
        model: KeptAttributes,
        kept: CodeArray,
        codes: CodeArray,
        counts: IntArray,
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

    @cached_property
    def surely_valid(self) -> bool:
        """Whether some record that keeps the rules begins with each prefix that may be kept, so
        that no candidate breaks one."""
        network, codes = self.model.network, self.index.leaves.codes.T
        relations = network.schema.relations
        columns = [np.zeros(codes.shape[1], dtype=np.uint16) for _ in network.order]
        for attribute, column in zip(network.order, codes, strict=False):
            columns[attribute] = np.ascontiguousarray(column)
        masks = compile_masks(relations, network.order) if relations else {}
        kept = network.order[: len(codes)]
        return all(
            bool(masks[place].allows(columns, columns[place]).all())
            for place in kept
            if place in masks
        )

    def propose(self, first: int, count: int, source: RandomSource) -> Candidates:
        """Return attempts first … first + count − 1, up to the test."""
        return self.propose_with_seeds(first, count, source)[0]

    def propose_with_seeds(
        self, first: int, count: int, source: RandomSource
    ) -> tuple[Candidates, CodeArray]:
        """Answer as `propose`, with (longest, B) what may be kept of each seed, in dependency
        order, for whoever checks."""
        model = self.model
        drawn = Drawn.of(model.omega, len(self.index), first, count, source)
        leaves = self.index.leaf(drawn.rows)
        seeds = self.index.take_kept(leaves)
        codes = model.propose(seeds, drawn.omegas, source)
        kept = model.attributes - drawn.omegas
        if model.omega.per_attempt:
            counts = self._equally_likely(leaves, kept)
        else:
            counts = self.index.prefix_counts(leaves, codes, kept)
        return drawn.candidates(model, seeds, codes, counts), seeds

    def _equally_likely(self, leaves: IntArray, kept: IntArray) -> IntArray:
        counts = np.empty(len(leaves), dtype=np.int64)
        for length in range(self.index.shortest, self.index.longest + 1):
            here = slice(*np.searchsorted(kept, [length, length + 1]))
            if here.start < here.stop:
                counts[here] = self.index.count_shared(leaves[here], length)
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
    ) -> BoolArray:
        """Return (B,) what is released. A candidate whose announced ω is m kept nothing of its
        seed: it passes untested."""
        scores = candidates.scores(self.test)
        passed = self.test.coin.decide(scores, source)
        passed = passed & ~capped_away(self.pass_cap, len(scores), source)
        return passed | (candidates.omegas == attributes) if per_attempt else passed

    def release_candidates(
        self,
        model: KeptAttributes,
        candidates: Candidates,
        source: RandomSource,
        *,
        sure: bool = False,
    ) -> CodeArray:
        """Return (passed, m) what passes, as codes in schema order, in the order of the attempts.

        An attempt comes to nothing if its candidate breaks a rule, as one does that keeps of its
        seed what no valid record begins with. No valid seed does: see docs/guarantee.md.

        Args:
            model: what made the candidates.
            candidates: the attempts.
            source: randomness.
            sure: whether it is known that none breaks a rule.
        """
        passed = self.passes(candidates, model.attributes, model.omega.per_attempt, source)
        kept = np.flatnonzero(passed)
        in_order = kept[np.argsort(candidates.attempt[kept], kind="stable")]
        codes = model.in_schema_order(candidates.codes[:, in_order])
        relations = model.network.schema.relations
        return codes if sure or not relations else codes[relations.hold(list(codes.T))]


def release(
    synthesizer: Synthesizer, decision: Decision, first: int, count: int, source: RandomSource
) -> CodeArray:
    """Make attempts first … first + count − 1 and return what passes.

    Returns:
        (passed, m) codes in schema order, in the order of the attempts.
    """
    passed = []
    for start in range(first, first + count, BATCH):
        candidates = synthesizer.propose(start, min(BATCH, first + count - start), source)
        codes = decision.release_candidates(
            synthesizer.model, candidates, source, sure=synthesizer.surely_valid
        )
        passed.append(codes)
    return np.concatenate(passed)


_DRAWING = 2
"""To be raised with every change after which the same words come to other records."""


@dataclass(frozen=True)
class AttemptSpan:
    """Some attempts in a row.

    Attributes:
        first: the number of the first; a multiple of `BATCH`.
        count: how many.
    """

    first: int
    count: int


@dataclass(frozen=True, eq=False)
class Chunks:
    """All attempts of a run. Confidential: it holds the seeds' index and the run's secret.

    Attributes:
        synthesizer: makes candidates.
        decision: decides which pass.
        secret: what the run's random numbers follow from.
        attempts: how many there are at most.
        allotted: the records by cell, where known totals say how many of each there are; None
            where there are no totals.
    """

    synthesizer: Synthesizer
    decision: Decision
    secret: Secret
    attempts: int
    allotted: AllottedRecords | None = None

    def spans(self, first: int, batches: int) -> list[AttemptSpan]:
        """Return all attempts from one on, in chunks of so many batches."""
        size = batches * BATCH
        starts = range(first, self.attempts, size)
        return [AttemptSpan(start, min(size, self.attempts - start)) for start in starts]

    def make(self, span: AttemptSpan) -> CodeArray:
        """Return (passed, m) codes in schema order: what passes among some attempts, in their
        order."""
        end = span.first + span.count
        return np.concatenate(
            [self._batch(start, min(BATCH, end - start)) for start in range(span.first, end, BATCH)]
        )

    def _batch(self, first: int, count: int) -> CodeArray:
        source = self.secret.source("attempts", first // BATCH)
        if self.allotted is not None:
            return self.allotted.draw(first, count, source).T
        return release(self.synthesizer, self.decision, first, count, source)


Released = Generator[tuple[AttemptSpan, CodeArray], None, None]
"""Attempts in a row, one span after another, and what passed among them."""


class Executor(Protocol):
    """Where attempts are made."""

    def release(self, chunks: Chunks, first: int) -> Released:
        """Make attempts from one on, to the last.

        Whoever has enough closes the iterator, which then stops what is under way.

        Yields:
            Some attempts in a row and what passed among them, in the order of the attempts,
            each attempt once.
        """
        ...


def program() -> str:
    """Return what has to be the same for a batch that is made again to come out the same."""
    return (
        f"understudy {__version__}, drawing {_DRAWING}, numpy {np.__version__}, "
        f"{BATCH} attempts a batch, "
        f"{platform.machine()} {_last_digits()}"
    )


def _last_digits() -> str:
    """Return what stands for the last digits of logarithms and powers, which processors differ
    in."""
    some = np.linspace(2.0**-48, 1.0, 4096)
    logs = np.log(some)
    powers = logs, np.exp(logs), np.exp2(-48 * some), np.logaddexp(logs, -some)
    return hashlib.sha256(np.stack(powers).tobytes()).hexdigest()[:16]


@dataclass(frozen=True)
class Goal:
    """How far a run goes.

    Attributes:
        attempts: it makes no more than this many attempts.
        records: it needs this many records, and stops as soon as it has them; None where all
            that pass are released.
    """

    attempts: int
    records: int | None

    @classmethod
    def of(cls, plan: Plan, made: Promise) -> Goal:
        """Return the goal of a plan that makes this promise."""
        if plan.protocol == "attempts":
            return cls(plan.attempts, None)
        return cls(made.attempts_at_most or plan.attempts, plan.attempts)

    def is_reached(self, tried: int, released: int) -> bool:
        """Return whether no further attempt is to be made."""
        return tried >= self.attempts or released == self.records

    def count_done(self, tried: int, released: int) -> int:
        """Return how far it is: records where they are what is counted, else attempts."""
        return tried if self.records is None else released

    def cut(self, codes: CodeArray, released: int) -> CodeArray:
        """Return those of the records just made that are still needed, in their order."""
        return codes if self.records is None else codes[: self.records - released]

    def check(self, released: int) -> None:
        """Check that there are as many records as the plan says.

        Raises:
            FellShort: there are not; it tells no number that the run found out.
        """
        if self.records is not None and released < self.records:
            raise FellShort(
                "Fewer candidates pass the test than the pass floor of the plan says, so the run "
                "was stopped.",
                "Nothing was released, and its budget counts as spent. For another run, declare "
                "a lower pass floor, or choose a smaller k or a larger ω.",
                field="pass_floor",
            )


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
