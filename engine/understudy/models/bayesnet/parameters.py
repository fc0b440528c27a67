"""Parameter learning: a Dirichlet posterior from noisy counts (6.21–6.24)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import gammaincinv

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.bayesnet.families import Family
from understudy.models.bayesnet.network import BayesianNetwork, Structure, families
from understudy.models.categorical import ConditionalTable
from understudy.models.count_tables import CountSource, as_counted
from understudy.models.noisy_tables import Law, NoisyTable
from understudy.models.views import Marginal, View
from understudy.privacy.accounting.budget_shares import EqualShare, equal_share
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

Estimate = Literal["mean", "sampled"]

_PRIOR = 1.0
"""The total weight, in records, of the uniform Dirichlet prior of a configuration."""


@dataclass(frozen=True)
class ParameterLearner:
    """Noisy counts of every cell of every family under one budget.

    One record more or less moves one cell of each attribute's table by one, so each table has
    sensitivity 1 and the m tables compose.

    Attributes:
        schema: the columns.
        budget: the (ε, δ) to stay within; unbounded for un-noised learning.
        share: what one attribute's table may spend.
    """

    schema: Schema
    budget: Budget
    share: EqualShare

    @classmethod
    def within(cls, schema: Schema, budget: Budget) -> ParameterLearner:
        """Return the learner that spends at most `budget` on parameters."""
        return cls(schema, budget, equal_share(budget, len(schema.columns)))

    @property
    def cost(self) -> Budget:
        """The privacy cost for the records in this split, by the chosen composition."""
        return self.share.cost

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on each cell, in records; 0 for un-noised learning.

        It is that of the integers really drawn, before what falls below 0 is set to 0.
        """
        return self.share.integer_deviation

    @property
    def published_cost(self) -> Budget:
        """The cost of Laplace noise of the same spread by the published formula (§6.2.5)."""
        return self.share.published_cost(len(self.schema.columns), self.budget.delta)

    def learn(
        self,
        records: Records | CountSource,
        structure: Structure,
        noise: Noise,
        *,
        estimate: Estimate = "mean",
        source: RandomSource | None = None,
    ) -> BayesianNetwork:
        """Count every family once, with noise on every cell, and estimate the tables.

        Args:
            records: the records assigned to parameter learning.
            structure: the parents of each attribute.
            noise: where the noise comes from.
            estimate: the posterior mean, or one draw from the posterior.
            source: randomness for "sampled".
        """
        return self.learn_and_tell(records, structure, noise, estimate=estimate, source=source)[0]

    def learn_and_tell(
        self,
        records: Records | CountSource,
        structure: Structure,
        noise: Noise,
        *,
        estimate: Estimate = "mean",
        source: RandomSource | None = None,
    ) -> tuple[BayesianNetwork, tuple[NoisyTable, ...]]:
        """Return the network as `learn` makes it, and the noisy table of each family that it is
        made of; none where there is no noise."""
        tables, told = [], []
        asked = families(self.schema, structure)
        for marginal, exact in _family_counts(as_counted(records), asked):
            noisy = self.share.add_noise(exact, 1, noise)
            posterior = np.maximum(0, noisy) + _PRIOR / noisy.shape[1]
            if estimate == "sampled":
                posterior = _dirichlet(posterior, source or RandomSource.secure())
            tables.append(ConditionalTable.from_probabilities(posterior))
            told.append(NoisyTable(marginal, noisy.ravel(), self._law, self.share.scale))
        network = BayesianNetwork(self.schema, structure, tuple(tables))
        return network, tuple(told) if self.share.private else ()

    @property
    def _law(self) -> Law:
        return "gaussian" if self.share.gaussian else "geometric"


def _family_counts(
    records: CountSource, asked: Sequence[Family]
) -> Iterator[tuple[Marginal, IntArray]]:
    """Yield, for each family, what is counted and (configurations, cardinality) how many records
    show each cell."""
    marginals = [(*(View(each, 1) for each in of.parents), View(of.child)) for of in asked]
    counted = zip(asked, marginals, records.tables(marginals), strict=True)
    for family, marginal, table in counted:
        yield marginal, table.reshape(family.configurations, -1)


def _dirichlet(posterior: FloatArray, source: RandomSource) -> FloatArray:
    """Return one draw from each row's Dirichlet, through gamma quantiles in logs.

    A gamma of small shape underflows; its logarithm does not: G(a) = G(a + 1)·U^{1/a}.
    """
    shape = posterior.ravel()
    boosted = gammaincinv(shape + 1, source.uniforms(shape.size))
    logs = np.log(boosted) + np.log(source.uniforms(shape.size)) / shape
    logs = logs.reshape(posterior.shape)
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


def learn_marginals(
    records: Records | CountSource, learner: ParameterLearner, noise: Noise
) -> BayesianNetwork:
    """Return a network without edges, its tables learned from noisy counts like any other."""
    structure = Structure.independent(len(records.schema), records.schema.relations)
    return learner.learn(records, structure, noise)
