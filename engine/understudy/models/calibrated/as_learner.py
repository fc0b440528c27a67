"""The calibrated model as a model that can be learned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from understudy.models.about import ModelAbout
from understudy.models.calibrated.about import CALIBRATED
from understudy.models.calibrated.expected_error import expected_errors, learning_seconds
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.selection import most_cells
from understudy.models.learner import (
    CellNoise,
    Learner,
    Parts,
    Terms,
    at_once_shares,
    learned_from,
    together,
)
from understudy.models.noisy_tables import NoisyTable
from understudy.models.prediction import Predicted
from understudy.models.sequential import Sequential
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema
from understudy.table.split import Shares


@dataclass(frozen=True)
class Calibrated(Learner):
    """See `Learner`. It is bought for its price from all the records it may see."""

    about: ClassVar[ModelAbout] = CALIBRATED

    def shares(self, seeds: float, held_out: float) -> Shares:
        """Return the shares of `at_once_shares`."""
        return at_once_shares(seeds, held_out)

    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """Return the cost of `CalibratedLearner.cost`."""
        return {"model": CalibratedLearner.within(schema, budget).cost}

    def learn(self, split: Parts, terms: Terms, noise: Noise, source: RandomSource) -> Sequential:
        """Learn the model; see `CalibratedLearner.learn`."""
        return self.learn_and_tell(split, terms, noise, source)[0]

    def learn_and_tell(
        self, split: Parts, terms: Terms, noise: Noise, source: RandomSource
    ) -> tuple[Sequential, tuple[NoisyTable, ...]]:
        """Return the model and every noisy table that was asked for."""
        found = _learner(terms).learn(together(split), noise, source.child())
        return found.network, found.answers

    def foreseen(self, terms: Terms, records: int, rows: int) -> Predicted:
        """Return the expected error; see `expected`."""
        return expected_errors(_learner(terms), max(1.0, learned_from(terms.shares, records)), rows)

    def seconds(self, terms: Terms, records: int, found: Predicted, rows: int) -> float:
        """Return the expected seconds; see `expected.seconds`."""
        return learning_seconds(
            _learner(terms), found, max(1.0, learned_from(terms.shares, records)), rows
        )

    def most_prefixes(self, schema: Schema, kept: int) -> int:
        """Answer as `Learner`. The coarsest column comes first, but where columns by themselves fit
        the noisy tables better than any relation."""
        coarsest, *others = sorted(schema.cardinalities.tolist())
        return math.prod((coarsest, *others[len(schema) - kept :])) if kept else 1

    def cell_noise(self, terms: Terms, records: int) -> CellNoise:
        """Return the noise on a cell of a pair in one round."""
        learner, seen = _learner(terms), learned_from(terms.shares, records)
        return CellNoise(learner.pair_deviation, seen, most_cells(seen, learner.of_a_round))


def _learner(terms: Terms) -> CalibratedLearner:
    return CalibratedLearner.within(terms.schema, terms.budget, importance=terms.importance)
