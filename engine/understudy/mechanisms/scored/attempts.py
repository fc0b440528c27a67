"""Attempts: candidates scored against every seed, by scanning them or looking nearby.

For the kept-attributes model an index answers how many records are plausible seeds. A model that
can only say how likely one record makes one candidate has to be asked about the records. Here it is
asked about as few as will do:

* *Equal records are asked about once.* They make a candidate equally likely, so a test scores one
  of them, with how many there are as the size of its class. That is exact.
* *The coins come first.* The pass cap turns candidates away unscored. For the others the test's
  coin is thrown beforehand, as the least score with which a candidate passes (`PassCoin.least`: the
  same law). All that is left to find out is whether the score reaches it.
* *Records come in blocks, the most frequent first*, and a candidate is done with as soon as what is
  left cannot change its outcome (`engine/understudy/privacy/plausibility/partial.py`).

* *Records too far off are left out.* Of a model that says where records lie and how far it moves
  them, only those that can count for a candidate are looked at (`nearby`).

So the outcome of every candidate is what `understudy/models/scoring.py` and `PassCoin.decide` come
to by looking at every record, with the same random words.

*What is promised.* One attempt is that of docs/guarantee.md, "One attempt": ε = ε0 + ln(1 + g/t)
and δ = C·e^{−ε0(k−t)}/(n+1). As likelihoods differ, g = γ·(1 + 2^−30) for plausible deniability and
1 + 2^−30 for relative sensitivity; the γ is not spared. The theorem asks of the model only that
p_d(y) is a function of the record and the candidate, and that `log_likelihood` tells it
(`SeedbasedProposer`). So N attempts, N fixed beforehand, are the N-fold composition of that, with
rejections seen, under the pass cap of "Attempts"; and a fixed number of releases is as under
"Releases", with its pass floor. Nothing here checks the cap, keeps the account or debits a ledger:
whoever calls this does. What the model gives away of the records it was learned from is a matter of
its learning. How long an attempt takes depends on the records, and the promise does not cover it.

Of a candidate no more records are looked at than it takes to be certain
(`understudy/privacy/plausibility/partial.py`): what is found is what looking at all of them would
find.

Plausible deniability counts the records whose likelihood of a candidate is in the same bucket as
that of its seed. The least likelihood of the bucket says how far such a record can lie from the
candidate on any axis, which is far less than noise reaches. The other test weighs every record that
noise could have moved there. Where the records to look at are a good part of all, a scan of all
places is quicker, as it stops early. Whichever way, outcomes are those of looking at every record.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.models.cells import Boxes, Located, RecordsByCell
from understudy.models.prefix_index import Prefixes
from understudy.models.scores import SeedbasedModel, SeedbasedProposer
from understudy.privacy.plausibility.partial import PartialScore
from understudy.privacy.plausibility.privacy_test import (
    LikelihoodClasses,
    PlausibleDeniability,
    PrivacyTest,
)
from understudy.privacy.plausibility.threshold import capped_away
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

BATCH = 1 << 10
"""Attempts handled at once."""

MOST_ENTRIES = 1 << 19
"""Pairs of a record and a candidate asked about at once, where there are fewer candidates."""

MOST_HELD = 1 << 22
"""Likelihoods kept for a batch, where there are fewer records: some candidates wait beyond that."""

_FEWEST_ROWS = 64

_SQUARE = 16


@dataclass(frozen=True, eq=False)
class SeedRecords:
    """The different records among the seeds, and how often each occurs.

    Attributes:
        rows: (distinct, m) codes.
        sizes: (distinct,) how many seeds each stands for, at least 1.
    """

    rows: CodeArray
    sizes: IntArray

    @classmethod
    def of(cls, seeds: Records) -> SeedRecords:
        """Return each of these records once, the most frequent first."""
        held = Prefixes.of(seeds.codes, seeds.schema.cardinalities)
        order = np.argsort(-held.counts, kind="stable")
        # A column at a time in memory, which is how models look at a block of records.
        return cls(np.ascontiguousarray(held.codes[order].T).T, held.counts[order])

    @cached_property
    def _up_to(self) -> IntArray:
        return np.cumsum(self.sizes)

    def __len__(self) -> int:
        """Return how many seeds there are, equal ones and all."""
        return int(self.sizes.sum())

    def count_left(self, row: int) -> int:
        """Return how many seeds are equal to none of the rows before this one."""
        return len(self) - (int(self._up_to[row - 1]) if row else 0)

    def draw(self, count: int, source: RandomSource) -> IntArray:
        """Return (count,) the rows of seeds drawn uniformly, with replacement.

        Raises:
            ValueError: there are no seeds.
        """
        drawn = source.below(len(self), count)
        return np.searchsorted(self._up_to, drawn, side="right")


@dataclass(frozen=True)
class Proposals:
    """A batch of proposals. Internal.

    Attributes:
        codes: (B, w) candidates.
        own: (B,) the row of the seed that each was made from.
    """

    codes: CodeArray
    own: IntArray

    def take(self, which: IntArray | slice) -> Proposals:
        """Return some of them."""
        return Proposals(self.codes[which], self.own[which])

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.own)


def reaches(
    test: PrivacyTest,
    model: SeedbasedModel,
    seeds: SeedRecords,
    proposals: Proposals,
    least: IntArray,
) -> BoolArray:
    """Return (B,) whether the test's score of each candidate is at least so much.

    Looks at no more records than it has to. Memory is bounded whatever the number of candidates;
    the one candidate at a time that rounding leaves open, and it alone, has a number held for each
    distinct record.

    Args:
        least: (B,) whole numbers.
    """
    reached = np.zeros(len(proposals), dtype=bool)
    every = np.arange(len(proposals))
    waiting = [every[start : start + BATCH] for start in range(0, len(every), BATCH)]
    while waiting:
        _Scan(test, model, seeds, proposals, least, reached).over(waiting.pop(), waiting)
    return reached


@dataclass(frozen=True)
class _Scan:
    """One way through the records, for some of the candidates."""

    test: PrivacyTest
    model: SeedbasedModel
    seeds: SeedRecords
    proposals: Proposals
    least: IntArray
    reached: BoolArray

    def over(self, which: IntArray, waiting: list[IntArray]) -> None:
        """Fill in `reached` of these candidates; what does not fit in memory joins `waiting`."""
        which = which[self.least[which] <= len(self.seeds)]
        partial = self.test.partial(self._own(which), len(self.seeds))
        start, end = 0, len(self.seeds.sizes)
        while True:
            still = self._settle(partial, which, start)
            if start < end and partial.held > MOST_HELD and len(still) > 1:
                still, later = np.array_split(still, 2)
                waiting.append(which[later])
            if not len(still) or start == end:
                break
            if len(still) < len(which):
                partial.keep(still)
                which = which[still]
            start = self._look_from(partial, which, start)
        for each in which[still]:
            self.reached[each] = self._in_full(each) >= self.least[each]

    def _settle(self, partial: PartialScore, which: IntArray, start: int) -> IntArray:
        """Return the places of the candidates that are still open, once all before `start` is
        known."""
        left = self.seeds.count_left(start) - (self.proposals.own[which] >= start)
        reaches, fails = partial.settle(self.least[which], left)
        self.reached[which[reaches]] = True
        return np.flatnonzero(~(reaches | fails))

    def _look_from(self, partial: PartialScore, which: IntArray, start: int) -> int:
        """Look at the records from `start` on, as many as fit; where they end."""
        rows = slice(start, start + max(_FEWEST_ROWS, MOST_ENTRIES // len(which)))
        records, sizes = self.seeds.rows[rows], self.seeds.sizes[rows]
        found = self.model.log_likelihood(records, self.proposals.codes[which])
        stop = start + len(sizes)
        own = self.proposals.own[which]
        partial.add(np.ascontiguousarray(found.T), sizes, (own >= start) & (own < stop))
        return stop

    def _own(self, which: IntArray) -> FloatArray:
        """Return (B,) the likelihood of each candidate's own seed, a few candidates at a time as a
        model answers for every pair."""
        proposals = self.proposals.take(which)
        own = np.empty(len(which))
        for start in range(0, len(which), _SQUARE):
            here = proposals.take(slice(start, start + _SQUARE))
            seeds = self.seeds.rows[here.own]
            own[start : start + _SQUARE] = self.model.log_likelihood(seeds, here.codes).diagonal()
        return own

    def _in_full(self, which: int) -> int:
        """Return the score of one candidate, by every record."""
        candidate, rows = self.proposals.codes[which : which + 1], self.seeds.rows
        found = [
            self.model.log_likelihood(rows[start : start + MOST_ENTRIES], candidate)[:, 0]
            for start in range(0, len(rows), MOST_ENTRIES)
        ]
        likelihoods, of = np.unique(np.concatenate(found), return_inverse=True)
        sizes = np.bincount(of, self.seeds.sizes).astype(np.int64)
        own = of[self.proposals.own[which : which + 1]]
        return int(self.test.scores(LikelihoodClasses(sizes[None], likelihoods[None], own))[0])


_SCANNED = 1 / 8
"""Where so large a share of all places would be looked at, they are scanned."""


@dataclass(frozen=True, eq=False)
class Nearby:
    """A model that says where records lie, and their places. Internal.

    Attributes:
        model: what moves records.
        cells: the places of the seeds.
    """

    model: Located
    cells: RecordsByCell

    @classmethod
    def of(cls, model: Located, seeds: SeedRecords) -> Nearby:
        """Return the places of these seeds."""
        located = model.locate(seeds.rows)
        return cls(model, RecordsByCell.sorted_of(located, seeds.sizes, model.reach))

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        """Return the model's, of places in place of records."""
        return self.model.log_likelihood_at(seeds, candidates)

    def reaches(self, test: PrivacyTest, proposals: Proposals, least: IntArray) -> BoolArray:
        """Return (B,) as the function `reaches` does, where each proposal's own is a row of the
        seeds."""
        there = Proposals(proposals.codes, self.cells.of[proposals.own])
        reached = np.zeros(len(there), dtype=bool)
        for start in range(0, len(there), BATCH):
            here = slice(start, start + BATCH)
            reached[here] = self._batch(test, there.take(here), least[here])
        return reached

    def _batch(self, test: PrivacyTest, proposals: Proposals, least: IntArray) -> BoolArray:
        own = self.model.log_likelihood_of(self.cells.places[proposals.own], proposals.codes)
        radii = np.full(len(own), self.model.reach, dtype=np.int64)
        if isinstance(test, PlausibleDeniability):
            low, high = test.alike(own)
            radii = np.minimum(radii, self.model.radius(low))
        boxes = self.cells.boxes(proposals.codes, radii)
        many = boxes.rows > _SCANNED * len(self.cells.sizes)
        reached = np.zeros(len(own), dtype=bool)
        reached[many] = self._scan_all(test, proposals.take(np.flatnonzero(many)), least[many])
        few = np.flatnonzero(~many)
        boxes = boxes.only(few)
        if isinstance(test, PlausibleDeniability):
            scores = self._count_alike(boxes, low[few], high[few])
        else:
            scores = self._rank_boxes(test, boxes, proposals.take(few))
        reached[few] = scores >= least[few]
        return reached

    def _scan_all(self, test: PrivacyTest, proposals: Proposals, least: IntArray) -> BoolArray:
        """Test the candidates against all places."""
        every = SeedRecords(self.cells.places, self.cells.sizes)
        return reaches(test, self, every, proposals, least)

    def _count_alike(self, boxes: Boxes, low: FloatArray, high: FloatArray) -> IntArray:
        """Return (B,) how many records have a likelihood from `low` to `high`."""
        found = np.zeros(len(low), dtype=np.int64)
        for of, rows in self.cells.pairs(boxes):
            likelihood = self.model.log_likelihood_of(self.cells.places[rows], boxes.candidates[of])
            alike = (likelihood >= low[of]) & (likelihood <= high[of])
            counts = np.bincount(of[alike], self.cells.sizes[rows[alike]], len(low))
            found += counts.astype(np.int64)
        return found

    def _rank_boxes(self, test: PrivacyTest, boxes: Boxes, proposals: Proposals) -> IntArray:
        """Return (B,) the test's score by the records in each box, which are all that can make the
        candidate."""
        found = np.zeros(len(proposals), dtype=np.int64)
        for of, rows in self.cells.pairs(boxes):
            which, first, many = np.unique(of, return_index=True, return_counts=True)
            likelihood = self.model.log_likelihood_of(self.cells.places[rows], boxes.candidates[of])
            shape = len(which), int(many.max())
            at = np.repeat(np.arange(len(which)), many), np.arange(len(of)) - first.repeat(many)
            sizes, logs = np.zeros(shape, dtype=np.int64), np.full(shape, -np.inf)
            sizes[at], logs[at] = self.cells.sizes[rows], likelihood
            own = at[1][rows == proposals.own[of]]
            found[which] = test.scores(LikelihoodClasses(sizes, logs, own))
        return found


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


