"""Total variation: the largest difference in the probability of any event."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.evaluation.cells import Shares
from understudy.evaluation.divergence import Divergence
from understudy.evaluation.measure import About


def total_variation(shares: Shares) -> FloatArray:
    """(rows,) ½ Σ |p − q| (2.2), in [0, 1]."""
    found: FloatArray = np.abs(shares.table - shares.held_out).sum(axis=1) / 2
    return found


SINGLE = Divergence(
    About(
        key="total-variation",
        name="Total variation of columns",
        sentence=(
            "Choose any values of a column: the share of the table's records with one of them "
            "differs from the share of held-out records by at most this much. The median over "
            "the columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="column",
        source="Dissertation (2.2), Figure 8.3",
    ),
    total_variation,
    order=1,
)

PAIRS = Divergence(
    About(
        key="total-variation-pairs",
        name="Total variation of pairs of columns",
        sentence=(
            "Choose any combinations of values of two columns: the share of the table's records "
            "with one of them differs from the share of held-out records by at most this much. "
            "The median over the pairs."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="pair of columns",
        source="Dissertation (2.2), Figure 8.4",
    ),
    total_variation,
    order=2,
)
