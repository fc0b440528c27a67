"""Every attribute is kept or drawn afresh, by a coin of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.core.refusal import Refusal
from engine.mechanisms.mechanism import Arrays
from engine.models.bayesnet.marginals import learn_marginals
from engine.models.bayesnet.parameters import ParameterLearner
from engine.models.bayesnet.redrawn import Redrawn
from engine.models.scoring import Codes
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.records import Records
from engine.table.schema import Schema

SHARE: Final = "redrawn"
_USUAL: Final = 0.5


@dataclass(frozen=True, eq=False)
class Redrawing:
    """A proposer that can be kept; see `Redrawn`."""

    model: Redrawn

    def propose(self, seeds: Codes, source: RandomSource) -> Codes:
        """A candidate from each seed."""
        return self.model.propose(seeds, source)

    def log_likelihood(self, seeds: Codes, candidates: Codes) -> np.ndarray:
        """(n, B) ln p_d(y)."""
        return self.model.log_likelihood(seeds, candidates)

    def decoded(self, candidates: Codes, source: RandomSource) -> Codes:
        """The candidates, which are records."""
        return candidates

    def arrays(self) -> Arrays:
        """The chances of each attribute."""
        return {f"chances{at}": each for at, each in enumerate(self.model.chances)}


class RedrawingLearner:
    """Learns the marginals that attributes are drawn from."""

    source: str = ""

    def check(self, numbers: Mapping[str, float]) -> None:
        """Check that only θ is given, from 0 to 1."""
        if set(numbers) - {SHARE} or not 0 <= numbers.get(SHARE, _USUAL) <= 1:
            raise Refusal(
                "The proposer “redrawn” takes one number, “redrawn”: the chance from 0 to 1 that "
                "an attribute is drawn afresh.",
                "Correct it, or leave it out for 0.5.",
                field="numbers",
            )

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """That of noisy counts of every attribute."""
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
        return Redrawing(Redrawn.of(marginals, numbers.get(SHARE, _USUAL)))

    def restore(self, schema: Schema, arrays: Arrays) -> Redrawing:
        """The proposer with these chances."""
        chances = (arrays[f"chances{at}"].astype(np.int64) for at in range(len(schema)))
        return Redrawing(Redrawn(tuple(chances)))
