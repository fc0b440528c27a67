"""A forest of the pairs that were measured: the records that stand for the model are drawn from it.

Weights correct records as far as these reach: two columns that hang together can't be brought
together by weighting records that were drawn of each by itself, as hardly any of those show what is
common. So the first records are drawn from a network that knows the strongest pairs already, a
spanning forest of the greatest mutual information (Chow and Liu 1968). Each pair is first drawn
towards what its columns by themselves would make of it, as far as its noise demands. All of it is
post-processing of noisy tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.distilling import FEW_VALUES
from understudy.models.calibrated.measured import Measured, beyond_noise, on_simplex
from understudy.models.calibrated.trees import spanning
from understudy.models.categorical import ConditionalTable
from understudy.models.views import Marginal, View, parent_view, sums
from understudy.table.schema import Schema

LEAST_TOLD = 1e-4
"""Nats that the columns of a pair must tell of one another at least, for an edge."""
_PRIOR = 1.0
"""Records that each row of a conditional table begins with, spread as the column is by itself."""


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


def forest(
    coarse: Schema, alone: Sequence[FloatArray], pairs: Sequence[Measured], records: float
) -> BayesianNetwork:
    """Return a Bayesian network whose edges are a spanning forest of the measured pairs, those of
    the greatest mutual information (Chow and Liu 1968).

    Args:
        coarse: the columns; one of `FEW_VALUES` at most is seen in full as a parent.
        alone: of each column, (cardinality,) its distribution.
        pairs: noisy tables of two columns each.
        records: how many there are, as far as is public.
    """
    schema = coarse.refined([each.cardinality <= FEW_VALUES for each in coarse.columns])
    beside: dict[int, list[_Edge]] = {place: [] for place in range(len(schema))}
    told = [_edge(coarse, alone, each, records) for each in pairs]
    for edge in spanning(told, len(schema), LEAST_TOLD):
        for end in edge.ends:
            beside[end].append(edge)
    parents: list[tuple[int, ...]] = [()] * len(schema)
    rows: list[FloatArray] = [each[None, :] for each in alone]
    order: list[int] = []
    for root in np.argsort(schema.cardinalities, kind="stable").tolist():
        waiting = [] if root in order else [root]
        while waiting:
            parent = waiting.pop()
            order.append(parent)
            for edge in beside[parent]:
                child = sum(edge.ends) - parent
                if child not in order:
                    parents[child] = (parent,)
                    rows[child] = _conditional(coarse, schema, alone[child], edge, child)
                    waiting.append(child)
    made = tuple(map(ConditionalTable.from_probabilities, rows))
    return BayesianNetwork(schema, Structure(tuple(parents), tuple(order)), made)


def _edge(schema: Schema, alone: Sequence[FloatArray], pair: Measured, records: float) -> _Edge:
    """Return a pair drawn towards independence, as far as noise demands."""
    one, other = (_seen(schema, alone[view.attribute], view) for view in pair.marginal)
    expected = records * np.outer(one, other)
    counts = pair.counts.reshape(expected.shape)
    own = beyond_noise(pair, expected.ravel()) * expected
    whole = own + pair.deviation**2
    trust = np.divide(own, whole, out=np.zeros_like(own), where=whole > 0)
    drawn = (expected + trust * (counts - expected)).ravel()
    taken = on_simplex(drawn, records).reshape(expected.shape)
    return _Edge(pair.marginal, taken, _told(taken))


def _seen(schema: Schema, distribution: FloatArray, view: View) -> FloatArray:
    """Return a distribution, added up over the values of a view."""
    if not view.level:
        return distribution
    groups = schema.columns[view.attribute].level_map(view.level)
    return sums(groups, distribution, view.size(schema))


def _told(counts: FloatArray) -> float:
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
    """(configurations, cardinality) rows of a child in full, under its parent as the network sees
    it."""
    above, below, counts = edge.towards(child)
    if below.level:
        groups = coarse.columns[child].level_map(below.level)
        whole = _seen(coarse, alone, below)[groups]
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
