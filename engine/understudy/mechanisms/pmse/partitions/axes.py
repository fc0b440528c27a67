"""What a partition may ask of a record: on which side of a public cut a column's bin is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.pmse.gini import Counts, Gini

Bins = npt.NDArray[np.int64]
"""(tables or 1, records) the bin of every record on one axis."""


@dataclass(frozen=True)
class Axis:
    """A column, or a value of one, in public bins.

    Attributes:
        bins: how many, at least 2.
        ordered: whether a cut tells lower from higher bins, and not one bin from all others.
    """

    bins: int
    ordered: bool = True

    @cached_property
    def tests(self) -> Counts:
        """(tests, bins) 1 where a bin is on the first side of a test."""
        if self.ordered:
            return np.tri(self.bins - 1, self.bins)
        return np.eye(self.bins)[: None if self.bins > 2 else 1]


class Partitions(Protocol):
    """A class of partitions, fixed before any record was looked at."""

    def counts(self, bins: Sequence[Bins]) -> Counts:
        """(tables, …) what has to be counted of every table, an array of bins for each axis."""
        ...

    def best(self, gini: Gini, real: Counts, made: Counts) -> Counts:
        """(tables,) the largest score that a partition of the class gives each made table.

        Args:
            gini: scores leaves.
            real: (1, …) counts of the real table.
            made: (tables, …) counts of the made ones.
        """
        ...

    def entries(self) -> int:
        """Return how many numbers are worked with for one table."""
        ...


def histograms(bins: Bins, size: int) -> Counts:
    """(tables, size) how many records of each table are in each bin."""
    tables = len(bins)
    starts = np.arange(tables, dtype=np.int64)[:, None] * size
    found = np.bincount((bins + starts).ravel(), minlength=tables * size)
    return found.reshape(tables, size).astype(np.float64)


def jointly(bins: Sequence[Bins], sizes: Sequence[int]) -> Counts:
    """(tables, product of sizes) how many records are in each cell of several axes."""
    flat = bins[0]
    for each, size in zip(bins[1:], sizes[1:], strict=True):
        flat = flat * size + each
    return histograms(flat, int(np.prod(sizes)))
