"""The best of some random trees, all grown before any record was looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.pmse.gini import Counts, Gini
from understudy.mechanisms.pmse.partitions.axes import Axis, Bins, histograms

Masks = npt.NDArray[np.uint64]

_BITS = 16
_ONLY = np.zeros(1 << _BITS, dtype=np.int64)
"""The place of the only bit of each number that has but one."""
_ONLY[1 << np.arange(_BITS)] = np.arange(_BITS)


@dataclass(frozen=True)
class Forest:
    """Full trees of one depth, each test drawn evenly from those of an axis drawn evenly.

    Attributes:
        axes: what may be tested.
        focus: the places of the axes that the roots are of.
        trees: how many.
        depth: of each, at most 4.
        seed: that they are drawn by, which is public.

    Raises:
        ValueError: the trees are deeper.
    """

    axes: tuple[Axis, ...]
    focus: tuple[int, ...]
    trees: int = 24
    depth: int = 4
    seed: int = 1

    def __post_init__(self) -> None:
        if 1 << self.depth > _BITS:
            raise ValueError("the trees have too many leaves")

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

    @cached_property
    def _masks(self) -> tuple[Masks, ...]:
        """For each axis (words, bins) the leaves that a bin leaves open, a bit each: of four trees
        in a word. What is open on all axes is one leaf of each tree.

        (Lucchese and others, “QuickScorer”, 2015.)
        """
        axes, left = self._grown
        every = 1 << self.depth
        words, bins = -(-self.trees // 4), max(axis.bins for axis in self.axes)
        masks = np.full((len(self.axes), bins, 4 * words), (1 << every) - 1, dtype=np.uint16)
        for tree, node in np.ndindex(*axes.shape):
            level = (node + 1).bit_length() - 1
            half = every >> (level + 1)
            start = 2 * half * (node + 1 - (1 << level))
            first = ((1 << half) - 1) << start
            open_ = np.where(left[tree, node], ~(first << half), ~first).astype(np.uint16)
            masks[axes[tree, node], :, tree] &= open_
        return tuple(np.ascontiguousarray(each.view(np.uint64).T) for each in masks)

    def _places(self, bins: Sequence[Bins]) -> Iterator[Bins]:
        """Of every tree (tables or 1, records) the leaf of each record."""
        for word in range(len(self._masks[0])):
            seen = (masks[word][each] for masks, each in zip(self._masks, bins, strict=True))
            open_ = reduce(np.bitwise_and, seen)
            four = open_.view(np.uint16).reshape(*open_.shape, 4)
            for tree in range(min(4, self.trees - 4 * word)):
                yield _ONLY[four[..., tree]]

    def counts(self, bins: Sequence[Bins]) -> Counts:
        """(tables, trees, leaves) how many records are in each leaf."""
        found = [histograms(each, 1 << self.depth) for each in self._places(bins)]
        return np.stack(found, axis=1)

    def best(self, gini: Gini, real: Counts, made: Counts) -> Counts:
        """As `Partitions`."""
        return np.asarray(gini.leaf(made, real).sum(axis=2).max(axis=1))

    def entries(self) -> int:
        """As `Partitions`."""
        return self.trees << self.depth
