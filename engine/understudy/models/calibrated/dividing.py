"""How a round divides what it may spend: between the columns by themselves, again, and pairs.

Whatever is off in a column is off in all of its pairs, so that a table whose pairs tell little is
served best by certain columns, and one of strong pairs by those. How far each pair would be off is
worked out for several divisions, and the one with the least sum of squares is taken: what is far
off counts for more, as a table that has lost its strongest pairs is told apart at once, and what is
marked as important for what it weighs. Noisy
numbers only are looked at: for the guarantee a round is one mechanism that spends its whole
allowance however it is divided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.models.calibrated.measured import Measured, pooled_deviation
from understudy.models.calibrated.residuals import Misfit, attributes, worth_measuring
from understudy.models.marks import EVEN, Importance, Places
from understudy.models.views import Marginal
from understudy.privacy.accounting.allowance import HALF_NORMAL, Allowance

DIVISIONS = 10
"""Shares are multiples of its inverse."""


@dataclass(frozen=True)
class Division:
    """What a round asks.

    Attributes:
        alone: the share of its allowance that goes to every column by itself, 0 to 1; 1 where no
            pair is chosen.
        pairs: the pairs, and marked triples, that share the rest.
    """

    alone: float
    pairs: tuple[Marginal, ...]


def best_division(
    found: Misfit,
    columns: Sequence[Measured],
    spend: Allowance,
    *,
    again: bool = True,
    importance: Importance = EVEN,
) -> Division:
    """Return how to divide a round between columns and pairs: the division after which the expected
    squared errors of all pairs, in records, each times what it weighs, have the smallest sum.

    Args:
        found: how far off the model is on the candidates.
        columns: every column by itself, as measured until now.
        spend: what the round may spend.
        again: whether columns may be measured again; without, they are where no pair is chosen.
        importance: what an error of each pair and triple weighs.
    """
    asked = _Asked(found, dependence(found, columns), columns, spend, importance)
    shares = np.arange(DIVISIONS) / DIVISIONS if again else np.zeros(1)
    trials = [_Trial.of(asked, float(share)) for share in shares]
    best = min(trials, key=lambda each: each.left)
    if not best.pairs or (again and _Trial.of(asked, 1.0).left < best.left):
        return Division(1.0, ())
    return Division(best.share, best.pairs)


def dependence(found: Misfit, columns: Sequence[Measured]) -> FloatArray:
    """(K,) how many records of each candidate's misfit are not its columns' by themselves, nor
    noise's; at least 0.

    Among many candidates those that are largest are so by their noise too: each is drawn towards
    their mean as far as what they differ by is noise (an empirical Bayes estimate). The errors of
    two columns and of how they hang together add up by their squares; of a triple those of its
    columns, of its pairs, and of what only the three together show.
    """
    squares = column_errors(columns) ** 2
    groups = [attributes(each) for each in found.candidates]
    paired = np.array([len(each) == 2 for each in groups], dtype=bool)
    drawn = found.records.copy()
    drawn[paired] = shrunken(found.records[paired], found.deviation)
    drawn = np.maximum(drawn, 0.0) ** 2
    alone = np.array([math.fsum(squares[[*each]]) for each in groups])
    pairs = np.maximum(drawn - alone, 0.0)
    whole: dict[Places, float] = {}
    for each, square in zip(groups, pairs.tolist(), strict=True):
        whole[each] = max(whole.get(each, 0.0), square)
    for place in np.flatnonzero(~paired).tolist():
        within = (whole.get(pair, 0.0) for pair in combinations(groups[place], 2))
        pairs[place] = max(0.0, pairs[place] - math.fsum(within))
    return np.asarray(np.sqrt(pairs))


def shrunken(values: FloatArray, deviation: float) -> FloatArray:
    """Move values with noise to their mean as far as the noise demands (empirical Bayes)."""
    mean, kept = shrinking(values, deviation)
    return np.asarray(mean + kept * (values - mean))


def shrinking(values: FloatArray, deviation: float) -> tuple[float, float]:
    """Return what `shrunken` moves values to, and the share of their difference from it that it
    keeps."""
    if not len(values) or not deviation:
        return 0.0, 1.0
    own = max(0.0, float(values.var()) - deviation**2)
    return float(values.mean()), own / (own + deviation**2)


def column_errors(columns: Sequence[Measured]) -> FloatArray:
    """(m,) by how many records the noise of each column's table is expected to set it apart: no
    cell by more than it holds."""
    return np.array(
        [
            float(np.minimum(HALF_NORMAL * each.deviation, np.maximum(each.counts, 0.0)).sum()) / 2
            for each in columns
        ]
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a round is divided by.

    Attributes:
        found: how far off the model is on the candidates.
        misfits: (K,) as of `dependence`.
        columns: every column by itself, as measured until now.
        spend: what the round may spend.
        importance: what an error of each pair and triple weighs.
    """

    found: Misfit
    misfits: FloatArray
    columns: Sequence[Measured]
    spend: Allowance
    importance: Importance


