"""Attempts with any model that can propose and can score (Mechanism 3.1).

For the kept-attributes model an index answers how many records are plausible seeds. A model that
can only say how likely one record makes one candidate has to be asked about the records. Here it is
asked about as few as will do:

* *Equal records are asked about once.* They make a candidate equally likely, so a test scores one
  of them, with how many there are as the size of its class. That is exact.
* *The coins come first.* The pass cap turns candidates away unscored. For the others the test's
  coin is thrown beforehand, as the least score with which a candidate passes (`PassCoin.least`: the
  same law). All that is left to find out is whether the score reaches it.
* *Records come in blocks, the most frequent first*, and a candidate is done with as soon as what is
  left cannot change its outcome (`engine/privacy/plausibility/partial.py`).

* *Records out of reach are left out.* Of a model that says where records lie and how far it moves
  them (`engine/models/cells.py`), only those near a candidate are looked at.

So the outcome of every candidate is what `engine/models/scoring.py` and `PassCoin.decide` come to
by looking at every record, with the same random words.

*What is promised.* One attempt is that of docs/guarantee.md, "One attempt": ε = ε0 + ln(1 + g/t)
and δ = C·e^{−ε0(k−t)}/(n+1). As likelihoods differ, g = γ·(1 + 2^−30) for plausible deniability and
1 + 2^−30 for relative sensitivity; the γ is not spared. The theorem asks of the model only that
p_d(y) is a function of the record and the candidate, and that `log_likelihood` tells it
(`SeedbasedProposer`). So N attempts, N fixed beforehand, are the N-fold composition of that, with
rejections seen, under the pass cap of "Attempts"; and a fixed number of releases is as under
"Releases", with its pass floor. Nothing here checks the cap, keeps the account or debits a ledger:
whoever calls this does. What the model gives away of the records it was learned from is a matter of
its learning. How long an attempt takes hangs on the records, and the promise does not cover it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.models.cells import Cells, Located
from engine.models.prefix_index import Prefixes
from engine.models.scoring import Codes, SeedbasedModel, SeedbasedProposer
from engine.privacy.plausibility.coin import capped_away
from engine.privacy.plausibility.likelihood import LikelihoodClasses
from engine.privacy.plausibility.partial import PartialScore
from engine.privacy.plausibility.privacy_test import PrivacyTest
from engine.privacy.randomness import RandomSource
from engine.table.records import Records

BATCH = 1 << 10
"""Attempts handled at once."""

MOST_ENTRIES = 1 << 19
"""Pairs of a record and a candidate asked about at once, where there are fewer candidates."""

MOST_HELD = 1 << 22
"""Likelihoods kept for a batch, where there are fewer records: some candidates wait beyond that."""

_FEWEST_ROWS = 64

_SQUARE = 16


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


@dataclass(frozen=True, eq=False)
class SeedRecords:
    """The different records among the seeds, and how often each occurs.

    Attributes:
        rows: (distinct, m) codes.
        sizes: (distinct,) how many seeds each stands for, at least 1.
    """

    rows: Codes
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, seeds: Records) -> SeedRecords:
        """Each of these records once, the most frequent first."""
        held = Prefixes.of(seeds.codes, seeds.schema.cardinalities)
        order = np.argsort(-held.counts, kind="stable")
        # A column at a time in memory, which is how models look at a block of records.
        return cls(np.ascontiguousarray(held.codes[order].T).T, held.counts[order])

    @cached_property
    def _up_to(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.sizes)

    def __len__(self) -> int:
        """How many seeds there are, equal ones and all."""
        return int(self.sizes.sum())

    def left(self, row: int) -> int:
        """How many seeds are equal to none of the rows before this one."""
        return len(self) - (int(self._up_to[row - 1]) if row else 0)

    def draw(self, count: int, source: RandomSource) -> npt.NDArray[np.int64]:
        """(count,) the rows of seeds drawn uniformly, with replacement.

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

    codes: Codes
    own: npt.NDArray[np.int64]

    def take(self, which: npt.NDArray[np.int64] | slice) -> Proposals:
        """Some of them."""
        return Proposals(self.codes[which], self.own[which])

    def __len__(self) -> int:
        """How many there are."""
        return len(self.own)


