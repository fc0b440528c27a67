"""Integer noise for counts and scaled entropies.

Everything that is noised is an integer, so the two-sided geometric law (discrete Laplace) is
drawn by OpenDP in exact integer arithmetic: no floating-point remainder can betray a count.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.privacy.randomness import RandomSource
from understudy.privacy.tape import NoTape, Tape

_BLOCK = 1 << 16
_AS_CONTINUOUS = 3.0
"""From this σ on, the discrete Gaussian's deviation is σ to the last place of a double."""
_FAR = 12.0
"""So many σ from its middle, nothing of a Gaussian is left in a double."""


class Noise:
    """Adds two-sided geometric noise: Pr{Z = i} = (1 − a)/(1 + a) · a^|i|, a = exp(−1/scale).

    A statistic whose L1 sensitivity under add/remove of one record is s is then
    (s/scale, 0)-differentially private.

    Args:
        source: where this is seeded it replaces OpenDP, whose generator cannot be seeded, so that
            demonstrations and tests repeat. Otherwise OpenDP draws from its own cryptographic
            generator, and the source is not used.
        tape: records what OpenDP draws before it is used.
    """

    def __init__(self, source: RandomSource, tape: Tape | None = None) -> None:
        self._source = source
        self._tape = tape or NoTape()

    def integers(self, values: IntArray, scale: float) -> IntArray:
        """`values` plus independent noise of the given scale on every cell, zeros too.

        Args:
            values: exact integers, any shape; sums saturate at the ends of 64 bits.
            scale: in units of `values`; sensitivity divided by ε.

        Raises:
            Refusal: the scale is not a positive, finite number.
        """
        _check(scale)
        exact = np.ascontiguousarray(values, dtype=np.int64)
        flat = exact.ravel()
        if self._source.seeded:
            noisy = self._draw_seeded(flat, scale)
        else:
            noisy = self._from_opendp("integers", flat, scale, measurement(scale))
        return noisy.reshape(exact.shape)

    def gaussians(self, values: IntArray, scale: float) -> IntArray:
        """`values` plus independent discrete Gaussian noise on every cell, zeros too.

        A statistic whose L2 sensitivity is s is then (s²/(2·scale²))-zCDP (Canonne, Kamath and
        Steinke 2020, Theorem 4).

        Args:
            values: exact integers, any shape.
            scale: σ, in units of `values`.

        Raises:
            Refusal: the scale is not a positive, finite number.
        """
        _check(scale)
        exact = np.ascontiguousarray(values, dtype=np.int64)
        flat = exact.ravel()
        if self._source.seeded:
            normal = ndtri(self._source.uniforms(flat.size))
            noisy = flat + np.rint(normal * scale).astype(np.int64)
        else:
            noisy = self._from_opendp("gaussians", flat, scale, gaussian_measurement(scale))
        return noisy.reshape(exact.shape)

    def choose_best(self, scores: IntArray, scale: float, *, concentrated: bool) -> int:
        """Return the index of a score close to the largest: a private selection.

        Where one record moves every score by up to Δ: drawn with probability in proportion to
        e^{score/scale}, which is (Δ²/(2·scale²))-zCDP (Cesar and Rogers 2021), or by
        permute-and-flip, which is (2Δ/scale)-differentially private (McKenna and Sheldon 2020).

        Args:
            scores: exact integers.
            scale: in units of the scores.
            concentrated: whether to use the first of the two.

        Raises:
            Refusal: the scale is not a positive, finite number.
        """
        _check(scale)
        if self._source.seeded:
            return self._seeded_best(scores, scale)
        kind = "concentrated" if concentrated else "flipped"
        choice = self._tape.draw_answer(
            kind,
            np.asarray(scores, dtype=np.int64),
            scale,
            lambda: np.array([selection(scale, concentrated=concentrated)(scores)], np.int64),
        )
        return int(choice[0])

    def _from_opendp(self, what: str, values: IntArray, scale: float, draw: Any) -> IntArray:
        noisy = np.empty_like(values)
        for start in range(0, values.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            exact = values[block]
            # Differences and sums of 64 bits wrap around and back again.
            noise = self._tape.draw_answer(what, exact, scale, partial(_noise_on, exact, draw))
            noisy[block] = exact + noise
        return noisy

    def _seeded_best(self, scores: IntArray, scale: float) -> int:
        gumbel = -np.log(-np.log(self._source.uniforms(len(scores))))
        return int(np.argmax(scores / scale + gumbel))

    def _draw_seeded(self, values: IntArray, scale: float) -> IntArray:
        # Two one-sided geometric variables by inverse transform; their difference is two-sided.
        exponentials = -np.log(self._source.uniforms(2 * values.size)) * scale
        up, down = np.floor(exponentials).astype(np.int64).reshape(2, -1)
        return values + up - down


def _noise_on(exact: IntArray, draw: Any) -> IntArray:
    """Return what a measurement adds to some values."""
    return np.asarray(draw(exact), dtype=np.int64) - exact


def laplace_tail(j: int, scale: float) -> float:
    """Return Pr{Z ≥ j} for the two-sided geometric Z of `Noise`.

    Raises:
        Refusal: the scale is not a positive, finite number.
    """
    _check(scale)
    a = math.exp(-1 / scale)
    if j >= 1:
        return math.exp(-j / scale) / (1 + a)
    return 1 - math.exp((j - 1) / scale) / (1 + a)


def laplace_deviation(scale: float) -> float:
    """Return the standard deviation of the two-sided geometric Z of `Noise`: √(2a)/(1 − a).

    Raises:
        Refusal: the scale is not a positive, finite number.
    """
    _check(scale)
    return math.sqrt(2 * math.exp(-1 / scale)) / -math.expm1(-1 / scale)


def gaussian_deviation(scale: float) -> float:
    """Return the standard deviation of discrete Gaussian noise, which is below σ for a small σ.

    Raises:
        Refusal: the scale is not a positive, finite number.
    """
    _check(scale)
    if scale >= _AS_CONTINUOUS:
        return scale
    places = np.arange(1, math.ceil(_FAR * scale) + 1, dtype=np.float64)
    weights = np.exp(-(places**2) / (2 * scale**2))
    return math.sqrt(2 * float(weights @ places**2) / (1 + 2 * float(weights.sum())))


def measurement(scale: float) -> Any:
    """Return the OpenDP measurement that releases draw from: a vector of i64 under the L1 distance.

    Its own privacy map at distance 1 is 1/scale.
    """
    # Imported when something is drawn, and by its parts: its prelude imports scikit-learn too,
    # for two seconds that every run would wait.
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    space = vector_domain(atom_domain(T="i64")), l1_distance(T="i64")
    return make_laplace(*space, scale=float(scale))


def gaussian_measurement(scale: float) -> Any:
    """Return the OpenDP measurement for Gaussian noise: a vector of i64 under the L2 distance.

    Its own privacy map at distance 1 is 1/(2·scale²), in zCDP.
    """
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    space = vector_domain(atom_domain(T="i64")), l2_distance(T="f64")
    return make_gaussian(*space, scale=float(scale))


def selection(scale: float, *, concentrated: bool) -> Any:
    """Return the OpenDP measurement that choices are made with: integer scores under the L∞
    distance.

    Its own privacy map at distance Δ is Δ²/(2·scale²) in zCDP, or 2Δ/scale in pure ε.
    """
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_noisy_max
    from opendp.measures import max_divergence, zero_concentrated_divergence
    from opendp.metrics import linf_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    space = vector_domain(atom_domain(T="i64")), linf_distance(T="i64")
    measure = zero_concentrated_divergence() if concentrated else max_divergence()
    return make_noisy_max(*space, measure, scale=float(scale))


def _check(scale: float) -> None:
    if not (math.isfinite(scale) and scale > 0):
        raise Refusal(
            "The scale of the noise has to be a positive number.",
            "Give the noised statistic a positive, finite ε.",
            field="scale",
        )
