"""A model as many weighted records drawn from it, which are calibrated to noisy tables.

Each table pulls at the weights until what it counts agrees with what was measured, as far as the
noise of that table lets it. The weights go towards the least of

    τ·KL(weighted counts ‖ drawn counts) + Σ_t ‖measured_t − weighted_t‖² / (2·σ_t²)

a Gaussian likelihood of everything that was measured, held together by the model the records were
drawn from. Its dual has one unknown a cell, log weights that add up over the tables, and is
climbed a table at a time: raking, damped by each table's own noise. Records that are drawn here
are made up, and no confidential record is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.models.calibrated.measured import Measured
from engine.models.views import Marginal, Rows, sums

Reals = npt.NDArray[np.float64]

TRUST_IN_MODEL = 0.01
"""τ: what the drawn records weigh in the fit, as a share of as many real ones."""
SWEEPS = 6
"""How many times each table has its turn."""
_STEPS = 12
_LONGEST_STEP = 1.0


@dataclass(eq=False)
class Particles:
    """Drawn records and their weights, which sum to the number of records they stand for.

    Attributes:
        rows: the records.
        weights: (n,) theirs.
        tilts: of each table calibrated to, (cells,) the logarithm of what it multiplied the
            weight of the records in a cell by.
    """

    rows: Rows
    weights: Reals
    tilts: list[tuple[Marginal, Reals]] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Rows, records: float) -> Particles:
        """Equal weights, which stand for so many records."""
        return cls(rows, np.full(len(rows), records / len(rows)))

    def counts(self, marginal: Marginal) -> Reals:
        """(cells,) the weighted counts."""
        return self.rows.weighted(marginal, self.weights)

    @property
    def effective(self) -> float:
        """How many equally weighted records would be as good, as a share of them."""
        squares = float((self.weights**2).sum())
        return float(self.weights.sum()) ** 2 / squares / len(self.weights)

    def calibrate(self, tables: Sequence[Measured], sweeps: int = SWEEPS) -> None:
        """Calibrate the weights, which must be equal, to all of the tables."""
        self.tilts = [(each.marginal, np.zeros(len(each.counts))) for each in tables]
        numbers = [self.rows.cell_numbers(each.marginal) for each in tables]
        whole = self.weights.sum()
        factors = np.empty_like(self.weights)
        for _ in range(sweeps):
            for table, number, (_, tilt) in zip(tables, numbers, self.tilts, strict=True):
                now = sums(number, self.weights, len(tilt))
                step = _step(now, table, tilt)
                tilt += step
                # All numbers are in range, and “clip” spares a look at each.
                np.take(np.exp(step), number, out=factors, mode="clip")
                self.weights *= factors
        self.weights *= whole / self.weights.sum()


def _step(now: Reals, table: Measured, tilt: Reals) -> Reals:
    """What to add to the tilts of one table: the root d of now·e^d + τσ²·(tilt + d) = measured,
    cell by cell, by Newton's method; 0 where no drawn record is in the cell."""
    damping = TRUST_IN_MODEL * max(table.deviation, 1.0) ** 2
    step = np.zeros_like(now)
    for _ in range(_STEPS):
        grown = now * np.exp(step)
        apart = grown + damping * (tilt + step) - table.counts
        step -= np.clip(apart / (grown + damping), -_LONGEST_STEP, _LONGEST_STEP)
    return np.where(now > 0, step, 0.0)
