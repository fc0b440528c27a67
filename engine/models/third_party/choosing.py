"""A tree chosen one edge at a time by the exponential mechanism, each choice for its price.

An attribute and a parent are worth as many records as would have to change for the table of the two
to look independent: half the L1 distance between the counts and what the attribute's own noisy
distribution makes of the parent's counts. One record moves that by 1 at most, whatever
the number of records; mutual information, by some log2(n)/n of a scale that ends at log2(n).
From it goes what noise and chance would make up: a table of many cells has to be worth it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.bayesnet.network import Structure
from engine.models.counted import marginal_tables
from engine.models.views import Marginal, Rows, View, cells, parent_view
from engine.privacy.accounting.allowance import HALF_NORMAL, Allowance
from engine.privacy.noise import Noise
from engine.table.schema import Schema

GRID = 1 << 20
"""Distributions are rounded to multiples of its inverse, so that scores are integers."""
SENSITIVITY = 2 * GRID
"""How far one record moves a score; see `Choosing.score`."""
_MOST_CELLS = 1 << 22

Parents = tuple[int, ...]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Choosing:
    """Everything the choice goes by.

    Attributes:
        rows: the records it looks at.
        distributions: of each attribute, (cardinality,) integers that sum to `GRID`: its noisy
            distribution, which is public by now.
        records: how many records the tables will be counted from, as far as is public.
        deviation: the standard deviation of the noise that each cell will get.
        each: what one choice may spend.
        noise: where randomness comes from.
    """

    rows: Rows
    distributions: Sequence[npt.NDArray[np.int64]]
    records: float
    deviation: float
    each: Allowance
    noise: Noise

    def structure(self) -> Structure:
        """A tree, or several: m − 1 choices.

        The attribute of the fewest values comes first. Then an attribute and its parent, or none,
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

    def _firsts(self) -> tuple[Whole, npt.NDArray[np.bool_]]:
        """(m, m + 1) what each attribute's first parent is worth, the last for having none, and
        whether such a family may be."""
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

    def _score(self, marginal: Marginal, counts: Whole) -> int:
        table = counts.reshape(-1, marginal[-1].size(self.rows.schema))
        weights = self.distributions[marginal[-1].attribute]
        apart = GRID * table - table.sum(axis=1, keepdims=True) * weights
        return int(np.abs(apart).sum())

    def _worth(self, marginal: Marginal, counts: Whole) -> int:
        """The score less what noise and chance make up, in the same units."""
        noise = len(counts) * self.deviation
        chance = math.sqrt(self.records * len(counts))
        return self._score(marginal, counts) - round(GRID * HALF_NORMAL * (noise + chance))

    def _fits(self, child: int, parents: Parents) -> bool:
        """Whether the noise leaves anything of such a table. Only public numbers decide."""
        count = cells(self.rows.schema, family(self.rows.schema, child, parents))
        return count <= most_cells(self.records, self.deviation)


def family(schema: Schema, child: int, parents: Parents) -> Marginal:
    """A child in full after its parents through their buckets."""
    return (*(parent_view(schema, each) for each in parents), View(child))


def most_cells(records: float, deviation: float) -> float:
    """The most cells a family may have: those that leave a quarter of its noise in each, on
    average, and what fits in memory."""
    return min(_MOST_CELLS, 4 * records / max(1.0, deviation))


def number_of_choices(attributes: int) -> int:
    """How many choices `Choosing.structure` makes, at least 1."""
    return max(1, attributes - 1)


def rounded_distribution(distribution: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """A distribution as integers that sum to `GRID`."""
    shares = np.floor(distribution / distribution.sum() * GRID)
    weights: npt.NDArray[np.int64] = shares.astype(np.int64)
    weights[weights.argmax()] += GRID - weights.sum()
    return weights
