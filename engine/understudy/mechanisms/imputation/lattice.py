"""Means and rows of a Gaussian model, drawn as whole numbers of a fine public lattice.

The sum of whole steps over the records is a whole number, and so is the mean of the posterior in
units of 1/(2·(qn + P)·F) steps, where the prior counts for P/q records. Noise is discrete Gaussian
in these units (OpenDP, in exact integer arithmetic), F being such that every deviation is at least
2^30 of them. Only then is a number rounded to the steps of its column, which tells nothing more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.accounting import FINE
from understudy.mechanisms.imputation.parts import Mean
from understudy.privacy.noise import Noise

_MOST = 1 << 60
_FAR = 40.0
"""So many deviations from its centre nothing is drawn, except for a chance below e^{−800}."""


@dataclass(frozen=True)
class ColumnLattice:
    """The lattice of a column, around the middle of its bounds.

    Attributes:
        part: the column and its model.
        per_step: U, units in one step of the column.
        per_sum: by how many units the centre moves where twice the sum moves by one.
    """

    part: Mean
    per_step: int
    per_sum: int

    @classmethod
    def of(cls, part: Mean) -> ColumnLattice:
        """Return the lattice of a part.

        Raises:
            Refusal: the numbers would not fit 64 bits.
        """
        ones, prior = part.prior.denominator, part.prior.numerator
        base = 2 * (ones * part.records + prior)
        finer = 1
        while part.model.deviation * base * finer < FINE and base * finer < _MOST:
            finer *= 2
        made = cls(part, base * finer, ones * finer)
        if part.steps * made.per_step + _FAR * (made.row + made.mean) >= _MOST:
            raise Refusal(
                "The values of a column are too many for its deviation and the number of records.",
                "Give it a coarser step, or a prior with fewer decimals.",
                field="deviations",
            )
        return made

    @property
    def mean(self) -> float:
        """The deviation of a draw of the mean, in units."""
        return self.part.model.deviation * self.per_step

    @property
    def row(self) -> float:
        """The deviation of a row around its mean, in units."""
        return self.part.deviation * self.per_step

    @property
    def own_row(self) -> float:
        """The deviation of a row from a draw of its own, in units."""
        return math.hypot(self.row, self.mean)

    def centre(self, total: int) -> int:
        """Return the mean of the posterior, from the sum of the places of all records.
        Confidential."""
        return self.per_sum * (2 * total - self.part.records * self.part.steps)

    def around(
        self, centres: IntArray, scale: float, noise: Noise, *, conditioned: bool
    ) -> IntArray:
        """Return numbers around each centre, where asked again and again until within the
        bounds."""
        found = noise.gaussians(centres, scale)
        while conditioned:
            outside = np.flatnonzero(2 * np.abs(found) > self.part.steps * self.per_step)
            if not outside.size:
                break
            found[outside] = noise.gaussians(centres[outside], scale)
        return found

    def places(self, numbers: IntArray) -> IntArray:
        """Return the nearest place of each number in its column, a half going up; the nearest bound
        for those beyond."""
        doubled = 2 * self.per_step
        found = (2 * numbers + self.per_step * (self.part.steps + 1)) // doubled
        return np.asarray(np.clip(found, 0, self.part.steps))

    def value(self, number: int) -> float:
        """Return a number in the unit of the column."""
        steps = number / self.per_step + self.part.steps / 2
        return float(self.part.minimum) + steps * float(self.part.step)
