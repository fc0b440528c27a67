"""Kullback–Leibler divergence of held-out records from the table, smoothed.

It weighs each value by its share of the held-out records, so what the table lacks costs most,
and a value that never occurs there would cost infinitely much. So a little is added to every
cell that the schema allows, on both sides: 0.0001 of the records, as in Table 9.1, or so much
less that all cells together get no more than one record in a hundred. Without that limit a
pair of columns with many possible values would be all smoothing: 0.0001 in each of 10,000
cells is as much as all the records. Adding to both sides keeps equal shares at 0, and makes
cells that occur on neither side count for nothing, so they are never listed.
"""

from __future__ import annotations

import math

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.evaluation.cells import Shares
from understudy.evaluation.divergence import Divergence
from understudy.evaluation.measure import About

SMOOTHING = 1e-4
"""What is added to the share of each cell (Table 9.1) …"""

MOST = 0.01
"""… and at most to all cells together."""


def kullback_leibler(shares: Shares, smoothing: float = SMOOTHING) -> FloatArray:
    """(rows,) Σ q ln(q/p), of held-out shares q from shares p of the table, in nats."""
    added = min(smoothing, MOST / shares.domain)
    whole = 1 + added * shares.domain
    p, q = (shares.table + added) / whole, (shares.held_out + added) / whole
    found: FloatArray = (q * np.log(q / p)).sum(axis=1)
    return found


SINGLE = Divergence(
    About(
        key="kullback-leibler",
        name="Kullback–Leibler divergence of columns",
        sentence=(
            "How surprising held-out records are to somebody who expects the shares of the "
            "table: 0 for the same shares, with no upper end. Values that the table lacks cost "
            "most; so that none costs infinitely much, 0.0001 of the records is first added to "
            "every possible value (less where there are more than a hundred). The median over "
            "the columns."
        ),
        low=0,
        high=math.inf,
        better="lower",
        group="distances",
        unit="number",
        parts="column",
        source="Dissertation (2.1), Table 9.1",
    ),
    kullback_leibler,
    order=1,
)

PAIRS = Divergence(
    About(
        key="kullback-leibler-pairs",
        name="Kullback–Leibler divergence of pairs of columns",
        sentence=(
            "How surprising the combinations of two columns' values in held-out records are to "
            "somebody who expects the shares of the table: 0 for the same shares, with no upper "
            "end. Combinations that the table lacks cost most; so that none costs infinitely "
            "much, 0.0001 of the records is first added to every possible combination (less "
            "where there are more than a hundred). The median over the pairs."
        ),
        low=0,
        high=math.inf,
        better="lower",
        group="distances",
        unit="number",
        parts="pair of columns",
        source="Dissertation (2.1), Table 9.1",
    ),
    kullback_leibler,
    order=2,
)
