"""Combinations of values in held-out records that do not occur in the table."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.evaluation.cells import Shares
from understudy.evaluation.divergence import Divergence
from understudy.evaluation.measure import About


def missing(shares: Shares) -> FloatArray:
    """(rows,) the share of held-out records in cells without one of the table, in [0, 1]."""
    found: FloatArray = np.where(shares.table == 0, shares.held_out, 0).sum(axis=1)
    return found


PAIRS = Divergence(
    About(
        key="missing-pairs",
        name="Missing combinations",
        sentence=(
            "Take a held-out record and two of its columns at random: how often no record of the "
            "table has that combination of values. Rare combinations are absent by chance too, "
            "as other real records show; what goes beyond them was lost. The mean over the "
            "pairs of columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="pair of columns",
    ),
    missing,
    order=2,
    typical="mean",
    share_of="held-out",
)

RECORDS = Divergence(
    About(
        key="missing-records",
        name="Held-out records unlike any of the table",
        sentence=(
            "Take a held-out record at random: how often no record of the table has the same "
            "value in every column. Where most real people are unique this is close to 100 % "
            "for other real records too, and as it should be: neither end of the range is best, "
            "but what other real records score."
        ),
        low=0,
        high=1,
        better="as real",
        group="distances",
    ),
    missing,
    order=None,
    share_of="held-out",
)
