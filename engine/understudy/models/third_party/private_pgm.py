"""Private-PGM as a third-party model: noisy counts and a tree of pairs, combined by mbi.

In the manner of MST (McKenna, Miklau and Sheldon 2021), whose measurements are the counts of every
attribute and those of the pairs along a tree; each edge of the tree is chosen by the exponential
mechanism among the attributes that are left. The privacy accounting is this project's own, as in
`understudy.models.calibrated`. The estimate is that of McKenna, Sheldon and Miklau (2019), by the
package mbi: it sees noisy counts and no record. A tree is a decomposable model, so the outcome is a
Bayesian network of the same law.

It serves as an example and for comparison. The calibrated model is more accurate.

**A graphical model as a network.** Take the attributes in some order, last to first, and join the
earlier neighbours of each one before it is taken away. Each attribute is then independent of all
earlier ones given its earlier neighbours: with those as parents, and conditionals read off the
model's own marginals, the network is the graphical model (Lauritzen 1996, ch. 3; Koller and
Friedman 2009, ch. 9). If the graph is chordal, maximum cardinality search finds an order that joins
nothing (Tarjan and Yannakakis 1984).

**The tree.** The score of an edge is the number of records that would have to change to make the
two attributes independent: half the L1 distance between the counts and the product of the parent's
counts and the attribute's own noisy distribution. One record moves that by 1 at most, whatever the
number of records; mutual information, by some log2(n)/n of a scale that ends at log2(n). The score
is reduced by what noise and sampling alone would show, so that large tables are penalised.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from typing import Any, NoReturn

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray, NamedArrays
from understudy.core.extras import suggest_install
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.measurement import (
    MeasuredMarginal,
    measure,
    on_simplex,
    total_records,
)
from understudy.models.categorical import ConditionalTable
from understudy.models.count_tables import count_marginals
from understudy.models.third_party.claim import refusal
from understudy.models.third_party.offers import ThirdPartyModel
from understudy.models.views import Marginal, Rows, View, cells, parent_view
from understudy.privacy.accounting.budget_shares import HALF_NORMAL, Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
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
    fine = schema.refine([True] * len(schema))
    tables = tuple(
        _conditional(schema, (*parents, child), marginal)
        for child, parents in enumerate(structure.parents)
    )
    return BayesianNetwork(fine, structure, tables)


def directed_graph(sizes: list[int], together: Collection[tuple[int, ...]]) -> Structure:
    """Return parents and an order for an undirected graph: earlier neighbours, and those joined.

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


GRID = 1 << 20
"""Distributions are rounded to multiples of 1/`GRID`, so that scores are integers."""
SENSITIVITY = 2 * GRID
"""The sensitivity of a score; see `Choosing.score`."""
_MOST_CELLS = 1 << 22

