"""Curves of (ε, δ): the curve itself, of Gaussian noise, and of several releases together.

Values lie in an interval of half-width R, and the mean of the posterior moves by at most D = w·2R/n
with one record, w = n/(n + σ²/σ0²). Every release is then a Gaussian mechanism with shift/deviation

    a draw of the mean        (2R/σ) / √(n + σ²/σ0²)
    M draws, s rows of each   √M·D / √(σ_μ² + σ²/s),        σ_μ² = σ²/(n + σ²/σ0²)
    rows from the mode        √m·D / σ

(Dong, Roth and Su 2022; Balle and Wang 2018 for the curve.) What is drawn are whole numbers of a
fine lattice; `Lattice slack` in docs/imputation.md bounds what that changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtri_exp

from understudy.core.arrays import FloatArray
from understudy.privacy.accounting.loss_laws import LossLaw, add_losses

ROUNDING = 1e-9
"""Every δ is raised by this share of it, which is more than double precision loses."""

LARGEST = 700.0
"""Above this ε, nothing is looked for."""


class Curve(Protocol):
    """The curve of a mechanism between two inputs."""

    def forward(self, epsilons: FloatArray) -> FloatArray:
        """Return δ at each ε, 0 or more, of the first input against the second."""
        ...

    def backward(self, epsilons: FloatArray) -> FloatArray:
        """Return δ at each ε, 0 or more, of the second input against the first."""
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
    return solve_epsilon(lambda epsilon: delta_at(curve, epsilon), delta, curve.largest)


def solve_epsilon(delta_of: Callable[[float], float], delta: float, largest: float) -> float:
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

    def forward(self, epsilons: FloatArray) -> FloatArray:
        return self.share * self.whole.forward(np.log1p(np.expm1(epsilons) / self.share))

    def backward(self, epsilons: FloatArray) -> FloatArray:
        return self.share * self.whole.backward(np.log1p(np.expm1(epsilons) / self.share))

    @property
    def largest(self) -> float:
        """As `Curve`."""
        whole = self.whole.largest
        if whole > LARGEST:
            return whole
        return math.log1p(self.share * math.expm1(whole))


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

    def forward(self, epsilons: FloatArray) -> FloatArray:
        return _deltas(self._forth, epsilons)

    def backward(self, epsilons: FloatArray) -> FloatArray:
        return _deltas(self._back, epsilons)

    @cached_property
    def largest(self) -> float:
        """The sum."""
        return math.fsum(times * curve.largest for curve, times in self.parts)

    def at_delta(self, delta: float) -> float:
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
    def _forth(self) -> LossLaw:
        return self._both[0]

    @property
    def _back(self) -> LossLaw:
        return self._both[1]

    @cached_property
    def _both(self) -> tuple[LossLaw, LossLaw]:
        laws = [
            LossLaw.both(curve, self._step, reach)
            for (curve, _), reach in zip(self.parts, self._reaches, strict=True)
        ]
        forth, back = (
            add_losses(
                [law[way].times(times) for law, (_, times) in zip(laws, self.parts, strict=True)]
            )
            for way in (0, 1)
        )
        return forth, back


def _deltas(losses: LossLaw, epsilons: FloatArray) -> FloatArray:
    return np.array([losses.delta(float(each)) for each in np.atleast_1d(epsilons)])


@dataclass(frozen=True)
class GaussianCurve:
    """The curve of a Gaussian mechanism.

    Attributes:
        ratio: μ, the shift in deviations.
        lattice: the deviation in steps of the lattice that numbers are drawn on; infinite for
            numbers without one. At least 1000.
    """

    ratio: float
    lattice: float = math.inf

    def forward(self, epsilons: FloatArray) -> FloatArray:
        """Return Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2), and what the lattice may add."""
        if self.ratio == 0:
            return np.zeros_like(epsilons)
        far = epsilons / self.ratio
        more, less = log_ndtr(-far + self.ratio / 2), log_ndtr(-far - self.ratio / 2)
        found = np.exp(more) * -np.expm1(np.minimum(epsilons + less - more, 0.0))
        if math.isinf(self.lattice):
            return np.asarray(found)
        # The most that the sum over a lattice of a function that rises once and falls once can be
        # above its integral is its largest value: here of φ(x)·(1 − e^{−μ(x−t)}) from t on.
        start = np.maximum(far - self.ratio / 2, 0.0)
        highest = np.minimum(1.0, self.ratio / np.maximum(math.e * start, 1e-300))
        top = np.exp(-(start**2) / 2) / math.sqrt(2 * math.pi)
        return np.asarray((found + top * highest / self.lattice) * (1 + 2 / self.lattice))

    def backward(self, epsilons: FloatArray) -> FloatArray:
        """Return the same."""
        return self.forward(epsilons)

    @property
    def largest(self) -> float:
        """Never."""
        return math.inf if self.ratio else 0.0


@dataclass(frozen=True)
class Gaussian:
    """A Gaussian model.

    Attributes:
        radius: R, half of the width of the interval that values lie in.
        sigma: σ, public.
        prior: σ²/σ0², how many records the prior counts for.
        records: n.
    """

    radius: float
    sigma: float
    prior: float
    records: int

    @property
    def weight(self) -> float:
        """w, what the mean of the records weighs in that of the posterior."""
        return self.records / (self.records + self.prior)

    @property
    def shift(self) -> float:
        """D, the most that one record moves the mean of the posterior by."""
        return 2 * self.radius / (self.records + self.prior)

    @property
    def deviation(self) -> float:
        """σ_μ, of the mean in the posterior."""
        return self.sigma / math.sqrt(self.records + self.prior)

    def compute_mu(self, times: int, rows: float) -> float:
        """Return μ of so many draws of the mean with so many rows of each; infinitely many for the
        mean itself."""
        noise = math.hypot(self.deviation, self.sigma / math.sqrt(rows))
        return math.sqrt(times) * self.shift / noise

    def from_mode(self, rows: int) -> float:
        """Return μ of rows drawn from the mode."""
        return math.sqrt(rows) * self.shift / self.sigma

    def conditioned_mean(self) -> float:
        """Return ε of a draw of the mean that is drawn again until it lies in the interval."""
        return _bound_log_ratio(self, self.deviation)

    def conditioned_row(self, *, mode: bool) -> float:
        """Return ε of a row that is drawn again until it lies in the interval, from the mode or
        from a draw of its own."""
        return _bound_log_ratio(
            self, self.sigma if mode else math.hypot(self.sigma, self.deviation)
        )


def _bound_log_ratio(model: Gaussian, deviation: float) -> float:
    """Return the largest log-ratio of two Gaussians of this deviation, conditioned to the interval.

    With the natural parameter η = centre/deviation², the ratio at z is Δη·z less the difference of
    the normalisers, and so at most Δη·(R − E z) for some η between: largest at z = R where E z is
    least, which is for the lowest centres, as E z rises with η. So the two lowest centres and z = R
    are the worst, and their mirror image.
    """
    low = -model.weight * model.radius / deviation
    high = low + model.shift / deviation
    end = model.radius / deviation
    ratio = (high - low) * (end - (high + low) / 2)
    return ratio + _log_inside(low, end) - _log_inside(high, end)


def _log_inside(centre: float, end: float) -> float:
    """Return ln of the chance that a Gaussian of deviation 1 lies within ±`end`; the centre is 0 or
    less in most uses."""
    above, below = float(log_ndtr(end - centre)), float(log_ndtr(-end - centre))
    if centre > 0:
        above, below = float(log_ndtr(end + centre)), float(log_ndtr(-end + centre))
    return above + math.log(-math.expm1(below - above))


def largest_ratio(epsilon: float, delta: float) -> float:
    """Return the largest μ of a Gaussian mechanism that is (ε, δ)-differentially private."""

    def over(log_ratio: float) -> float:
        found = float(GaussianCurve(math.exp(log_ratio)).forward(np.array([epsilon]))[0])
        return math.log(max(found, 1e-320)) - math.log(delta)

    far = -float(ndtri_exp(math.log(delta)))
    high = 2 * (far + math.sqrt(far * far + 2 * epsilon)) + 10
    return math.exp(float(brentq(over, math.log(1e-12), math.log(high), xtol=1e-14)))
