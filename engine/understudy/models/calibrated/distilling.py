"""A network learned from made-up records: conditionals, and so an exact score, at no cost.

Calibrated records are not independent of one another and have no density to look up. A network
learned from them has both, and may be far richer than one learned from the confidential records:
there is no noise to fear, and records cost nothing. Its order goes along the strongest ties, so
that none of them is lost for want of room in a table; else the coarsest attributes come first, as
what comes first is kept, and a coarse value is shared by many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from understudy.core.arrays import FloatArray, ShortIntArray
from understudy.models.bayesnet.network import BayesianNetwork, Family, Structure, families
from understudy.models.calibrated.particles import Particles
from understudy.models.calibrated.trees import coarsest_first, spanning
from understudy.models.categorical import ConditionalTable
from understudy.models.joint_tables import marginal_tables
from understudy.models.views import Rows, View, parent_view, sums
from understudy.table.schema import Schema

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

Firsts = dict[tuple[int, int], float]
"""Of a parent and a child the bits left of the child once the parent is known."""


def distil(particles: Particles) -> BayesianNetwork:
    """Return the network of the weighted records."""
    coarse = particles.rows.schema
    schema = coarse.refined([each.cardinality <= FEW_VALUES for each in coarse.columns])
    rows = Rows(schema, particles.rows.columns)
    weights = particles.weights * (len(rows) / particles.weights.sum())
    some = slice(0, max(_ENOUGH, _WORK // len(schema) ** 2))
    searched = Rows(schema, [column[some] for column in rows.columns])
    effective = particles.effective * len(searched)
    structure = _Search(searched, weights[some], effective).structure()
    tables = tuple(_table(rows, weights, each) for each in families(schema, structure))
    return BayesianNetwork(schema, structure, tables)


@dataclass(frozen=True)
class _Tie:
    """Two attributes, and how many bits each tells of the other."""

    ends: tuple[int, int]
    told: float


@dataclass(frozen=True, eq=False)
class _Search:
    """Greedy choice of the attributes' parents among those before them.

    Attributes:
        rows, weights: what is searched.
        effective: how many equally weighted records would be as good.
    """

    rows: Rows
    weights: FloatArray
    effective: float

    def structure(self) -> Structure:
        """Return an order along the strongest ties, and the parents of each attribute in it."""
        sizes = self._schema.cardinalities.tolist()
        coarse = np.argsort(sizes, kind="stable").tolist()
        firsts = self._firsts(combinations(coarse, 2))
        order = coarsest_first(spanning(self._ties(firsts), len(sizes), LEAST_GAIN), sizes)
        firsts |= self._firsts(each for each in combinations(order, 2) if each not in firsts)
        parents: list[tuple[int, ...]] = [()] * len(order)
        for place, child in enumerate(order):
            left = {each: firsts[each, child] for each in order[:place] if (each, child) in firsts}
            parents[child] = self._parents(child, left)
        return Structure(tuple(parents), tuple(order))

    def _parents(self, child: int, firsts: Mapping[int, float]) -> tuple[int, ...]:
        """Whatever tells most of the child beyond what is known, until none tells enough.

        Args:
            child: the attribute.
            firsts: the bits left of it once one of those before it is known.
        """
        values = self._schema.columns[child].cardinality
        number, size = self.rows.columns[child].astype(np.int32), 1
        left = self._alone(child)
        chosen: tuple[int, ...] = ()
        likely = list(firsts)
        while len(chosen) < MOST_PARENTS:
            telling = []
            for parent in likely:
                buckets = self._schema.columns[parent].bucket_count
                if parent in chosen or size * buckets * values > MOST_CELLS:
                    continue
                then = (
                    self._left(number, size * values, parent, values) if chosen else firsts[parent]
                )
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

    def _alone(self, child: int) -> float:
        """Return the bits of an attribute of which nothing is known."""
        values = self._schema.columns[child].cardinality
        return _entropy(sums(self.rows.columns[child].astype(np.int32), self.weights, values))

    def _left(self, number: ShortIntArray, cells: int, parent: int, values: int) -> float:
        """Return the bits left of a child once a further parent is known.

        Args:
            number: (n,) the cell of each record in a table of the known parents and, varying
                fastest, the child.
            cells: of that table.
            parent: the further one.
            values: of the child.
        """
        whole = cells * self._schema.columns[parent].bucket_count
        table = sums(self._with(number, cells, parent), self.weights, whole)
        return _bits_left(table.reshape(-1, values))

    def _with(self, number: ShortIntArray, cells: int, parent: int) -> ShortIntArray:
        """Return the same with that parent before the others."""
        steps = (self._schema.columns[parent].bucket_map * cells).astype(number.dtype)
        further = np.take(steps, self.rows.columns[parent], mode="clip")
        further += number
        return further

    def _by_chance(self, further: int) -> float:
        """Bits that so many further free cells seem to tell where they tell nothing."""
        return further / (2 * self.effective * math.log(2))

    def _ties(self, firsts: Firsts) -> Iterator[_Tie]:
        """Yield what attributes tell of one another beyond chance, the first of each two as it is
        seen as a parent."""
        alone = [self._alone(each) for each in range(len(self._schema))]
        for (parent, child), left in firsts.items():
            one, other = self._schema.columns[parent], self._schema.columns[child]
            further = (one.bucket_count - 1) * (other.cardinality - 1)
            yield _Tie((parent, child), alone[child] - left - self._by_chance(further))

    def _firsts(self, pairs: Iterable[tuple[int, int]]) -> Firsts:
        """For parents and children the bits left of the child once the parent is known; without
        those that tell nothing or make too large a table."""
        schema = self._schema
        marginals = [(parent_view(schema, parent), View(child)) for parent, child in pairs]
        telling = [
            each
            for each in marginals
            if 1 < each[0].size(schema) <= MOST_CELLS / each[1].size(schema)
        ]
        tables = marginal_tables(
            schema,
            telling,
            len(self.rows),
            lambda views: (self.rows.weighted(each, self.weights) for each in views),
        )
        bits = {
            place: _bits_left(table.reshape(-1, telling[place][1].size(schema)))
            for place, table in tables
        }
        return {
            (parent.attribute, child.attribute): bits[place]
            for place, (parent, child) in enumerate(telling)
        }


def _bits_left(table: FloatArray) -> float:
    """Of what varies along the last axis, once the others are known."""
    return _entropy(table) - _entropy(table.sum(axis=-1))


def _entropy(weighed: FloatArray) -> float:
    """In bits, of a table of weights."""
    shares = weighed[weighed > 0] / weighed.sum()
    return float(-(shares * np.log2(shares)).sum())


def _table(rows: Rows, weights: FloatArray, family: Family) -> ConditionalTable:
    """Return the conditional table, with a prior of one record a configuration spread as the
    attribute is by itself."""
    values = rows.schema.columns[family.child].cardinality
    cell = family.configuration(rows.columns) * values + rows.columns[family.child]
    flat = sums(cell, weights, family.configurations * values)
    counts = flat.reshape(family.configurations, values)
    alone = counts.sum(axis=0) / counts.sum()
    return ConditionalTable.from_probabilities(counts + _PRIOR * alone)
