"""Columns of numbers, dates and times counted by themselves at several levels.

A column that has levels above its buckets is counted through its finest level that the budget
carries and through those above it: days in months in years. One day's noise in each of a
thousand days would add up in their months; counted as such, a month has the noise of one count.
Which level is the finest follows from the schema, the budget and a public or noisy number of
records.

**One set of counts.** The answers at all levels are put together by least squares, each for its
precision, along the tree of ranges: sums up, corrections down (Hay, Rastogi, Miklau and Suciu 2010,
for groups of any size and noise of any strength). Ranges are then drawn towards an even share of
the one above as far as noise demands, by an empirical Bayes estimate for each level that tells a
few outstanding ranges from many that are hardly apart (adaptive shrinkage, Stephens 2017).

**In full.** What is finer than the finest level that was counted is spread evenly within it: over
the numbers or days that a cell holds, by the declared pattern of weekdays if there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.calibrated.measurement import MeasuredMarginal, on_simplex
from understudy.models.calibrated.selection import Views
from understudy.models.marks import Importance
from understudy.models.possible import possible_cells
from understudy.models.prediction import distance_by_noise
from understudy.models.views import View, add_weights, views_from, views_of
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.table.schema import Schema

T = TypeVar("T")

CARRIED: Final = 0.2
"""Noise on the counts of a level, as a share of the records, above which the level is too fine."""


def column_views(schema: Schema) -> Views:
    """Return of each column the views through which it may be counted by itself, the finest first:
    of one with ordered values and levels all that it has, of others it in full."""
    return tuple(
        views_of(schema, place) if column.ordered and column.levels else (View(place),)
        for place, column in enumerate(schema.columns)
    )


def has_levels(schema: Schema) -> bool:
    """Return whether a column may be counted at several levels."""
    return any(len(views) > 1 for views in column_views(schema))


def carried_views(
    schema: Schema, spend: Allowance, records: float, importance: Importance
) -> Views:
    """Return of each column the views through which it is counted, the finest first: those of
    `column_views` without the ones that are too fine for a budget. By public numbers only.

    Args:
        schema: the columns.
        spend: what all columns are expected to be counted for.
        records: how many there are, above 0.
        importance: what the errors of each column weigh.
    """
    views = column_views(schema)
    if not spend.private:
        return tuple(each[:1] for each in views)
    while True:
        sizes = column_sizes(schema, views)
        parts = finest_of(spend.divide(table_prices(schema, views, importance)), views)
        deviations = np.array([part.deviation for part in parts])
        noise = distance_by_noise(sizes.astype(float), deviations, records)
        finer = tuple(
            each[1:] if len(each) > 1 and apart > CARRIED else each
            for each, apart in zip(views, noise.tolist(), strict=True)
        )
        if finer == views:
            return views
        views = finer


def column_sizes(schema: Schema, views: Views) -> IntArray:
    """Return (m,) in how many cells each column is counted, through the finest of its views."""
    return np.array([each[0].size(schema) for each in views], dtype=np.int64)


def table_prices(schema: Schema, views: Views, importance: Importance) -> list[float]:
    """Return the price of the table of each view of each column: its cells, each times what the
    column's errors weigh."""
    weighs = importance.of_columns(len(views))
    pairs = zip(views, weighs, strict=True)
    return [view.size(schema) * each for of_column, each in pairs for view in of_column]


def finest_of(tables: Sequence[T], views: Views) -> list[T]:
    """Return what belongs to the finest view of each column, of what belongs to all views."""
    return [each[0] for each in split_by_column(tables, views)]


def split_by_column(tables: Sequence[T], views: Views) -> Iterator[Sequence[T]]:
    """Yield what belongs to the views of each column, of what belongs to all views."""
    first = 0
    for each in views:
        yield tables[first : first + len(each)]
        first += len(each)


def merge_levels(schema: Schema, measured: Sequence[MeasuredMarginal]) -> MeasuredMarginal:
    """Return the counts of one column at the finest of several levels, as all of them together
    tell.

    Args:
        schema: the columns.
        measured: the same column at each level, the finest first.
    """
    finest, *others = measured
    if not others or not finest.deviation:
        return finest
    tree = _Tree.of(schema, finest, tuple(each.deviation for each in others))
    return replace(
        finest,
        counts=tree.agree([each.counts for each in measured]),
        above=tuple(each.deviation for each in others),
        answers=tuple(answer for each in measured for answer in each.answers),
    )


def settle_column(schema: Schema, column: MeasuredMarginal, records: float) -> FloatArray:
    """Return (cardinality,) the distribution of a column in full, the nearest to what was counted
    that can be.

    Args:
        schema: the columns.
        column: its counts, at the finest level.
        records: how many there are.
    """
    counts = column.counts
    if column.above:
        counts = _Tree.of(schema, column, column.above).smooth(counts)
    shares = on_simplex(counts, records, column.possible) / records
    return spread_evenly(schema, column.marginal[0], shares)


def spread_evenly(schema: Schema, view: View, shares: FloatArray) -> FloatArray:
    """Return the shares of the values of a view, spread over the codes within each."""
    if not view.level:
        return shares
    groups = schema.columns[view.attribute].level_map(view.level)
    return np.asarray(shares[groups] * _within(_even_weights(schema, view.attribute), groups))


