"""Models as published: fitted to records without noise, which promises nothing.

Here for comparison alone; nothing that can be released is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray

NO_GUARANTEE = "No guarantee: fitted to the records themselves, without noise, as published."


class Reconstructing(Protocol):
    """A model that encodes a record into a few numbers, and makes chances of flags of them."""

    def reconstructed(self, flags: BoolArray) -> FloatArray:
        """(n, m) the chance of each flag, decoded from the code of each of (n, m) records; it may
        leave [0, 1]."""

    def seedless(self, count: int, random: np.random.Generator) -> FloatArray:
        """(count, m) the same of codes that are drawn from the model's own law."""


@dataclass(frozen=True, eq=False)
class Principal:
    """Principal components.

    Attributes:
        mean: (m,) of the flags.
        directions: (m, w) those in which the flags vary most, of length 1.
        variances: (w,) along each.
    """

    mean: FloatArray
    directions: FloatArray
    variances: FloatArray

    @classmethod
    def fitted(cls, flags: BoolArray, width: int) -> Principal:
        """Return the components of these (n, m) records."""
        found = flags.astype(np.float32)
        mean = flags.mean(axis=0)
        covariance = (found.T @ found).astype(np.float64) / len(flags) - np.outer(mean, mean)
        values, vectors = np.linalg.eigh(covariance)
        return cls(mean, vectors[:, ::-1][:, :width], np.maximum(values[::-1][:width], 0.0))

    def reconstructed(self, flags: BoolArray) -> FloatArray:
        """(n, m) the projection of each record."""
        found: FloatArray = (flags - self.mean) @ self.directions @ self.directions.T + self.mean
        return found

    def seedless(self, count: int, random: np.random.Generator) -> FloatArray:
        """(count, m) of normal codes with the variances of the components."""
        codes = random.standard_normal((count, len(self.variances))) * np.sqrt(self.variances)
        found: FloatArray = codes @ self.directions.T + self.mean
        return found
