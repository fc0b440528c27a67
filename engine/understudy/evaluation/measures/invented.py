"""Combinations of values in the table that do not occur in held-out records."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.evaluation.cells import Shares
from understudy.evaluation.divergence import Divergence
from understudy.evaluation.measure import About


def invented(shares: Shares) -> FloatArray:
    """(rows,) the share of the table's records in cells without a held-out record, in [0, 1]."""
    found: FloatArray = np.where(shares.held_out == 0, shares.table, 0).sum(axis=1)
    return found


PAIRS = Divergence(
    About(
        key="invented-pairs",
        name="Invented combinations",
        sentence=(
            "Take a record of the table and two of its columns at random: how often no held-out "
            "record has that combination of values. Rare combinations are absent by chance "
            "too, as other real records show; what goes beyond them was made up. The mean over "
            "the pairs of columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="pair of columns",
    ),
    invented,
    order=2,
    typical="mean",
    share_of="table",
)

RECORDS = Divergence(
    About(
        key="invented-records",
        name="Records unlike any held-out record",
        sentence=(
            "Take a record of the table at random: how often no held-out record has the same "
            "value in every column. Where most real people are unique this is close to 100 % "
            "for other real records too, and as it should be: neither end of the range is best, "
            "but what other real records score."
        ),
        low=0,
        high=1,
        better="as real",
        group="distances",
    ),
    invented,
    order=None,
    share_of="table",
)
