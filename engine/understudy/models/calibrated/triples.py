"""Triples: what three columns show together that no two of them do.

The last round also looks at triples that nobody marked. A look at each costs as much as a look at a
pair, and there are many; few show anything of their own. So how many are looked at, and which
share of the round that takes, is what is expected to gain most on a usual table, by public numbers
only. If not all are looked at, they are those of which two pairs are strongest in the model so far:
a triple that shows much by itself nearly always has two strong pairs, unless it has none at all.

Every column is seen through its buckets, or through the finest level above them that is small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from scipy.special import ndtr

from understudy.core.arrays import FloatArray
from understudy.models.calibrated.column_levels import shrink_differences
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.selection import HALF, Misfit
from understudy.models.count_tables import marginal_tables
from understudy.models.marks import Importance, Places
from understudy.models.triple_tables import WIDEST
from understudy.models.views import Marginal, View, cells, parent_view, views_from
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.table.schema import Schema

MOST_LOOKED: Final = 12_000
"""Triples that are looked at, at most: about all of 42 columns."""
_WORK: Final = 40_000_000
"""Triples that are counted times records that stand for the model, at most."""
_CARRIED: Final = 0.05
"""Noise on a table that gets a tenth of a round, as a share of the records, above which the table
is too large."""
_CHEAP: Final = 0.01
"""Noise on looks at all triples, as a share of the records, at which all of them are looked at, if
a usual table is expected to lose no more by it …"""
_LITTLE: Final = 0.05
"""… and it takes no more of a round."""
_SHARES: Final = (0.01, 0.02, 0.05, 0.1, 0.2)
"""What looks may take of a round."""
_HALVINGS: Final = 8
"""How often the number of triples that are looked at may be halved."""
_TYPICAL: Final = 0.0015
"""How far a usual triple is from what its pairs show, at the median …"""
_UNEQUAL: Final = 1.6
"""… and to which power of an exponential others are: one in a hundred is 21 times as far. About so
it is in Adult, in the American Community Survey and in `understudy.samples.shapes`."""
_QUANTILES: Final = 400
_SIZES: Final = 16
"""Sizes of tables that stand for all."""
_SCREENED: Final = 10
"""How well strong pairs tell strong triples: of the strongest, 1 − (1 − f)^10 are in the share f of
which two pairs are strongest …"""
_HIDDEN: Final = 0.1
"""… but for a share that no pair shows."""
_CERTAIN: Final = 2.0
"""By how many deviations an answer has to exceed what a table costs, to be told from noise among
many."""


@dataclass(frozen=True)
class TripleLook:
    """How triples are looked at.

    Attributes:
        many: how many.
        share: what looks take of the last round.
    """

    many: int = 0
    share: float = 0.0


NO_TRIPLES: Final = TripleLook()
"""None is looked at."""


@dataclass(frozen=True)
class TripleQuestions:
    """Which triples may be looked at, by public numbers only.

    Attributes:
        schema: the columns.
        records: how many there are, public or noisy, above 0.
        spend: what the last round may spend.
        importance: what is marked: those triples are asked about with pairs.
    """

    schema: Schema
    records: float
    spend: Allowance
    importance: Importance

    @cached_property
    def views(self) -> Mapping[int, View]:
        """Of each column the view through which it is seen; none of one that is too wide."""
        found: dict[int, View] = {}
        for place in range(len(self.schema)):
            for view in views_from(self.schema, parent_view(self.schema, place)):
                if 1 < view.size(self.schema) <= WIDEST:
                    found[place] = view
                    break
        return found

    @cached_property
    def most_cells(self) -> float:
        """The most cells of a table of three columns."""
        error = self.spend.part(0.1).total_error(1.0) / 2
        return _CARRIED * self.records / error if error else math.inf

    @property
    def weight(self) -> float:
        """What the error of a triple weighs beside that of a pair, which is in all triples of its
        columns: squares of errors count for as many triples as they are in."""
        return 1 / math.sqrt(max(1, len(self.schema) - 2))

    @cached_property
    def look(self) -> TripleLook:
        """What is expected to gain most on a usual table; nothing where none gains."""
        sizes = self._sizes
        if not len(sizes) or not self.spend.private:
            return TripleLook(min(len(sizes), MOST_LOOKED))
        numbers = {len(sizes) >> halved for halved in range(_HALVINGS)}
        ways = [
            TripleLook(min(many, MOST_LOOKED), share)
            for many in sorted(numbers - {0}, reverse=True)
            for share in _SHARES
        ]
        cheap = [each for each in ways if self._is_cheap(each)]
        gains = [self._expect_gain(each) for each in cheap or ways]
        best = int(np.argmax(gains))
        return (cheap or ways)[best] if cheap or gains[best] > 0 else NO_TRIPLES

    def _is_cheap(self, look: TripleLook) -> bool:
        """Return whether all triples are looked at for little, with little noise: then they are,
        though a usual table would gain little or lose a little, as no pair tells of a triple like
        that of two coins and whether they agree."""
        certain = self._noise(look) <= _CHEAP * self.records and look.share <= _LITTLE
        little = self._expect_gain(look) >= -_CHEAP * self.records
        return look.many == len(self._sizes) and certain and little

    def _noise(self, look: TripleLook) -> float:
        return self.spend.part(look.share).scores_deviation(look.many, HALF)

    def _expect_gain(self, look: TripleLook) -> float:
        """Return how many records nearer a usual table is expected to be, errors weighed, if
        triples are looked at so."""
        rest = self.spend.part(1 - look.share)
        columns = np.array([view.size(self.schema) for view in self.views.values()])
        pairs = len(columns) * self.spend.weight(float(np.median(columns)) ** 2)
        lost = (rest.total_error(pairs) - self.spend.total_error(pairs)) / 2
        sizes = np.quantile(self._sizes, (np.arange(_SIZES) + 0.5) / _SIZES)
        tables = np.array([self.spend.weight(each * self.weight) for each in sizes.tolist()])
        prices = (rest.total_errors(pairs + tables) - rest.total_error(pairs)) / 2
        noise = self.weight * self._noise(look)
        gained = self.weight * self.records * _usual_triples()[:, None] - prices
        looked = look.many / len(self._sizes)
        strong = 1 - (1 - looked) ** _SCREENED
        among = len(self._sizes) * ((1 - _HIDDEN) * strong + _HIDDEN * looked)
        return among * float((ndtr(gained / noise - _CERTAIN) * gained).mean()) - lost

    @cached_property
    def _sizes(self) -> FloatArray:
        """The cells of every triple that is small enough."""
        sizes = np.array([view.size(self.schema) for view in self.views.values()], dtype=float)
        one, other = np.triu_indices(len(sizes), 1)
        third = np.arange(len(sizes))
        whole = (sizes[one] * sizes[other])[:, None] * sizes
        small = (third > other[:, None]) & (whole <= self.most_cells)
        return np.asarray(whole[small])

    def choose(self, model: Particles) -> tuple[Marginal, ...]:
        """Return the triples that are looked at: those that are small enough and of which two
        pairs are strongest in the model so far."""
        many = self.look.many
        found: list[Marginal] = []
        for triple in self._rank(self._strengths(model)) if many else ():
            marginal = tuple(self.views[place] for place in triple)
            small = cells(self.schema, marginal) <= self.most_cells
            if small and triple not in self.importance.above:
                found.append(marginal)
            if len(found) == many:
                break
        return tuple(sorted(found))

    def _strengths(self, model: Particles) -> dict[Places, float]:
        """Return how far each pair is from independent in the model."""
        pairs = list(combinations(self.views.values(), 2))
        tables = marginal_tables(
            self.schema, pairs, len(model.rows), lambda views: map(model.counts, views)
        )
        found: dict[Places, float] = {}
        for place, counts in tables:
            one, other = pairs[place]
            shares = counts.reshape(one.size(self.schema), -1) / max(counts.sum(), 1.0)
            apart = shares - np.outer(shares.sum(axis=1), shares.sum(axis=0))
            found[one.attribute, other.attribute] = float(np.abs(apart).sum()) / 2
        return found

    def _rank(self, strengths: Mapping[Places, float]) -> Iterator[Places]:
        """Yield every triple once, that of the strongest second pair first: of the pairs in their
        order each makes triples with those before it that it shares a column with."""
        beside: dict[int, list[int]] = {place: [] for place in self.views}
        seen: set[Places] = set()
        for pair in sorted(strengths, key=lambda each: (-strengths[each], each)):
            for shared, other in (pair, pair[::-1]):
                for third in beside[shared]:
                    triple = tuple(sorted((shared, other, third)))
                    if triple not in seen:
                        seen.add(triple)
                        yield triple
            for shared, other in (pair, pair[::-1]):
                beside[shared].append(other)

    def most_counted(self, drawn: int) -> int:
        """Return how many triples are counted at most, if so many records stand for the model."""
        return max(1, _WORK // drawn)

    def weigh(self, triples: Sequence[Marginal]) -> Importance:
        """Return what errors weigh if these triples are looked at."""
        groups = (tuple(view.attribute for view in each) for each in triples)
        return Importance({**dict.fromkeys(groups, self.weight), **self.importance.above})


def _usual_triples() -> FloatArray:
    """Return evenly spread quantiles of how far usual triples are from what their pairs show."""
    halvings = -np.log2(1 - (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    return np.asarray(np.minimum(1.0, _TYPICAL * halvings**_UNEQUAL))


def draw_together(looked: Misfit) -> Misfit:
    """Return looks drawn to their median as far as noise demands: most triples show nothing, a few
    very much."""
    if not looked.deviation:
        return looked
    middle = float(np.median(looked.records))
    noise = np.full(len(looked.records), looked.deviation**2)
    drawn = middle + shrink_differences(looked.records - middle, noise, noise)
    return replace(looked, records=drawn)
