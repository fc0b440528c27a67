"""Networks that records are drawn from: of noisy pairs at first, of weighted records later.

**Of noisy pairs.** Weights correct a model as far as its records reach: two strongly related
columns cannot be brought together by weighting records whose columns were drawn independently, as
hardly any of those show the common combinations. So the first records are drawn from a network with
the strongest measured pairs, a spanning forest of the greatest mutual information (Chow and Liu
1968). Each pair is first drawn towards independence, as far as its noise demands.

**Of weighted records.** Calibrated records are not independent of one another and have no density.
A network learned from them has both, and may be far richer than one learned from the confidential
records: there is no noise to fear, and records cost nothing. Its order goes along the strongest
ties, so that no table is too large for any of them; otherwise the coarsest attributes come first,
as those that come first are kept, and many records share a coarse value.

**In turns.** If the fit had to move weights far, few records carry most of them. A network
distilled from the weighted records holds most of the corrections, and records drawn from it need
less weight: resampling when the effective share has fallen, as in sequential Monte Carlo (Del
Moral, Doucet and Jasra 2006), with moves to places where no record was.

All of it is post-processing of noisy tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Protocol, TypeVar

import numpy as np

from understudy.core.arrays import FloatArray, ShortIntArray
from understudy.models.bayesnet.families import Family
from understudy.models.bayesnet.network import BayesianNetwork, Structure, families
from understudy.models.bayesnet.rules import weigh_kinds
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.measurement import MeasuredMarginal, beyond_noise, on_simplex
from understudy.models.categorical import ConditionalTable
from understudy.models.count_tables import marginal_tables
from understudy.models.views import Marginal, Rows, View, add_weights, parent_view
from understudy.table.rules.masks import compile_masks, order_for
from understudy.table.schema import Schema


class Tie(Protocol):
    """What two columns tell of one another."""

    @property
    def ends(self) -> tuple[int, int]:
        """The two columns, by index."""

    @property
    def told(self) -> float:
        """How much each tells of the other, in any unit of information."""


T = TypeVar("T", bound=Tie)


def spanning(ties: Iterable[T], columns: int, least: float) -> list[T]:
    """Return the ties of a maximum spanning forest, each of more than `least` (Kruskal 1956)."""
    tree = list(range(columns))
    chosen = []
    for tie in sorted(ties, key=lambda each: -each.told):
        one, other = (tree[end] for end in tie.ends)
        if one != other and tie.told > least:
            chosen.append(tie)
            tree = [one if each == other else each for each in tree]
    return chosen


def coarsest_first(ties: Sequence[Tie], sizes: Sequence[int]) -> list[int]:
    """Return the columns, each but the first of its tree after one that it is tied to; of those
    that may come next the coarsest, and of equals the first.

    Args:
        ties: such that none closes a circle.
        sizes: of each column, how many values it has.
    """
    beside: list[list[int]] = [[] for _ in sizes]
    for tie in ties:
        one, other = tie.ends
        beside[one].append(other)
        beside[other].append(one)
    coarse = sorted(range(len(sizes)), key=lambda place: sizes[place])
    roots = {min(_reach_tree(beside, place), key=coarse.index) for place in coarse}
    order: list[int] = []
    while len(order) < len(sizes):
        ready = (
            place
            for place in coarse
            if place not in order
            and (place in roots or any(each in order for each in beside[place]))
        )
        order.append(next(ready))
    return order


def _reach_tree(beside: Sequence[Sequence[int]], start: int) -> set[int]:
    """Return all columns of a tree."""
    found, waiting = {start}, [start]
    while waiting:
        further = [each for each in beside[waiting.pop()] if each not in found]
        found.update(further)
        waiting += further
    return found


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
"""Records that each row of a conditional table begins with, distributed as the column is."""

Firsts = dict[tuple[int, int], float]
"""Of a parent and a child the bits left of the child once the parent is known."""


def distil(particles: Particles, tables: Sequence[MeasuredMarginal] = ()) -> BayesianNetwork:
    """Return the network of the weighted records.

    Args:
        particles: the records.
        tables: what they were calibrated to. Of three columns that were counted together two may
            become parents of the third at once, as either by itself may tell nothing of it.
    """
    coarse = particles.rows.schema
    schema = coarse.refine([each.cardinality <= FEW_VALUES for each in coarse.columns])
    rows = Rows(schema, particles.rows.columns)
    weights = particles.weights * (len(rows) / particles.weights.sum())
    some = slice(0, max(_ENOUGH, _WORK // len(schema) ** 2))
    searched = Rows(schema, [column[some] for column in rows.columns])
    effective = particles.effective * len(searched)
    triples = tuple(
        tuple(view.attribute for view in each.marginal) for each in tables if len(each.marginal) > 2
    )
    structure = _Search(searched, weights[some], effective, triples).structure()
    conditionals = tuple(_table(rows, weights, each) for each in families(schema, structure))
    return BayesianNetwork(schema, structure, conditionals)


def scale_columns(
    particles: Particles, distributions: Sequence[FloatArray], order: Sequence[int]
) -> list[FloatArray]:
    """Return weights of the values of each column by which columns that are drawn by themselves
    under rules are like those of weighted records, in all that rules tell apart.

    Args:
        particles: records that meet the rules.
        distributions: of each column, how values that rules do not tell apart share.
        order: in which columns are drawn.
    """
    rows, weights = particles.rows, particles.weights
    relations, found = rows.schema.relations, list(distributions)
    masks = compile_masks(relations, order)
    for place, kinds in relations.kinds.items():
        own = np.bincount(kinds, found[place])
        if place in masks:
            wanted = weigh_kinds(masks[place], rows.columns, weights)
        else:
            wanted = add_weights(kinds[rows.columns[place]], weights, len(own))
        scales = np.divide(wanted, own, out=np.zeros_like(own), where=own > 0)
        found[place] = found[place] * scales[kinds]
    return found


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
        triples: columns that were counted together.
    """

    rows: Rows
    weights: FloatArray
    effective: float
    triples: tuple[tuple[int, ...], ...] = ()

    def structure(self) -> Structure:
        """Return an order along the strongest ties, and the parents of each attribute in it."""
        sizes = self._schema.cardinalities.tolist()
        coarse = np.argsort(sizes, kind="stable").tolist()
        firsts = self._firsts(combinations(coarse, 2))
        ties = spanning(self._ties(firsts), len(sizes), LEAST_GAIN)
        order = order_for(self._schema.relations, coarsest_first(ties, sizes))
        firsts |= self._firsts(each for each in combinations(order, 2) if each not in firsts)
        parents: list[tuple[int, ...]] = [()] * len(order)
        for place, child in enumerate(order):
            left = {each: firsts[each, child] for each in order[:place] if (each, child) in firsts}
            parents[child] = self._parents(child, left, list(self._couples(child, order[:place])))
        return Structure(tuple(parents), order)

    def _couples(self, child: int, before: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the columns that were counted together with a child, if they come before it."""
        for triple in self.triples:
            others = tuple(each for each in triple if each != child)
            if child in triple and {*before}.issuperset(others):
                yield others

    def _parents(
        self, child: int, firsts: Mapping[int, float], couples: Sequence[tuple[int, ...]]
    ) -> tuple[int, ...]:
        """Return whatever tells most of the child beyond what is known, until none tells enough.

        Args:
            child: the attribute.
            firsts: the bits left of it once one of those before it is known.
            couples: columns before it that may become parents together; if so, they tell more, for
                each of them, than any by itself.
        """
        values = self._schema.columns[child].cardinality
        number, size = self.rows.columns[child].astype(np.int32), 1
        left = self._bits_alone(child)
        chosen: tuple[int, ...] = ()
        likely: list[tuple[int, ...]] = [(each,) for each in firsts]
        while len(chosen) < MOST_PARENTS:
            telling = []
            for parents in (*likely, *couples):
                buckets = math.prod(self._schema.columns[each].bucket_count for each in parents)
                if {*parents} & {*chosen} or len(chosen) + len(parents) > MOST_PARENTS:
                    continue
                if size * buckets * values > MOST_CELLS:
                    continue
                then = (
                    self._bits_left_with(number, size * values, parents, values)
                    if chosen or len(parents) > 1
                    else firsts[parents[0]]
                )
                told = left - then - self._by_chance((buckets - 1) * size * (values - 1))
                telling.append((told / len(parents), parents, then))
            told, parents, then = max(telling, default=(0.0, (), 0.0), key=lambda each: each[0])
            if told < LEAST_GAIN:
                break
            for parent in parents:
                number = self._with(number, size * values, parent)
                size *= self._schema.columns[parent].bucket_count
            chosen, left = (*chosen, *parents), then
            ranked = (each for _, each, _ in sorted(telling, reverse=True))
            likely = list(islice((each for each in ranked if len(each) == 1), _SHORTLIST))
        return chosen

    @property
    def _schema(self) -> Schema:
        return self.rows.schema

    def _bits_alone(self, child: int) -> float:
        """Return the bits of an attribute of which nothing is known."""
        values = self._schema.columns[child].cardinality
        return _entropy(
            add_weights(self.rows.columns[child].astype(np.int32), self.weights, values)
        )

    def _bits_left_with(
        self, number: ShortIntArray, cells: int, parents: Sequence[int], values: int
    ) -> float:
        """Return the bits left of a child once further parents are known.

        Args:
            number: (n,) the cell of each record in a table of the known parents and, varying
                fastest, the child.
            cells: of that table.
            parents: the further ones.
            values: of the child.
        """
        for parent in parents:
            number = self._with(number, cells, parent)
            cells *= self._schema.columns[parent].bucket_count
        table = add_weights(number, self.weights, cells)
        return _bits_left(table.reshape(-1, values))

    def _with(self, number: ShortIntArray, cells: int, parent: int) -> ShortIntArray:
        """Return the same with that parent before the others."""
        steps = (self._schema.columns[parent].bucket_map * cells).astype(number.dtype)
        further = np.take(steps, self.rows.columns[parent], mode="clip")
        further += number
        return further

    def _by_chance(self, further: int) -> float:
        """Return the bits that this many free cells seem to tell by chance alone."""
        return further / (2 * self.effective * math.log(2))

    def _ties(self, firsts: Firsts) -> Iterator[_Tie]:
        """Yield what attributes tell of one another beyond chance, the first of each two as it is
        seen as a parent."""
        alone = [self._bits_alone(each) for each in range(len(self._schema))]
        for (parent, child), left in firsts.items():
            one, other = self._schema.columns[parent], self._schema.columns[child]
            further = (one.bucket_count - 1) * (other.cardinality - 1)
            yield _Tie((parent, child), alone[child] - left - self._by_chance(further))

    def _firsts(self, pairs: Iterable[tuple[int, int]]) -> Firsts:
        """Return for parents and children the bits left of the child once the parent is known;
        without those that tell nothing or make too large a table."""
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
            lambda views: (self.rows.weigh_cells(each, self.weights) for each in views),
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
    """Return the entropy of the last axis, once the others are known."""
    return _entropy(table) - _entropy(table.sum(axis=-1))


def _entropy(weighed: FloatArray) -> float:
    """Return the entropy of a table of weights, in bits."""
    shares = weighed[weighed > 0] / weighed.sum()
    return float(-(shares * np.log2(shares)).sum())


def _table(rows: Rows, weights: FloatArray, family: Family) -> ConditionalTable:
    """Return the conditional table, with a prior of one record a configuration spread as the
    attribute is by itself."""
    values = rows.schema.columns[family.child].cardinality
    cell = family.configuration(rows.columns) * values + rows.columns[family.child]
    flat = add_weights(cell, weights, family.configurations * values)
    counts = flat.reshape(family.configurations, values)
    alone = counts.sum(axis=0) / counts.sum()
    return ConditionalTable.from_probabilities(counts + _PRIOR * alone)


LEAST_TOLD = 1e-4
"""Nats that the columns of a pair must tell of one another at least, for an edge."""


@dataclass(frozen=True, eq=False)
class _Edge:
    """A pair of columns, as it is taken to be.

    Attributes:
        marginal: the two, each at a level of its own.
        counts: (first, second) nowhere negative.
        told: how many nats each tells of the other.
    """

    marginal: Marginal
    counts: FloatArray
    told: float

    @property
    def ends(self) -> tuple[int, int]:
        one, other = self.marginal
        return one.attribute, other.attribute

    def towards(self, child: int) -> tuple[View, View, FloatArray]:
        """Return the views of the other column and of this one, and the counts in that order."""
        one, other = self.marginal
        if other.attribute == child:
            return one, other, self.counts
        return other, one, self.counts.T


def span_forest(
    coarse: Schema, alone: Sequence[FloatArray], pairs: Sequence[MeasuredMarginal], records: float
) -> BayesianNetwork:
    """Return a Bayesian network whose edges are a spanning forest of the measured pairs, those of
    the greatest mutual information (Chow and Liu 1968).

    Args:
        coarse: the columns; one of `FEW_VALUES` at most is seen in full as a parent.
        alone: of each column, (cardinality,) its distribution.
        pairs: noisy tables of two columns each.
        records: how many there are, as far as is public.
    """
    schema = coarse.refine([each.cardinality <= FEW_VALUES for each in coarse.columns])
    beside: dict[int, list[_Edge]] = {place: [] for place in range(len(schema))}
    told = [_edge(coarse, alone, each, records) for each in pairs]
    for edge in spanning(told, len(schema), LEAST_TOLD):
        for end in edge.ends:
            beside[end].append(edge)
    order = order_for(schema.relations, _tree_order(schema, beside))
    parents: list[tuple[int, ...]] = [()] * len(schema)
    rows: list[FloatArray] = [each[None, :] for each in alone]
    for place, child in enumerate(order):
        before = [each for each in beside[child] if sum(each.ends) - child in order[:place]]
        if before:
            edge = max(before, key=lambda each: each.told)
            parents[child] = (sum(edge.ends) - child,)
            rows[child] = _conditional(coarse, schema, alone[child], edge, child)
    made = tuple(map(ConditionalTable.from_probabilities, rows))
    return BayesianNetwork(schema, Structure(tuple(parents), order), made)


def _tree_order(schema: Schema, beside: Mapping[int, Sequence[_Edge]]) -> list[int]:
    """Return the columns, one tree after another, each column but the first of its tree after one
    that it has an edge with."""
    order: list[int] = []
    for root in np.argsort(schema.cardinalities, kind="stable").tolist():
        waiting = [] if root in order else [root]
        while waiting:
            column = waiting.pop()
            order.append(column)
            others = (sum(edge.ends) - column for edge in beside[column])
            waiting += [each for each in others if each not in order]
    return order


def _edge(
    schema: Schema, alone: Sequence[FloatArray], pair: MeasuredMarginal, records: float
) -> _Edge:
    """Return a pair drawn towards independence, as far as noise demands."""
    one, other = (_sum_to_view(schema, alone[view.attribute], view) for view in pair.marginal)
    expected = records * np.outer(one, other)
    if pair.possible is not None:
        expected *= pair.possible.reshape(expected.shape)
        expected *= records / max(expected.sum(), 1.0)
    counts = pair.counts.reshape(expected.shape)
    own = beyond_noise(pair, expected.ravel()) * expected
    whole = own + np.broadcast_to(pair.noise, pair.counts.shape).reshape(own.shape)
    trust = np.divide(own, whole, out=np.zeros_like(own), where=whole > 0)
    drawn = (expected + trust * (counts - expected)).ravel()
    taken = on_simplex(drawn, records, pair.possible).reshape(expected.shape)
    return _Edge(pair.marginal, taken, _mutual_information(taken))


def _sum_to_view(schema: Schema, distribution: FloatArray, view: View) -> FloatArray:
    """Return a distribution, added up over the values of a view."""
    if not view.level:
        return distribution
    groups = schema.columns[view.attribute].level_map(view.level)
    return add_weights(groups, distribution, view.size(schema))


def _mutual_information(counts: FloatArray) -> float:
    """Return the mutual information of a table, in nats; 0 of an empty one."""
    whole = counts.sum()
    if whole <= 0:
        return 0.0
    shares = counts / whole
    apart = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    held = shares > 0
    return float((shares[held] * np.log(shares[held] / apart[held])).sum())


def _conditional(
    coarse: Schema, schema: Schema, alone: FloatArray, edge: _Edge, child: int
) -> FloatArray:
    """Return (configurations, cardinality) rows of a child in full, under its parent as the network
    sees it."""
    above, below, counts = edge.towards(child)
    if below.level:
        groups = coarse.columns[child].level_map(below.level)
        whole = _sum_to_view(coarse, alone, below)[groups]
        within = np.divide(alone, whole, out=np.zeros_like(alone), where=whole > 0)
        counts = counts[:, groups] * within
    seen, parent = parent_view(schema, above.attribute), coarse.columns[above.attribute]
    if above.level > seen.level:
        # Values of one group are alike.
        counts = counts[parent.fold(seen.level, above.level)]
    elif above.level < seen.level:
        summed = np.zeros((seen.size(schema), counts.shape[1]))
        np.add.at(summed, parent.fold(above.level, seen.level), counts)
        counts = summed
    return np.asarray(counts + _PRIOR * alone)


ENOUGH = 0.6
"""The effective share under which records are drawn afresh; they are as well where more would have
been asked of them than they could carry."""

Draw = Callable[[BayesianNetwork], Particles]
"""Records of a network, of equal weights."""


@dataclass(frozen=True, eq=False)
class Carried:
    """Calibrated records, and where they are from.

    Attributes:
        network: what they were drawn from.
        model: the records with their weights and tilts.
        effective: the effective share after each calibration.
    """

    network: BayesianNetwork
    model: Particles
    effective: tuple[float, ...] = ()


def fit_records(
    begun: Carried,
    tables: Sequence[MeasuredMarginal],
    draw: Draw,
    *,
    least: float,
    redraws: int,
    learn: Callable[[Particles, Sequence[MeasuredMarginal]], BayesianNetwork] = distil,
) -> Carried:
    """Weight records so that their counts fit all noisy tables, drawing them afresh where too few
    of them come to carry the weight.

    Args:
        begun: records as they were drawn; their weights are set aside.
        tables: what was measured.
        draw: draws records of a network, all of the same weight.
        least: the effective share, (Σw)² / (n·Σw²), that weights keep at least; 0 to 1.
        redraws: how many times records are drawn afresh, at most.
        learn: makes the network that those are drawn from, of the weighted ones before and tables.
    """
    network, model, shares = begun.network, begun.model.with_equal_weights(), list(begun.effective)
    model.calibrate(tables, least=least)
    shares.append(model.effective)
    for _ in range(redraws):
        if model.effective >= ENOUGH and not model.limited:
            break
        network = learn(model, tables)
        model = draw(network)
        model.calibrate(tables, least=least)
        shares.append(model.effective)
    return Carried(network, model, tuple(shares))
