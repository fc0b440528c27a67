"""Every attribute is kept or drawn afresh, by a coin of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.mechanisms.fields import Words
from understudy.mechanisms.kinds import Share
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.scored.settings import Setting
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

SHARE: Final = "redrawn"
SETTINGS: Final = (
    Setting(
        SHARE,
        Words("Chance that a column is drawn afresh", "How much of a candidate is new.",
              "So likely every column of a candidate is drawn from its marginal, and not kept as "
              "the seed has it. The more is drawn afresh, the more records could have made it."),
        Share(), 0.5,
    ),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Redrawing:
    """A proposer that can be kept; see `Redrawn`."""

    model: Redrawn

    def propose(self, seeds: CodeArray, source: RandomSource) -> CodeArray:
        """Return a candidate from each seed."""
        return self.model.propose(seeds, source)

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> np.ndarray:
        """(n, B) ln p_d(y)."""
        return self.model.log_likelihood(seeds, candidates)

    def decoded(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """Return the candidates, which are records."""
        return candidates

    def arrays(self) -> Arrays:
        """Return the chances of each attribute."""
        return {f"chances{at}": each for at, each in enumerate(self.model.chances)}


class RedrawingLearner:
    """Learns the marginals that attributes are drawn from."""

    source: str = ""
    settings: tuple[Setting, ...] = SETTINGS

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return what noisy counts of every attribute cost."""
        return ParameterLearner.within(schema, budget).cost

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> Redrawing:
        """Learn the marginals under the budget."""
        learner = ParameterLearner.within(records.schema, budget)
        marginals = learn_marginals(records, learner, noise)
        return Redrawing(Redrawn.of(marginals, numbers[SHARE]))

    def restore(self, schema: Schema, arrays: Arrays) -> Redrawing:
        """Return the proposer with these chances."""
        chances = (arrays[f"chances{at}"].astype(np.int64) for at in range(len(schema)))
        return Redrawing(Redrawn(tuple(chances)))
