"""From noisy tables to shares: nothing here reads anybody's days.

Noise and chance are shrunk by what the tables themselves show of both (James and Stein's estimator,
towards a smoother table), and the rest is projected on shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.optimize import nnls

from understudy.core.arrays import FloatArray

_STEPS: Final = (np.arange(160) + 0.5) / 160
_LEAST: Final = 1e-3


def shares(values: FloatArray) -> FloatArray:
    """Return the nearest shares, which are 0 or more and sum to one, along the last axis.

    Duchi and others 2008. Rows are scaled to their sum first; a row that sums to nothing is even.
    """
    size = values.shape[-1]
    total = values.sum(axis=-1, keepdims=True)
    even = np.full_like(values, 1 / size)
    scaled = np.where(total > 0, values / np.where(total > 0, total, 1), even)
    falling = -np.sort(-scaled, axis=-1)
    over = (np.cumsum(falling, axis=-1) - 1) / np.arange(1, size + 1)
    last = (falling > over).sum(axis=-1, keepdims=True) - 1
    return np.maximum(scaled - np.take_along_axis(over, last, axis=-1), 0)


def towards(rows: FloatArray, target: FloatArray, deviation: float) -> FloatArray:
    """Return rows of counts shrunk towards others of the same sums, as far as noise and chance
    explain what lies between them.

    Args:
        rows: (rows, cells) noisy counts.
        target: (rows, cells) what they are shrunk towards.
        deviation: of the noise on each count.
    """
    gap = rows - target
    chance = np.maximum(rows.sum(axis=-1, keepdims=True), 0) + rows.shape[-1] * deviation**2
    square = (gap**2).sum(axis=-1, keepdims=True)
    kept = np.maximum(0, 1 - chance / np.maximum(square, 1e-300))
    found: FloatArray = target + kept * gap
    return found


def pool_shares(rows: FloatArray, deviation: float) -> FloatArray:
    """Return (rows, cells) shares of each row, shrunk towards those of all rows together."""
    whole = shares(rows.sum(axis=0))
    target = np.maximum(rows.sum(axis=-1, keepdims=True), 0) * whole
    return shares(towards(rows, target, deviation))


def smooth_counts(rows: FloatArray, deviation: float, width: int = 2) -> FloatArray:
    """Return (rows, cells) counts, shrunk towards the mean of so many neighbours on either side."""
    padded = np.pad(rows, ((0, 0), (width, width)), mode="edge")
    window = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1, axis=1)
    return towards(rows, window.mean(axis=-1), deviation)


def around(counts: FloatArray, apart: FloatArray, widths: Sequence[float]) -> FloatArray:
    """Return (n,) what each count is likely to be to judge by the others: their means by a normal
    weight of how far apart they are, near and far, mixed as best predicts the counts.

    Args:
        counts: (n,) noisy ones.
        apart: (n, n) how far they are apart.
        widths: how far those reach that tell of one another.
    """
    means = np.stack([_others(counts, apart / width) for width in widths], axis=1)
    mixture, _ = nnls(means, counts)
    even = max(float(counts.mean()), _LEAST)
    found: FloatArray = np.maximum(means @ mixture, _LEAST * even)
    return found


def _others(counts: FloatArray, apart: FloatArray) -> FloatArray:
    weights = np.exp(-(apart**2) / 2)
    np.fill_diagonal(weights, 0)
    found: FloatArray = weights @ counts / np.maximum(weights.sum(axis=1), 1e-300)
    return np.maximum(found, 0)


def by_bayes(counted: FloatArray, expected: FloatArray, deviation: float) -> FloatArray:
    """Return (n,) the mean of each count, given the noisy one.

    A count is taken to be gamma distributed about what is expected, with a spread in parts of that
    which is the same for all, and seen with noise and with the chance of who is in the table.
    """
    expected = np.maximum(expected, max(_LEAST * float(expected.mean()), _LEAST**2))
    excess = ((counted - expected) ** 2 - deviation**2 - expected).sum()
    shape = 1 / max(_LEAST, float(excess / (expected**2).sum()))
    # Midpoints of equal steps of the root, where the density has no pole.
    reach = 5 * np.sqrt(deviation**2 + np.maximum(counted, expected))
    low = np.sqrt(np.maximum(np.minimum(counted - reach, 0.8 * expected), 0))
    high = np.sqrt(np.maximum(counted + reach, 1.2 * expected))
    roots = low[:, None] + (high - low)[:, None] * _STEPS
    counts = roots**2
    variance = deviation**2 + counts
    relative = counts / expected[:, None]
    log = (2 * shape - 1) * np.log(roots) - shape * relative
    log -= (counted[:, None] - counts) ** 2 / (2 * variance) + np.log(variance) / 2
    weights = np.exp(log - log.max(axis=1, keepdims=True))
    found: FloatArray = (weights * counts).sum(axis=1) / weights.sum(axis=1)
    return found
