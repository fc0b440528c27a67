"""Several draws that tell of the same record, together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from understudy.mechanisms.imputation.curves.curve import Curve, Floats, epsilon_at
from understudy.privacy.accounting.loss_laws import Losses, together

FINEST = 1e-12
"""A smaller δ of several draws is not told from nothing."""

_UNTOLD = 1e-17
"""A loss that is passed with less than this δ counts as one without bound."""
_POINTS = 1000
_LONGEST = 1 << 14
_MOST = 1 << 18


@dataclass(frozen=True, eq=False)
class Composed:
    """The curve of several mechanisms together; for each of them both inputs are the worst it may
    see.

    Attributes:
        parts: the curve of each, and how many times it is used.
    """

    parts: tuple[tuple[Curve, int], ...]

    def forward(self, epsilons: Floats) -> Floats:
        """As `Curve`."""
        return _deltas(self._forth, epsilons)

    def backward(self, epsilons: Floats) -> Floats:
        """As `Curve`."""
        return _deltas(self._back, epsilons)

    @cached_property
    def largest(self) -> float:
        """The sum."""
        return math.fsum(times * curve.largest for curve, times in self.parts)

    def at_delta(self, delta: float) -> float:
        """As `Inverted`."""
        both = max(self._forth.epsilon(delta), self._back.epsilon(delta))
        return min(both, self.largest)

    @cached_property
    def _reaches(self) -> tuple[float, ...]:
        return tuple(min(epsilon_at(curve, _UNTOLD), 60.0) for curve, _ in self.parts)

    @cached_property
    def _step(self) -> float:
        """Fine for the smallest part, as far as there is room for the largest and the whole."""
        whole = math.sqrt(
            math.fsum(
                times * reach**2
                for (_, times), reach in zip(self.parts, self._reaches, strict=True)
            )
        )
        room = max(max(self._reaches) / _LONGEST, 4 * whole / _MOST)
        return max(min(self._reaches) / _POINTS, room)

    @property
    def _forth(self) -> Losses:
        return self._both[0]

    @property
    def _back(self) -> Losses:
        return self._both[1]

    @cached_property
    def _both(self) -> tuple[Losses, Losses]:
        laws = [
            Losses.both(curve, self._step, reach)
            for (curve, _), reach in zip(self.parts, self._reaches, strict=True)
        ]
        forth, back = (
            together(
                [law[way].times(times) for law, (_, times) in zip(laws, self.parts, strict=True)]
            )
            for way in (0, 1)
        )
        return forth, back


def _deltas(losses: Losses, epsilons: Floats) -> Floats:
    return np.array([losses.delta(float(each)) for each in np.atleast_1d(epsilons)])
