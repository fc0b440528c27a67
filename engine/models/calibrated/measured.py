"""A table of counts as it was measured: with its noise, and knowing how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.counted import Counted
from engine.models.views import Marginal
from engine.privacy.accounting.allowance import Allowance
from engine.privacy.noise import Noise

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measured:
    """Noisy counts of a marginal.

    Attributes:
        marginal: what was counted.
        counts: (cells,) the counts, noise and all; some may be negative.
        deviation: the standard deviation of the noise on each; 0 where there is none.
    """

    marginal: Marginal
    counts: Reals
    deviation: float


def measure(
    rows: Counted,
    marginals: Sequence[Marginal],
    sizes: Sequence[int],
    spend: Allowance,
    noise: Noise,
) -> tuple[Measured, ...]:
    """Count several marginals of the records, dividing what may be spent by their sizes."""
    if not marginals:
        return ()
    parts = spend.divided(sizes)
    return tuple(
        Measured(marginal, part.table(counts, noise).astype(float), part.deviation)
        for marginal, part, counts in zip(marginals, parts, rows.tables(marginals), strict=True)
    )


def total(measured: Sequence[Measured]) -> float:
    """The number of records, from tables that each count all of them; at least 1.

    The sum of a table errs by its cells' noise together; each sum counts for its precision.
    """
    sums = np.array([each.counts.sum() for each in measured])
    variances = np.array([each.deviation**2 * len(each.counts) for each in measured])
    if not variances.all():
        return max(1.0, float(sums[variances == 0].mean()))
    return max(1.0, float(np.average(sums, weights=1 / variances)))


def on_simplex(counts: Reals, whole: float) -> Reals:
    """The nearest counts, by squares, that are nowhere negative and sum to `whole` > 0.

    Unlike clipping at 0 it makes no records up out of the noise of empty cells.
    """
    falling = np.sort(counts)[::-1]
    excess = (np.cumsum(falling) - whole) / np.arange(1, len(counts) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    return np.asarray(np.maximum(counts - excess[last], 0.0))