class GeneralSynthesizer:
    """The seeds, and a model that proposes from them and scores them."""

    def __init__(self, model: SeedbasedProposer, seeds: Records) -> None:
        self.model = model
        self.seeds = SeedRecords.of(seeds)

    @cached_property
    def _near(self) -> Nearby | None:
        return Nearby.of(self.model, self.seeds) if isinstance(self.model, Located) else None

    def prepare(self) -> None:
        """Sort the seeds now, where that helps, and not when first needed: threads that need it at
        once would each do so."""
        _ = self._near

    def propose(self, count: int, source: RandomSource) -> Proposals:
        """Return so many attempts, up to the test; each draws its seed uniformly, with replacement.

        Raises:
            ValueError: there are no seeds.
        """
        own = self.seeds.draw(count, source)
        return Proposals(self.model.propose(self.seeds.rows[own], source), own)

    def passes(self, decision: Decision, proposals: Proposals, source: RandomSource) -> BoolArray:
        """Return (B,) what is released."""
        away = capped_away(decision.pass_cap, len(proposals), source)
        least = decision.test.coin.least(len(proposals), source)
        scored = np.flatnonzero(~away)
        reached = np.zeros(len(proposals), dtype=bool)
        reached[scored] = self.reaches(decision.test, proposals.take(scored), least[scored])
        return reached

    def reaches(self, test: PrivacyTest, proposals: Proposals, least: IntArray) -> BoolArray:
        """Return (B,) as `reaches`, by the records near each candidate where the model tells
        them."""
        if self._near is None:
            return reaches(test, self.model, self.seeds, proposals, least)
        return self._near.reaches(test, proposals, least)


def release(
    synthesizer: GeneralSynthesizer, decision: Decision, count: int, source: RandomSource
) -> CodeArray:
    """Make so many attempts and return what passes.

    Returns:
        (passed, w) candidates in the order of the attempts; none of any width without attempts.

    Raises:
        ValueError: there are no seeds.
    """
    passed = []
    for start in range(0, count, BATCH):
        proposals = synthesizer.propose(min(BATCH, count - start), source)
        passed.append(proposals.codes[synthesizer.passes(decision, proposals, source)])
    return np.concatenate(passed) if passed else synthesizer.seeds.rows[:0]
