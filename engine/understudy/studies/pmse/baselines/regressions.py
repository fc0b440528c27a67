"""Private least squares of one column on another: coefficients, no records.

The functional mechanism adds noise to the polynomial that is minimised (Zhang et al. 2012); the
K-norm mechanism in ℓ∞ adds it to the sums that decide it (Awan and Slavković 2018). Both need
bounds.
"""

from __future__ import annotations

import math

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.studies.pmse.baselines.scaled import Bounds

_LEAST = 1e-3
_ROOT = math.sqrt(0.5)


def least_squares(table: FloatArray) -> tuple[float, float]:
    """Intercept and slope of the second column on the first, without privacy."""
    x, y = table.T
    slope = float(np.cov(x, y)[0, 1] / x.var(ddof=1))
    return float(y.mean() - slope * x.mean()), slope


def functional(
    table: FloatArray, bounds: Bounds, epsilon: float, random: np.random.Generator
) -> tuple[float, float]:
    """Laplace noise on the coefficients of Σ(y − x′β)², x = (1, x₁)/√2 of length at most 1 and y
    from −1 to 1: their L1 sensitivity is 2(d + 1)² with d = 2. A ridge of four standard deviations
    of the noise and a trimmed spectrum keep it convex, as published."""
    scaled = bounds.inwards(table)
    x = np.column_stack([np.full(len(scaled), _ROOT), scaled[:, 0] * _ROOT])
    scale = 2 * (x.shape[1] + 1) ** 2 / epsilon
    square = x.T @ x + _symmetric(random.laplace(0, scale, 3))
    linear = x.T @ scaled[:, 1] + random.laplace(0, scale, 2) / 2
    ridge = 4 * math.sqrt(2) * scale
    sizes, ways = np.linalg.eigh(square + ridge * np.eye(2))
    kept = sizes > _LEAST
    beta = ways[:, kept] @ ((ways[:, kept].T @ linear) / sizes[kept])
    return bounds.line(float(beta[0]) * _ROOT, float(beta[1]) * _ROOT)


def k_norm(
    table: FloatArray, bounds: Bounds, epsilon: float, random: np.random.Generator
) -> tuple[float, float]:
    """Noise with density ∝ exp(−ε‖v‖_∞/2) on (Σx, Σx², Σy, Σxy), each of which a replaced record
    moves by up to 2: v = r·U, r ~ Gamma(5, 2/ε), U even over [−1, 1]⁴."""
    x, y = bounds.inwards(table).T
    n = len(table)
    sums = np.array([x.sum(), x @ x, y.sum(), x @ y])
    sums = sums + random.gamma(5, 2 / epsilon) * random.uniform(-1, 1, 4)
    middle, square, level, cross = sums / n
    slope = (cross - middle * level) / max(_LEAST, square - middle**2)
    return bounds.line(float(level - slope * middle), float(slope))


def _symmetric(values: FloatArray) -> FloatArray:
    return np.array([[values[0], values[1] / 2], [values[1] / 2, values[2]]])
