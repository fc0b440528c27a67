"""Two columns between bounds, as numbers from −1 to 1, and sums of them with noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray


@dataclass(frozen=True)
class Bounds:
    """Where the columns are truncated.

    Attributes:
        low, high: of each column.
    """

    low: tuple[float, float]
    high: tuple[float, float]

    @classmethod
    def about(cls, means: FloatArray, deviations: FloatArray, times: float) -> Bounds:
        """So many standard deviations either side."""
        low, high = means - times * deviations, means + times * deviations
        return cls((float(low[0]), float(low[1])), (float(high[0]), float(high[1])))

    @property
    def middle(self) -> FloatArray:
        """Of either column."""
        return np.asarray((np.array(self.low) + np.array(self.high)) / 2)

    @property
    def half(self) -> FloatArray:
        """Half the width of either."""
        return np.asarray((np.array(self.high) - np.array(self.low)) / 2)

    def inwards(self, table: FloatArray) -> FloatArray:
        """(n, 2) from −1 to 1, truncated."""
        return np.clip((table - self.middle) / self.half, -1, 1)

    def outwards(self, scaled: FloatArray) -> FloatArray:
        """(n, 2) numbers of the table."""
        return self.middle + scaled * self.half

    def line(self, intercept: float, slope: float) -> tuple[float, float]:
        """Intercept and slope between the columns, from those between scaled ones."""
        steep = slope * self.half[1] / self.half[0]
        return float(self.middle[1] + intercept * self.half[1] - steep * self.middle[0]), float(
            steep
        )


@dataclass(frozen=True)
class Sums:
    """Σx, Σx², Σy, Σy², Σxy of scaled columns.

    A record that is replaced moves them by up to 2, 1, 2, 1 and 2.

    Attributes:
        values: (5,) they, with or without noise.
        records: n.
    """

    values: FloatArray
    records: int

    @classmethod
    def of(cls, scaled: FloatArray) -> Sums:
        """Without noise."""
        x, y = scaled.T
        return cls(np.array([x.sum(), x @ x, y.sum(), y @ y, x @ y]), len(scaled))

    def plus(self, noise: FloatArray) -> Sums:
        """With noise."""
        return Sums(self.values + noise, self.records)

    def moments(self, least: float = 1e-4) -> tuple[FloatArray, FloatArray]:
        """(2,) means and (2, 2) covariances, the nearest that are positive definite."""
        x, xx, y, yy, xy = self.values / self.records
        covariance = np.array([[xx - x * x, xy - x * y], [xy - x * y, yy - y * y]])
        sizes, ways = np.linalg.eigh(covariance)
        return np.array([x, y]), (ways * np.maximum(sizes, least)) @ ways.T


SENSITIVITIES = (2.0, 1.0, 2.0, 1.0, 2.0)
