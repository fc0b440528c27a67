"""The published tool's count of plausible seeds, which stops early.

It looks at the seeds one by one in a random order until it has found so many plausible ones, or
looked at so many seeds. Here plausible seeds are looked up in an index and all of them counted, so
there is nothing to stop; and an exact count is what the proof of the guarantee speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import IntArray
from understudy.studies.seedbased import published


@dataclass(frozen=True)
class EarlyStop:
    """When the published tool stops counting.

    Attributes:
        examined: after so many seeds, its `max_check_plausible`.
        plausible: at so many plausible ones, its `max_plausible`; None for any number.
    """

    examined: int
    plausible: int | None = None

    @classmethod
    def of_share(cls, seeds: int, examined: int, plausible: int | None = None) -> EarlyStop:
        """Return the published limit for so many seeds, in proportion to the published ones.

        Args:
            seeds: how many there are here.
            examined: of the published seeds, after how many the tool stopped.
            plausible: at how many plausible ones.
        """
        return cls(max(1, examined * seeds // published.SEEDS), plausible)

    def count(self, plausible: IntArray, seeds: int, random: np.random.Generator) -> IntArray:
        """Return (B,) how many plausible seeds are found, if there are (B,) among so many seeds.

        The seeds that are looked at are a random sample, so what is found of the plausible ones
        has a hypergeometric law.
        """
        found = random.hypergeometric(plausible, seeds - plausible, min(self.examined, seeds))
        limit = found if self.plausible is None else np.minimum(found, self.plausible)
        return np.asarray(limit, dtype=np.int64)

    def examine(self, plausible: IntArray, seeds: int, random: np.random.Generator) -> IntArray:
        """Return (B,) how many seeds are looked at, if (B,) among so many are plausible.

        The place of the last plausible seed that is looked for is drawn as an order statistic of
        as many uniform places.
        """
        most = min(self.examined, seeds)
        looked = np.full(len(plausible), most, dtype=np.int64)
        if self.plausible is None:
            return looked
        enough = plausible >= self.plausible
        last = random.beta(self.plausible, plausible[enough] - self.plausible + 1)
        looked[enough] = np.minimum(np.ceil(last * seeds), most)
        return looked
