"""The best single cut, over every test of every axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from understudy.mechanisms.pmse.gini import Counts, Gini
from understudy.mechanisms.pmse.partitions.axes import Axis, Bins, histograms


@dataclass(frozen=True)
class Stump:
    """All partitions by one test.

    Attributes:
        axes: what may be tested.
        focus: the places of the axes that are.
    """

    axes: tuple[Axis, ...]
    focus: tuple[int, ...]

    def counts(self, bins: Sequence[Bins]) -> Counts:
        """(tables, 1 + tests) how many records there are, and on the first side of each test."""
        found = [
            histograms(bins[place], self.axes[place].bins) @ self.axes[place].tests.T
            for place in self.focus
        ]
        whole = np.full((len(found[0]), 1), float(bins[self.focus[0]].shape[1]))
        return np.concatenate([whole, *found], axis=1)

    def best(self, gini: Gini, real: Counts, made: Counts) -> Counts:
        """As `Partitions`."""
        a, b = made[:, 1:], real[:, 1:]
        both = gini.leaf(a, b) + gini.leaf(made[:, :1] - a, real[:, :1] - b)
        return np.asarray(both.max(axis=1))

    def entries(self) -> int:
        """As `Partitions`."""
        return sum(len(self.axes[place].tests) for place in self.focus)
