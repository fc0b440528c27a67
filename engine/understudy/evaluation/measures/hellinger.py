"""Hellinger distance: like total variation, but rare values count for more."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.evaluation.cells import Shares
from understudy.evaluation.divergence import Divergence
from understudy.evaluation.measure import About


def hellinger(shares: Shares) -> FloatArray:
    """(rows,) (1/√2)·√Σ(√p − √q)² (2.3), in [0, 1]."""
    apart = np.sqrt(shares.table) - np.sqrt(shares.held_out)
    found: FloatArray = np.sqrt(np.square(apart).sum(axis=1) / 2)
    return found


SINGLE = Divergence(
    About(
        key="hellinger",
        name="Hellinger distance of columns",
        sentence=(
            "How far the shares of a column's values are from those of held-out records, 0 for "
            "the same and 1 for no value in common. A difference in a rare value counts for "
            "more than the same difference in a common one. The median over the columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        unit="number",
        parts="column",
        source="Dissertation (2.3), Table 9.1",
    ),
    hellinger,
    order=1,
)

PAIRS = Divergence(
    About(
        key="hellinger-pairs",
        name="Hellinger distance of pairs of columns",
        sentence=(
            "How far the shares of the combinations of two columns' values are from those of "
            "held-out records, 0 for the same and 1 for no combination in common. A difference "
            "in a rare combination counts for more than the same difference in a common one. "
            "The median over the pairs."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        unit="number",
        parts="pair of columns",
        source="Dissertation (2.3), Table 9.1",
    ),
    hellinger,
    order=2,
)