@dataclass(frozen=True, eq=False)
class _Trial:
    """One division, and the weighted sum of the squares of what it would leave each pair off by."""

    share: float
    pairs: tuple[Marginal, ...]
    left: float

    @classmethod
    def of(cls, asked: _Asked, share: float) -> _Trial:
        rest = asked.spend.part(1 - share)
        pairs = (
            worth_measuring(asked.found, asked.misfits, rest, asked.importance) if share < 1 else ()
        )
        squares = column_errors(_again(asked, asked.spend.part(share))) ** 2
        together = (
            asked.importance.of(group) * sum((squares[place] for place in group), each**2)
            for group, each in _left(asked, pairs, rest).items()
        )
        return cls(share, pairs, math.fsum(together))


def _again(asked: _Asked, spend: Allowance) -> list[Measured]:
    """Return the columns as certain as they would be, measured again with this."""
    columns = asked.columns
    if not spend.amount:
        return list(columns)
    parts = spend.divided(column_prices([len(each.counts) for each in columns], asked.importance))
    return [
        replace(each, deviation=pooled_deviation(each.deviation, part.deviation))
        if each.deviation
        else each
        for each, part in zip(columns, parts, strict=True)
    ]


def column_prices(sizes: Sequence[int], importance: Importance) -> list[float]:
    """(m,) what each column's table is priced by: its cells, each times what its errors weigh."""
    weighs = importance.of_columns(len(sizes))
    return [size * each for size, each in zip(sizes, weighs, strict=True)]


def prices(found: Misfit, pairs: Sequence[Marginal], importance: Importance) -> list[float]:
    """Return what some of the candidates are priced by: their cells, each times what its errors
    weigh."""
    sizes = zip(found.sizes(pairs), map(attributes, pairs), strict=True)
    return [size * importance.of(group) for size, group in sizes]


def _left(asked: _Asked, pairs: Sequence[Marginal], spend: Allowance) -> Mapping[Places, float]:
    """By how many records each pair of columns, and each triple that is asked about, would be off:
    of one that is not measured all that it is found to be, of one that is, its noise and what the
    buckets it is seen through hide."""
    whole: dict[Places, float] = {}
    own = dict(zip(asked.found.candidates, asked.misfits.tolist(), strict=True))
    for each, misfit in own.items():
        group = attributes(each)
        whole[group] = max(whole.get(group, 0.0), misfit)
    left = dict(whole)
    weights = [spend.weight(each) for each in prices(asked.found, pairs, asked.importance)]
    for each, weight in zip(pairs, weights, strict=True):
        # In the currency of the noise weighted errors of tables are in proportion to their weights.
        noise = spend.total_error(math.fsum(weights)) * weight / math.fsum(weights) / 2
        group = attributes(each)
        left[group] = noise / asked.importance.of(group) + whole[group] - own[each]
    return left
