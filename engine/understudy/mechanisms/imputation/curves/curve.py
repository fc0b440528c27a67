"""A privacy curve: δ(ε) of a mechanism between two inputs, both ways."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

Floats = npt.NDArray[np.float64]

ROUNDING = 1e-9
"""Every δ is raised by this share of it, which is more than double precision loses."""

LARGEST = 700.0
"""Above this ε, nothing is looked for."""


class Curve(Protocol):
    """The curve of a mechanism between two inputs."""

    def forward(self, epsilons: Floats) -> Floats:
        """δ at each ε, 0 or more, of the first input against the second."""
        ...

    def backward(self, epsilons: Floats) -> Floats:
        """δ at each ε, 0 or more, of the second input against the first."""
        ...

    @property
    def largest(self) -> float:
        """The ε from which on δ is 0; infinite where it never is."""
        ...


@runtime_checkable
class Inverted(Protocol):
    """A curve that knows its own inverse."""

    def at_delta(self, delta: float) -> float:
        """Return the smallest ε with at most this δ; infinite where there is none."""
        ...


def delta_at(curve: Curve, epsilon: float) -> float:
    """Return the larger of both δ at an ε, rounded up."""
    at = np.array([epsilon])
    found = max(float(curve.forward(at)[0]), float(curve.backward(at)[0]))
    return min(1.0, found * (1 + ROUNDING))


def epsilon_at(curve: Curve, delta: float) -> float:
    """Return the smallest ε with at most this δ, rounded up; infinite where there is none."""
    if delta <= 0:
        return curve.largest
    if isinstance(curve, Inverted):
        return curve.at_delta(delta)
    return solved(lambda epsilon: delta_at(curve, epsilon), delta, curve.largest)


def solved(delta_of: Callable[[float], float], delta: float, largest: float) -> float:
    """Return the ε at which a curve comes down to a δ, never too small by more than a relative
    1e-12.

    Args:
        delta_of: the curve, which falls.
        delta: above 0.
        largest: where it is 0 at the latest.
    """
    if delta_of(0.0) <= delta:
        return 0.0
    top = min(largest, LARGEST)
    high = min(1.0, top)
    while high < top and delta_of(high) > delta:
        high = min(2 * high, top)
    if delta_of(high) > delta:
        return largest
    target = math.log(delta)

    def over(epsilon: float) -> float:
        return math.log(max(delta_of(epsilon), 1e-320)) - target

    return min(largest, float(brentq(over, 0.0, high, xtol=1e-13, rtol=1e-13)) + 1e-12)


@dataclass(frozen=True)
class Amplified:
    """A mechanism that sees some of the records, drawn at random without replacement.

    δ'(ln(1 + γ(e^ε − 1))) = γ·δ(ε) between tables that differ by a record that is replaced (Balle,
    Barthe and Gaboardi 2018, Theorem 9, which sharpens Theorem 2.22 of the thesis).

    Attributes:
        whole: the curve for the records that it sees.
        share: γ, the share of all records that it sees.
    """

    whole: Curve
    share: float

    def forward(self, epsilons: Floats) -> Floats:
        """As `Curve`."""
        return self.share * self.whole.forward(np.log1p(np.expm1(epsilons) / self.share))

    def backward(self, epsilons: Floats) -> Floats:
        """As `Curve`."""
        return self.share * self.whole.backward(np.log1p(np.expm1(epsilons) / self.share))

    @property
    def largest(self) -> float:
        """As `Curve`."""
        whole = self.whole.largest
        if whole > LARGEST:
            return whole
        return math.log1p(self.share * math.expm1(whole))
