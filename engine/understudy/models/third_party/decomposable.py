"""A graphical model as a Bayesian network of the same distribution.

Take the attributes in some order, last to first, and join the earlier neighbours of each one
before it is taken away. Each attribute is then independent of all earlier ones given its earlier
neighbours: with those as parents, and conditionals read off the model's own marginals, the network
is the graphical model (Lauritzen 1996, ch. 3; Koller and Friedman 2009, ch. 9). Where the graph is
chordal, maximum cardinality search finds an order that joins nothing (Tarjan and Yannakakis 1984).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from itertools import combinations

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.third_party.claim import refusal
from understudy.table.schema import Schema

MOST_CELLS = 1 << 24
"""The most cells of all tables together."""

Marginals = Callable[[tuple[int, ...]], FloatArray]
"""The model's marginal over some attributes: an array with an axis for each, in this order, in
proportion to their joint probabilities."""


def as_network(
    schema: Schema, together: Collection[tuple[int, ...]], marginal: Marginals
) -> BayesianNetwork:
    """Return the network with the distribution of a graphical model, conditioned on full parents.

    Args:
        schema: the domains of its attributes.
        together: the attributes of each of its factors, by index.
        marginal: its marginals. Those asked for lie within a factor each where the graph of the
            factors is chordal and every clique of it is within one; else they may not.

    Raises:
        Refusal: the tables would not fit in memory, or a marginal has another shape, a negative
            cell or one that is no number.
    """
    structure = directed_graph(schema.cardinalities.tolist(), together)
    sizes = [
        math.prod(schema.columns[each].cardinality for each in (child, *parents))
        for child, parents in enumerate(structure.parents)
    ]
    if sum(sizes) > MOST_CELLS:
        raise refusal(
            f"The graphical model's tables would have {sum(sizes):,} cells, and {MOST_CELLS:,} "
            "are the most.",
            "Use a model of fewer or smaller factors.",
        )
    fine = schema.refined([True] * len(schema))
    tables = tuple(
        _conditional(schema, (*parents, child), marginal)
        for child, parents in enumerate(structure.parents)
    )
    return BayesianNetwork(fine, structure, tables)


def directed_graph(sizes: list[int], together: Collection[tuple[int, ...]]) -> Structure:
    """Parents and an order for an undirected graph: earlier neighbours, and those joined.

    Among attributes with as many neighbours before them, the one of the fewest values comes next.
    """
    beside: list[set[int]] = [set() for _ in sizes]
    for each in together:
        for one, other in combinations(each, 2):
            beside[one].add(other)
            beside[other].add(one)
    order = _search(sizes, beside)
    parents: list[tuple[int, ...]] = [()] * len(sizes)
    for place in reversed(range(len(order))):
        child = order[place]
        earlier = [each for each in order[:place] if each in beside[child]]
        parents[child] = tuple(earlier)
        for one, other in combinations(earlier, 2):
            beside[one].add(other)
            beside[other].add(one)
    return Structure(tuple(parents), tuple(order))


def _search(sizes: list[int], beside: list[set[int]]) -> list[int]:
    """Return the order of a maximum cardinality search."""
    order: list[int] = []
    left = set(range(len(sizes)))
    while left:
        found = min(
            left, key=lambda each: (-len(beside[each].intersection(order)), sizes[each], each)
        )
        order.append(found)
        left.remove(found)
    return order


def _conditional(schema: Schema, family: tuple[int, ...], marginal: Marginals) -> ConditionalTable:
    """Return the distribution of the last of a family given the others; uniform for configurations
    of probability 0."""
    shape = tuple(schema.columns[each].cardinality for each in family)
    joint = np.asarray(marginal(family), dtype=np.float64)
    if joint.shape != shape or not np.isfinite(joint).all() or (joint < 0).any():
        names = ", ".join(f"“{schema.columns[each].name}”" for each in family)
        raise refusal(f"The graphical model's marginal of {names} is none for this schema.")
    rows = joint.reshape(-1, shape[-1])
    rows = np.where(rows.sum(axis=1, keepdims=True) > 0, rows, 1.0)
    return ConditionalTable.from_probabilities(rows)
