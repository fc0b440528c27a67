"""The law of weighted sums of independent noise, as the noise of a release was drawn.

Noise is two-sided geometric or discrete Gaussian, its scale is published, and every cell has its
own. A statistic of noisy tables errs by Σ w·Z over cells, whose law is known: its characteristic
function is the product of those of the cells, and is inverted (Gil-Pelaez 1951, exactly on the
lattice if all weights are of one size). A sum of a few coarse steps that lies on no lattice is
smoothed a little, and its ends are moved outwards for that. If the sum is of so many cells that its
excess kurtosis is below `_AS_NORMAL`, the first term of Edgeworth's series stands for the law,
which changes the probability of a 95 % interval by less than a thousandth.

Sampling adds to the noise what is taken to be normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, TypeVar

import numpy as np
from scipy import special

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.noisy_tables import Law
from understudy.privacy.noise import gaussian_deviation, laplace_deviation

_AS_NORMAL: Final = 0.3
"""The excess kurtosis below which the normal law and one term of Edgeworth's series are taken."""
_NEGLIGIBLE: Final = 1e-5
"""Terms of a sum that add less excess kurtosis than this, together, are taken as normal when it is
inverted, which changes a probability by less than one in 100,000."""
_SMOOTH: Final = 100
"""How many times the square of its largest weight a sum's variance is, if it has no steps."""
_SMOOTHED, _OUTWARDS = 0.02, 3.0
"""By how many of its deviations a sum of steps is smoothed, and by how many of these ends are moved
outwards."""
_FAR: Final = 25.0
"""Beyond so many standard deviations there is nothing of a sum."""
_FREQUENCIES: Final = {False: 100.0, True: 300.0}
"""Up to which frequency, times the deviation, a sum without and with steps is inverted."""
_SAME: Final = 1e-9
_CONTINUOUS: Final = 3.0
"""From this σ on, a discrete Gaussian has the cumulants of a Gaussian."""
_N = TypeVar("_N", float, FloatArray)
_IMAGES: Final = np.arange(-6, 7)


@dataclass(frozen=True)
class NoiseOnCells:
    """The noise of each cell of a table.

    Attributes:
        law: its law.
        scale: its scale; σ of a Gaussian.
    """

    law: Law
    scale: float

    @property
    def variance(self) -> float:
        """Its variance."""
        return _cumulants(self)[0]

    @property
    def fourth(self) -> float:
        """Its fourth cumulant."""
        return _cumulants(self)[1]

    def transform(self, frequencies: FloatArray) -> FloatArray:
        """Return its characteristic function, which is real as the law is symmetric."""
        if self.law == "geometric":
            a = math.exp(-1 / self.scale)
            return np.asarray((1 - a) ** 2 / (1 - 2 * a * np.cos(frequencies) + a * a))
        # Poisson's summation: that of a Gaussian, wrapped around, with as many turns as matter.
        turned = np.mod(frequencies[..., None] + math.pi, 2 * math.pi) - math.pi
        waves = np.exp(-((self.scale * (turned + 2 * math.pi * _IMAGES)) ** 2) / 2).sum(axis=-1)
        return np.asarray(waves / np.exp(-((self.scale * 2 * math.pi * _IMAGES) ** 2) / 2).sum())


@cache
def _cumulants(noise: NoiseOnCells) -> tuple[float, float]:
    """Return the second and the fourth cumulant of the noise."""
    scale = noise.scale
    if noise.law == "geometric":
        a = math.exp(-1 / scale)
        fourth = 2 * a * (1 + 4 * a + a * a) / (-math.expm1(-1 / scale)) ** 4
        return laplace_deviation(scale) ** 2, fourth
    variance = gaussian_deviation(scale) ** 2
    if scale >= _CONTINUOUS:
        return variance, 0.0
    places = np.arange(-math.ceil(12 * scale), math.ceil(12 * scale) + 1)
    weights = np.exp(-(places**2) / (2 * scale**2))
    weights /= weights.sum()
    return variance, float(weights @ places**4.0) - 3 * variance**2


@dataclass(frozen=True, eq=False)
class NoiseTerms:
    """The noise of many cells, in groups of the same weight.

    Attributes:
        noise: the laws, of one table each.
        tables: (groups,) of which table each group is.
        numbers: (groups,) how many cells it stands for, 1 or more.
    """

    noise: tuple[NoiseOnCells, ...]
    tables: IntArray
    numbers: FloatArray

    @cached_property
    def variances(self) -> FloatArray:
        """(groups,) of the noise of its cells together."""
        own = np.array([each.variance for each in self.noise])
        return np.asarray(self.numbers * own[self.tables])

    @cached_property
    def fourths(self) -> FloatArray:
        """(groups,) the fourth cumulant of the noise of its cells together."""
        return np.asarray(
            self.numbers * np.array([each.fourth for each in self.noise])[self.tables]
        )


