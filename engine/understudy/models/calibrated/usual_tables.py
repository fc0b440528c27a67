"""The error to be expected of a usual table, if pairs are asked about and if they are not.

A usual table has pairs of every strength (`understudy.models.prediction`). Asking how far off every
pair is gains if noise lets strong pairs be told from weak ones, and costs what it takes from the
columns. So the pairs of a usual table are chosen, where only some are asked about, and given the
answers that they would get, noise included; the learner's own rule says by these answers which
pairs are measured; and the errors that would be left of all pairs are added up. The learner decides
by the sum which pairs it asks about, and the forecast is made of it.

Only public numbers are used: the cardinalities of the columns, the budget, the marks, and a public
or noisy number of records. Strengths and noise are evenly spaced quantiles of their laws; nothing
is drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Final

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.calibrated.column_levels import column_sizes, finest_of, table_prices
from understudy.models.calibrated.measurement import QuestionShares
from understudy.models.calibrated.selection import (
    DIVISIONS,
    Views,
    shrinking,
    shrunken,
)
from understudy.models.marks import Importance
from understudy.models.prediction import (
    BRONZE,
    USUAL,
    deals_of,
    distance_by_noise,
    evenly_spread,
    usual_strengths,
)
from understudy.models.views import parent_view
from understudy.privacy.accounting.budget_shares import HALF_NORMAL, Allowance
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

    def take(self, places: IntArray | BoolArray) -> UsualTables:
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
        counted: through which views columns are counted by themselves, the finest first.
    """

    schema: Schema
    importance: Importance
    records: float
    views: Views
    counted: Views

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

    def of_columns(self, columns: Allowance, spend: QuestionShares) -> Allowance:
        """Return what columns get where no pair is asked about."""
        return columns.part(spend.alone + spend.misfit + spend.rounds)

    def by_noise(self, alone: Allowance) -> FloatArray:
        """Return (m,) the error by noise of each attribute, if this is spent on one-way tables."""
        sizes = column_sizes(self.schema, self.counted)
        prices = table_prices(self.schema, self.counted, self.importance)
        weights = np.array([alone.weight(each) for each in prices])
        shares = finest_of(weights / weights.sum(), self.counted)
        deviations = deviations_like(alone, np.array(shares))
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


_SHARES: Final = tuple((np.arange(DIVISIONS + 1) / DIVISIONS).tolist())
"""What columns may get of the rounds."""


@dataclass(frozen=True, eq=False)
class _Trial:
    """One way to divide the rounds.

    Attributes:
        rest: what pairs share; an amount of 0 where columns get everything.
        columns: (m,) what noise then sets apart of each column.
        finest: whether each pair is seen through the table that shows most of it, or through that
            which gains most for its price.
        order: the tables that gain anything, one of each pair, that of most worth first.
        apart: by how much noise sets those apart that are measured, the first of them.
    """

    rest: Allowance
    columns: FloatArray
    finest: bool
    order: IntArray
    apart: FloatArray

    @property
    def chosen(self) -> IntArray:
        """The tables that are measured."""
        return self.order[: len(self.apart)]


@dataclass(frozen=True)
class Chosen:
    """How pairs are chosen, by noisy scores of all, that are asked about beside those that weigh
    more.

    Attributes:
        many: how many.
        scale: of the noise on each score, a Gumbel variable, as a share of the records.
        price: what a table's score is less by for each of its cells, for the noise that it would
            have, as a share of the records.
    """

    many: int
    scale: float
    price: float

    def draw_chances(self, tables: int, deals: int) -> FloatArray:
        """Return (deals, tables) the noise on the scores, dealt evenly."""
        return np.asarray(-np.log(-np.log(evenly_spread(tables, deals, BRONZE))) * self.scale)

    def order(self, scores: FloatArray, pair: IntArray) -> IntArray:
        """Return the tables of the best scores, one of each pair, the best first.

        Args:
            scores: (K,) of the tables.
            pair: (K,) of which pair each is.
        """
        places = np.argsort(-scores, kind="stable")
        _, first = np.unique(pair[places], return_index=True)
        return np.asarray(places[np.sort(first)])


