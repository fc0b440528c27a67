"""A small factor model, and moments of rows as a method measures them."""

from __future__ import annotations

import numpy as np

from understudy.models.latent.factors import Factors
from understudy.models.latent.features import S
from understudy.models.latent.moments import NoisyMoments, sums


def toy(flags: int, numbers: int, width: int, seed: int = 1) -> Factors:
    """Flags from rare to common and numbers, each behind it up to 0.8 in common with the others."""
    rng = np.random.default_rng(seed)
    loadings = rng.normal(size=(flags + numbers, width))
    length = np.sqrt(rng.uniform(0.2, 0.8, flags + numbers))
    loadings *= (length / np.linalg.norm(loadings, axis=1))[:, None]
    thresholds = np.linspace(-1.8, 0.3, flags)
    middle, spread = np.linspace(-0.2, 0.2, numbers) * S, np.full(numbers, 0.2 * S)
    return Factors(thresholds, middle, spread, loadings)


def without_noise(bits: np.ndarray, numbers: np.ndarray) -> NoisyMoments:
    """The moments of rows, nothing added."""
    rows = np.hstack([bits.astype(np.int64) * S, np.rint(numbers).astype(np.int64)])
    return NoisyMoments.of(sums(rows), bits.shape[1], 0.0)
