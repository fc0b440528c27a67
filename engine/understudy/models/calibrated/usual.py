"""What is publicly known of a table before a learning.

Public numbers only: how many values columns have, what may be spent, what is marked, and how many
records there are as far as is known. The learner decides by it what it asks at all, and the
forecast is made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.calibrated.dividing import column_prices
from understudy.models.calibrated.residuals import Views
from understudy.models.calibrated.spending import Spend
from understudy.models.marks import Importance
from understudy.models.predicted import distance_by_noise
from understudy.models.views import parent_view
from understudy.privacy.accounting.allowance import HALF_NORMAL, Allowance
from understudy.table.schema import Schema

COARSER: Final = 0.8
"""What a pair is taken to show through one level more of groups, as a share of what it shows
through those below: between the two levels of the made-up hierarchy of `python -m benchmarks
levels`, and about what industries of the American Community Survey show."""


@dataclass(frozen=True, eq=False)
class UsualTables:
    """Every pair through buckets and through the levels above them, a table each.

    Attributes:
        one, other: (K,) the attributes, the smaller index first.
        counts: (K,) the cells.
        shown: (K,) the share of how far a pair is off that its table shows.
        weighs: (K,) what its errors weigh.
    """

    one: IntArray
    other: IntArray
    counts: IntArray
    shown: FloatArray
    weighs: FloatArray

    @property
    def prices(self) -> FloatArray:
        """(K,) what they are priced by: the cells, each times what its errors weigh."""
        return np.asarray(self.counts * self.weighs)

    def taken(self, places: IntArray | BoolArray) -> UsualTables:
        """Return some of them."""
        return UsualTables(
            self.one[places],
            self.other[places],
            self.counts[places],
            self.shown[places],
            self.weighs[places],
        )


@dataclass(frozen=True, eq=False)
class Usual:
    """What is publicly known before a learning.

    Attributes:
        schema: the columns.
        importance: what errors of pairs and triples weigh.
        records: how many there are, above 0.
        views: in which views pairs are asked about, the finest first.
    """

    schema: Schema
    importance: Importance
    records: float
    views: Views

    @cached_property
    def seen(self) -> tuple[dict[int, int], ...]:
        """Of each attribute, as how many values it is seen, by how many levels that is above its
        buckets."""
        return tuple(
            {
                max(0, view.level - 1): view.size(self.schema)
                for view in views
                if view >= parent_view(self.schema, view.attribute)
            }
            for views in self.views
        )

    @cached_property
    def tables(self) -> UsualTables:
        """Every pair, at every level but in full."""
        return usual_tables(self.seen, self.importance)

    def of_columns(self, columns: Allowance, spend: Spend) -> Allowance:
        """Return what columns get where no pair is asked about."""
        return columns.part(spend.alone + spend.misfit + spend.rounds)

    def by_noise(self, alone: Allowance) -> FloatArray:
        """(m,) what noise sets apart of each attribute, if this is spent on all by themselves."""
        sizes = self.schema.cardinalities
        prices = column_prices(sizes.tolist(), self.importance)
        weights = np.array([alone.weight(each) for each in prices])
        deviations = deviations_like(alone, weights / weights.sum())
        return distance_by_noise(sizes.astype(float), deviations, self.records)


def deviations_like(whole: Allowance, shares: FloatArray) -> FloatArray:
    """Return the deviations of the Gaussian noise that sets apart by as much as a cell's, which may
    be of another law, if it costs each of these shares."""
    power = 1.0 if whole.currency == "epsilon" else 0.5
    return np.asarray(whole.total_error(1.0) / HALF_NORMAL / shares**power)


def usual_tables(seen: Sequence[Mapping[int, int]], importance: Importance) -> UsualTables:
    """Return every pair of attributes, at every level of both.

    Args:
        seen: of each attribute, as how many values it is seen, by how many levels that is above its
            buckets.
        importance: what errors of pairs weigh.
    """
    found = [
        (one, other, size * beside, COARSER ** (low + high))
        for one, other in combinations(range(len(seen)), 2)
        for (low, size), (high, beside) in product(seen[one].items(), seen[other].items())
    ]
    one, other, counts, shown = (np.array(each) for each in zip(*found, strict=True))
    weighs = np.ones(len(one))
    if importance:
        weighs[:] = [importance.of(each) for each in zip(one.tolist(), other.tolist(), strict=True)]
    return UsualTables(one, other, counts, shown.astype(float), weighs)
