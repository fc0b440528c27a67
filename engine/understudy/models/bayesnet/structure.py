"""Structure learning: its queries, their cost, and the structure chosen from their answers.

**Entropies.** If the buckets of an attribute are its codes, its two views are one, so that nothing
is queried or paid for twice.

**Selection.** Parents are chosen greedily by correlation (6.14–6.16), from noisy numbers only.

**The learner.** Cost and noise are in one class, so that they can be checked against each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.network import Structure
from understudy.models.count_tables import CountSource, as_counted, occupied_cells
from understudy.models.marks import EVEN, Importance
from understudy.models.views import Marginal, View, parent_view
from understudy.privacy.accounting.budget_shares import EqualShare, equal_share
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.table.records import Records
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Views:
    """The views of a schema and the entropies queried of them."""

    full: tuple[View, ...]
    parent: tuple[View, ...]

    @classmethod
    def of(cls, schema: Schema) -> Views:
        """Return the views of a schema: a bucketed one only where buckets are coarser than
        codes."""
        return cls(
            tuple(View(index) for index in range(len(schema.columns))),
            tuple(parent_view(schema, index) for index in range(len(schema.columns))),
        )

    def single(self) -> tuple[Marginal, ...]:
        """Return H(x) and H(bkt(x)), each once."""
        return tuple((view,) for view in sorted({*self.full, *self.parent}))

    def pairs(self) -> tuple[Marginal, ...]:
        """Return H(x_i, bkt(x_j)) for every child and parent, H(bkt(x_j), bkt(x_k)) for every two
        parents, each once; H(x_i, x_j) is among them wherever x_j has no coarser buckets."""
        return _pairs(self)


@lru_cache(maxsize=16)
def _pairs(views: Views) -> tuple[Marginal, ...]:
    """Answer as `Views.pairs`, cached: the cost of a model is computed again and again."""
    asked = {
        order_query(views.full[child], views.parent[parent])
        for child in range(len(views.full))
        for parent in range(len(views.full))
        if child != parent
    }
    asked |= {order_query(one, other) for one, other in combinations(views.parent, 2)}
    return tuple(sorted(asked))


def order_query(one: View, other: View) -> Marginal:
    """Return the query on two views, in one order whichever is given first."""
    return (one, other) if one <= other else (other, one)


def published_count(attributes: int) -> int:
    """Return the number of entropies that the published procedure queries: m singles, m bucketed
    singles, m(m − 1) of child and parent, and m(m − 1)/2 of the parents among themselves."""
    return 2 * attributes + attributes * (attributes - 1) * 3 // 2


def printed_count(attributes: int) -> int:
    """Return the number of entropies that the publication prints: m(m + 1)."""
    return attributes * (attributes + 1)


def entropy_sensitivity(records: int) -> float:
    """Return the sensitivity of an entropy, in bits, to one record more or less; n ≥ 1 the smaller
    size.

    Δ_H ≤ (log2 n + 1/ln 2)/n, half of Lemma A.1 (which is for replacing a record): see
    docs/guarantee.md for the proof, and the tests for every histogram up to n = 12. It does
    not grow with n, so a lower bound on n may stand in for n.
    """
    if records < 3:
        return 2.0
    return (math.log2(records) + 1 / math.log(2)) / records


def entropies(
    records: Records | CountSource, queries: tuple[Marginal, ...]
) -> dict[Marginal, float]:
    """Return the plug-in entropy, in bits, of every query."""
    found = {
        place: _entropy(counts) for place, counts in occupied_cells(as_counted(records), queries)
    }
    return {query: found[place] for place, query in enumerate(queries)}


def _entropy(occupied: IntArray) -> float:
    """Return the entropy of positive counts, in bits."""
    counts = occupied.astype(np.float64)
    total = counts.sum()
    if total == 0:
        return 0.0
    return float(math.log2(total) - (counts * np.log2(counts)).sum() / total)


def each_pair(attributes: int) -> Iterator[tuple[int, int]]:
    """Return every ordered pair of different attributes."""
    return (
        (one, other) for one in range(attributes) for other in range(attributes) if one != other
    )


@dataclass(frozen=True)
class Correlations:
    """The input of the selection.

    Attributes:
        child_parent: (m, m) the symmetrical uncertainty of child i and bkt of parent j,
            in [0, 1].
        parents: (m, m) that of bkt j and bkt k, in [0, 1].
    """

    child_parent: FloatArray
    parents: FloatArray


@dataclass(frozen=True)
class CostCap:
    """The limit on the size of a family.

    Attributes:
        cardinalities: (m,) codes of each child.
        bucket_counts: (m,) buckets of each parent.
        most_cells: the most cells a table may have.
    """

    cardinalities: IntArray
    bucket_counts: IntArray
    most_cells: float

    def allows(self, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether the child's table with these parents stays under the cap."""
        cells = float(self.cardinalities[child])
        for parent in parents:
            cells *= float(self.bucket_counts[parent])
        return cells <= self.most_cells


