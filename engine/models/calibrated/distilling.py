"""A network learned from made-up records: conditionals, and so an exact score, at no cost.

Calibrated records are not independent of one another and have no density to look up. A network
learned from them has both, and may be far richer than one learned from the confidential records:
there is no noise to fear, and records cost nothing. The coarsest attributes come first in its
order, as what comes first is kept, and a coarse value is shared by many.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.bayesnet.network import BayesianNetwork, Family, Structure
from engine.models.calibrated.particles import Particles
from engine.models.categorical import ConditionalTable
from engine.models.joint_tables import marginal_tables
from engine.models.views import Rows, View, parent_view, sums
from engine.table.schema import Schema

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
Numbers = npt.NDArray[np.int32]


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
    for child, firsts in _firsts(searched, weights[some], order).items():
        parents[child] = _Search(searched, weights[some], effective, child, firsts).parents()
    structure = Structure(tuple(parents), tuple(order))
    tables = tuple(
        _table(rows, weights, Family.of(schema, child, parents[child])) for child in sorted(order)
    )
    return BayesianNetwork(schema, structure, tables)


@dataclass(frozen=True, eq=False)
class _Search:
    """Greedy choice of an attribute's parents among those before it.

    Attributes:
        rows, weights: what is searched.
        effective: how many equally weighted records would be as good.
        child: the attribute.
        firsts: the bits left of the child once one of those before it is known.
    """

    rows: Rows
    weights: Reals
    effective: float
    child: int
    firsts: Mapping[int, float]

    def parents(self) -> tuple[int, ...]:
        """Whatever tells most of the child beyond what is known, until none tells enough."""
        values = self._schema.columns[self.child].cardinality
        number, size = self.rows.columns[self.child].astype(np.int32), 1
        left = _entropy(sums(number, self.weights, values))
        chosen: tuple[int, ...] = ()
        likely = list(self.firsts)
        while len(chosen) < MOST_PARENTS:
            telling = []
            for parent in likely:
                buckets = self._schema.columns[parent].bucket_count
                if parent in chosen or size * buckets * values > MOST_CELLS:
                    continue
                then = self._left(number, size * values, parent)
                told = left - then - self._by_chance((buckets - 1) * size * (values - 1))
                telling.append((told, parent, then))
            told, parent, then = max(telling, default=(0.0, 0, 0.0), key=lambda each: each[0])
            if told < LEAST_GAIN:
                break
            number = self._with(number, size * values, parent)
            size *= self._schema.columns[parent].bucket_count
            chosen, left = (*chosen, parent), then
            likely = [each for _, each, _ in sorted(telling, reverse=True)[:_SHORTLIST]]
        return chosen

    @property
    def _schema(self) -> Schema:
        return self.rows.schema

    def _left(self, number: Numbers, cells: int, parent: int) -> float:
        """The bits left of the child once a further parent is known.

        Args:
            number: (n,) the cell of each record in a table of the known parents and, varying
                fastest, the child.
            cells: of that table.
            parent: the further one.
        """
        column = self._schema.columns[self.child]
        if cells == column.cardinality:
            return self.firsts[parent]
        whole = cells * self._schema.columns[parent].bucket_count
        table = sums(self._with(number, cells, parent), self.weights, whole)
        return _bits_left(table.reshape(-1, column.cardinality))

    def _with(self, number: Numbers, cells: int, parent: int) -> Numbers:
        """The same with that parent before the others."""
        steps = (self._schema.columns[parent].bucket_map * cells).astype(number.dtype)
        further = np.take(steps, self.rows.columns[parent], mode="clip")
        further += number
        return further

    def _by_chance(self, further: int) -> float:
        """Bits that so many further free cells seem to tell where they tell nothing."""
        return further / (2 * self.effective * math.log(2))


def _firsts(rows: Rows, weights: Reals, order: list[int]) -> dict[int, dict[int, float]]:
    """For each attribute the bits left of it once one of those before it is known."""
    schema = rows.schema
    marginals = [
        (parent_view(schema, parent), View(child))
        for place, child in enumerate(order)
        for parent in order[:place]
    ]
    telling = [
        each for each in marginals if 1 < each[0].size(schema) <= MOST_CELLS / each[1].size(schema)
    ]
    found: dict[int, dict[int, float]] = {child: {} for child in order}
    tables = marginal_tables(
        schema, telling, len(rows), lambda views: (rows.weighted(each, weights) for each in views)
    )
    bits = {
        place: _bits_left(table.reshape(-1, telling[place][1].size(schema)))
        for place, table in tables
    }
    for place, (parent, child) in enumerate(telling):
        found[child.attribute][parent.attribute] = bits[place]
    return found


def _bits_left(table: Reals) -> float:
    """Of what varies along the last axis, once the others are known."""
    return _entropy(table) - _entropy(table.sum(axis=-1))


def _entropy(weighed: Reals) -> float:
    """In bits, of a table of weights."""
    shares = weighed[weighed > 0] / weighed.sum()
    return float(-(shares * np.log2(shares)).sum())


def _table(rows: Rows, weights: Reals, family: Family) -> ConditionalTable:
    """The conditional table, with a prior of one record a configuration spread as the attribute
    is by itself."""
    values = rows.schema.columns[family.child].cardinality
    cell = family.configuration(rows.columns) * values + rows.columns[family.child]
    flat = sums(cell, weights, family.configurations * values)
    counts = flat.reshape(family.configurations, values)
    alone = counts.sum(axis=0) / counts.sum()
    return ConditionalTable.from_probabilities(counts + _PRIOR * alone)
