"""How far two rows of counts are from each other. Each row is brought to shares first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from understudy.core.arrays import FloatArray

Formula = Callable[[FloatArray, FloatArray], FloatArray]
"""From (rows, size) counts of one side and of the other to (rows,) values."""


def variation(one: FloatArray, other: FloatArray) -> FloatArray:
    """Total variation, ½ Σ |p − q|, in [0, 1]."""
    found: FloatArray = np.abs(shares(one) - shares(other)).sum(axis=1) / 2
    return found


def jensen_shannon(one: FloatArray, other: FloatArray) -> FloatArray:
    """Jensen–Shannon divergence in bits, in [0, 1]; no square root is taken."""
    p, q = shares(one), shares(other)
    middle = (p + q) / 2
    found: FloatArray = (_entropies(p, middle) + _entropies(q, middle)) / 2
    return found


def kolmogorov(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the largest difference of cumulative shares, in [0, 1]: of Kolmogorov and Smirnov."""
    found: FloatArray = np.abs(np.cumsum(shares(one) - shares(other), axis=1)).max(axis=1)
    return found


def top_kept(top: int) -> Formula:
    """Return the share of the other side's `top` largest cells, or of as many as there are, that
    are among this side's. Of equal cells, the lower number is the larger."""

    def kept(one: FloatArray, other: FloatArray) -> FloatArray:
        most = min(top, one.shape[1])
        sides = ((np.argsort(-each, axis=1, kind="stable")[:, :most]) for each in (one, other))
        return np.array([len(np.intersect1d(a, b)) / most for a, b in zip(*sides, strict=True)])

    return kept


def kendall(one: FloatArray, other: FloatArray) -> FloatArray:
    """Kendall's τ of two orders of the same cells: pairs in the same order less pairs in the
    opposite one, of all pairs; in [−1, 1]. A pair that is equal on either side counts for none."""
    cells = one.shape[1]
    found = np.zeros(len(one))
    for row, (a, b) in enumerate(zip(one, other, strict=True)):
        alike = sum(
            int((np.sign(a[cell] - a[cell + 1 :]) * np.sign(b[cell] - b[cell + 1 :])).sum())
            for cell in range(cells - 1)
        )
        found[row] = alike / max(1, cells * (cells - 1) // 2)
    return found


def relative_error(floor: float) -> Formula:
    """Return the mean of |a − b| / max(b, floor) over the shares a of this side and b of the other.

    Counts are of days, with all days in the last cell; each cell but that is a share of them.
    """

    def error(one: FloatArray, other: FloatArray) -> FloatArray:
        a, b = (each[:, :-1] / np.maximum(1, each[:, -1:]) for each in (one, other))
        found: FloatArray = (np.abs(a - b) / np.maximum(b, floor)).mean(axis=1)
        return found

    return error


def shares(counts: FloatArray) -> FloatArray:
    """Rows that add up to 1; of nothing, nothing."""
    total: FloatArray = counts.sum(axis=1, keepdims=True)
    found: FloatArray = counts / np.where(total > 0, total, 1)
    return found


def _entropies(p: FloatArray, middle: FloatArray) -> FloatArray:
    there = p > 0
    ratio = np.divide(p, middle, out=np.ones_like(p), where=there)
    found: FloatArray = np.where(there, p * np.log2(ratio), 0).sum(axis=1)
    return found