Parents = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Choosing:
    """The input of the choice of a tree.

    Attributes:
        rows: the records, confidential.
        distributions: of each attribute, (cardinality,) integers that sum to `GRID`: its noisy
            distribution, which is public by now.
        records: how many records the tables will be counted from, as far as is public.
        deviation: the standard deviation of the noise that each cell will get.
        each: what one choice may spend.
        noise: where randomness comes from.
    """

    rows: Rows
    distributions: Sequence[IntArray]
    records: float
    deviation: float
    each: Allowance
    noise: Noise

    def structure(self) -> Structure:
        """Return a forest, by m − 1 choices.

        The attribute of fewest values is the root. Then an attribute and its parent, or no parent,
        are chosen among all that are left.
        """
        sizes = self.rows.schema.cardinalities.tolist()
        order = [int(np.argmin(sizes))]
        parents: dict[int, Parents] = {order[0]: ()}
        worth, fits = self._firsts()
        while len(order) < len(sizes):
            left = sorted(set(range(len(sizes))) - set(order))
            # Without a parent, and with each that there is, those of one attribute together.
            among = np.ix_(left, [len(sizes), *order])
            some = np.flatnonzero(fits[among])
            best = some[self.each.choose_best(worth[among].ravel()[some], SENSITIVITY, self.noise)]
            child, place = divmod(int(best), 1 + len(order))
            parents[left[child]] = (order[place - 1],) if place else ()
            order.append(left[child])
        return Structure(tuple(parents[child] for child in range(len(sizes))), tuple(order))

    def _firsts(self) -> tuple[IntArray, BoolArray]:
        """Return (m, m + 1) the score of each attribute with each parent, the last column for none,
        and whether such a family is allowed."""
        many = len(self.rows.schema)
        every = ((child, (each,)) for child in range(many) for each in range(many) if each != child)
        asked = [each for each in every if self._fits(*each)]
        worth = np.zeros((many, many + 1), dtype=np.int64)
        fits = np.zeros(worth.shape, dtype=bool)
        fits[:, many] = True
        marginals = [family(self.rows.schema, *each) for each in asked]
        for place, counts in count_marginals(self.rows, marginals):
            child, (parent,) = asked[place]
            worth[child, parent] = self._worth(marginals[place], counts)
            fits[child, parent] = True
        return worth, fits

    def score(self, child: int, parents: Parents) -> int:
        """Return Σ |GRID·T(π, x) − w(x)·T(π)| over the table T of the two, w the distribution of
        the child: 2·GRID times the records that would have to change, for the whole table.

        A record more in the cell (π, x) moves that term by GRID − w(x) and the others of π by
        w(x′), in all by 2·(GRID − w(x)) ≤ 2·GRID.
        """
        marginal = family(self.rows.schema, child, parents)
        return self._score(marginal, self.rows.counts(marginal))

    def _score(self, marginal: Marginal, counts: IntArray) -> int:
        table = counts.reshape(-1, marginal[-1].size(self.rows.schema))
        weights = self.distributions[marginal[-1].attribute]
        apart = GRID * table - table.sum(axis=1, keepdims=True) * weights
        return int(np.abs(apart).sum())

    def _worth(self, marginal: Marginal, counts: IntArray) -> int:
        """Return the score less what noise and sampling alone would show, in the same units."""
        noise = len(counts) * self.deviation
        chance = math.sqrt(self.records * len(counts))
        return self._score(marginal, counts) - round(GRID * HALF_NORMAL * (noise + chance))

    def _fits(self, child: int, parents: Parents) -> bool:
        """Return whether such a table is large compared with its noise, by public numbers only."""
        count = cells(self.rows.schema, family(self.rows.schema, child, parents))
        return count <= most_family_cells(self.records, self.deviation)


def family(schema: Schema, child: int, parents: Parents) -> Marginal:
    """Return the marginal of bucketed parents and then the full child."""
    return (*(parent_view(schema, each) for each in parents), View(child))


def most_family_cells(records: float, deviation: float) -> float:
    """Return the most cells of a family: such that the average cell holds at least a quarter of its
    noise, and the table fits in memory."""
    return min(_MOST_CELLS, 4 * records / max(1.0, deviation))


def number_of_choices(attributes: int) -> int:
    """Return how many choices `Choosing.structure` makes, at least 1."""
    return max(1, attributes - 1)


def rounded_distribution(distribution: FloatArray) -> IntArray:
    """Return a distribution as integers that sum to `GRID`."""
    shares = np.floor(distribution / distribution.sum() * GRID)
    weights: IntArray = shares.astype(np.int64)
    weights[weights.argmax()] += GRID - weights.sum()
    return weights


NAME = "private-pgm"
ALONE, TREE, PAIRS = 0.25, 0.1, 0.65
"""The shares of the budget: for single attributes, for the choice of the tree, and for pairs."""
ITERATIONS = 1000
_LEAST_DEVIATION = 1e-3
"""The deviation stated for counts without noise, so that their weight is finite."""


