"""Tilts: what a network's whole records are weighted by, for a law no network alone can hold.

A record y has probability in proportion to network(y) · min(CAP, e^{Σ_t tilt_t(y)} / average): the
network proposes, and a proposal is accepted by its weight. Records are independent of one another,
so any number of them can be drawn, in any batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.views import Marginal, Rows
from engine.table.schema import Schema

Reals = npt.NDArray[np.float64]

CAP = 5.0
"""The largest weight, in multiples of the average: so many proposals a record, in all."""


@dataclass(frozen=True, eq=False)
class Tilt:
    """What multiplies the weight of a record, by the cell of a marginal that it is in.

    Attributes:
        marginal: the views.
        logs: (cells,) logarithms.
    """

    marginal: Marginal
    logs: Reals


@dataclass(frozen=True, eq=False)
class Tilts:
    """Every tilt of a model.

    Attributes:
        schema: whose buckets the marginals are seen through.
        each: the tilts.
        average: the logarithm of the average weight of the network's records.
    """

    schema: Schema
    each: tuple[Tilt, ...]
    average: float

    @classmethod
    def of(cls, rows: Rows, each: Sequence[Tilt]) -> Tilts:
        """Tilts whose average is taken over records that the network drew."""
        untold = cls(rows.schema, tuple(each), 0.0)
        logs = untold._logs(rows)
        return cls(rows.schema, tuple(each), float(np.logaddexp.reduce(logs) - np.log(len(logs))))

    def acceptance(self, columns: Sequence[npt.NDArray[np.uint16]]) -> Reals:
        """(n,) the probability with which each proposal is accepted, for columns of codes in
        schema order."""
        logs = self._logs(Rows(self.schema, columns)) - self.average
        accepted: Reals = np.exp(np.minimum(0.0, logs - np.log(CAP)))
        return accepted

    def _logs(self, rows: Rows) -> Reals:
        total = np.zeros(len(rows))
        for tilt in self.each:
            total += tilt.logs[rows.cell_numbers(tilt.marginal)]
        return total