def merit(correlations: Correlations, child: int, parents: tuple[int, ...]) -> float:
    """score(par) = Σ corr(x_i, x_j) / √(|par| + Σ_{j≠k} corr(x_j, x_k)) (6.14)."""
    if not parents:
        return 0.0
    chosen = np.array(parents)
    among = correlations.parents[np.ix_(chosen, chosen)]
    shared = among.sum() - np.trace(among)
    together = correlations.child_parent[child, chosen].sum()
    return float(together / np.sqrt(len(parents) + shared))


def select(correlations: Correlations, cap: CostCap, importance: Importance = EVEN) -> Structure:
    """Greedily add, over all attributes, the edge that raises its child's merit most.

    What it raises it by counts for what the pair weighs, so that marked pairs come before others
    have used up the cap or closed the way.
    Ties go to the lower child, then the lower parent, so equal numbers give equal structures.
    """
    attributes = len(cap.cardinalities)
    parents: list[tuple[int, ...]] = [()] * attributes
    ancestors = np.eye(attributes, dtype=bool)
    gains = {child: _gains(correlations, cap, importance, child, ()) for child in range(attributes)}
    while True:
        best = _best_edge(gains, ancestors)
        if best is None:
            return Structure.of(parents, cap.cardinalities.tolist())
        child, parent = best
        parents[child] = (*parents[child], parent)
        descendants = ancestors[:, child]
        ancestors[descendants] |= ancestors[parent]
        gains[child] = _gains(correlations, cap, importance, child, parents[child])


def _gains(
    correlations: Correlations,
    cap: CostCap,
    importance: Importance,
    child: int,
    parents: tuple[int, ...],
) -> dict[int, float]:
    now = merit(correlations, child, parents)
    gains = {}
    for parent in range(len(cap.cardinalities)):
        if parent == child or parent in parents or not cap.allows(child, (*parents, parent)):
            continue
        gain = merit(correlations, child, (*parents, parent)) - now
        if gain > 0:
            gains[parent] = gain * importance.of(sorted((child, parent)))
    return gains


def _best_edge(gains: dict[int, dict[int, float]], ancestors: BoolArray) -> tuple[int, int] | None:
    best: tuple[float, int, int] | None = None
    for child, candidates in gains.items():
        for parent, gain in candidates.items():
            if ancestors[parent, child]:
                continue
            if best is None or gain > best[0]:
                best = (gain, child, parent)
    return None if best is None else best[1:]


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
        records: Records | CountSource,
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
        count = max(1, int(self.count.add_noise(size, 1, noise)[0]))
        lowest = max(1, count - self.margin) if self.share.private else count
        steps = math.ceil(entropy_sensitivity(lowest) / _GRID) + 1
        rounded = np.array([round(value / _GRID) for value in exact.values()], dtype=np.int64)
        noisy = self.share.add_noise(rounded, steps, noise) * _GRID
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
    """Return symmetrical uncertainty 2 − 2·H(x, y)/(H(x) + H(y)) (6.15), clipped to [0, 1].

    A value within its own noise counts as 0.
    """
    one, other = views
    apart = values[one,] + values[other,]
    if apart <= 0:
        return 0.0
    together = values[order_query(one, other)]
    correlation = 2 - 2 * together / apart
    noise = 2 * spread / apart * math.sqrt(1 + 2 * (together / apart) ** 2)
    return min(1.0, correlation) if correlation > _DISTRUST * noise else 0.0
