"""The mean over pairs of columns of the partition that crosses all bins of both.

Nothing is searched for: each partition is fixed, so each score moves by Δ at most where one record
is replaced, and so does their mean. Where a model cannot describe one column, the best partition of
a class says that of every candidate and little else; a mean still says what is off elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from understudy.mechanisms.pmse.gini import Counts, Gini
from understudy.mechanisms.pmse.partitions.axes import Axis, Bins, jointly


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

    def counts(self, bins: Sequence[Bins]) -> Counts:
        """(tables, cells) how many records are in each cell, pair after pair."""
        found = [
            jointly([bins[each] for each in pair], [self.axes[each].bins for each in pair])
            for pair in self.pairs
        ]
        tables = max(len(each) for each in found)
        whole = [np.broadcast_to(each, (tables, each.shape[1])) for each in found]
        return np.concatenate(whole, axis=1)

    def best(self, gini: Gini, real: Counts, made: Counts) -> Counts:
        """As `Partitions`: the mean, rounded down."""
        # ⌊x⌋ − ⌊y⌋ ≤ ⌈x − y⌉ ≤ Δ, as Δ is whole.
        return np.asarray(np.floor(gini.leaf(made, real).sum(axis=1) / len(self.pairs)))

    def entries(self) -> int:
        """As `Partitions`."""
        return sum(int(np.prod([self.axes[each].bins for each in pair])) for pair in self.pairs)
