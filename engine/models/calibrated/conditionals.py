"""A family's conditional table, each row drawn towards that of a parent fewer as noise demands.

The values expected under one parent fewer are the prior; how far the truth strays from them is
estimated from the whole table, from what the noisy counts stray beyond their noise (an empirical
Bayes, or James-Stein, estimate). A cell is then moved from the prior by the share of its own
variance that is not noise. Nothing here looks at a record.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.models.calibrated.measured import Measured

Reals = npt.NDArray[np.float64]


def conditional(
    measured: Measured, sizes: tuple[int, ...], alone: Reals, *, shrink: bool = True
) -> Reals:
    """(configurations, cardinality) rows that sum to 1.

    Args:
        measured: the family: its parents' buckets, then the child.
        sizes: how many buckets each parent has, then the values of the child.
        alone: (cardinality,) the child's distribution by itself.
        shrink: whether to; without, negative counts are set to 0 and that is all.
    """
    *parents, values = sizes
    counts = measured.counts.reshape(sizes)
    if not parents:
        return alone[None, :]
    if not shrink:
        return _or(np.maximum(counts, 0.0).reshape(-1, values), alone[None, :])
    rows = alone.reshape((1,) * len(parents) + (values,))
    for known in range(1, len(parents) + 1):
        unseen = tuple(range(known, len(parents)))
        summed = counts.sum(axis=unseen, keepdims=True) if unseen else counts
        over = float(np.prod([parents[each] for each in unseen])) if unseen else 1.0
        rows = _drawn(summed, measured.deviation**2 * over, rows)
    return rows.reshape(-1, values)


def _drawn(counts: Reals, variance: float, prior: Reals) -> Reals:
    """Rows from noisy counts of this variance a cell, drawn towards the rows of a prior."""
    expected = np.maximum(counts.sum(axis=-1, keepdims=True), 0.0) * prior
    beyond = float(((counts - expected) ** 2 - variance).sum())
    strays = max(0.0, beyond / max(float((expected**2).sum()), 1e-12))
    own = strays * expected**2
    trust = np.divide(own, own + variance, out=np.zeros_like(own), where=own + variance > 0)
    return _or(np.maximum(expected + trust * (counts - expected), 0.0), prior)


def _or(counts: Reals, prior: Reals) -> Reals:
    """Rows in proportion to the counts; those of the prior where there are none."""
    sums = counts.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1.0), prior)
