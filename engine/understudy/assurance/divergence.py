"""The hockey-stick divergence of two distributions."""

from __future__ import annotations

import numpy as np

from understudy.assurance.finding import TOLERANCE
from understudy.core.arrays import FloatArray

_LARGEST = 700.0
"""A larger ε is replaced by this, as e^ε would overflow."""


def hockey_stick(first: FloatArray, second: FloatArray, epsilon: FloatArray | float) -> FloatArray:
    """Σ_y max(F(y) − e^ε·G(y), 0), or that of G and F where it is larger.

    (ε, δ)-differential privacy of the pair says that this is at most δ. A difference within
    `TOLERANCE` of the larger probability counts as none.

    Args:
        first, second: probabilities along the last axis, shape (…, Y), never negative.
        epsilon: ε, shape (…), or one for all.
    """
    bound = np.exp(np.minimum(epsilon, _LARGEST))[..., None]
    kept = 1 - TOLERANCE
    one_way = np.maximum(kept * first - bound * second, 0).sum(axis=-1)
    other_way = np.maximum(kept * second - bound * first, 0).sum(axis=-1)
    return np.asarray(np.maximum(one_way, other_way))


def over(divergence: FloatArray, delta: FloatArray | float) -> FloatArray:
    """Return a divergence as a multiple of the δ claimed; 0 where there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(divergence == 0, 0.0, divergence / delta))
