"""What a learning will leave, were every pair as far off as two columns usually are.

Public numbers only: how many values columns have, what may be spent, what is marked, and how many
records there are as far as is known. The learner decides by it what it asks at all, and the
forecast is made of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.calibrated.dividing import DIVISIONS, column_prices
from engine.models.calibrated.spending import Spend
from engine.models.marks import Importance
from engine.models.predicted import UNTOLD, Reals, Whole, distance_by_noise
from engine.privacy.accounting.allowance import Allowance
from engine.table.schema import Schema


@dataclass(frozen=True, eq=False)
class UsualDivision:
    """How the rounds are taken to be divided, all together.

    Attributes:
        alone: the part of the allowance that goes to attributes by themselves, in all.
        one, other: (K,) the attributes of the pairs that are measured.
        counts, deviations: (K,) the cells of each, and the noise on them.
        rest: the part that pairs share; None where they are not asked about.
    """

    alone: Allowance
    one: Whole
    other: Whole
    counts: Whole
    deviations: Reals
    rest: Allowance | None


@dataclass(frozen=True, eq=False)
class Usual:
    """What is publicly known before a learning.

    Attributes:
        schema: the columns.
        importance: what errors of pairs and triples weigh.
        records: how many there are, above 0.
    """

    schema: Schema
    importance: Importance
    records: float

    @property
    def seen(self) -> Whole:
        """(m,) as how many values each attribute is seen as a parent."""
        return np.array([column.bucket_count for column in self.schema.columns])

    def prices(self, one: Whole, other: Whole) -> Reals:
        """(K,) what the tables of pairs are priced by: the cells that are seen, each times what its
        errors weigh."""
        seen = self.seen
        return np.asarray(seen[one] * seen[other] * _weighs(self.importance, one, other))

    def of_columns(self, columns: Allowance, spend: Spend) -> UsualDivision:
        """No pair is asked about, and columns get all of this."""
        none = np.zeros(0, dtype=np.int64)
        whole = columns.part(spend.alone + spend.misfit + spend.rounds)
        return UsualDivision(whole, none, none, none, np.zeros(0), None)

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
        counts = division.counts.astype(float)
        apart = distance_by_noise(counts, division.deviations, self.records)
        pairs[division.one, division.other] = apart
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
            one, other = affordable(
                self.seen, rest, self.records, self.importance, marked_only=marked_only
            )
            counts = self.seen[one] * self.seen[other]
            parts = rest.divided(self.prices(one, other).tolist())
            deviations = np.array([each.deviation for each in parts])
            yield UsualDivision(alone, one, other, counts, deviations, rest)


def affordable(
    seen: Whole,
    spend: Allowance,
    records: float,
    importance: Importance,
    *,
    marked_only: bool = False,
) -> tuple[Whole, Whole]:
    """The pairs that the learner would measure if each were off by `UNTOLD`: what
    `residuals.worth_measuring` chooses then, which begins with those of most weight for their
    price, of equal weights the smallest tables.

    Args:
        seen: (m,) as how many values each attribute is seen.
        spend: what the pairs may spend.
        records: how many there are.
        importance: what errors of pairs weigh.
        marked_only: whether pairs that weigh no more than others are left out.

    Returns:
        The attributes of each, the smaller index first.
    """
    one, other = np.triu_indices(len(seen), 1)
    weighs = _weighs(importance, one, other)
    if marked_only:
        kept = weighs > 1
        one, other, weighs = one[kept], other[kept], weighs[kept]
    prices = seen[one] * seen[other] * weighs
    by_price = {price: spend.weight(price) for price in np.unique(prices).tolist()}
    weights = np.array([by_price[price] for price in prices.tolist()])
    order = np.lexsort((prices, -weighs / np.maximum(weights, 1e-300)))
    chosen = _greedy(weighs[order] * (UNTOLD * records), weights[order], weighs[order], spend)
    places = np.sort(order[chosen])
    return one[places], other[places]


def _greedy(gains: Reals, weights: Reals, weighs: Reals, spend: Allowance) -> list[int]:
    """The places of those that are each worth what they make the others lose, in order."""
    beyond = np.flatnonzero(weighs > 1)
    last = int(beyond[-1]) if len(beyond) else -1
    chosen: list[int] = []
    gain = weight = left = 0.0
    for place, (more, heavier) in enumerate(zip(gains.tolist(), weights.tolist(), strict=True)):
        then = gain + more - spend.total_error(weight + heavier) / 2
        if then > left:
            chosen.append(place)
            gain, weight, left = gain + more, weight + heavier, then
        elif place > last:
            # Each further table costs more than the one before, and is worth the same.
            break
    return chosen


def _weighs(importance: Importance, one: Whole, other: Whole) -> npt.NDArray[np.float64]:
    """(K,) what errors of pairs weigh."""
    found = np.ones(len(one))
    if importance:
        found[:] = [importance.of(each) for each in zip(one.tolist(), other.tolist(), strict=True)]
    return found
