"""The best of some random trees, all grown before any record was looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.mechanisms.pmse.gini import Counts, Gini
from engine.mechanisms.pmse.partitions.axes import Axis, Bins, histograms


@dataclass(frozen=True)
class Forest:
    """Full trees of one depth, each test drawn evenly from those of an axis drawn evenly.

    Attributes:
        axes: what may be tested.
        focus: the places of the axes that the roots are of.
        trees: how many.
        depth: of each.
        seed: that they are drawn by, which is public.
    """

    axes: tuple[Axis, ...]
    focus: tuple[int, ...]
    trees: int = 24
    depth: int = 4
    seed: int = 1

    @cached_property
    def _grown(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """(trees, nodes) the axis of each node; (trees, nodes, bins) whether a bin goes left."""
        random = np.random.default_rng(self.seed)
        shape = (self.trees, (1 << self.depth) - 1)
        axes = random.integers(len(self.axes), size=shape)
        axes[:, 0] = random.choice(np.array(self.focus), size=self.trees)
        left = np.zeros((*shape, max(each.bins for each in self.axes)), dtype=bool)
        for tree, node in np.ndindex(shape):
            axis = self.axes[axes[tree, node]]
            test = axis.tests[random.integers(len(axis.tests))]
            left[tree, node, : axis.bins] = test > 0
        return axes, left

    def counts(self, bins: Sequence[Bins]) -> Counts:
        """(tables, trees, leaves) how many records are in each leaf."""
        tables, records = max(len(each) for each in bins), bins[0].shape[1]
        stacked = np.stack([np.broadcast_to(each, (tables, records)) for each in bins])
        flat, every = stacked.reshape(len(bins), -1), np.arange(tables * records)
        axes, left = self._grown
        leaves, found = 1 << self.depth, []
        for tree in range(self.trees):
            node = np.zeros(tables * records, dtype=np.int64)
            for _ in range(self.depth):
                seen = flat[axes[tree, node], every]
                node = 2 * node + 2 - left[tree, node, seen]
            leaf = (node - (leaves - 1)).reshape(tables, records)
            found.append(histograms(leaf, leaves))
        return np.stack(found, axis=1)

    def best(self, gini: Gini, real: Counts, made: Counts) -> Counts:
        """As `Partitions`."""
        return np.asarray(gini.leaf(made, real).sum(axis=2).max(axis=1))

    def entries(self) -> int:
        """As `Partitions`."""
        return self.trees << self.depth
