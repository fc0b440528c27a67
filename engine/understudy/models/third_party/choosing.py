"""A tree of attributes chosen edge by edge by the exponential mechanism.

The score of an edge is the number of records that would have to change to make the two attributes
independent: half the L1 distance between the counts and what the attribute's own noisy
distribution makes of the parent's counts. One record moves that by 1 at most, whatever
the number of records; mutual information, by some log2(n)/n of a scale that ends at log2(n).
The score is reduced by what noise and sampling alone would show, so that large tables are
penalised.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.bayesnet.network import Structure
from understudy.models.counted import marginal_tables
from understudy.models.views import Marginal, Rows, View, cells, parent_view
from understudy.privacy.accounting.budget_shares import HALF_NORMAL, Allowance
from understudy.privacy.noise import Noise
from understudy.table.schema import Schema

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
            best = some[self.each.best(worth[among].ravel()[some], SENSITIVITY, self.noise)]
            child, place = divmod(int(best), 1 + len(order))
            parents[left[child]] = (order[place - 1],) if place else ()
            order.append(left[child])
        return Structure(tuple(parents[child] for child in range(len(sizes))), tuple(order))

    def _firsts(self) -> tuple[IntArray, BoolArray]:
        """(m, m + 1) the score of each attribute with each parent, the last column for none, and
        whether such a family is allowed."""
        many = len(self.rows.schema)
        every = ((child, (each,)) for child in range(many) for each in range(many) if each != child)
        asked = [each for each in every if self._fits(*each)]
        worth = np.zeros((many, many + 1), dtype=np.int64)
        fits = np.zeros(worth.shape, dtype=bool)
        fits[:, many] = True
        marginals = [family(self.rows.schema, *each) for each in asked]
        for place, counts in marginal_tables(self.rows, marginals):
            child, (parent,) = asked[place]
            worth[child, parent] = self._worth(marginals[place], counts)
            fits[child, parent] = True
        return worth, fits

    def score(self, child: int, parents: Parents) -> int:
        """Σ |GRID·T(π, x) − w(x)·T(π)| over the table T of the two, w the distribution of the
        child: 2·GRID times the records that would have to change, for the whole table.

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
        return count <= most_cells(self.records, self.deviation)


def family(schema: Schema, child: int, parents: Parents) -> Marginal:
    """Return the marginal of bucketed parents and then the full child."""
    return (*(parent_view(schema, each) for each in parents), View(child))


def most_cells(records: float, deviation: float) -> float:
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