@dataclass(frozen=True, eq=False)
class Deal:
    """What becomes of one usual table.

    Attributes:
        answers: (K,) what is answered about each table, with noise, as a share of the records; NaN
            of one that is not asked about.
        chance: (K,) the noise on what tables are chosen by, where they are.
        entry: (pairs,) what the score of a table of each pair has to exceed for it to be chosen,
            those of the other pairs being what they are.
        trial: the division that seems to leave least.
        off: (pairs,) how far off each pair is expected to be after it.
    """

    answers: FloatArray
    chance: FloatArray
    entry: FloatArray
    trial: _Trial
    off: FloatArray


@dataclass(frozen=True, eq=False)
class Asking:
    """Asking about pairs of a usual table. Pairs are told row by row above the diagonal.

    Attributes:
        usual: what is publicly known.
        allowance: what pairs and columns are asked for together.
        columns: what columns are asked for where no pair is.
        spend: how either is divided.
        deviation: of the noise on how far off each pair is answered to be, as a share of the
            records.
        chosen: how the pairs are chosen that alone are asked about beside those that weigh more;
            None if all are asked about.
    """

    usual: Usual
    allowance: Allowance
    columns: Allowance
    spend: QuestionShares
    deviation: float
    chosen: Chosen | None = None

    @property
    def remaining_error(self) -> float:
        """The weighted sum of the squares of what all pairs are expected to be off by, as a share
        of what it is where columns get everything and no pair is asked about."""
        single = self.usual.by_noise(self.usual.of_columns(self.columns, self.spend))
        asking = math.fsum(self._weighted_squares(each.off) for each in self.deals)
        otherwise = (self._weighted_squares(self._off(single, each)) for each in self._strengths)
        return asking / math.fsum(otherwise)

    @property
    def off(self) -> FloatArray:
        """(deals, pairs) how far off each pair of a usual table is expected to be."""
        return np.array([each.off for each in self.deals])

    @property
    def by_noise(self) -> FloatArray:
        """(m,) how far off noise is expected to set each column."""
        return np.asarray(np.mean([each.trial.columns for each in self.deals], axis=0))

    @property
    def counted(self) -> FloatArray:
        """(pairs,) how far off each would be by noise, and by what its levels hide, that would be
        measured among the others of a usual table if it were tied as usual (`USUAL`) itself and
        answered about without noise; NaN of those that would not in half of the deals."""
        found = np.array([self._noise_if_usual(each) for each in self.deals])
        times = np.isfinite(found).sum(axis=0)
        means = np.nansum(found, axis=0) / np.maximum(times, 1)
        return np.where(2 * times >= len(found), means, np.nan)

    @property
    def rest(self) -> Allowance:
        """What pairs share, on average."""
        amounts = [each.trial.rest.amount for each in self.deals]
        return Allowance(float(np.mean(amounts)), self.allowance.currency)

    @property
    def weight(self) -> float:
        """What the tables that are measured weigh together in a division of it, on average."""
        return float(np.mean([self._weights[each.trial.chosen].sum() for each in self.deals]))

    @cached_property
    def deals(self) -> tuple[Deal, ...]:
        """What becomes of usual tables, one for each deal of their strengths."""
        noise = ndtri(evenly_spread(len(self._pair), len(self._strengths))) * self.deviation
        return tuple(map(self._divide_deal, self._strengths, noise, self._chances))

    def _divide_deal(self, strengths: FloatArray, noise: FloatArray, chance: FloatArray) -> Deal:
        """Divide the rounds by what is answered.

        Args:
            strengths: (pairs,) how far each is from independent.
            noise: (K,) on what is answered about each table.
            chance: (K,) on what it is chosen by; of no use where all are asked about.
        """
        shown = self._tables.shown * strengths[self._pair]
        asked, entry = self._ask_about(shown, chance)
        answers = np.full(len(shown), np.nan)
        answers[asked] = (shown + noise)[asked]
        taken = np.zeros(len(answers))
        taken[asked] = np.maximum(shrunken(answers[asked], self.deviation), 0.0)
        seeming = np.zeros(len(strengths))
        np.maximum.at(seeming, self._pair, taken)
        trial = min(
            self._trials(taken),
            key=lambda each: self._weighted_squares(self._errors_after(each, seeming)),
        )
        return Deal(answers, chance, entry, trial, self._errors_after(trial, strengths))

    def _ask_about(self, shown: FloatArray, chance: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the tables that are asked about, of pairs that show so much, and `Deal.entry`."""
        entry = np.full(len(self._one), -np.inf)
        if self.chosen is None:
            return np.arange(len(shown)), entry
        scores, many = self._scores(shown, chance), self.chosen.many
        order = self.chosen.order(scores, self._pair)
        order = order[self._tables.weighs[order] <= 1]
        if len(order) > many:
            entry[self._pair[order[:many]]] = scores[order[many]]
            entry[self._pair[order[many:]]] = scores[order[many - 1]]
        return np.concatenate([np.flatnonzero(self._tables.weighs > 1), order[:many]]), entry

    def _scores(self, shown: FloatArray, chance: FloatArray) -> FloatArray:
        """Return (K,) the noisy scores of tables that show so much."""
        assert self.chosen is not None
        return np.asarray(shown - self.chosen.price * self._tables.counts + chance)

    @cached_property
    def _chances(self) -> FloatArray:
        """(deals, K) the noise on what is chosen by."""
        size = len(self._strengths), len(self._pair)
        return self.chosen.draw_chances(*size[::-1]) if self.chosen else np.zeros(size)

    def _trials(self, answers: FloatArray) -> Iterator[_Trial]:
        """Divide the rounds in every way, and measure what gains then.

        Args:
            answers: (K,) how far off each table is taken to be.
        """
        gains = self._gains(answers)
        for finest in (False, True) if self._several else (False,):
            order = self._order_tables(gains, finest=finest)
            weights = self._weights[order]
            gained, weight = np.cumsum(gains[order]), np.cumsum(weights)
            rests, chosen, deviations = [], [], []
            for share in _SHARES:
                rest = self.allowance.part((1 - share) * self.spend.rounds)
                many = 0
                if share < 1 and len(order):
                    value = gained - rest.total_errors(weight) / 2
                    many = int(np.argmax(value)) + 1 if value.max() > 0 else 0
                if many:
                    deviations.append(deviations_like(rest, weights[:many] / weight[many - 1]))
                rests.append(rest)
                chosen.append(order[:many])
            apart = self._noise(np.concatenate(chosen), np.concatenate([*deviations, np.zeros(0)]))
            ends = np.cumsum([len(each) for each in chosen[:-1]])
            for made in zip(rests, self._columns, np.split(apart, ends), strict=True):
                yield _Trial(made[0], made[1], finest, order, made[2])

    def _noise_if_usual(self, deal: Deal) -> FloatArray:
        """Return (pairs,) as of `counted`, in one deal. Its own table is taken out of the order and
        put in where it then belongs: it is measured if it gains more than the errors of those
        before it grow, as each further one gains less for its weight and costs more."""
        trial, weights = deal.trial, self._weights
        found = np.full(len(self._weighs), np.nan)
        if not len(trial.order) or trial.columns is self._columns[-1]:
            return found
        asked = np.isfinite(deal.answers)
        mean, kept = shrinking(deal.answers[asked], self.deviation)
        taken = np.where(asked, np.maximum(mean + kept * (deal.answers - mean), 0.0), 0.0)
        usual = np.maximum(mean + kept * (self._tables.shown * USUAL - mean), 0.0)
        usual[~self._asked_if_usual(deal)] = 0.0
        worth = self._gains(taken)[trial.order] / weights[trial.order]
        gains = self._gains(usual)
        tables = self._order_tables(gains, finest=trial.finest)
        pair, weight = self._pair[tables], weights[tables]
        ahead = np.searchsorted(-worth, -gains[tables] / weight)
        place = np.full(len(found), len(trial.order))
        place[self._pair[trial.order]] = np.arange(len(trial.order))
        own = np.zeros(len(found))
        own[self._pair[trial.order]] = weights[trial.order]
        sums = np.concatenate([[0.0], np.cumsum(weights[trial.order])])
        before = np.maximum(0.0, sums[ahead] - np.where(place[pair] < ahead, own[pair], 0.0))
        errors = trial.rest.total_errors
        measured = gains[tables] > (errors(before + weight) - errors(before)) / 2
        many = len(trial.apart)
        others = np.maximum(0.0, sums[many] - np.where(place[pair] < many, own[pair], 0.0))
        tables, whole = tables[measured], (others + weight)[measured]
        hidden = (1 - self._tables.shown[tables]) * USUAL
        deviations = deviations_like(trial.rest, weights[tables] / whole)
        found[self._pair[tables]] = self._noise(tables, deviations) + hidden
        return found

    def _asked_if_usual(self, deal: Deal) -> BoolArray:
        """Return (K,) which tables would be asked about if their own pair were tied as usual."""
        if self.chosen is None:
            return np.ones(len(self._pair), dtype=bool)
        scores = self._scores(self._tables.shown * USUAL, deal.chance)
        found = self._tables.weighs > 1
        best = self.chosen.order(scores, self._pair)
        found[best] |= scores[best] > deal.entry[self._pair[best]]
        return found

    def _gains(self, answers: FloatArray) -> FloatArray:
        """Return (K,) by how many weighted records each measured table lowers the error."""
        return np.asarray(answers * self._tables.weighs * self.usual.records)

    def _order_tables(self, gains: FloatArray, *, finest: bool) -> IntArray:
        """Return the tables in the order in which they are worth measuring, one of each pair of
        attributes: that which shows most, or that which gains most for its price."""
        worth = gains / self._weights
        best = self._tables.shown if finest else worth
        places = np.lexsort((-worth, -best))
        places = places[gains[places] > 0]
        _, first = np.unique(self._pair[places], return_index=True)
        places = places[first]
        return np.asarray(places[np.argsort(-worth[places], kind="stable")])

    def _noise(self, tables: IntArray, deviations: FloatArray) -> FloatArray:
        """Return how far noise of these deviations moves some tables."""
        kinds, kind = np.unique(self._tables.counts[tables] + 1j * deviations, return_inverse=True)
        return distance_by_noise(kinds.real, kinds.imag, self.usual.records)[kind]

    def _errors_after(self, trial: _Trial, strengths: FloatArray) -> FloatArray:
        """Return (pairs,) how far off each is after a division: one that is not measured by all
        that it is from independent, one that is by its noise and what its levels hide, and either
        by what its columns are."""
        left, pair = strengths.copy(), self._pair[trial.chosen]
        left[pair] = trial.apart + (1 - self._tables.shown[trial.chosen]) * strengths[pair]
        return self._off(trial.columns, left)

    def _off(self, columns: FloatArray, left: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(left**2 + columns[self._one] ** 2 + columns[self._other] ** 2))

    def _weighted_squares(self, off: FloatArray) -> float:
        return float((self._weighs * off**2).sum())

    @cached_property
    def _strengths(self) -> FloatArray:
        """(deals, pairs) as they are dealt, as often as it takes for those that are asked about."""
        return usual_strengths(len(self._one), deals_of(len(np.unique(self._pair))))

    @cached_property
    def _columns(self) -> list[FloatArray]:
        """(m,) what noise sets apart of each column, for each of `_SHARES`."""
        spend = self.spend
        return [
            self.usual.by_noise(self.allowance.part(spend.alone + share * spend.rounds))
            for share in _SHARES
        ]

    @cached_property
    def _tables(self) -> UsualTables:
        """What is asked about."""
        tables = self.usual.tables
        return tables.take(tables.weighs > 1) if self.chosen and not self.chosen.many else tables

    @cached_property
    def _ends(self) -> tuple[IntArray, IntArray]:
        one, other = np.triu_indices(len(self.usual.schema), 1)
        return one, other

    @property
    def _one(self) -> IntArray:
        return self._ends[0]

    @property
    def _other(self) -> IntArray:
        return self._ends[1]

    @cached_property
    def _pair(self) -> IntArray:
        """(K,) of which pair of attributes each table is."""
        many = len(self.usual.schema)
        number = np.zeros((many, many), dtype=np.int64)
        number[self._ends] = np.arange(len(self._one))
        return np.asarray(number[self._tables.one, self._tables.other])

    @cached_property
    def _several(self) -> bool:
        """Whether a pair of attributes has several tables."""
        return len(np.unique(self._pair)) < len(self._pair)

    @cached_property
    def _weighs(self) -> FloatArray:
        """(pairs,) what the errors of each pair weigh."""
        every = self.usual.importance.of_pairs(len(self.usual.schema))
        return np.asarray(every[self._ends])

    @cached_property
    def _weights(self) -> FloatArray:
        """(K,) each table's weight in a division of what is spent."""
        prices, price = np.unique(self._tables.prices, return_inverse=True)
        return np.array([self.allowance.weight(each) for each in prices.tolist()])[price]
