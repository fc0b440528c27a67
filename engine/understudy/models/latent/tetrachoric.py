"""Correlations of normal variables that lie behind flags, from how often two are ones together.

P(u ≤ a, v ≤ b) for standard normals of correlation sin θ is Φ(a)Φ(b) plus the integral over t from
0 to θ of exp(−(a² + b² − 2ab·sin t)/(2cos² t))/2π (Drezner and Wesolowsky 1990). It grows with θ,
and is inverted by bisection. Pearson (1900) named the correlation so found.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

from understudy.core.arrays import FloatArray

MOST: Final = 0.99
"""The largest correlation found, in absolute value."""

_HALVINGS: Final = 30
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def together(a: FloatArray, b: FloatArray, angle: FloatArray) -> FloatArray:
    """(p,) P(u ≤ a, v ≤ b), the correlation of u and v being the sine of the angle."""
    t = angle[:, None] * (_NODES + 1) / 2
    squares = (a * a + b * b)[:, None] - 2 * (a * b)[:, None] * np.sin(t)
    inner = np.exp(-squares / (2 * np.cos(t) ** 2)) @ _WEIGHTS
    return np.asarray(ndtr(a) * ndtr(b) + angle * inner / (4 * np.pi))


def correlations(first: FloatArray, second: FloatArray, both: FloatArray) -> FloatArray:
    """(p,) the tetrachoric correlation of each pair of flags, from −`MOST` to `MOST`.

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
        below = together(a, b, middle) < both
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(np.sin((low + high) / 2))