def _even_weights(schema: Schema, attribute: int) -> FloatArray:
    """Return what each code of a column gets of values that are spread evenly, in proportion; none
    where no record can have it."""
    weights = schema.columns[attribute].even_weights
    possible = possible_cells(schema, (View(attribute),))
    return weights if possible is None else np.where(possible, weights, 0.0)


def _within(weights: FloatArray, groups: IntArray) -> FloatArray:
    """Return the share that each weight is of its group; of a group without weight, even shares."""
    sums = _add_up(groups, weights)[groups]
    many = np.bincount(groups)[groups]
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), 1 / many)


def _add_up(groups: IntArray, values: FloatArray) -> FloatArray:
    """Return the sum of the values of each group."""
    return add_weights(groups, values, int(groups.max()) + 1)


_STRAYS: Final = np.concatenate([[0.0], 4.0 ** np.arange(-4, 10)])
"""How far ranges may stray from what is expected: s, for a variance of s·expected."""
_TURNS: Final = 60


def shrink_differences(
    differences: FloatArray, expected: FloatArray, noise: FloatArray
) -> FloatArray:
    """Return differences from expected counts drawn towards 0 as far as their noise demands.

    How many ranges stray how far is estimated from all of them, as the mixture of the variances
    s·expected, s in `_STRAYS`, that is most likely (by expectation and maximisation).

    Args:
        differences: of each range, what it was counted as less what is expected.
        expected: what is expected of each.
        noise: the variance of the noise on each; where it is 0, the difference stays.
    """
    noisy = noise > 0
    found = differences.copy()
    if not noisy.any():
        return found
    own = _STRAYS * np.maximum(expected[noisy], 0.0)[:, None]
    whole = own + noise[noisy][:, None]
    logs = -(np.log(whole) + differences[noisy][:, None] ** 2 / whole) / 2
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares = np.full(len(_STRAYS), 1 / len(_STRAYS))
    for _ in range(_TURNS):
        weights = likely * shares
        weights /= weights.sum(axis=1, keepdims=True)
        shares = weights.mean(axis=0)
    found[noisy] *= (weights * own / whole).sum(axis=1)
    return found


@dataclass(frozen=True, eq=False)
class _Tree:
    """The ranges of a column at the levels at which it was counted, the finest first.

    Attributes:
        deviations: the standard deviation of the noise on a count at each level.
        folds: of each level but the coarsest, the range above that each range is in.
        shares: of each level but the coarsest, what each range is of the one above where values
            are spread evenly.
        noisy: of each range of the finest level 1; 0 where no record can be in it, so that its
            count is 0 without noise.
    """

    deviations: tuple[float, ...]
    folds: tuple[IntArray, ...]
    shares: tuple[FloatArray, ...]
    noisy: FloatArray

    @classmethod
    def of(cls, schema: Schema, finest: MeasuredMarginal, above: tuple[float, ...]) -> _Tree:
        """Return the tree of a column, given the noise at each level above the finest one."""
        (view,) = finest.marginal
        column = schema.columns[view.attribute]
        levels = [each.level for each in views_from(schema, view)[: 1 + len(above)]]
        folds = tuple(column.fold(fine, coarse) for fine, coarse in pairwise(levels))
        weights = _add_up(column.level_map(view.level), _even_weights(schema, view.attribute))
        shares = []
        for fold in folds:
            shares.append(_within(weights, fold))
            weights = _add_up(fold, weights)
        noisy = np.ones(len(finest.counts)) if finest.possible is None else finest.possible
        return cls((finest.deviation, *above), folds, tuple(shares), noisy.astype(np.float64))

    def agree(self, counts: Sequence[FloatArray]) -> FloatArray:
        """Return counts at the finest level: the least squares estimate from all levels."""
        here = [counts[0].astype(float)]
        variances = self._variances
        for place, fold in enumerate(self.folds):
            summed, spread = _add_up(fold, here[-1]), _add_up(fold, variances[place])
            trust = spread / (spread + self.deviations[place + 1] ** 2)
            here.append(summed + trust * (counts[place + 1] - summed))
        found = here[-1]
        for fold, below, variance in zip(
            reversed(self.folds), reversed(here[:-1]), reversed(variances[:-1]), strict=True
        ):
            apart = found - _add_up(fold, below)
            found = below + _within(variance, fold) * apart[fold]
        return np.asarray(found)

    def smooth(self, counts: FloatArray) -> FloatArray:
        """Return counts drawn towards an even share of the range above, as far as the noise that is
        left demands, level by level from the coarsest.

        Args:
            counts: at the finest level, as all levels agree on.
        """
        sums = [counts]
        for fold in self.folds:
            sums.append(_add_up(fold, sums[-1]))
        found = sums[-1]
        for place in reversed(range(len(self.folds))):
            fold, share = self.folds[place], self.shares[place]
            many = _add_up(fold, np.ones(len(fold)))[fold]
            noise = self._variances[place] * (1 - 1 / many)
            even = sums[place + 1][fold] * share
            found = found[fold] * share + shrink_differences(sums[place] - even, even, noise)
        return found

    @property
    def _variances(self) -> list[FloatArray]:
        """Of each level, the variance of each count as it and those below tell together."""
        found = [self.noisy * self.deviations[0] ** 2]
        for fold, deviation in zip(self.folds, self.deviations[1:], strict=True):
            spread = _add_up(fold, found[-1])
            found.append(spread * deviation**2 / (spread + deviation**2))
        return found
