"""Exponentially discounted cumulative sums."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray


def decaying_sums(terms: FloatArray, decay: float) -> FloatArray:
    """(n,) Σ_{i ≤ L} terms[i]·decay^{L−i}, for every L.

    Computed by doubling: each of ⌈log₂ n⌉ rounds adds the partial sums twice as far back. Where all
    terms are positive nothing cancels.

    Args:
        terms: (n,).
        decay: in [0, 1].
    """
    sums = terms.astype(np.float64)
    apart, weight = 1, decay
    while apart < len(sums) and weight > 0:
        sums[apart:] += weight * sums[:-apart]
        apart, weight = 2 * apart, weight * weight
    return sums
