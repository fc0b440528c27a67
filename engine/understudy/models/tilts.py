"""Tilts: log-linear weights on whole records of a network, accepted by rejection sampling.

A record y has probability in proportion to network(y) · min(cap, e^{Σ_t tilt_t(y)} / average): the
network proposes, and a proposal is accepted with a probability in proportion to its weight. The
lower the cap, the fewer proposals are needed, and the less the acceptances vary. Any number of
records can be drawn so, in any batches. The acceptances of one batch are not independent: sampling
is systematic over similar proposals, so that frequencies vary less around the model's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.models.categorical import free_bits, sort_with_places
from understudy.models.count_tables import MOST_CELLS, cell_map, joint_tables
from understudy.models.views import Marginal, Rows, cells
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

CAP = 5.0
"""The largest cap, in multiples of the average weight: the most proposals per record."""
LOST = 1e-3
"""The share of all weight that a lower cap may cut off."""


@dataclass(frozen=True, eq=False)
class Tilt:
    """A factor on the weight of a record by its cell in a marginal.

    Attributes:
        marginal: the views.
        logs: (cells,) the logarithms of the factors.
    """

    marginal: Marginal
    logs: FloatArray


@dataclass(frozen=True, eq=False)
class Tilts:
    """Every tilt of a model.

    Attributes:
        schema: whose buckets the marginals are seen through.
        each: the tilts.
        average: the logarithm of the divisor that makes the capped weights of the network's
            records 1 on average.
        cap: the largest weight, in multiples of the average.
    """

    schema: Schema
    each: tuple[Tilt, ...]
    average: float
    cap: float = CAP

    @classmethod
    def of(cls, rows: Rows, each: Sequence[Tilt]) -> Tilts:
        """Return tilts with average and cap computed from records that the network drew."""
        logs = cls(rows.schema, tuple(each), 0.0)._logs(rows)
        cap = _least_cap(logs)
        return cls(rows.schema, tuple(each), _capped_average(logs, cap), cap)

    def acceptance(self, columns: Sequence[CodeArray]) -> FloatArray:
        """Return (n,) the probability with which each proposal is accepted, for columns of codes in
        schema order."""
        logs = self._logs(Rows(self.schema, columns)) - self.average
        accepted: FloatArray = np.exp(np.minimum(0.0, logs - np.log(self.cap)))
        return accepted

    def effective(self, columns: Sequence[CodeArray]) -> float:
        """Return the effective sample size of these weighted records, as a share of them:
        (Σw)²/(n·Σw²)."""
        weights = self.acceptance(columns)
        return float(weights.sum() ** 2 / (weights**2).sum() / len(weights))

    def accept(
        self,
        columns: Sequence[CodeArray],
        order: Sequence[int],
        source: RandomSource,
    ) -> IntArray:
        """Return the indices of the accepted proposals, in random order.

        Systematic sampling (Madow 1949): along proposals sorted in dependency order one is
        accepted wherever the sum of their probabilities passes U, U + 1, U + 2, …, with one U
        uniform on (0, 1). Each is accepted with exactly its own probability.
        """
        _, alike = sort_with_places(_ranks(self.schema, columns, order))
        passed = np.cumsum(self.acceptance(columns)[alike]) + (1 - source.uniforms(1))
        chosen = alike[np.flatnonzero(np.diff(np.floor(passed), prepend=0.0) > 0)]
        return chosen[np.argsort(source.words(len(chosen)))]

    def _logs(self, rows: Rows) -> FloatArray:
        total = np.zeros(len(rows))
        for tilt in self._together:
            total += np.take(tilt.logs, rows.cell_numbers(tilt.marginal), mode="clip")
        return total

    @cached_property
    def _together(self) -> tuple[Tilt, ...]:
        """The same tilts, those within one joint table added up in its cells."""
        found = []
        for cover in joint_tables(self.schema, [each.marginal for each in self.each], MOST_CELLS):
            logs = np.zeros(cells(self.schema, cover.views))
            for place in cover.places:
                tilt = self.each[place]
                logs += tilt.logs[cell_map(self.schema, cover.views, tilt.marginal)]
            found.append(Tilt(cover.views, logs))
        return tuple(found)


def _least_cap(logs: FloatArray) -> float:
    """Return the least cap that loses no more than `LOST` of the weight, in multiples of its
    average; between 1 and `CAP`."""
    weights = np.sort(np.exp(logs - logs.max()))[::-1] / np.exp(logs - logs.max()).mean()
    # For each weight as the cap, what the larger weights exceed it by in sum.
    over = np.cumsum(weights) - weights * np.arange(1, len(weights) + 1)
    last = int(np.searchsorted(over, LOST * len(weights), side="right")) - 1
    return float(np.clip(weights[last], 1.0, CAP))


def _capped_average(logs: FloatArray, cap: float) -> float:
    """Return the a with an average of min(cap, e^{log − a}) of 1."""

    def over(average: float) -> float:
        return float(np.minimum(cap, np.exp(np.minimum(logs - average, 700.0))).mean()) - 1

    low, high = float(logs.min()) - 1, float(logs.max()) + 1
    return float(brentq(over, low, high, xtol=1e-9))


def _ranks(schema: Schema, columns: Sequence[CodeArray], order: Sequence[int]) -> IntArray:
    """Return (n,) numbers that sort records by as many attributes, first in order, as can be
    sorted."""
    count = len(columns[0])
    ranks, room = np.zeros(count, dtype=np.int64), 1 << free_bits(count)
    for attribute in order:
        size = schema.columns[attribute].cardinality
        room //= size
        if not room:
            break
        ranks *= size
        ranks += columns[attribute]
    return ranks
