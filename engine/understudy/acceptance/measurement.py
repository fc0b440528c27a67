"""From tables of counts to the two whole numbers that each statistic is measured by.

A statistic θ is what two whole numbers x, y come to, of which one record moves little:

    share      x records with the value, y without it            θ = x/(x + y)
    mean       x steps above the minimum, y below the maximum    θ = x/(x + y), within the bounds
    distance   x = ⌊U·f⌋, f = ½·Σ_c |n_c − n·q_c|, and y = n     θ = f/n

For the distance, n_c of the n held-out records are in cell c of a pair, and a share q_c of the
released ones. One record more adds 1 to a share's x or y; k steps to a mean's x and K − k to its
y, K the number of steps; and at most 1 to f, for ½·Σ_c |1{c = j} − q_c| = 1 − q_j. All is whole:
with R released records, r_c of them in c, f is Σ_c |R·n_c − n·r_c|/(2R). See docs/guarantee.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.core.arrays import CodeArray, IntArray
from understudy.models.count_tables import CountSource
from understudy.models.views import Marginal, Rows, View, cells
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.table.domain import range_of
from understudy.table.schema import Schema

FINENESS: Final = 16
"""U: how many parts of a record distances are told in, before there is noise."""


def marginals(test: AcceptanceTest, schema: Schema) -> tuple[Marginal, ...]:
    """Return the table of counts that each statistic is read off."""
    return tuple(
        tuple(View(schema.index(name), int(isinstance(each, DistanceOf))) for name in each.columns)
        for each in test.statistics
    )


def most_moved(statistic: ShareOf | MeanOf | DistanceOf, schema: Schema) -> int:
    """K: how much one record adds to x and y together, of a share or a mean."""
    if isinstance(statistic, MeanOf):
        return schema.column(statistic.column).domain.size - 1
    return 1


def ends(statistic: MeanOf, schema: Schema) -> tuple[float, float]:
    """Return the least and the largest number that a mean can be."""
    domain = range_of(schema.column(statistic.column).domain)
    return float(domain.numbers[0]), float(domain.numbers[-1])


def pair_of(
    statistic: ShareOf | MeanOf | DistanceOf, schema: Schema, held: IntArray, released: IntArray
) -> tuple[int, int]:
    """Return the two whole numbers of a statistic. Exact, and so internal.

    Args:
        statistic: what is asked.
        schema: the columns.
        held: (cells,) how many held-out records are in each cell of its table.
        released: (cells,) the same of the released records.
    """
    if isinstance(statistic, DistanceOf):
        return _apart(held, released), int(held.sum())
    column = schema.column(statistic.column)
    if isinstance(statistic, ShareOf):
        chosen = np.isin(np.array(column.texts, dtype=object), list(statistic.values))
        return int(held[chosen].sum()), int(held[~chosen].sum())
    size = column.domain.size
    up = np.arange(size, dtype=np.int64)
    return int(held[:size] @ up), int(held[:size] @ up[::-1])


def _apart(held: IntArray, released: IntArray) -> int:
    """⌊U·f⌋; all records are off from a release that has none."""
    number, rows = int(held.sum()), int(released.sum())
    if rows == 0:
        return FINENESS * number
    apart = int(np.abs(rows * held - number * released).sum())
    return FINENESS * apart // (2 * rows)


@dataclass
class ReleasedTally:
    """Counts of the released records, added up as they are made.

    Attributes:
        test: what is asked.
        schema: the columns.
        tables: for each statistic, (cells,) how many are in each cell of its table.
        rows: how many there are.
    """

    test: AcceptanceTest
    schema: Schema
    tables: list[IntArray]
    rows: int = 0

    @classmethod
    def start(cls, test: AcceptanceTest, schema: Schema) -> ReleasedTally:
        """Return a tally of no record yet."""
        sizes = (cells(schema, each) for each in marginals(test, schema))
        return cls(test, schema, [np.zeros(size, dtype=np.int64) for size in sizes])

    def add(self, codes: CodeArray) -> None:
        """Count further records, (rows, m) codes in the order of the schema."""
        rows = Rows(self.schema, list(np.ascontiguousarray(codes.T)))
        for table, counts in zip(self.tables, of_records(self.test, rows), strict=True):
            table += counts
        self.rows += len(codes)


def of_records(test: AcceptanceTest, records: CountSource) -> tuple[IntArray, ...]:
    """Return the table of counts of each statistic, of these records."""
    return tuple(records.tables(marginals(test, records.schema)))


# The noise of an acceptance test, and what it costs.
#
# Each statistic gets an equal part ε of the budget. The two numbers of a share or a mean, which one
# record moves by K together, get noise of scale K/ε each: K is the L1 sensitivity of both. Those of
# a distance are moved by U and by 1, and get half of the part each: noise of scale 2U/ε and 2/ε.
#
# The noise is drawn before there is a release to compare with, and kept, so that a run that was
# killed adds the very same. It does not depend on what it is added to.

_UP: Final = math.inf


def price_test(test: AcceptanceTest) -> Budget:
    """Return what one held-out record pays for the whole test."""
    return Budget(test.epsilon)


def scales(test: AcceptanceTest, schema: Schema) -> tuple[tuple[float, float], ...]:
    """Return the scale of the noise on the two numbers of each statistic, rounded upwards."""
    found = []
    for each in test.statistics:
        if isinstance(each, DistanceOf):
            found.append((_upwards(2 * FINENESS, test), _upwards(2, test)))
        else:
            found.append((_upwards(most_moved(each, schema), test),) * 2)
    return tuple(found)


def _upwards(moved: int, test: AcceptanceTest) -> float:
    """moved/ε for the ε of one statistic; never less, whatever a double rounds."""
    return math.nextafter(math.nextafter(moved * len(test.statistics) / test.epsilon, _UP), _UP)


def draw_noise(test: AcceptanceTest, schema: Schema, noise: Noise) -> IntArray:
    """Return (statistics, 2) the noise, on nothing yet. Internal until it is added."""
    nothing = np.zeros(1, dtype=np.int64)
    return np.array(
        [
            [int(noise.integers(nothing, scale)[0]) for scale in each]
            for each in scales(test, schema)
        ],
        dtype=np.int64,
    )


def add_drawn_noise(
    test: AcceptanceTest,
    schema: Schema,
    held: Sequence[IntArray],
    released: Sequence[IntArray],
    noise: IntArray,
) -> IntArray:
    """Return (statistics, 2) the noisy numbers, which may be published.

    Args:
        test: what is asked.
        schema: the columns.
        held: the table of counts of each statistic, of the held-out records.
        released: the same of the released ones.
        noise: as `draw_noise` returns it.
    """
    exact = [
        pair_of(each, schema, ours, theirs)
        for each, ours, theirs in zip(test.statistics, held, released, strict=True)
    ]
    return np.array(exact, dtype=np.int64) + noise
