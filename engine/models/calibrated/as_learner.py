"""The calibrated model as a model that can be learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from engine.models.about import About
from engine.models.calibrated.about import CALIBRATED
from engine.models.calibrated.expected import expected, seconds
from engine.models.calibrated.learner import CalibratedLearner
from engine.models.calibrated.residuals import most_cells
from engine.models.learner import CellNoise, at_once_shares, learned_from, together
from engine.models.predicted import Predicted
from engine.models.sequential import Sequential
from engine.models.streamed import StreamedSplit
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.schema import Schema
from engine.table.split import Shares, Split


@dataclass(frozen=True)
class Calibrated:
    """See `Learner`. It is bought for its price from all the records it may see."""

    about: ClassVar[About] = CALIBRATED
    word: ClassVar[None] = None

    def shares(self, seeds: float, held_out: float) -> Shares:
        """See `at_once_shares`."""
        return at_once_shares(seeds, held_out)

    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """See `CalibratedLearner.cost`."""
        return {"model": CalibratedLearner.within(schema, budget).cost}

    def published_cost(self, schema: Schema, budget: Budget) -> None:
        """It is this package's own."""

    def learn(
        self,
        split: Split | StreamedSplit,
        shares: Shares,
        budget: Budget,
        noise: Noise,
        source: RandomSource,
    ) -> Sequential:
        """See `CalibratedLearner.learn`."""
        learner = CalibratedLearner.within(split.parameters.schema, budget)
        return learner.learn(together(split), noise, source.child()).network

    def foreseen(
        self, schema: Schema, budget: Budget, shares: Shares, records: int, rows: int
    ) -> Predicted:
        """See `expected`."""
        learner = CalibratedLearner.within(schema, budget)
        return expected(learner, max(1.0, learned_from(shares, records)), rows)

    def seconds(
        self,
        schema: Schema,
        budget: Budget,
        shares: Shares,
        records: int,
        found: Predicted,
        rows: int,
    ) -> float:
        """See `seconds` of `expected`."""
        learner = CalibratedLearner.within(schema, budget)
        return seconds(learner, found, max(1.0, learned_from(shares, records)), rows)

    def cell_noise(self, schema: Schema, budget: Budget, shares: Shares, records: int) -> CellNoise:
        """That of a pair in one round."""
        learner, seen = CalibratedLearner.within(schema, budget), learned_from(shares, records)
        return CellNoise(learner.pair_deviation, seen, most_cells(seen, learner.of_a_round))