@dataclass(frozen=True, eq=False)
class NoiseSum:
    """A weighted sum of independent noise.

    Attributes:
        terms: the noise.
        weights: (groups,) what each cell of a group is multiplied by.
    """

    terms: NoiseTerms
    weights: FloatArray

    @property
    def variance(self) -> float:
        """Its variance."""
        return float(self.terms.variances @ np.square(self.weights))

    def covariance(self, other: NoiseSum) -> float:
        """Return its covariance with another sum of the same noise."""
        return float(self.terms.variances @ (self.weights * other.weights))

    @property
    def fourth(self) -> float:
        """Its fourth cumulant."""
        return float(self.terms.fourths @ np.square(np.square(self.weights)))

    @property
    def largest(self) -> float:
        """Its largest weight."""
        return float(np.abs(self.weights).max(initial=0.0))

    @property
    def spacing(self) -> float:
        """The distance of the numbers that it lies on, if all weights are of one size; else 0."""
        sizes = np.abs(self.weights[self.weights != 0])
        if not sizes.size or sizes.max() > sizes.min() * (1 + _SAME):
            return 0.0
        return float(sizes.max())

    def tail_probability(self, away: float, sampling: float = 0.0) -> float:
        """Return the probability that the sum, and a normal number of the variance `sampling`, is
        as far from 0 as `away`, or a little more."""
        if away <= 0:
            return 1.0
        variance = self.variance + sampling
        if variance <= 0:
            return 0.0
        deviation = math.sqrt(variance)
        if away > _FAR * deviation:
            return 0.0
        spacing, kurtosis = 0.0 if sampling else self.spacing, self.fourth / variance**2
        if spacing:
            steps = math.ceil(away / spacing - _SAME)
            if abs(kurtosis) <= _AS_NORMAL and deviation >= 2 * spacing:
                at = (steps - 0.5) * spacing / deviation
                return float(tail_of_normal(np.array(at), np.array(kurtosis)))
            return self._count_lattice(spacing, deviation, steps)
        if is_normal(self.fourth, variance, sampling, self.largest):
            return float(tail_of_normal(np.array(away / deviation), np.array(kurtosis)))
        return self._invert(deviation, away, sampling)

    def _count_lattice(self, spacing: float, deviation: float, steps: int) -> float:
        size = 1 << max(6, math.ceil(math.log2(2 * (_FAR * deviation / spacing + steps) + 8)))
        turns = np.arange(size // 2 + 1, dtype=np.float64) / size
        law = np.fft.irfft(self._transform(np.asarray(turns * (2 * math.pi / spacing))))
        return float(min(1.0, max(0.0, law[steps : size - steps + 1].sum()))) if steps > 0 else 1.0

    def _invert(self, deviation: float, away: float, sampling: float) -> float:
        steps = bool(_SMOOTH * self.largest**2 > deviation**2)
        noise, replaced = (self, 0.0) if steps else self._split_normal(deviation)
        smoothed = _SMOOTHED * deviation if steps else 0.0
        step = 2 * math.pi / (away + _FAR * deviation)
        places = np.arange(math.ceil(_FREQUENCIES[steps] / deviation / step)) + 0.5
        frequencies = np.asarray(places * step)
        normal = np.exp(-(replaced + sampling + smoothed**2) * frequencies**2 / 2)
        at = max(0.0, away - _OUTWARDS * smoothed)
        waves = noise._transform(frequencies) * normal * np.sin(frequencies * at) / places
        return min(1.0, max(0.0, 1 - 2 / math.pi * float(waves.sum())))

    def _split_normal(self, deviation: float) -> tuple[NoiseSum, float]:
        """Return the terms that tell the law from a normal one, and the variance of all others."""
        fourths = np.abs(self.terms.fourths) * np.square(np.square(self.weights))
        order = np.argsort(fourths)
        kept = np.sort(order[np.cumsum(fourths[order]) > _NEGLIGIBLE * deviation**4])
        terms = NoiseTerms(self.terms.noise, self.terms.tables[kept], self.terms.numbers[kept])
        heavy = NoiseSum(terms, self.weights[kept])
        return heavy, max(0.0, self.variance - heavy.variance)

    def _transform(self, frequencies: FloatArray) -> FloatArray:
        found = np.ones(len(frequencies))
        for table in np.unique(self.terms.tables).tolist():
            noise = self.terms.noise[table]
            of_table = self.terms.tables == table
            sizes, places = np.unique(np.abs(self.weights[of_table]), return_inverse=True)
            powers = np.bincount(places, self.terms.numbers[of_table], len(sizes))
            for size, power in zip(sizes.tolist(), powers.tolist(), strict=True):
                if size:
                    found *= noise.transform(size * frequencies) ** round(power)
        return found


def is_normal(fourth: _N, variance: _N, sampling: _N, largest: _N) -> _N:
    """Return whether a sum, or each of several, is so near a normal law that `tail_of_normal` is
    taken.

    Args:
        fourth: its fourth cumulant.
        variance: its variance, that of sampling included.
        sampling: that of sampling alone.
        largest: its largest weight, which is how far apart the numbers are that it lies on.
    """
    smooth = (4 * sampling >= variance) | (_SMOOTH * largest**2 <= variance)
    return (abs(fourth) <= _AS_NORMAL * variance**2) & smooth  # type: ignore[return-value]


def tail_of_normal(deviations: FloatArray, kurtosis: FloatArray) -> FloatArray:
    """Return the probability of being so many deviations from 0, of laws near the normal one.

    Args:
        deviations: at least 0.
        kurtosis: the excess kurtosis of each.
    """
    z = np.minimum(deviations, _FAR)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    series = special.erfc(z / math.sqrt(2)) + density * kurtosis * (z**3 - 3 * z) / 12
    return np.asarray(np.clip(series, 0.0, 1.0))
