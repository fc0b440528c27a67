"""What a learning will leave, were every pair as far off as two columns usually are.

Public numbers only: how many values columns have, what may be spent, what is marked, and how many
records there are as far as is known. The learner decides by it what it asks at all, and the
forecast is made of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.models.calibrated.dividing import DIVISIONS, column_prices
from understudy.models.calibrated.residuals import Views
from understudy.models.calibrated.spending import Spend
from understudy.models.marks import Importance
from understudy.models.predicted import UNTOLD, Reals, Whole, distance_by_noise
from understudy.models.views import parent_view
from understudy.privacy.accounting.allowance import Allowance
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

    one: Whole
    other: Whole
    counts: Whole
    shown: Reals
    weighs: Reals

    @property
    def prices(self) -> Reals:
        """(K,) what they are priced by: the cells, each times what its errors weigh."""
        return np.asarray(self.counts * self.weighs)

    @property
    def hidden(self) -> Reals:
        """(K,) how far off a usual pair stays that is counted so."""
        return np.asarray(UNTOLD * (1 - self.shown))

    def taken(self, places: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> UsualTables:
        """Some of them."""
        return UsualTables(
            self.one[places],
            self.other[places],
            self.counts[places],
            self.shown[places],
            self.weighs[places],
        )


@dataclass(frozen=True, eq=False)
class UsualDivision:
    """How the rounds are taken to be divided, all together.

    Attributes:
        alone: the part of the allowance that goes to attributes by themselves, in all.
        tables: the pairs that are measured.
        deviations: (K,) the noise on their cells.
        rest: the part that pairs share; None where they are not asked about.
    """

    alone: Allowance
    tables: UsualTables
    deviations: Reals
    rest: Allowance | None

    def apart(self, records: float) -> Reals:
        """(K,) how far off each is, by noise and by what its levels hide."""
        noise = distance_by_noise(self.tables.counts.astype(float), self.deviations, records)
        return np.minimum(1.0, noise + self.tables.hidden)


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

    def of_columns(self, columns: Allowance, spend: Spend) -> UsualDivision:
        """No pair is asked about, and columns get all of this."""
        whole = columns.part(spend.alone + spend.misfit + spend.rounds)
        none = self.tables.taken(np.zeros(0, dtype=np.int64))
        return UsualDivision(whole, none, np.zeros(0), None)

    def by_noise(self, alone: Allowance) -> Reals:
        """(m,) what noise sets apart of each attribute, if this is spent on all by themselves."""
        sizes = self.schema.cardinalities
        parts = alone.divided(column_prices(sizes.tolist(), self.importance))
        deviations = np.array([part.deviation for part in parts])
        return distance_by_noise(sizes.astype(float), deviations, self.records)

    def left(self, division: UsualDivision) -> float:
        """The sum of the squares of what all pairs would be off by, each times what it weighs."""
        single = self.by_noise(division.alone)
        pairs = np.full((len(single), len(single)), UNTOLD)
        pairs[division.tables.one, division.tables.other] = division.apart(self.records)
        together = pairs**2 + single[:, None] ** 2 + single[None, :] ** 2
        if self.importance:
            together = together * self.importance.of_pairs(len(single))
        return float(together[np.triu_indices(len(single), 1)].sum())

    def divided(
        self, allowance: Allowance, spend: Spend, *, marked_only: bool = False
    ) -> UsualDivision:
        """The division that leaves all pairs least off.

        Args:
            allowance: what pairs and columns are asked for together.
            spend: how it is divided.
            marked_only: whether only pairs that weigh more are asked about.
        """
        trials = self._trials(allowance, spend, marked_only)
        return min(trials, key=self.left)

    def _trials(
        self, allowance: Allowance, spend: Spend, marked_only: bool
    ) -> Iterator[UsualDivision]:
        for share in (np.arange(DIVISIONS) / DIVISIONS).tolist():
            alone = allowance.part(spend.alone + share * spend.rounds)
            rest = allowance.part((1 - share) * spend.rounds)
            tables = affordable(self.tables, rest, self.records, marked_only=marked_only)
            parts = rest.divided(tables.prices.tolist())
            deviations = np.array([each.deviation for each in parts])
            yield UsualDivision(alone, tables, deviations, rest)


def usual_tables(seen: Sequence[Mapping[int, int]], importance: Importance) -> UsualTables:
    """Every pair of attributes, at every level of both.

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


def affordable(
    tables: UsualTables, spend: Allowance, records: float, *, marked_only: bool = False
) -> UsualTables:
    """Those that the learner would measure if each pair were off by `UNTOLD`: what
    `residuals.worth_measuring` chooses then, which begins with those that show most, by weight,
    for their price, of equal ones the smallest tables; one of a pair of attributes.

    Args:
        tables: every pair.
        spend: what the pairs may spend.
        records: how many there are.
        marked_only: whether pairs that weigh no more than others are left out.
    """
    if marked_only:
        tables = tables.taken(tables.weighs > 1)
    prices, worth = tables.prices, tables.weighs * tables.shown
    by_price = {price: spend.weight(price) for price in np.unique(prices).tolist()}
    weights = np.array([by_price[price] for price in prices.tolist()])
    order = np.lexsort((prices, -worth / np.maximum(weights, 1e-300)))
    chosen = _greedy(tables.taken(order), weights[order], spend, records)
    return tables.taken(np.sort(order[chosen]))


def _greedy(
    tables: UsualTables, weights: Reals, spend: Allowance, records: float
) -> npt.NDArray[np.int64]:
    """The places of those that are each worth what they make the others lose, in order; one may
    take the place of a coarser or a finer one of the same pair."""
    gains = (tables.weighs * tables.shown * (UNTOLD * records)).tolist()
    pairs = list(zip(tables.one.tolist(), tables.other.tolist(), strict=True))
    # Of equal worth, each further table costs more than the one before, so that none is added
    # after one that was not.
    unequal = np.flatnonzero((tables.weighs > 1) | (len(set(pairs)) < len(pairs)))
    last = int(unequal[-1]) if len(unequal) else -1
    chosen: dict[tuple[int, int], int] = {}
    gain = weight = left = 0.0
    for place, pair in enumerate(pairs):
        instead = chosen.get(pair)
        more = gains[place] - (0.0 if instead is None else gains[instead])
        heavier = weights.item(place) - (0.0 if instead is None else weights.item(instead))
        then = gain + more - spend.total_error(max(0.0, weight + heavier)) / 2
        if then > left:
            chosen[pair] = place
            gain, weight, left = gain + more, weight + heavier, then
        elif place > last:
            break
    return np.array(sorted(chosen.values()), dtype=np.int64)