class GeneralSynthesizer:
    """The seeds, and a model that proposes from them and scores them."""

    def __init__(self, model: SeedbasedProposer, seeds: Records) -> None:
        self.model = model
        self.seeds = SeedRecords.of(seeds)

    @cached_property
    def _near(self) -> _Near | None:
        if not isinstance(self.model, Located):
            return None
        seeds = self.seeds
        located = self.model.located(seeds.rows)
        return _Near(self.model, Cells.sorted_of(located, seeds.sizes, self.model.reach))

    def propose(self, count: int, source: RandomSource) -> Proposals:
        """So many attempts, up to the test; each draws its seed uniformly, with replacement.

        Raises:
            ValueError: there are no seeds.
        """
        own = self.seeds.draw(count, source)
        return Proposals(self.model.propose(self.seeds.rows[own], source), own)

    def passes(
        self, decision: Decision, proposals: Proposals, source: RandomSource
    ) -> npt.NDArray[np.bool_]:
        """(B,) what is released."""
        away = capped_away(decision.pass_cap, len(proposals), source)
        least = decision.test.coin.least(len(proposals), source)
        scored = np.flatnonzero(~away)
        reached = np.zeros(len(proposals), dtype=bool)
        reached[scored] = self.reaches(decision.test, proposals.take(scored), least[scored])
        return reached

    def reaches(
        self, test: PrivacyTest, proposals: Proposals, least: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """(B,) as `reaches`, by the records near each candidate where the model tells them."""
        if self._near is None:
            return reaches(test, self.model, self.seeds, proposals, least)
        return self._near.reaches(test, proposals, least)


def release(
    synthesizer: GeneralSynthesizer, decision: Decision, count: int, source: RandomSource
) -> Codes:
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


def reaches(
    test: PrivacyTest,
    model: SeedbasedModel,
    seeds: SeedRecords,
    proposals: Proposals,
    least: npt.NDArray[np.int64],
) -> npt.NDArray[np.bool_]:
    """(B,) whether the test's score of each candidate is at least so much.

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


@dataclass(frozen=True, eq=False)
class _Near:
    """A model that says which records can make a candidate, and where records lie."""

    model: Located
    cells: Cells

    def log_likelihood(self, seeds: Codes, candidates: Codes) -> npt.NDArray[np.float64]:
        """The model's, of places in place of records."""
        return self.model.log_likelihood_at(seeds, candidates)

    def reaches(
        self, test: PrivacyTest, proposals: Proposals, least: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """(B,) as `reaches`, candidates that lie together at once."""
        reached = np.zeros(len(proposals), dtype=bool)
        places, sizes = self.cells.places, self.cells.sizes
        own = self.cells.of[proposals.own]
        for which, rows in self.cells.groups(proposals.codes):
            near = SeedRecords(np.asfortranarray(places[rows]), sizes[rows])
            here = Proposals(proposals.codes[which], np.searchsorted(rows, own[which]))
            if len(which) * len(rows) > MOST_ENTRIES:
                reached[which] = reaches(test, self, near, here, least[which])
            else:
                # Of so few, deciding early costs more than it spares.
                reached[which] = self._scores(test, near, here) >= least[which]
        return reached

    def _scores(
        self, test: PrivacyTest, near: SeedRecords, proposals: Proposals
    ) -> npt.NDArray[np.int64]:
        found = np.ascontiguousarray(self.log_likelihood(near.rows, proposals.codes).T)
        sizes = np.broadcast_to(near.sizes, found.shape)
        return test.scores(LikelihoodClasses(sizes, found, proposals.own))


@dataclass(frozen=True)
class _Scan:
    """One way through the records, for some of the candidates."""

    test: PrivacyTest
    model: SeedbasedModel
    seeds: SeedRecords
    proposals: Proposals
    least: npt.NDArray[np.int64]
    reached: npt.NDArray[np.bool_]

    def over(self, which: npt.NDArray[np.int64], waiting: list[npt.NDArray[np.int64]]) -> None:
        """Fill in `reached` of these candidates; what does not fit in memory joins `waiting`."""
        which = which[self.least[which] <= len(self.seeds)]
        partial = self.test.partial(self._own(which), len(self.seeds))
        start, end = 0, len(self.seeds.sizes)
        while True:
            still = self._settled(partial, which, start)
            if start < end and partial.held > MOST_HELD and len(still) > 1:
                still, later = np.array_split(still, 2)
                waiting.append(which[later])
            if not len(still) or start == end:
                break
            if len(still) < len(which):
                partial.keep(still)
                which = which[still]
            start = self._looked(partial, which, start)
        for each in which[still]:
            self.reached[each] = self._in_full(each) >= self.least[each]

    def _settled(
        self, partial: PartialScore, which: npt.NDArray[np.int64], start: int
    ) -> npt.NDArray[np.int64]:
        """The places of the candidates that are still open, once all before `start` is known."""
        left = self.seeds.left(start) - (self.proposals.own[which] >= start)
        reaches, fails = partial.settle(self.least[which], left)
        self.reached[which[reaches]] = True
        return np.flatnonzero(~(reaches | fails))

    def _looked(self, partial: PartialScore, which: npt.NDArray[np.int64], start: int) -> int:
        """Look at the records from `start` on, as many as fit; where they end."""
        rows = slice(start, start + max(_FEWEST_ROWS, MOST_ENTRIES // len(which)))
        records, sizes = self.seeds.rows[rows], self.seeds.sizes[rows]
        found = self.model.log_likelihood(records, self.proposals.codes[which])
        stop = start + len(sizes)
        own = self.proposals.own[which]
        partial.add(np.ascontiguousarray(found.T), sizes, (own >= start) & (own < stop))
        return stop

    def _own(self, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """(B,) the likelihood of each candidate's own seed, a few candidates at a time as a model
        answers for every pair."""
        proposals = self.proposals.take(which)
        own = np.empty(len(which))
        for start in range(0, len(which), _SQUARE):
            here = proposals.take(slice(start, start + _SQUARE))
            seeds = self.seeds.rows[here.own]
            own[start : start + _SQUARE] = self.model.log_likelihood(seeds, here.codes).diagonal()
        return own

    def _in_full(self, which: int) -> int:
        """The score of one candidate, by every record."""
        candidate, rows = self.proposals.codes[which : which + 1], self.seeds.rows
        found = [
            self.model.log_likelihood(rows[start : start + MOST_ENTRIES], candidate)[:, 0]
            for start in range(0, len(rows), MOST_ENTRIES)
        ]
        likelihoods, of = np.unique(np.concatenate(found), return_inverse=True)
        sizes = np.bincount(of, self.seeds.sizes).astype(np.int64)
        own = of[self.proposals.own[which : which + 1]]
        return int(self.test.scores(LikelihoodClasses(sizes[None], likelihoods[None], own))[0])
