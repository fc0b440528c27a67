"""Columns as a model sees them: numbers on a line from 0 to 1, between public bounds.

A number stands on the line by its place between its bounds, or by the logarithm of its distance
from the lower one where the plan says so: y = ln(1 + BEND·x)/ln(1 + BEND), x being the place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.table.column import Column
from understudy.table.domain import range_of

BEND: Final = 99.0
Reals = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Line:
    """The numbers of a column.

    Attributes:
        places: how many numbers there are.
        per_code: how many of them stand for one code; the last code may have others.
        codes: how many codes there are.
        bent: whether a number stands by its logarithm.
    """

    places: int
    per_code: int
    codes: int
    bent: bool = False

    @classmethod
    def of(cls, column: Column, *, bent: bool) -> Line:
        """Return that of a column whose values are numbers."""
        lattice = range_of(column.domain).lattice
        return cls(lattice.count, lattice.per_cell, lattice.cells, bent)

    def places_of(self, y: Reals) -> Whole:
        """Return the number nearest to each point of the line, as its place."""
        found = self._along(y) * self.places
        return np.minimum(found.astype(np.int64), self.places - 1)

    def codes_of(self, y: Reals) -> Whole:
        """Return the code of that number."""
        found = self._along(y)
        found *= self.places / self.per_code
        return np.minimum(found.astype(np.int64), self.codes - 1)

    def middles(self) -> Reals:
        """(codes,) the point in the middle of each code."""
        x = (np.arange(self.codes) + 0.5) * self.per_code / self.places
        x = np.minimum(x, 1.0)
        return np.log1p(BEND * x) / math.log1p(BEND) if self.bent else x

    def along(self, place: float) -> float:
        """Return where a number stands, by its place, which may lie between two."""
        x = min((place + 0.5) / self.places, 1.0)
        return math.log1p(BEND * x) / math.log1p(BEND) if self.bent else x

    def _along(self, y: Reals) -> Reals:
        """Return where points of the line stand between the bounds."""
        return np.expm1(y * math.log1p(BEND)) / BEND if self.bent else y.copy()


def mirrored(y: Reals) -> Reals:
    """Points beyond 0 and 1 mirrored back between them, as often as it takes."""
    folded = np.abs(y)
    if folded.size and folded.max() > 1:
        folded = np.mod(folded, 2.0)
        folded = 1.0 - np.abs(1.0 - folded)
    return folded
