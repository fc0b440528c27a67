"""Partitions of the columns: axes, stumps, depth two, forests, crossings and guillotine cuts.

Nothing is searched for: each partition is fixed, so each score moves by Δ at most where one record
is replaced, and so does their mean. Where a model cannot describe one column, the best partition of
a class says that of every candidate and little else; a mean still says what is off elsewhere.

Trees are those whose root, or whose two other tests, are of an axis in focus: all trees, where
every axis is. What decides is in tables of pairs of tests: how many records pass both.

Finer partitions never score less, so that without a price the finest would always be the best. With
one, the score is the largest of Σ ⌊2^k·a²/m⌋ − price·leaves. It is still the largest over a class
that no record has a say in, so that one record moves it no further; a threshold that a cut has to
reach (“cp”) has no such bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from typing import Protocol

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray, WordArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.pmse.gini import Gini


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
    def tests(self) -> FloatArray:
        """(tests, bins) 1 where a bin is on the first side of a test."""
        if self.ordered:
            return np.tri(self.bins - 1, self.bins)
        return np.eye(self.bins)[: None if self.bins > 2 else 1]


class Partitions(Protocol):
    """A class of partitions, fixed before any record was looked at."""

    def counts(self, bins: Sequence[IntArray]) -> FloatArray:
        """Return (tables, …) what has to be counted of every table, an array of bins for each
        axis."""
        ...

    def best(self, gini: Gini, real: FloatArray, made: FloatArray) -> FloatArray:
        """Return (tables,) the largest score that a partition of the class gives each made table.

        Args:
            gini: scores leaves.
            real: (1, …) counts of the real table.
            made: (tables, …) counts of the made ones.
        """
        ...

    def entries(self) -> int:
        """Return how many numbers are worked with for one table."""
        ...


def _histograms(bins: IntArray, size: int) -> FloatArray:
    """Return (tables, size) how many records of each table are in each bin."""
    tables = len(bins)
    starts = np.arange(tables, dtype=np.int64)[:, None] * size
    found = np.bincount((bins + starts).ravel(), minlength=tables * size)
    return found.reshape(tables, size).astype(np.float64)


def jointly(bins: Sequence[IntArray], sizes: Sequence[int]) -> FloatArray:
    """Return (tables, product of sizes) how many records are in each cell of several axes."""
    flat = bins[0]
    for each, size in zip(bins[1:], sizes[1:], strict=True):
        flat = flat * size + each
    return _histograms(flat, int(np.prod(sizes)))


@dataclass(frozen=True)
class Crossed:
    """The partitions of all pairs of axes of which one is in focus; of one axis, where it is alone.

    Attributes:
        axes: the columns.
        focus: the places of those in focus.
    """

    axes: tuple[Axis, ...]
    focus: tuple[int, ...]

    @cached_property
    def pairs(self) -> tuple[tuple[int, ...], ...]:
        """The places of the axes that are crossed."""
        found = {
            tuple(sorted((place, other)))
            for place in self.focus
            for other in range(len(self.axes))
            if other != place
        }
        return tuple(sorted(found)) or (self.focus,)

    def counts(self, bins: Sequence[IntArray]) -> FloatArray:
        """Return (tables, cells) how many records are in each cell, pair after pair."""
        found = [
            jointly([bins[each] for each in pair], [self.axes[each].bins for each in pair])
            for pair in self.pairs
        ]
        tables = max(len(each) for each in found)
        whole = [np.broadcast_to(each, (tables, each.shape[1])) for each in found]
        return np.concatenate(whole, axis=1)

    def best(self, gini: Gini, real: FloatArray, made: FloatArray) -> FloatArray:
        """Answer as `Partitions`: the mean, rounded down."""
        # ⌊x⌋ − ⌊y⌋ ≤ ⌈x − y⌉ ≤ Δ, as Δ is whole.
        return np.asarray(np.floor(gini.leaf(made, real).sum(axis=1) / len(self.pairs)))

    def entries(self) -> int:
        return sum(int(np.prod([self.axes[each].bins for each in pair])) for pair in self.pairs)


@dataclass(frozen=True)
class DepthTwo:
    """All trees of depth two, the shallower ones among them.

    Attributes:
        axes: what may be tested.
        focus: the places of the axes of which the root, or both other tests, are.
    """

    axes: tuple[Axis, ...]
    focus: tuple[int, ...]

    @cached_property
    def _tests(self) -> int:
        return sum(len(each.tests) for each in self.axes)

    @cached_property
    def _focused(self) -> int:
        return sum(len(self.axes[place].tests) for place in self.focus)

    def counts(self, bins: Sequence[IntArray]) -> FloatArray:
        """Return (tables, 1 + tests, 1 + tests in focus) how many records pass both; the first of
        either passes every record."""
        columns = [
            np.concatenate([self._pair(bins, row, column) for row in range(len(self.axes))], axis=1)
            for column in self.focus
        ]
        both = np.concatenate(columns, axis=2)
        found = np.empty((len(both), self._tests + 1, self._focused + 1))
        found[:, 0, 0] = bins[0].shape[1]
        found[:, 1:, 1:] = both
        found[:, 1:, 0] = np.concatenate(
            [self._alone(bins, place, len(both)) for place in range(len(self.axes))], axis=1
        )
        found[:, 0, 1:] = np.concatenate(
            [self._alone(bins, place, len(both)) for place in self.focus], axis=1
        )
        return found

    def _alone(self, bins: Sequence[IntArray], place: int, tables: int) -> FloatArray:
        axis = self.axes[place]
        found = _histograms(bins[place], axis.bins) @ axis.tests.T
        return np.broadcast_to(found, (tables, found.shape[1]))

    def _pair(self, bins: Sequence[IntArray], row: int, column: int) -> FloatArray:
        first, second = self.axes[row], self.axes[column]
        flat = bins[row] * second.bins + bins[column]
        cells = _histograms(flat, first.bins * second.bins).reshape(-1, first.bins, second.bins)
        return np.asarray(first.tests @ cells @ second.tests.T)

    def best(self, gini: Gini, real: FloatArray, made: FloatArray) -> FloatArray:
        first = _leaves(gini, real, made, (slice(1, None), slice(1, None)))
        found = _best(first, 2)
        if self._focused < self._tests:
            found = np.maximum(found, _best(first, 1, swapped=True))
        return found

    def entries(self) -> int:
        return 4 * self._tests * self._focused


_Leaves = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def _leaves(gini: Gini, real: FloatArray, made: FloatArray, at: tuple[slice, slice]) -> _Leaves:
    """Return the scores of the four leaves of each pair of tests: of both, of the first alone, of
    the second alone, of neither."""

    def four(table: FloatArray) -> _Leaves:
        both = table[:, *at]
        first = table[:, at[0], :1] - both
        second = table[:, :1, at[1]] - both
        return both, first, second, table[:, :1, :1] - table[:, at[0], :1] - second

    pairs = zip(four(made), four(real), strict=True)
    one, two, three, four_ = (gini.leaf(a, b) for a, b in pairs)
    return one, two, three, four_


def _best(leaves: _Leaves, axis: int, *, swapped: bool = False) -> FloatArray:
    """Return (tables,) the best score with roots along one axis, and the other tests along the
    other."""
    both, first, second, neither = leaves
    one, other = (first, second) if not swapped else (second, first)
    within = (both + one).max(axis=axis)
    without = (other + neither).max(axis=axis)
    return np.asarray((within + without).max(axis=1))


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
    def _grown(self) -> tuple[IntArray, BoolArray]:
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
    def _masks(self) -> tuple[WordArray, ...]:
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

    def _places(self, bins: Sequence[IntArray]) -> Iterator[IntArray]:
        """Yield for every tree (tables or 1, records) the leaf of each record."""
        for word in range(len(self._masks[0])):
            seen = (masks[word][each] for masks, each in zip(self._masks, bins, strict=True))
            open_ = reduce(np.bitwise_and, seen)
            four = open_.view(np.uint16).reshape(*open_.shape, 4)
            for tree in range(min(4, self.trees - 4 * word)):
                yield _ONLY[four[..., tree]]

    def counts(self, bins: Sequence[IntArray]) -> FloatArray:
        """Return (tables, trees, leaves) how many records are in each leaf."""
        found = [_histograms(each, 1 << self.depth) for each in self._places(bins)]
        return np.stack(found, axis=1)

    def best(self, gini: Gini, real: FloatArray, made: FloatArray) -> FloatArray:
        return np.asarray(gini.leaf(made, real).sum(axis=2).max(axis=1))

    def entries(self) -> int:
        return self.trees << self.depth


MOST_AXES = 3
_Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Guillotine:
    """All partitions into boxes by cuts through a whole box, on two or three axes, or one.

    Attributes:
        axes: in whose order boxes are.
        price: of a leaf, in units of GI: records.

    Raises:
        Refusal: there are more axes than `MOST_AXES`.
    """

    axes: tuple[Axis, ...]
    price: int = 2

    def __post_init__(self) -> None:
        if len(self.axes) > MOST_AXES:
            raise Refusal(
                f"Guillotine partitions are searched for {MOST_AXES} columns at most, because "
                "every box of a grid is looked at.",
                "Choose trees of depth two, or random ones.",
                field="partitions",
            )

    @property
    def _shape(self) -> _Sizes:
        return tuple(each.bins for each in self.axes)

    def counts(self, bins: Sequence[IntArray]) -> FloatArray:
        """Return (tables, bins …) how many records are in each cell."""
        found = jointly(bins, self._shape)
        return found.reshape(-1, *self._shape)

    def best(self, gini: Gini, real: FloatArray, made: FloatArray) -> FloatArray:
        a, b = _corners(made), _corners(real)
        price = float(self.price << gini.bits)
        known: dict[_Sizes, FloatArray] = {}
        for sizes in product(*(range(1, each + 1) for each in self._shape)):
            found = gini.leaf(_boxes(a, sizes), _boxes(b, sizes)) - price
            for low, high in _halves(known, sizes):
                np.maximum(found, low + high, out=found)
            known[sizes] = found
        return known[self._shape].reshape(len(made))

    def entries(self) -> int:
        return int(np.prod([each * (each + 1) // 2 for each in self._shape]))


def _corners(cells: FloatArray) -> FloatArray:
    """Return sums of all cells before each corner of the grid."""
    axes = range(1, cells.ndim)
    found = np.pad(cells, [(0, 0), *((1, 0) for _ in axes)])
    for axis in axes:
        found = found.cumsum(axis=axis)
    return found


def _boxes(corners: FloatArray, sizes: _Sizes) -> FloatArray:
    """Return how many records are in each box of these sizes, by its lowest corner."""
    found = corners
    for axis, size in enumerate(sizes, 1):
        found = np.take(found, range(size, found.shape[axis]), axis=axis) - np.take(
            found, range(found.shape[axis] - size), axis=axis
        )
    return found


def _halves(
    known: dict[_Sizes, FloatArray], sizes: _Sizes
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the scores of both parts of every box of these sizes, for every cut."""
    for axis, size in enumerate(sizes):
        for cut in range(1, size):
            low = known[(*sizes[:axis], cut, *sizes[axis + 1 :])]
            high = known[(*sizes[:axis], size - cut, *sizes[axis + 1 :])]
            at = [slice(None)] * low.ndim
            at[axis + 1] = slice(0, low.shape[axis + 1] - (size - cut))
            after = list(at)
            after[axis + 1] = slice(cut, None)
            yield low[tuple(at)], high[tuple(after)]


@dataclass(frozen=True)
class Stump:
    """All partitions by one test.

    Attributes:
        axes: what may be tested.
        focus: the places of the axes that are.
    """

    axes: tuple[Axis, ...]
    focus: tuple[int, ...]

    def counts(self, bins: Sequence[IntArray]) -> FloatArray:
        """Return (tables, 1 + tests) how many records there are, and on the first side of each
        test."""
        found = [
            _histograms(bins[place], self.axes[place].bins) @ self.axes[place].tests.T
            for place in self.focus
        ]
        whole = np.full((len(found[0]), 1), float(bins[self.focus[0]].shape[1]))
        return np.concatenate([whole, *found], axis=1)

    def best(self, gini: Gini, real: FloatArray, made: FloatArray) -> FloatArray:
        a, b = made[:, 1:], real[:, 1:]
        both = gini.leaf(a, b) + gini.leaf(made[:, :1] - a, real[:, :1] - b)
        return np.asarray(both.max(axis=1))

    def entries(self) -> int:
        return sum(len(self.axes[place].tests) for place in self.focus)
