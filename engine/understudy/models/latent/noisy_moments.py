"""Noisy second moments of flags and numbers, read as shares, means and covariances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.latent.standardised import S

_LEAST_VARIANCE = 1e-6
"""Of a number put between −1 and 1, which noise may leave below that."""


@dataclass(frozen=True, eq=False)
class NoisyMoments:
    """What noisy sums of products tell; a flag is 0 or 1, a number between −1 and 1.

    Attributes:
        flags: f, how many of the columns are flags; they come first.
        records: how many records there are, by the noisy sums; at least 1.
        mean: (m,) of each column; of a flag its share, strictly between 0 and 1.
        covariance: (m, m) of each pair of columns, as it was measured.
        noise: the standard deviation of the noise on each sum, in records.
    """

    flags: int
    records: float
    mean: FloatArray
    covariance: FloatArray
    noise: float

    @classmethod
    def of(cls, sums: IntArray, flags: int, deviation: float) -> NoisyMoments:
        """Return the moments that sums tell.

        Args:
            sums: as of `second_moments.measure`, in units of S².
            flags: how many columns are flags.
            deviation: of the noise on each sum, in the same units.
        """
        many = int(np.sqrt(2 * len(sums)))
        square = np.zeros((many, many))
        square[np.triu_indices(many)] = sums / float(S**2)
        square = square + np.triu(square, 1).T
        records = max(1.0, float(square[0, 0]))
        mean = square[0, 1:] / records
        # The square of a flag is the flag: it was counted twice, with noise of its own each time.
        twice = np.diagonal(square)[1 : flags + 1] / records
        mean[:flags] = (mean[:flags] + twice) / 2
        least = min(0.5, 0.5 / records)
        mean[:flags] = np.clip(mean[:flags], least, 1 - least)
        mean[flags:] = np.clip(mean[flags:], -1.0, 1.0)
        covariance = square[1:, 1:] / records - np.outer(mean, mean)
        return cls(flags, records, mean, covariance, deviation / S**2)

    @property
    def shares(self) -> FloatArray:
        """(f,) of each flag."""
        return self.mean[: self.flags]

    @property
    def variances(self) -> FloatArray:
        """(m,) of each column; that of a flag follows from its share."""
        found = np.clip(np.diagonal(self.covariance), _LEAST_VARIANCE, 1.0)
        found[: self.flags] = self.shares * (1 - self.shares)
        return found

    @property
    def deviations(self) -> FloatArray:
        """(m, m) how far a covariance may be off by noise and by sampling, as a standard
        deviation, if the columns are independent."""
        by_noise = self.noise / self.records
        means = 1 + self.mean[:, None] ** 2 + self.mean[None, :] ** 2
        by_chance = np.outer(self.variances, self.variances) / self.records
        return np.asarray(np.sqrt(by_noise**2 * means + by_chance))
