"""Structure learning: its queries, their cost, and the structure chosen from their answers.

The cost and the noise stand in one class, so that they can be checked against each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.refusal import Refusal
from understudy.models.bayesnet.entropy import (
    Views,
    each_pair,
    entropies,
    pair,
    sensitivity,
)
from understudy.models.bayesnet.network import Structure
from understudy.models.bayesnet.selection import Correlations, CostCap, select
from understudy.models.counted import Counted
from understudy.models.marks import EVEN, Importance
from understudy.models.views import Marginal, View
from understudy.privacy.accounting.budget_shares import EqualShare, equal_share
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.table.records import Records
from understudy.table.schema import Schema

_COUNT_SHARE = 0.02
"""The share of ε spent on the noisy number of records."""

_MISS_SHARE = 0.1
"""The share of δ that pays for that number being too high."""

_GRID = 2.0**-30
"""Entropies are rounded to multiples of this, in bits, so that the noise is an integer."""

_DISTRUST = 2.0
"""Correlations below this many standard deviations of their own noise count as 0."""


@dataclass(frozen=True)
class CellCap:
    """The limit on cells as a rule over public numbers, so that more noise means a simpler model.

    The average cell of a family must hold at least `per_cell` times its noise:
    cells · max(1, noise) · per_cell ≤ records.

    Attributes:
        noise: the spread of the noise that each count will get; 0 for un-noised learning.
        ratio: parameter records to structure records, from the public shares.
        per_cell: how many times its noise the average cell should hold.
    """

    noise: float
    ratio: float
    per_cell: float = 8.0

    def cells(self, structure_records: int) -> float:
        """Return the most cells a table may have, given the (noisy) number of structure records."""
        return structure_records * self.ratio / (max(1.0, self.noise) * self.per_cell)


@dataclass(frozen=True)
class _Rule:
    """By what public rule parents are chosen."""

    cap: CellCap
    importance: Importance


@dataclass(frozen=True)
class LearnedStructure:
    """What structure learning released, all of it post-processing of noisy numbers.

    Attributes:
        structure: the parents and the order.
        correlations: the noisy symmetrical uncertainties, [0, 1].
        count: the noisy number of structure records (exact when un-noised).
        noise: the standard deviation, in bits, of the noise on each entropy.
    """

    structure: Structure
    correlations: Correlations
    count: int
    noise: float


@dataclass(frozen=True)
class StructureLearner:
    """Noisy entropies of one schema under one budget (§6.2.5).

    Attributes:
        schema: the columns.
        budget: the (ε, δ) to stay within; unbounded for un-noised learning.
        count: what the noisy number of records may spend.
        share: what each noisy entropy may spend.
    """

    schema: Schema
    budget: Budget
    count: EqualShare
    share: EqualShare

    @classmethod
    def within(cls, schema: Schema, budget: Budget) -> StructureLearner:
        """Return the learner that spends at most `budget` on structure.

        A tenth of δ pays for the chance that the noisy number of records is too high, the
        rest for the composition of the entropies.

        Raises:
            Refusal: δ is 0, which leaves nothing to pay for that chance.
        """
        asked = len(_queries(schema))
        if not budget.bounded:
            return cls(schema, budget, equal_share(budget, 1), equal_share(budget, asked))
        if budget.delta == 0:
            raise Refusal(
                "Structure learning needs a δ above 0.",
                "Allow a small δ such as 1e-9, or use the marginals.",
                field="delta",
            )
        count = Budget(_COUNT_SHARE * budget.epsilon)
        rest = Budget((1 - _COUNT_SHARE) * budget.epsilon, (1 - _MISS_SHARE) * budget.delta)
        return cls(schema, budget, equal_share(count, 1), equal_share(rest, asked))

    @property
    def miss(self) -> float:
        """The probability, paid from δ, that the noisy number of records is so high that the
        entropies get too little noise."""
        return _MISS_SHARE * self.budget.delta if self.budget.bounded else 0.0

    @property
    def cost(self) -> Budget:
        """The privacy cost for the records in this split, by the chosen composition."""
        if not self.budget.bounded:
            return Budget.unbounded()
        return self.count.cost + Budget(0.0, self.miss) + self.share.cost

    def published_cost(self, entropies: int) -> Budget:
        """Return the cost of Laplace noise of the same spread by the published formula (§6.2.5).

        Args:
            entropies: how many are queried; the published procedure queries every one, also twice
                where buckets and codes agree.
        """
        if not self.budget.bounded:
            return Budget.unbounded()
        return self.count.cost + self.share.published_cost(entropies, self.budget.delta)

    def learn(
        self,
        records: Records | Counted,
        noise: Noise,
        cap: CellCap,
        importance: Importance = EVEN,
    ) -> LearnedStructure:
        """Query the records once, with noise, and choose the structure.

        Args:
            records: the records assigned to structure learning.
            noise: where the noise comes from.
            cap: the cost cap, as a rule over the noisy number of records.
            importance: what pairs weigh, of all that were asked about.
        """
        queries = _queries(self.schema)
        exact = entropies(records, queries)
        size = np.array([len(records)], dtype=np.int64)
        count = max(1, int(self.count.noised(size, 1, noise)[0]))
        lowest = max(1, count - self.margin) if self.share.private else count
        steps = math.ceil(sensitivity(lowest) / _GRID) + 1
        rounded = np.array([round(value / _GRID) for value in exact.values()], dtype=np.int64)
        noisy = self.share.noised(rounded, steps, noise) * _GRID
        return self._choose(
            dict(zip(queries, noisy.tolist(), strict=True)),
            self.share.deviation * steps * _GRID,
            count,
            _Rule(cap, importance),
        )

    @property
    def margin(self) -> int:
        """Return by how much the noisy number of records can exceed the true one: the smallest j
        with Pr{noise ≥ j} ≤ `miss`, plus 1 for the larger of two neighbours."""
        scale = self.count.scale
        return max(1, math.ceil(-scale * math.log(self.miss * (1 + math.exp(-1 / scale))))) + 1

    def _choose(
        self, values: Mapping[Marginal, float], spread: float, count: int, rule: _Rule
    ) -> LearnedStructure:
        views = Views.of(self.schema)
        attributes = len(self.schema.columns)
        child_parent = np.zeros((attributes, attributes))
        parents = np.eye(attributes)
        for one, other in each_pair(attributes):
            child_parent[one, other] = _uncertainty(
                values, (views.full[one], views.parent[other]), spread
            )
            parents[one, other] = _uncertainty(
                values, (views.parent[one], views.parent[other]), spread
            )
        correlations = Correlations(child_parent, parents)
        costs = CostCap(
            self.schema.cardinalities,
            np.array([column.bucket_count for column in self.schema.columns]),
            rule.cap.cells(count),
        )
        chosen = select(correlations, costs, rule.importance)
        return LearnedStructure(chosen, correlations, count, spread)


def _queries(schema: Schema) -> tuple[Marginal, ...]:
    """Return every entropy that is asked for, the same for every table of the schema."""
    views = Views.of(schema)
    return (*views.single(), *views.pairs())


def _uncertainty(
    values: Mapping[Marginal, float], views: tuple[View, View], spread: float
) -> float:
    """Symmetrical uncertainty 2 − 2·H(x, y)/(H(x) + H(y)) (6.15), clipped to [0, 1].

    A value within its own noise counts as 0.
    """
    one, other = views
    apart = values[one,] + values[other,]
    if apart <= 0:
        return 0.0
    together = values[pair(one, other)]
    correlation = 2 - 2 * together / apart
    noise = 2 * spread / apart * math.sqrt(1 + 2 * (together / apart) ** 2)
    return min(1.0, correlation) if correlation > _DISTRUST * noise else 0.0
