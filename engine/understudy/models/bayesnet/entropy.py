"""The entropies that structure learning queries, and their sensitivity.

Where the buckets of an attribute are its codes, its two views are one, so that nothing is queried
or paid for twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from understudy.core.arrays import IntArray
from understudy.models.counted import Counted, as_counted, occupied_cells
from understudy.models.views import Marginal, View, parent_view
from understudy.table.records import Records
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Views:
    """The views of a schema and the entropies queried of them."""

    full: tuple[View, ...]
    parent: tuple[View, ...]

    @classmethod
    def of(cls, schema: Schema) -> Views:
        """Return the views of a schema: a bucketed one only where buckets are coarser than
        codes."""
        return cls(
            tuple(View(index) for index in range(len(schema.columns))),
            tuple(parent_view(schema, index) for index in range(len(schema.columns))),
        )

    def single(self) -> tuple[Marginal, ...]:
        """H(x) and H(bkt(x)), each once."""
        return tuple((view,) for view in sorted({*self.full, *self.parent}))

    def pairs(self) -> tuple[Marginal, ...]:
        """H(x_i, bkt(x_j)) for every child and parent, H(bkt(x_j), bkt(x_k)) for every two
        parents, each once; H(x_i, x_j) is among them wherever x_j has no coarser buckets."""
        return _pairs(self)


@lru_cache(maxsize=16)
def _pairs(views: Views) -> tuple[Marginal, ...]:
    """As `Views.pairs`, cached: the cost of a model is computed again and again."""
    asked = {
        pair(views.full[child], views.parent[parent])
        for child in range(len(views.full))
        for parent in range(len(views.full))
        if child != parent
    }
    asked |= {pair(one, other) for one, other in combinations(views.parent, 2)}
    return tuple(sorted(asked))


def pair(one: View, other: View) -> Marginal:
    """Return the query on two views, in one order whichever is given first."""
    return (one, other) if one <= other else (other, one)


def published_count(attributes: int) -> int:
    """Return the number of entropies that the published procedure queries: m singles, m bucketed
    singles, m(m − 1) of child and parent, and m(m − 1)/2 of the parents among themselves."""
    return 2 * attributes + attributes * (attributes - 1) * 3 // 2


def printed_count(attributes: int) -> int:
    """Return the number of entropies that the publication prints: m(m + 1)."""
    return attributes * (attributes + 1)


def sensitivity(records: int) -> float:
    """Return the sensitivity of an entropy, in bits, to one record more or less; n ≥ 1 the smaller
    size.

    Δ_H ≤ (log2 n + 1/ln 2)/n, half of Lemma A.1 (which is for replacing a record): see
    docs/guarantee.md for the proof, and the tests for every histogram up to n = 12. It does
    not grow with n, so a lower bound on n may stand in for n.
    """
    if records < 3:
        return 2.0
    return (math.log2(records) + 1 / math.log(2)) / records


def entropies(records: Records | Counted, queries: tuple[Marginal, ...]) -> dict[Marginal, float]:
    """Return the plug-in entropy, in bits, of every query."""
    found = {
        place: _entropy(counts) for place, counts in occupied_cells(as_counted(records), queries)
    }
    return {query: found[place] for place, query in enumerate(queries)}


def _entropy(occupied: IntArray) -> float:
    """Return the entropy of positive counts, in bits."""
    counts = occupied.astype(np.float64)
    total = counts.sum()
    if total == 0:
        return 0.0
    return float(math.log2(total) - (counts * np.log2(counts)).sum() / total)


def each_pair(attributes: int) -> Iterator[tuple[int, int]]:
    """Return every ordered pair of different attributes."""
    return (
        (one, other) for one in range(attributes) for other in range(attributes) if one != other
    )
