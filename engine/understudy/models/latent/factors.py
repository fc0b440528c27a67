"""Factor analysis of flags and numbers, from noisy second moments.

Behind every column is a standard normal variable, a loading times a few hidden numbers z plus a
part of its own: y_i = λ_i·z + √(1 − ‖λ_i‖²)·u_i. A flag is set if y_i is above a threshold that
gives it its share, so P(flag | z) = Φ((a_i + λ_i·z)/√(1 − ‖λ_i‖²)), which never leaves [0, 1]; a
number is a linear function of y_i, put into its bounds. Correlations of the y are tetrachoric
between flags (Pearson 1900), biserial between a flag and a number; loadings are iterated principal
factors of them. All of it is post-processing of the noisy moments.

The model is of the records as they were counted. If many records had more ones than the public
bound, flags are too rare in it, those that come with many others most of all; the noisy moments do
not say how many records those were, so nothing is put back. A bound that few records exceed is
worth more than the noise it costs.

**Tetrachoric correlations.** P(u ≤ a, v ≤ b) for standard normals of correlation sin θ is Φ(a)Φ(b)
plus the integral over t from 0 to θ of exp(−(a² + b² − 2ab·sin t)/(2cos² t))/2π (Drezner and
Wesolowsky 1990). It grows with θ, and is inverted by bisection.

**Closed forms.** The share of a flag is Φ(a), and two flags are ones together as often as their
tetrachoric probability says. The covariance of a flag and any normal variable of correlation r with
the one behind it is φ(a)·r·deviation (Stein). The encoder is the linear regression of the hidden
numbers z on a record x by these moments of the model alone: ẑ = (x − mean)·B with
B = Cov(x)⁻¹·Cov(x, z), and I − Cov(ẑ) stays open about z. It reads no record, so it is as public as
the model. Numbers are taken as the model draws them before they are put into their bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

from understudy.core.arrays import AnyArray, CodeArray, FloatArray, IntArray, NamedArrays
from understudy.models.latent.features import S
from understudy.models.latent.moments import NoisyMoments
from understudy.privacy.randomness import RandomSource

MOST: Final = 0.99
"""The largest correlation found, in absolute value."""

_HALVINGS: Final = 30
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def joint_probability(a: FloatArray, b: FloatArray, angle: FloatArray) -> FloatArray:
    """Return (p,) P(u ≤ a, v ≤ b), the correlation of u and v being the sine of the angle."""
    t = angle[:, None] * (_NODES + 1) / 2
    squares = (a * a + b * b)[:, None] - 2 * (a * b)[:, None] * np.sin(t)
    inner = np.exp(-squares / (2 * np.cos(t) ** 2)) @ _WEIGHTS
    return np.asarray(ndtr(a) * ndtr(b) + angle * inner / (4 * np.pi))


def tetrachoric_correlations(first: FloatArray, second: FloatArray, both: FloatArray) -> FloatArray:
    """Return (p,) the tetrachoric correlation of each pair of flags, from −`MOST` to `MOST`.

    Args:
        first: (p,) the share of ones of one flag, between 0 and 1 and neither.
        second: (p,) that of the other.
        both: (p,) the share of records where both are ones; what cannot be is as near as can be.
    """
    a, b = ndtri(first), ndtri(second)
    low = np.full(len(a), -np.arcsin(MOST))
    high = -low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = joint_probability(a, b, middle) < both
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(np.sin((low + high) / 2))


STRAYS: Final = 2.5
"""Covariances within so many deviations, of noise and of sampling, count as none."""
_MOST_SHARED: Final = 0.95
"""No column is explained further by what is shared."""
_HARDLY: Final = 1e-9
"""Added to each of several chances, all of which may be 0."""
_ROUNDS: Final = 60
_BLOCK: Final = 1 << 13


@dataclass(frozen=True, eq=False)
class Factors:
    """A factor model of f flags and c numbers, in this order.

    Attributes:
        thresholds: (f,) a, the normal quantile of each flag's share.
        middle, spread: (c,) mean and deviation of each number, from −S to S.
        loadings: (f + c, w) λ.
    """

    thresholds: FloatArray
    middle: FloatArray
    spread: FloatArray
    loadings: FloatArray

    @classmethod
    def fit(cls, moments: NoisyMoments, width: int) -> Factors:
        """Return the model with so many hidden numbers that follows noisy moments."""
        shares = moments.shares
        spread = np.sqrt(moments.variances[moments.flags :])
        loadings = principal_factors(correlations(moments), width)
        return cls(ndtri(shares), moments.mean[moments.flags :] * S, spread * S, loadings)

    @property
    def own(self) -> FloatArray:
        """(f + c,) the deviation of what is a column's own."""
        return np.asarray(np.sqrt(1 - (self.loadings**2).sum(axis=1)))

    def draw(
        self, count: int, source: RandomSource, exclusive: slice | None = None
    ) -> tuple[CodeArray, FloatArray]:
        """Return (count, f) flags and (count, c) numbers from −S to S, of as many records.

        Args:
            count: how many.
            source: randomness.
            exclusive: flags of which each record has exactly one; None where there are none.
        """
        flags, columns = len(self.thresholds), len(self.loadings)
        bits = np.empty((count, flags), dtype=np.uint16)
        numbers = np.empty((count, columns - flags))
        for start in range(0, count, _BLOCK):
            here = slice(start, min(count, start + _BLOCK))
            shape = here.stop - start, self.loadings.shape[1]
            shared = normals(shape, source) @ self.loadings.T
            chances = ndtr((self.thresholds + shared[:, :flags]) / self.own[:flags])
            uniforms = source.uniforms(chances.size).reshape(chances.shape)
            bits[here] = uniforms < chances
            if exclusive is not None:
                bits[here, exclusive] = one_of(chances[:, exclusive], uniforms[:, exclusive.start])
            alone = normals((shape[0], columns - flags), source) * self.own[flags:]
            found = self.middle + self.spread * (shared[:, flags:] + alone)
            numbers[here] = np.clip(found, -S, S)
        return bits, numbers

    def arrays(self) -> NamedArrays:
        """Return all that it is made of, for `restore`."""
        return {
            "thresholds": self.thresholds,
            "middle": self.middle,
            "spread": self.spread,
            "loadings": self.loadings,
        }

    @classmethod
    def restore(cls, arrays: NamedArrays) -> Factors:
        """Return the model that gave these arrays.

        Raises:
            KeyError: there is none.
        """
        names = ("thresholds", "middle", "spread", "loadings")
        return cls(*(arrays[name].astype(np.float64) for name in names))


