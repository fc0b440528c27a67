"""Total variation between two tables, of single attributes and of pairs.

½ Σ |p − q| (2.2): the largest difference in the share of records that any statement about the
attribute (or the pair) can show. Range [0, 1], lower is closer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.table.records import Records


@dataclass(frozen=True)
class Distances:
    """How far a table is from the held-out records.

    Attributes:
        single: (m,) total variation of each attribute.
        pairs: (m, m) total variation of each pair, symmetric, the diagonal being `single`.
    """

    single: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.float64]

    @property
    def each_pair(self) -> npt.NDArray[np.float64]:
        """(m(m − 1)/2,) every pair once, row by row above the diagonal."""
        return self.pairs[np.triu_indices(len(self.single), 1)]

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
    sizes = reference.schema.cardinalities
    attributes = len(sizes)
    ours, theirs = table.codes.T.astype(np.int64), reference.codes.T.astype(np.int64)
    pairs = np.zeros((attributes, attributes))
    for one in range(attributes):
        for other in range(one, attributes):
            if one == other:
                p, q = ours[one], theirs[one]
            else:
                p = ours[one] * sizes[other] + ours[other]
                q = theirs[one] * sizes[other] + theirs[other]
            pairs[one, other] = pairs[other, one] = total_variation(p, q)
    return Distances(np.diag(pairs).copy(), pairs)


def total_variation(ours: npt.NDArray[np.int64], theirs: npt.NDArray[np.int64]) -> float:
    """½ Σ |p − q| of the empirical distributions of two lists of non-negative cell numbers."""
    cells = int(max(ours.max(), theirs.max())) + 1
    if cells > 8 * (len(ours) + len(theirs)) + (1 << 16):
        _, packed = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
        ours, theirs = packed[: len(ours)], packed[len(ours) :]
        cells = int(packed.max()) + 1
    p = np.bincount(ours, minlength=cells) / len(ours)
    q = np.bincount(theirs, minlength=cells) / len(theirs)
    return float(np.abs(p - q).sum() / 2)


def pair_shares(records: Records, one: int, other: int) -> npt.NDArray[np.float64]:
    """(cardinality of one, cardinality of other) the share of records in each cell."""
    sizes = records.schema.cardinalities
    cell = records.codes[:, one].astype(np.int64) * sizes[other] + records.codes[:, other]
    counts = np.bincount(cell, minlength=int(sizes[one] * sizes[other]))
    return (counts / max(1, len(records))).reshape(int(sizes[one]), int(sizes[other]))
