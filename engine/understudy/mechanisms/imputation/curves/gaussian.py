"""Curves of everything drawn from a Gaussian model with a public variance.

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
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtri_exp

from understudy.mechanisms.imputation.curves.curve import Floats


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

    def forward(self, epsilons: Floats) -> Floats:
        """Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2), and what the lattice may add."""
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

    def backward(self, epsilons: Floats) -> Floats:
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

    def drawn(self, times: int, rows: float) -> float:
        """μ of so many draws of the mean with so many rows of each; infinitely many for the mean
        itself."""
        noise = math.hypot(self.deviation, self.sigma / math.sqrt(rows))
        return math.sqrt(times) * self.shift / noise

    def from_mode(self, rows: int) -> float:
        """μ of rows drawn from the mode."""
        return math.sqrt(rows) * self.shift / self.sigma

    def conditioned_mean(self) -> float:
        """ε of a draw of the mean that is drawn again until it lies in the interval."""
        return _conditioned(self, self.deviation)

    def conditioned_row(self, *, mode: bool) -> float:
        """ε of a row that is drawn again until it lies in the interval, from the mode or from a
        draw of its own."""
        return _conditioned(self, self.sigma if mode else math.hypot(self.sigma, self.deviation))


def _conditioned(model: Gaussian, deviation: float) -> float:
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
    """ln of the chance that a Gaussian of deviation 1 lies within ±`end`; the centre is 0 or less
    in most uses."""
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
