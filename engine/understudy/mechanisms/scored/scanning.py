"""Whether each candidate's score reaches what its coin asks for, by looking at records in blocks.

Of a candidate no more records are looked at than it takes to be certain
(`understudy/privacy/plausibility/partial.py`): what is found is what looking at all of them would
find.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import CodeArray
from understudy.models.prefix_index import Prefixes
from understudy.models.scores import SeedbasedModel
from understudy.privacy.plausibility.partial import PartialScore
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, PrivacyTest
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
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, seeds: Records) -> SeedRecords:
        """Return each of these records once, the most frequent first."""
        held = Prefixes.of(seeds.codes, seeds.schema.cardinalities)
        order = np.argsort(-held.counts, kind="stable")
        # A column at a time in memory, which is how models look at a block of records.
        return cls(np.ascontiguousarray(held.codes[order].T).T, held.counts[order])

    @cached_property
    def _up_to(self) -> npt.NDArray[np.int64]:
        return np.cumsum(self.sizes)

    def __len__(self) -> int:
        """Return how many seeds there are, equal ones and all."""
        return int(self.sizes.sum())

    def left(self, row: int) -> int:
        """Return how many seeds are equal to none of the rows before this one."""
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

    codes: CodeArray
    own: npt.NDArray[np.int64]

    def take(self, which: npt.NDArray[np.int64] | slice) -> Proposals:
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
        """Return the places of the candidates that are still open, once all before `start` is
        known."""
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
