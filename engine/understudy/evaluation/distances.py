"""Total variation between two tables, of single attributes and of pairs.

½ Σ |p − q| (2.2): the largest difference in the share of records that any statement about the
attribute (or the pair) can show. Range [0, 1], lower is closer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.evaluation.cells import Sides
from understudy.evaluation.measures.total_variation import total_variation
from understudy.table.records import Records


@dataclass(frozen=True)
class Distances:
    """How far a table is from the held-out records.

    Attributes:
        single: (m,) total variation of each attribute.
        pairs: (m, m) total variation of each pair, symmetric, the diagonal being `single`.
    """

    single: FloatArray
    pairs: FloatArray

    @property
    def each_pair(self) -> FloatArray:
        """(m(m − 1)/2,) every pair once, row by row above the diagonal."""
        return self.pairs[np.triu_indices(len(self.single), 1)]

    @property
    def typical_column(self) -> float:
        """The median over the attributes."""
        return float(np.median(self.single))

    @property
    def typical_pair(self) -> float:
        """The median over the pairs."""
        return float(np.median(self.each_pair))

    @property
    def farthest_pair(self) -> float:
        """The largest over the pairs."""
        return float(np.max(self.each_pair))


def distances(table: Records, reference: Records) -> Distances:
    """Compare a table with reference records of the same schema; neither may be empty."""
    sides = Sides.of(table, reference)
    attributes = len(sides.sizes)
    pairs = np.zeros((attributes, attributes))
    for columns in combinations(range(attributes), 2):
        pairs[columns] = pairs[columns[::-1]] = total_variation(sides.shares(columns))[0]
    single = np.array([total_variation(sides.shares([each]))[0] for each in range(attributes)])
    np.fill_diagonal(pairs, single)
    return Distances(single, pairs)
