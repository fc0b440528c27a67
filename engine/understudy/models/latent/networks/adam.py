"""Adam (Kingma and Ba 2015), on all weights in a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray

_MEAN: Final = 0.9
_SQUARE: Final = 0.999
_TINY: Final = 1e-8


@dataclass(frozen=True, eq=False)
class Adam:
    """Weights on their way down.

    Attributes:
        weights: (p,) in units of one.
        mean: of slopes, decaying.
        square: of their squares.
        steps: how many were made.
    """

    weights: FloatArray
    mean: FloatArray
    square: FloatArray
    steps: int = 0

    @classmethod
    def at(cls, weights: FloatArray) -> Adam:
        """Before the first step."""
        return cls(weights, np.zeros_like(weights), np.zeros_like(weights))

    def after(self, slope: FloatArray, rate: float) -> Adam:
        """After one more step against (p,) a slope."""
        steps = self.steps + 1
        mean = _MEAN * self.mean + (1 - _MEAN) * slope
        square = _SQUARE * self.square + (1 - _SQUARE) * slope * slope
        pace = rate * (1 - _SQUARE**steps) ** 0.5 / (1 - _MEAN**steps)
        return Adam(self.weights - pace * mean / (np.sqrt(square) + _TINY), mean, square, steps)
