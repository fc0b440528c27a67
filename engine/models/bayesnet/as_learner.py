"""The published Bayesian network, and independent columns, as models that can be learned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.models.about import About
from engine.models.bayesnet.about import MARGINALS, NETWORK
from engine.models.bayesnet.marginals import learn_marginals
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.bayesnet.parameters import Estimate, ParameterLearner
from engine.models.bayesnet.structure import CellCap, StructureLearner
from engine.models.learner import CellNoise
from engine.models.predicted import Predicted, distance_by_noise, predicted
from engine.models.streamed import StreamedSplit
from engine.privacy.accounting.composition import parallel
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.schema import Schema
from engine.table.split import Shares, Split

_SECONDS = 1.0


@dataclass(frozen=True)
class PublishedNetwork:
    """See `Learner`. Structure and parameters are learned from different records.

    Attributes:
        estimate: the mean of the Dirichlet posterior, or a draw from it.
    """

    estimate: Estimate = "mean"

    about: ClassVar[About] = NETWORK
    word: ClassVar[None] = None

    def shares(self, seeds: float, held_out: float) -> Shares:
        """Half each for structure and parameters."""
        rest = 1 - seeds - held_out
        return Shares(
            seeds=seeds, structure=rest / 2, parameters=rest - rest / 2, held_out=held_out
        )

    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """Of noisy entropies, and of noisy counts."""
        return {
            "structure": StructureLearner.within(schema, budget).cost,
            "parameters": ParameterLearner.within(schema, budget).cost,
        }

    def published_cost(self, schema: Schema, budget: Budget) -> Budget:
        """By §6.2.5 of the thesis."""
        return parallel(
            StructureLearner.within(schema, budget).published_cost,
            ParameterLearner.within(schema, budget).published_cost,
        )

    def learn(
        self,
        split: Split | StreamedSplit,
        shares: Shares,
        budget: Budget,
        noise: Noise,
        source: RandomSource,
    ) -> BayesianNetwork:
        """Structure first, then its tables."""
        schema = split.parameters.schema
        parameters = ParameterLearner.within(schema, budget)
        learned = StructureLearner.within(schema, budget).learn(
            split.structure, noise, cell_cap(parameters, shares)
        )
        return parameters.learn(
            split.parameters,
            learned.structure,
            noise,
            estimate=self.estimate,
            source=source.child(),
        )

    def foreseen(
        self, schema: Schema, budget: Budget, shares: Shares, records: int, rows: int
    ) -> Predicted:
        """As if every column had one parent, the one of the fewest buckets, and it were the right
        one: what the noisy entropies make of that choice is not foreseen."""
        sizes, counted = schema.cardinalities, max(1.0, records * shares.parameters)
        buckets = np.array([column.bucket_count for column in schema.columns])
        parent = int(buckets.argmin())
        deviation = ParameterLearner.within(schema, budget).deviation
        cells = np.where(np.arange(len(sizes)) == parent, 1, buckets[parent])
        single = distance_by_noise(sizes.astype(float), deviation * np.sqrt(cells), counted)
        families = distance_by_noise((sizes * cells).astype(float), np.array(deviation), counted)
        pairs = {
            (min(child, parent), max(child, parent)): float(families[child])
            for child in range(len(sizes))
            if child != parent
        }
        return predicted(sizes, single, pairs, rows)

    def seconds(
        self,
        schema: Schema,
        budget: Budget,
        shares: Shares,
        records: int,
        found: Predicted,
        rows: int,
    ) -> float:
        """Next to nothing."""
        return _SECONDS

    def cell_noise(self, schema: Schema, budget: Budget, shares: Shares, records: int) -> CellNoise:
        """By the cost cap of structure learning."""
        learner = ParameterLearner.within(schema, budget)
        cap = cell_cap(learner, shares)
        most = cap.cells(math.floor(records * shares.structure))
        return CellNoise(learner.deviation, records * shares.parameters, most)


@dataclass(frozen=True)
class Marginals:
    """See `Learner`. Every column by itself.

    Attributes:
        estimate: as of `PublishedNetwork`; without edges it is always the mean.
    """

    estimate: Estimate = "mean"

    about: ClassVar[About] = MARGINALS
    word: ClassVar[None] = None

    def shares(self, seeds: float, held_out: float) -> Shares:
        """All for the parameters."""
        rest = 1 - seeds - held_out
        return Shares(seeds=seeds, structure=0.0, parameters=rest, held_out=held_out)

    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """Of noisy counts."""
        return {"parameters": ParameterLearner.within(schema, budget).cost}

    def published_cost(self, schema: Schema, budget: Budget) -> Budget:
        """By §6.2.5 of the thesis."""
        return ParameterLearner.within(schema, budget).published_cost

    def learn(
        self,
        split: Split | StreamedSplit,
        shares: Shares,
        budget: Budget,
        noise: Noise,
        source: RandomSource,
    ) -> BayesianNetwork:
        """A table for each column."""
        learner = ParameterLearner.within(split.parameters.schema, budget)
        return learn_marginals(split.parameters, learner, noise)

    def foreseen(
        self, schema: Schema, budget: Budget, shares: Shares, records: int, rows: int
    ) -> Predicted:
        """Every column by itself; every pair is left to nothing."""
        sizes, counted = schema.cardinalities, max(1.0, records * shares.parameters)
        deviation = np.array(ParameterLearner.within(schema, budget).deviation)
        single = distance_by_noise(sizes.astype(float), deviation, counted)
        return predicted(sizes, single, {}, rows)

    def seconds(
        self,
        schema: Schema,
        budget: Budget,
        shares: Shares,
        records: int,
        found: Predicted,
        rows: int,
    ) -> float:
        """Next to nothing."""
        return _SECONDS

    def cell_noise(self, schema: Schema, budget: Budget, shares: Shares, records: int) -> CellNoise:
        """There are no parents, and so no larger tables."""
        learner = ParameterLearner.within(schema, budget)
        return CellNoise(learner.deviation, records * shares.parameters, 0.0)


def cell_cap(parameters: ParameterLearner, shares: Shares) -> CellCap:
    """The cost cap that the budget and the public shares leave room for."""
    return CellCap(parameters.share.deviation, shares.parameters / shares.structure)
