"""Exact confidence intervals from the known law of the noise, by asking of every value whether the
noise explains what was measured.

Were θ the true value, T(θ) = (1 − θ)·X − θ·Y would be (1 − θ)·Z₁ − θ·Z₂ and nothing else: X, Y the
noisy numbers of a share or a mean, Z₁, Z₂ their noise, whose law is known. For a distance it is
T(θ) = X − U·θ·Y = Z₁ − U·θ·Z₂ − r, 0 ≤ r < 1. A value belongs to the interval where |T(θ)| or more
has at least the probability that the interval may fail with (Fieller 1954, with this law instead of
the Gaussian one). Nothing is approximated except for scales above 200, where the law is
computed on a lattice a 200th of its scale wide (a 50,000th of its probability off at most).

The interval is about the records that were held out, and about these alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.acceptance.measurement import FINENESS, ends, most_moved, scales
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.core.arrays import FloatArray
from understudy.table.schema import Schema

_FAR: Final = 24.0
"""Less than 10⁻¹⁰ of the noise is further than so many scales from its middle."""
_WIDE: Final = 200.0
"""Noise of a larger scale is counted on a coarser lattice, as if it were continuous."""
_POINTS: Final = 17
"""How many values are tried at first for one within the interval."""
_HALVINGS: Final = 21
"""How often the search for an end is halved."""
_SAME: Final = 1e-9
"""Numbers that rounding alone sets so far apart are equal."""
_STEPS: Final = 10_000_000
"""Ends are rounded outwards to one of so many steps."""


@dataclass(frozen=True)
class NoisyInterval:
    """An estimate and its confidence interval.

    Attributes:
        estimate: the likeliest value.
        low, high: the ends.
    """

    estimate: float
    low: float
    high: float

    def within_bounds(self) -> NoisyInterval:
        """Return the same, between 0 and 1."""
        return NoisyInterval(self.estimate, max(0.0, self.low), min(1.0, self.high))

    def scale_to(self, minimum: float, maximum: float) -> NoisyInterval:
        """Return the same of a number between bounds, of which this is the place between them."""
        span = maximum - minimum
        return NoisyInterval(
            *(minimum + span * each for each in (self.estimate, self.low, self.high))
        )


def explain_noise(
    numbers: tuple[int, int],
    scales: tuple[float, float],
    confidence: float,
    *,
    distance: bool = False,
) -> NoisyInterval:
    """Return the values of θ, 0 to 1, that the noise explains.

    Args:
        numbers: X and Y.
        scales: of the noise on each.
        confidence: with what probability the true value is within.
        distance: whether they are those of a distance.
    """
    # A number below 0 can only be noise: 0 is nearer to the truth, whatever that is.
    first, second = (max(0, each) for each in numbers)
    asked = _Asked(first, second, scales, 1 - confidence, distance)
    guess = asked.guess
    places = np.linspace(0.0, 1.0, _POINTS).tolist()
    within = [guess, *(each for each in places if asked.explains(each))]
    low, high = min(within), max(within)
    below = max((each for each in places if each < low), default=None)
    above = min((each for each in places if each > high), default=None)
    low = low if below is None else asked.edge(low, below)
    high = high if above is None else asked.edge(high, above)
    # Outwards, so that processors that disagree in the last places of the law agree here.
    return NoisyInterval(
        guess, math.floor(low * _STEPS - _SAME) / _STEPS, math.ceil(high * _STEPS + _SAME) / _STEPS
    ).within_bounds()


def explains(
    value: float,
    numbers: tuple[int, int],
    scales: tuple[float, float],
    confidence: float,
    *,
    distance: bool = False,
) -> bool:
    """Return whether the noise explains what was measured, were this the true value; see
    `interval`."""
    first, second = (max(0, each) for each in numbers)
    return _Asked(first, second, scales, 1 - confidence, distance).explains(value)


@dataclass(frozen=True)
class _Asked:
    first: int
    second: int
    scales: tuple[float, float]
    failing: float
    distance: bool

    @property
    def guess(self) -> float:
        """The value at which T is 0; a half where nothing is known."""
        whole = FINENESS * self.second if self.distance else self.first + self.second
        return min(1.0, self.first / whole) if whole else 0.5

    def explains(self, value: float) -> bool:
        """Return whether the noise explains what was measured, were this the true value."""
        if self.distance:
            weights = 1.0, FINENESS * value
            away = self.first - weights[1] * self.second
            # What was rounded off lies between 0 and 1.
            away = max(0.0, abs(away + 0.5) - 0.5)
        else:
            weights = 1 - value, value
            away = abs(weights[0] * self.first - value * self.second)
        return beyond(away, weights, self.scales) >= self.failing

    def edge(self, inside: float, outside: float) -> float:
        """Return where the values that are explained end, or a little beyond."""
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.explains(middle) else (inside, middle)
        return outside


def beyond(away: float, weights: tuple[float, float], scales: tuple[float, float]) -> float:
    """Return Pr{|a·Z₁ − b·Z₂| ≥ away} for independent two-sided geometric noise of these scales."""
    if away <= 0:
        return 1.0
    wide = max(scales) / _WIDE
    if wide > 1:
        # Law and lattice are both coarser, and the law as good as continuous.
        weights = tuple(each * wide for each in weights)  # type: ignore[assignment]
        scales = tuple(max(each / wide, 1e-3) for each in scales)  # type: ignore[assignment]
    if weights[0] == 0 or (weights[1] != 0 and scales[0] < scales[1]):
        weights, scales = weights[::-1], scales[::-1]
    if weights[1] == 0:
        return float(2 * _tail(np.array([math.ceil(away / weights[0] - _SAME)]), scales[0])[0])
    far = math.ceil(_FAR * scales[1])
    others = np.arange(-far, far + 1)
    inner = -1 / scales[1]
    law = np.exp(inner * np.abs(others)) * (-math.expm1(inner) / (1 + math.exp(inner)))
    needed = np.ceil((away - weights[1] * others) / weights[0] - _SAME)
    # Both signs alike: the law of the others is the same from either side.
    return min(1.0, float(2 * (law @ _tail(needed, scales[0]))))


def _tail(least: npt.NDArray[np.floating | np.integer], scale: float) -> FloatArray:
    """Return Pr{Z ≥ least} of the noise."""
    places = np.asarray(least, dtype=np.float64)
    base = 1 + math.exp(-1 / scale)
    above = np.exp(-np.maximum(places, 0) / scale) / base
    below = 1 - np.exp(-np.maximum(1 - places, 0) / scale) / base
    return np.where(places >= 1, above, below)


# How wide the intervals of an acceptance test will be, from public numbers alone.

_HALF, _DISTANCE = 0.5, 0.1
"""The share, place between the bounds, and distance that are taken to be found."""


def widths(test: AcceptanceTest, schema: Schema, held_out: int) -> tuple[float, ...]:
    """About how far each statistic can be from its estimate, in the units of its limit.

    Args:
        test: what is asked.
        schema: the columns.
        held_out: how many records are held out, from the number that is publicly known.
    """
    of_each = zip(test.statistics, scales(test, schema), strict=True)
    return tuple(_width(each, scale, test, schema, held_out) for each, scale in of_each)


def _width(
    statistic: ShareOf | MeanOf | DistanceOf,
    scale: tuple[float, float],
    test: AcceptanceTest,
    schema: Schema,
    held_out: int,
) -> float:
    if isinstance(statistic, DistanceOf):
        numbers = round(FINENESS * _DISTANCE * held_out), held_out
        return _half(explain_noise(numbers, scale, test.confidence, distance=True))
    most = most_moved(statistic, schema) * held_out
    half = _half(explain_noise((round(_HALF * most), round(_HALF * most)), scale, test.confidence))
    if isinstance(statistic, ShareOf):
        return half
    low, high = ends(statistic, schema)
    return half * (high - low)


def _half(found: NoisyInterval) -> float:
    return (found.high - found.low) / 2