class PrivatePGM:
    """The learner.

    Raises:
        Refusal: mbi is not installed.
    """

    source = (
        "The accounting of Understudy, docs/models.md. The estimation, by the package mbi, sees "
        "noisy counts only."
    )
    covers = (
        "Tables that differ by one record, added or removed; the number of records is not taken "
        "as public. Noisy counts of every column, and of pairs of columns chosen by the "
        "exponential mechanism."
    )

    def __init__(self) -> None:
        if find_spec("mbi") is None:
            raise refusal(
                f"The third-party model “{NAME}” needs the package mbi, which is not installed.",
                f"Install it with: {suggest_install(NAME)}.",
            )

    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        """Measure, estimate, and turn into a network; see the module."""
        found = measured_tree(records, budget, Noise(source))
        network = estimated_network(records.schema, found.tree, found.measured, found.records)
        return ThirdPartyModel(network, found.allowance.cost(budget.delta))

    def load(self, schema: Schema, arrays: NamedArrays) -> NoReturn:
        """Refuse: a run keeps a network as a network, which needs no loading here."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class MeasuredTree:
    """All noisy answers about the records.

    Attributes:
        tree: the pairs that were counted.
        measured: every attribute by itself, and the pairs.
        records: the noisy number of records.
        allowance: what was spent.
    """

    tree: Structure
    measured: tuple[MeasuredMarginal, ...]
    records: float
    allowance: Allowance


def measured_tree(records: Records, budget: Budget, noise: Noise) -> MeasuredTree:
    """Count every attribute, choose a tree of pairs, and count those."""
    # Pairs are counted over full codes, not over buckets.
    schema = records.schema.refine([True] * len(records.schema))
    rows = Rows(schema, Rows.of(records).columns)
    many = len(schema)
    allowance = Allowance.of(budget, 2 * many)
    singles = [(View(place),) for place in range(many)]
    alone = measure(rows, singles, schema.cardinalities.tolist(), allowance.part(ALONE), noise)
    known = total_records(alone)
    tree = Choosing(
        rows=rows,
        distributions=[rounded_distribution(on_simplex(each.counts, known)) for each in alone],
        records=known,
        deviation=allowance.part(PAIRS / many).deviation,
        each=allowance.part(TREE / number_of_choices(many)),
        noise=noise,
    ).structure()
    marginals = [tuple(map(View, edge)) for edge in tree.edges]
    within = [cells(schema, each) for each in marginals]
    pairs = measure(rows, marginals, within, allowance.part(PAIRS), noise)
    return MeasuredTree(tree, (*alone, *pairs), known, allowance)


def estimated_network(
    schema: Schema, tree: Structure, measured: tuple[MeasuredMarginal, ...], known: float
) -> BayesianNetwork:
    """Return the network of the maximum-entropy graphical model fitted to the measurements.

    Args:
        schema: the attributes.
        tree: which pairs were measured.
        measured: noisy counts over attributes in full.
        known: the noisy number of records.
    """
    with _double_precision():
        model = graphical_model(schema.cardinalities.tolist(), measured, known)

        def marginal(attributes: tuple[int, ...]) -> FloatArray:
            named = tuple(map(str, attributes))
            table = model.project(named).transpose(named).datavector(flatten=False)
            return np.maximum(np.asarray(table, dtype=np.float64), 0.0)

        return as_network(schema, tree.edges, marginal)


def graphical_model(sizes: list[int], measured: tuple[MeasuredMarginal, ...], known: float) -> Any:
    """Return the estimate of mbi from the measurements, over attributes named “0”, “1”, …"""
    from mbi import Domain, estimation, marginal_loss

    told = [
        marginal_loss.LinearMeasurement(
            each.counts,
            tuple(str(view.attribute) for view in each.marginal),
            stddev=max(each.deviation, _LEAST_DEVIATION),
        )
        for each in measured
    ]
    domain = Domain([str(place) for place in range(len(sizes))], sizes)
    return estimation.MirrorDescent().estimate(domain, told, known_total=known, iters=ITERATIONS)


@contextmanager
def _double_precision() -> Iterator[None]:
    """Provide a context in which jax computes in double precision, which large tables need."""
    # Imported here, as it takes seconds that other commands should not wait.
    import jax

    with jax.enable_x64(True), warnings.catch_warnings():
        # mbi warns about settings of jax on import, which do not apply here.
        warnings.simplefilter("ignore", UserWarning)
        yield