def one_of(chances: FloatArray, uniforms: FloatArray) -> CodeArray:
    """Return (n, v) for each record one of v flags, by what their chances are beside each other.

    Args:
        chances: (n, v), none below 0.
        uniforms: (n,) what each is drawn by, from 0 to 1.
    """
    upto = np.cumsum(chances + _HARDLY, axis=1)
    chosen = (uniforms[:, None] * upto[:, -1:] >= upto[:, :-1]).sum(axis=1)
    found = chosen[:, None] == np.arange(chances.shape[1])
    return np.asarray(found, dtype=np.uint16)


def normals(shape: tuple[int, int], source: RandomSource) -> FloatArray:
    """Return independent standard normal numbers of this shape."""
    return np.asarray(ndtri(source.uniforms(shape[0] * shape[1]).reshape(shape)))


def principal_factors(correlations: FloatArray, width: int) -> FloatArray:
    """Return (m, w) loadings whose products are nearest to correlations off the diagonal, by
    iterated principal factors; no column has more than `_MOST_SHARED` in common with the others."""
    apart = correlations - np.diag(np.diag(correlations))
    shared = np.minimum(_MOST_SHARED, np.abs(apart).max(axis=1))
    loadings = np.zeros((len(apart), width))
    for _ in range(_ROUNDS):
        values, vectors = np.linalg.eigh(apart + np.diag(shared))
        largest = np.maximum(values[::-1][:width], 0.0)
        loadings = vectors[:, ::-1][:, :width] * np.sqrt(largest)
        found = (loadings**2).sum(axis=1)
        over = np.sqrt(np.maximum(1.0, found / _MOST_SHARED))
        loadings = loadings / over[:, None]
        before, shared = shared, np.minimum(found, _MOST_SHARED)
        if np.abs(shared - before).max() < 1e-6:
            break
    return np.asarray(loadings)


