"""The published Bayesian network, and independent columns, as models that can be learned."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.about import ModelAbout
from understudy.models.bayesnet.about import MARGINALS, NETWORK
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.bayesnet.parameters import Estimate, ParameterLearner
from understudy.models.bayesnet.structure import (
    CellCap,
    StructureLearner,
    printed_count,
    published_count,
)
from understudy.models.learner import CellNoise, Learner, Parts, Terms
from understudy.models.noisy_tables import NoisyTable
from understudy.models.possible import refuse_orders
from understudy.models.prediction import Predicted, distance_by_noise, prediction_of
from understudy.privacy.accounting.composition import parallel
from understudy.privacy.accounting.published_figures import PublishedCost
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.rules.masks import check_every_order
from understudy.table.schema import Schema
from understudy.table.split import Shares


@dataclass(frozen=True)
class PublishedNetwork(Learner):
    """See `Learner`. Structure and parameters are learned from different records.

    Attributes:
        estimate: the mean of the Dirichlet posterior, or a draw from it.
    """

    estimate: Estimate = "mean"

    about: ClassVar[ModelAbout] = NETWORK

    def shares(self, seeds: float, held_out: float) -> Shares:
        """Return half each for structure and parameters."""
        rest = 1 - seeds - held_out
        return Shares(
            seeds=seeds, structure=rest / 2, parameters=rest - rest / 2, held_out=held_out
        )

    def check_rules(self, schema: Schema) -> None:
        """Check that rules can be put along every order: that of the columns follows from which of
        them depend on which others, and is learned."""
        with refuse_orders(
            schema,
            "In some order that the network may learn, its columns cannot be drawn under them.",
            "Choose the calibrated model, which draws its columns in an order that suits the "
            "rules.",
        ):
            check_every_order(schema.relations)

    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """Return the cost of noisy entropies and of noisy counts."""
        return {
            "structure": StructureLearner.within(schema, budget).cost,
            "parameters": ParameterLearner.within(schema, budget).cost,
        }

    def published_cost(self, schema: Schema, budget: Budget) -> PublishedCost:
        """Return the cost by §6.2.5 of the thesis."""
        structure = StructureLearner.within(schema, budget)
        parameters = ParameterLearner.within(schema, budget).published_cost
        asked, printed = published_count(len(schema)), printed_count(len(schema))
        corrected, as_printed = (
            parallel(structure.published_cost(each), parameters) for each in (asked, printed)
        )
        return PublishedCost(corrected, as_printed, asked, printed)

    def learn(
        self, split: Parts, terms: Terms, noise: Noise, source: RandomSource
    ) -> BayesianNetwork:
        """Learn the structure first, then its tables."""
        return self.learn_and_tell(split, terms, noise, source)[0]

    def learn_and_tell(
        self, split: Parts, terms: Terms, noise: Noise, source: RandomSource
    ) -> tuple[BayesianNetwork, tuple[NoisyTable, ...]]:
        """Learn, and tell the table of each column and its parents; the entropies that these were
        chosen by are no counts, and are not told."""
        parameters = _counts(terms)
        learned = StructureLearner.within(terms.schema, terms.budget).learn(
            split.structure, noise, cell_cap(parameters, terms.shares), terms.importance
        )
        return parameters.learn_and_tell(
            split.parameters,
            learned.structure,
            noise,
            estimate=self.estimate,
            source=source.child(),
        )

    def foreseen(self, terms: Terms, records: int, rows: int) -> Predicted:
        """Foresee as if every column had one parent, the one of the fewest buckets, and it were the
        right one: what the noisy entropies make of that choice is not foreseen."""
        sizes = terms.schema.cardinalities
        buckets = np.array([column.bucket_count for column in terms.schema.columns])
        parent = int(buckets.argmin())
        cells = np.where(np.arange(len(sizes)) == parent, 1, buckets[parent])
        deviation = np.array(_counts(terms).deviation)
        families = distance_by_noise(
            (sizes * cells).astype(float), deviation, _count_cells(terms, records)
        )
        pairs = {
            (min(child, parent), max(child, parent)): float(families[child])
            for child in range(len(sizes))
            if child != parent
        }
        return prediction_of(sizes, _columns_apart(terms, records, cells), pairs, rows)

    def cell_noise(self, terms: Terms, records: int) -> CellNoise:
        """Return the noise by the cost cap of structure learning."""
        counts = _counts(terms)
        most = cell_cap(counts, terms.shares).cells(math.floor(records * terms.shares.structure))
        return CellNoise(counts.deviation, records * terms.shares.parameters, most)


@dataclass(frozen=True)
class Marginals(Learner):
    """See `Learner`. Every column by itself, each share at its mean."""

    about: ClassVar[ModelAbout] = MARGINALS

    def shares(self, seeds: float, held_out: float) -> Shares:
        """Return all for the parameters."""
        rest = 1 - seeds - held_out
        return Shares(seeds=seeds, structure=0.0, parameters=rest, held_out=held_out)

    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """Return the cost of noisy counts."""
        return {"parameters": ParameterLearner.within(schema, budget).cost}

    def published_cost(self, schema: Schema, budget: Budget) -> PublishedCost:
        """Return the cost by §6.2.5 of the thesis, which counts its tables as they are asked
        for."""
        cost, tables = ParameterLearner.within(schema, budget).published_cost, len(schema)
        return PublishedCost(cost, cost, tables, tables)

    def learn(
        self, split: Parts, terms: Terms, noise: Noise, source: RandomSource
    ) -> BayesianNetwork:
        """Return a table for each column."""
        return self.learn_and_tell(split, terms, noise, source)[0]

    def learn_and_tell(
        self, split: Parts, terms: Terms, noise: Noise, source: RandomSource
    ) -> tuple[BayesianNetwork, tuple[NoisyTable, ...]]:
        """Learn, and tell those tables."""
        alone = Structure.independent(len(terms.schema), terms.schema.relations)
        return _counts(terms).learn_and_tell(split.parameters, alone, noise)

    def foreseen(self, terms: Terms, records: int, rows: int) -> Predicted:
        """Return every column by itself; every pair is left to nothing."""
        alone = _columns_apart(terms, records, np.array(1))
        return replace(prediction_of(terms.schema.cardinalities, alone, {}, rows), sure=True)

    def cell_noise(self, terms: Terms, records: int) -> CellNoise:
        """Return that of single columns: there are no parents, and so no larger tables."""
        return CellNoise(_counts(terms).deviation, records * terms.shares.parameters, 0.0)


def _counts(terms: Terms) -> ParameterLearner:
    return ParameterLearner.within(terms.schema, terms.budget)


def _count_cells(terms: Terms, records: int) -> float:
    """Return how many records the tables are counted from, on average."""
    return max(1.0, records * terms.shares.parameters)


def _columns_apart(terms: Terms, records: int, cells: IntArray) -> FloatArray:
    """Return (m,) the distance by noise of each column, whose every value is counted in so many
    cells."""
    sizes = terms.schema.cardinalities.astype(float)
    deviations = _counts(terms).deviation * np.sqrt(cells)
    return distance_by_noise(sizes, deviations, _count_cells(terms, records))


def cell_cap(parameters: ParameterLearner, shares: Shares) -> CellCap:
    """Return the cost cap that the budget and the public shares leave room for."""
    return CellCap(parameters.share.deviation, shares.parameters / shares.structure)
