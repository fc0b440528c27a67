"""A network learned from made-up records: conditionals, and so an exact score, at no cost.

Calibrated records are not independent of one another and have no density to look up. A network
learned from them has both, and may be far richer than one learned from the confidential records:
there is no noise to fear, and records cost nothing. The coarsest attributes come first in its
order, as what comes first is kept, and a coarse value is shared by many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.bayesnet.network import BayesianNetwork, Family, Structure
from engine.models.calibrated.particles import Particles
from engine.models.categorical import ConditionalTable
from engine.models.views import Rows, sums

MOST_PARENTS = 5
MOST_CELLS = 300_000
"""Of one attribute's table."""
LEAST_GAIN = 2e-4
"""Bits that a further parent must tell at least."""
FEW_VALUES = 32
"""An attribute of so many values is seen in full as a parent, whatever its buckets."""
_ENOUGH = 100_000
"""Parents are searched for among so many records at least."""
_WORK = 60_000_000
"""Records times pairs of attributes that are searched through, where that makes more."""
_SHORTLIST = 16
"""Further parents are searched for among those that tell most, as the first did."""
_PRIOR = 1.0

Reals = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


def distil(particles: Particles) -> BayesianNetwork:
    """The network of the weighted records."""
    coarse = particles.rows.schema
    schema = coarse.refined([each.cardinality <= FEW_VALUES for each in coarse.columns])
    rows = Rows(schema, particles.rows.columns)
    order = np.argsort(schema.cardinalities, kind="stable").tolist()
    weights = particles.weights * (len(rows) / particles.weights.sum())
    some = slice(0, max(_ENOUGH, _WORK // len(schema) ** 2))
    searched = Rows(schema, [column[some] for column in rows.columns])
    effective = particles.effective * len(searched)
    parents: list[tuple[int, ...]] = [()] * len(order)
    for place, child in enumerate(order):
        search = _Search(searched, weights[some], effective, child, order[:place])
        parents[child] = search.parents()
    structure = Structure(tuple(parents), tuple(order))
    tables = tuple(
        _table(rows, weights, Family.of(schema, child, parents[child])) for child in sorted(order)
    )
    return BayesianNetwork(schema, structure, tables)


@dataclass(frozen=True, eq=False)
class _Search:
    """Greedy choice of an attribute's parents among those before it."""

    rows: Rows
    weights: Reals
    effective: float
    child: int
    before: list[int]

    def parents(self) -> tuple[int, ...]:
        """Whatever tells most of the child beyond what is known, until none tells enough."""
        schema = self.rows.schema
        values = schema.columns[self.child].cardinality
        child = self.rows.columns[self.child].astype(np.int64)
        known, size = np.zeros(len(self.rows), dtype=np.int64), 1
        left = self._entropy(child, values)
        chosen: tuple[int, ...] = ()
        likely = self.before
        while len(chosen) < MOST_PARENTS:
            best: tuple[float, int, float, Whole, int] | None = None
            telling: list[tuple[float, int]] = []
            for parent in likely:
                buckets = schema.columns[parent].bucket_count
                larger = size * buckets
                if parent in chosen or buckets == 1 or larger * values > MOST_CELLS:
                    continue
                seen = schema.columns[parent].bucket_map[self.rows.columns[parent]]
                key = known * buckets + seen
                then = self._entropy(key * values + child, larger * values)
                then -= self._entropy(key, larger)
                told = left - then - self._by_chance((larger - size) * (values - 1))
                telling.append((told, parent))
                if best is None or told > best[0]:
                    best = told, parent, then, key, larger
            if best is None or best[0] < LEAST_GAIN:
                break
            _, parent, left, known, size = best
            chosen += (parent,)
            likely = [each for _, each in sorted(telling, reverse=True)[:_SHORTLIST]]
        return chosen

    def _entropy(self, numbers: Whole, size: int) -> float:
        """In bits, of the weighted numbers, each below `size`."""
        weighed = sums(numbers, self.weights, size)
        shares = weighed[weighed > 0] / weighed.sum()
        return float(-(shares * np.log2(shares)).sum())

    def _by_chance(self, further: int) -> float:
        """Bits that so many further free cells seem to tell where they tell nothing."""
        return further / (2 * self.effective * math.log(2))


def _table(rows: Rows, weights: Reals, family: Family) -> ConditionalTable:
    """The conditional table, with a prior of one record a configuration spread as the attribute
    is by itself."""
    values = rows.schema.columns[family.child].cardinality
    cell = family.configuration(rows.columns) * values + rows.columns[family.child]
    flat = sums(cell, weights, family.configurations * values)
    counts = flat.reshape(family.configurations, values)
    alone = counts.sum(axis=0) / counts.sum()
    return ConditionalTable.from_probabilities(counts + _PRIOR * alone)