def correlations(moments: NoisyMoments) -> FloatArray:
    """Return (m, m) of the variables behind the columns; 0 where noise or chance may explain
    them."""
    one, other = np.triu_indices(len(moments.mean), 1)
    covariance = moments.covariance[one, other]
    stands_out = np.abs(covariance) > STRAYS * moments.deviations[one, other]
    one, other, covariance = one[stands_out], other[stands_out], covariance[stands_out]
    found = np.empty(len(one))
    flag_one, flag_other = one < moments.flags, other < moments.flags
    both = flag_one & flag_other
    shares = moments.shares
    if both.any():
        first, second = shares[one[both]], shares[other[both]]
        found[both] = tetrachoric_correlations(first, second, covariance[both] + first * second)
    found[~both] = covariance[~both] / (_scale(moments, one) * _scale(moments, other))[~both]
    square = np.eye(len(moments.mean))
    square[one, other] = square[other, one] = np.clip(found, -_MOST_SHARED, _MOST_SHARED)
    return square


def _scale(moments: NoisyMoments, places: IntArray) -> FloatArray:
    """Return what a covariance with each column is divided by: of a number its deviation, of a flag
    the normal density at its threshold."""
    deviation = np.sqrt(moments.variances)
    threshold = ndtri(moments.shares)
    deviation[: moments.flags] = np.exp(-(threshold**2) / 2) / np.sqrt(2 * np.pi)
    return np.asarray(deviation[places])


def flag_shares(model: Factors) -> FloatArray:
    """Return (f,) how often each flag is a one."""
    return np.asarray(ndtr(model.thresholds))


def share_both(model: Factors) -> FloatArray:
    """Return (f, f) how often two flags are ones together; on the diagonal, how often the one
    is."""
    flags = len(model.thresholds)
    square = np.diag(flag_shares(model))
    one, other = np.triu_indices(flags, 1)
    behind = (model.loadings @ model.loadings.T)[one, other]
    a = model.thresholds
    found = joint_probability(a[one], a[other], np.arcsin(behind))
    square[one, other] = square[other, one] = found
    return square


def column_means(model: Factors) -> FloatArray:
    """Return (f + c,) of each column: of a flag its share, of a number from −S to S."""
    return np.concatenate([flag_shares(model), model.middle])


def covariance(model: Factors) -> FloatArray:
    """Return (f + c, f + c) of the columns, flags being 0 or 1 and numbers from −S to S."""
    flags = len(model.thresholds)
    slope = _slopes(model)
    found = (model.loadings @ model.loadings.T) * np.outer(slope, slope)
    alone = flag_shares(model)
    found[:flags, :flags] = share_both(model) - np.outer(alone, alone)
    at = np.arange(flags, len(slope))
    found[at, at] = model.spread**2
    return np.asarray(found)


@dataclass(frozen=True, eq=False)
class Encoder:
    """The linear regression of the hidden numbers on a record.

    Attributes:
        mean: (m,) what is taken off a record.
        weights: (m, w) B.
        left: (w, w) the covariance of z about its code, I − Cov(ẑ).
    """

    mean: FloatArray
    weights: FloatArray
    left: FloatArray

    @classmethod
    def of(cls, model: Factors) -> Encoder:
        """Return the encoder of a model."""
        with_hidden = model.loadings * _slopes(model)[:, None]
        found = np.linalg.lstsq(covariance(model), with_hidden, rcond=None)[0]
        weights: FloatArray = np.asarray(found, dtype=np.float64)
        explained = with_hidden.T @ weights
        left = np.eye(len(explained)) - (explained + explained.T) / 2
        return cls(
            column_means(model), np.asarray(weights, np.float64), np.asarray(left, np.float64)
        )

    def encode(self, rows: AnyArray) -> FloatArray:
        """Return (n, w) the codes of (n, m) rows: flags as 0 or 1, then numbers from −S to S.

        They are in floating point, whose last bits depend on what else is asked for; an exact
        test of scores has to round them first. Internal where the rows are confidential.
        """
        return np.asarray((rows.astype(np.float64) - self.mean) @ self.weights)


def _slopes(model: Factors) -> FloatArray:
    """Return (f + c,) the covariance of each column with the standard normal variable behind it."""
    density = np.exp(-(model.thresholds**2) / 2) / np.sqrt(2 * np.pi)
    return np.concatenate([density, model.spread])
