"""The best tree of depth two, over every test at its root and on either side.

Trees are those whose root, or whose two other tests, are of an axis in focus: all trees, where
every axis is. What decides is in tables of pairs of tests: how many records pass both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from understudy.mechanisms.pmse.gini import Counts, Gini
from understudy.mechanisms.pmse.partitions.axes import Axis, Bins, histograms


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

    def counts(self, bins: Sequence[Bins]) -> Counts:
        """(tables, 1 + tests, 1 + tests in focus) how many records pass both; the first of either
        passes every record."""
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

    def _alone(self, bins: Sequence[Bins], place: int, tables: int) -> Counts:
        axis = self.axes[place]
        found = histograms(bins[place], axis.bins) @ axis.tests.T
        return np.broadcast_to(found, (tables, found.shape[1]))

    def _pair(self, bins: Sequence[Bins], row: int, column: int) -> Counts:
        first, second = self.axes[row], self.axes[column]
        flat = bins[row] * second.bins + bins[column]
        cells = histograms(flat, first.bins * second.bins).reshape(-1, first.bins, second.bins)
        return np.asarray(first.tests @ cells @ second.tests.T)

    def best(self, gini: Gini, real: Counts, made: Counts) -> Counts:
        """As `Partitions`."""
        first = _leaves(gini, real, made, (slice(1, None), slice(1, None)))
        found = _best(first, 2)
        if self._focused < self._tests:
            found = np.maximum(found, _best(first, 1, swapped=True))
        return found

    def entries(self) -> int:
        """As `Partitions`."""
        return 4 * self._tests * self._focused


_Leaves = tuple[Counts, Counts, Counts, Counts]


def _leaves(gini: Gini, real: Counts, made: Counts, at: tuple[slice, slice]) -> _Leaves:
    """Return the scores of the four leaves of each pair of tests: of both, of the first alone, of
    the second alone, of neither."""

    def four(table: Counts) -> _Leaves:
        both = table[:, *at]
        first = table[:, at[0], :1] - both
        second = table[:, :1, at[1]] - both
        return both, first, second, table[:, :1, :1] - table[:, at[0], :1] - second

    pairs = zip(four(made), four(real), strict=True)
    one, two, three, four_ = (gini.leaf(a, b) for a, b in pairs)
    return one, two, three, four_


def _best(leaves: _Leaves, axis: int, *, swapped: bool = False) -> Counts:
    """(tables,) the best score with roots along one axis, and the other tests along the other."""
    both, first, second, neither = leaves
    one, other = (first, second) if not swapped else (second, first)
    within = (both + one).max(axis=axis)
    without = (other + neither).max(axis=axis)
    return np.asarray((within + without).max(axis=1))
