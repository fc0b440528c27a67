"""Directions that numbers are projected on, in whole numbers out of 2^12."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray, IntArray

ONE = 1 << 12
"""What a coefficient of 1 is."""


def learned(covariance: FloatArray, many: int) -> IntArray:
    """(c, w) the principal directions of a noisy covariance, the one of most variance first.

    They are post-processing of what was measured with noise.
    """
    _, vectors = np.linalg.eigh(covariance)
    return fixed(vectors[:, ::-1][:, :many])


def public(columns: int, many: int) -> IntArray:
    """(c, w) the first cosines over the columns in their order: their mean, then ever quicker
    changes from column to column. They know nothing of any record."""
    place = (np.arange(columns)[:, None] + 0.5) * np.arange(min(many, columns))
    waves = np.cos(np.pi * place / columns)
    return fixed(waves / np.linalg.norm(waves, axis=0))


def fixed(vectors: FloatArray) -> IntArray:
    """Coefficients between −1 and 1 as whole numbers."""
    return np.rint(vectors * ONE).astype(np.int64)
