"""Tiny tables, and the exact law of every row that could be drawn from each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np

from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.finding import Measured
from understudy.core.arrays import FloatArray, IntArray
from understudy.mechanisms.imputation.accounting import Drawing
from understudy.mechanisms.imputation.drawing import Sampler, counts
from understudy.mechanisms.imputation.parts import Histogram
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.imputation.urn import Urn
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Universe:
    """Small columns of categories, and what is drawn of them.

    Attributes:
        plan: of which the release, the rows, the tables and the strength count.
        sizes: codes of each column.
        parts: histograms, which together hold every column.
    """

    plan: ImputationPlan
    sizes: tuple[int, ...]
    parts: tuple[Histogram, ...]

    @property
    def drawing(self) -> Drawing:
        """What is drawn."""
        return Drawing.of(self.plan)

    def tables(self) -> Iterator[IntArray]:
        """(n, columns) every table, except for the order of its records."""
        records = tuple(product(*(range(size) for size in self.sizes)))
        for each in combinations_with_replacement(records, self.plan.kept):
            yield np.array(each, dtype=np.int64)

    def urns(self, table: IntArray) -> list[list[Urn]]:
        """Of every part, the urn of each of its groups, as the product fills them."""
        source = RandomSource.fixed(1)
        sampler = Sampler(self.plan, self.parts, source, Noise(source))
        return [[sampler.urn(part, group) for group in counts(part, table)] for part in self.parts]

    def law(self, table: IntArray, urns: Callable[[IntArray], list[list[Urn]]] | None = None) -> FloatArray:
        """Return the chance of every outcome: all rows of all tables."""
        filled = (urns or self.urns)(table)
        records = tuple(product(*(range(size) for size in self.sizes)))
        once = [float(self._chance(rows, filled)) for rows in product(records, repeat=self._rows)]
        law = np.array([1.0])
        for _ in range(self.plan.copies):
            law = np.multiply.outer(law, once).ravel()
        return law

    @property
    def _rows(self) -> int:
        return self.plan.rows

    def _chance(self, rows: Rows, filled: list[list[Urn]]) -> Fraction:
        """Of the rows of one table."""
        found = Fraction(1)
        for part, urns in zip(self.parts, filled, strict=True):
            weights = [[int(each) for each in urn.weights] for urn in urns]
            for row in rows:
                group = _place([row[at] for at in part.given], part.given_sizes)
                cell = _place([row[at] for at in part.columns], part.sizes)
                found *= Fraction(weights[group][cell], sum(weights[group]))
                if self.drawing.drawn.rows != 1:
                    weights[group][cell] += urns[group].one
        return found


def _place(digits: list[int], sizes: tuple[int, ...]) -> int:
    found = 0
    for digit, size in zip(digits, sizes, strict=True):
        found = found * size + digit
    return found


def neighbours(tables: list[IntArray]) -> Iterator[tuple[int, int]]:
    """Yield the places of every two tables that differ by one record that is replaced."""
    kept = [sorted(map(tuple, table.tolist())) for table in tables]
    for one, first in enumerate(kept):
        for other in range(one):
            left = list(kept[other])
            for record in first:
                if record in left:
                    left.remove(record)
            if len(left) == 1:
                yield one, other


def worst(
    universe: Universe,
    epsilon_of: Callable[[float], float],
    deltas: tuple[float, ...],
    urns: Callable[[IntArray], list[list[Urn]]] | None = None,
) -> Measured:
    """Return the largest divergence of any two neighbours, over what is claimed.

    Args:
        universe: the tables and what is drawn.
        epsilon_of: the ε claimed at a δ; at 0, no divergence is allowed, and at 1 + the divergence
            itself is measured.
        deltas: those looked at, above 0.
        urns: how the product fills them; its own where left out.
    """
    tables = list(universe.tables())
    laws = [universe.law(table, urns) for table in tables]
    pairs = list(neighbours(tables))
    first, second = (np.array([laws[pair[way]] for pair in pairs]) for way in (0, 1))
    found = 0.0
    for delta in deltas:
        apart = hockey_stick(first, second, epsilon_of(delta))
        found = max(found, float(over(apart, delta).max()))
    return Measured(len(pairs) * len(deltas), found, str(universe.plan.release))
