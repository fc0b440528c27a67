"""A model that keeps the key of a seed's day and draws all else of the law of made days.

p_d(y) = 1[key(d) = key(y)]·c(y), where c(y) is the chance of y given its key: every seed that can
make a candidate makes it as likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import IntArray
from understudy.mechanisms.plausible_traces.conditionals import Drafts, walk, walk_schedules
from understudy.mechanisms.plausible_traces.keys import SORTS, Codes, Keeps, keys_of
from understudy.models.categorical import BITS, WHOLE
from understudy.models.mobility.law import Law
from understudy.models.mobility.stays import LONGEST
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

    def propose(self, seeds: Codes, source: RandomSource) -> Codes:
        """(B, CANDIDATE) a candidate from each key, drawn independently.

        Args:
            seeds: (B, WIDTH) keys of days that something can be made of.
            source: the randomness.
        """
        return written(self.drafted(seeds, source))

    def scheduled(self, seeds: Codes, source: RandomSource) -> Drafts:
        """As `propose`, without the places."""
        drafts = Drafts.blank(len(seeds))
        if len(seeds):
            walk_schedules(self.law, seeds, self.keeps, drafts, _Drawing(source))
        return drafts

    def drafted(self, seeds: Codes, source: RandomSource) -> Drafts:
        """As `propose`, not yet as codes."""
        drafts = Drafts.blank(len(seeds))
        if len(seeds):
            walk(self.law, seeds, self.keeps, drafts, _Drawing(source))
        return drafts

    def keys(self, candidates: Codes) -> Codes:
        """(B, WIDTH) the key of each candidate: that of its seed."""
        return keys_of(read(candidates).schedules, self.keeps)

    def log_chance(self, candidates: Codes) -> npt.NDArray[np.float64]:
        """(B,) ln c(y): how likely each candidate is, given its key. To the last bit a function of
        the candidate alone; −∞ where it cannot be."""
        scoring = _Scoring(np.zeros(len(candidates)))
        if len(candidates):
            drafts = read(candidates)
            walk(self.law, self.keys(candidates), self.keeps, drafts, scoring)
        return scoring.logs

    def log_likelihood(self, seeds: Codes, candidates: Codes) -> npt.NDArray[np.float64]:
        """(n, B) ln p_d(y) of every key of a seed and every candidate; see `SeedbasedModel`."""
        chance = self.log_chance(candidates)
        number: dict[bytes, int] = {}
        own = _numbered(self.keys(candidates), number)
        seed = _numbered(seeds, number)
        alike = (seed[:, None] == own) & (own != _NOBODYS)
        return np.where(alike, chance, -np.inf)


def written(drafts: Drafts) -> Codes:
    """(B, CANDIDATE) candidates as codes."""
    alone = np.column_stack([drafts.works, drafts.pattern, drafts.home, drafts.work])
    # A sort of −1 is written as 0.
    rows = [alone, drafts.sort + 1, drafts.start, drafts.cell]
    return np.concatenate(rows, axis=1).astype(np.uint16)


def read(candidates: Codes) -> Drafts:
    """Return the candidates that `written` wrote."""
    numbers = candidates.astype(np.int64)
    works, pattern, home, work = numbers[:, :_ALONE].T.copy()
    sort, start, cell = np.split(numbers[:, _ALONE:], 3, axis=1)
    return Drafts(works, pattern, sort - 1, start, home, work, cell)


def _numbered(keys: Codes, number: dict[bytes, int]) -> IntArray:
    """(n,) a number for each key, the same for the same; those of days without stays have none."""
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

    logs: npt.NDArray[np.float64]

    def __call__(self, rows: IntArray, weights: IntArray, values: IntArray) -> None:
        chosen = np.minimum(values[rows], weights.shape[1] - 1)
        share = np.take_along_axis(weights, chosen[:, None], axis=1)[:, 0] / float(WHOLE)
        share[values[rows] >= weights.shape[1]] = 0
        with np.errstate(divide="ignore"):
            self.logs[rows] += np.log(share)
