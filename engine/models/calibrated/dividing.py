"""How a round divides what it may spend: between the columns by themselves, again, and pairs.

Whatever is off in a column is off in all of its pairs, so that a table whose pairs tell little is
served best by certain columns, and one of strong pairs by those. How far each pair would be off is
worked out for several divisions, and the one with the least sum of squares is taken: what is far
off counts for more, as a table that has lost its strongest pairs is told apart at once. Noisy
numbers only are looked at: for the guarantee a round is one mechanism that spends its whole
allowance however it is divided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.calibrated.measured import Measured, pooled_deviation
from engine.models.calibrated.residuals import Misfit, worth_measuring
from engine.models.views import Marginal
from engine.privacy.accounting.allowance import HALF_NORMAL, Allowance

DIVISIONS = 10
"""Shares are multiples of its inverse."""

Reals = npt.NDArray[np.float64]
Pair = tuple[int, int]


@dataclass(frozen=True)
class Division:
    """What a round asks.

    Attributes:
        alone: the share of its allowance that goes to every column by itself, 0 to 1; 1 where no
            pair is chosen.
        pairs: the pairs that share the rest.
    """

    alone: float
    pairs: tuple[Marginal, ...]


def divided(
    found: Misfit, columns: Sequence[Measured], spend: Allowance, *, again: bool = True
) -> Division:
    """How to divide a round between columns and pairs: the division after which the expected
    squared errors of all pairs, in records, have the smallest sum.

    Args:
        found: how far off the model is on the candidates.
        columns: every column by itself, as measured until now.
        spend: what the round may spend.
        again: whether columns may be measured again; without, they are where no pair is chosen.
    """
    misfits = dependence(found, columns)
    shares = np.arange(DIVISIONS) / DIVISIONS if again else np.zeros(1)
    trials = [_Trial.of(found, misfits, columns, spend, float(share)) for share in shares]
    best = min(trials, key=lambda each: each.left)
    if not best.pairs or (
        again and _Trial.of(found, misfits, columns, spend, 1.0).left < best.left
    ):
        return Division(1.0, ())
    return Division(best.share, best.pairs)


def dependence(found: Misfit, columns: Sequence[Measured]) -> Reals:
    """(K,) how many records of each candidate's misfit are not its columns' by themselves, nor
    noise's; at least 0.

    Among many candidates those that are largest are so by their noise too: each is drawn towards
    their mean as far as what they differ by is noise (an empirical Bayes estimate). The errors of
    two columns and of how they hang together add up by their squares.
    """
    errors = column_errors(columns)
    drawn = _shrunken(found.records, found.deviation)
    ends = np.array([[view.attribute for view in each] for each in found.candidates], dtype=int)
    alone = (errors[ends.reshape(-1, 2)] ** 2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(np.maximum(drawn, 0.0) ** 2 - alone, 0.0)))


def _shrunken(values: Reals, deviation: float) -> Reals:
    if not len(values) or not deviation:
        return values
    own = max(0.0, float(values.var()) - deviation**2)
    return np.asarray(values.mean() + own / (own + deviation**2) * (values - values.mean()))


def column_errors(columns: Sequence[Measured]) -> Reals:
    """(m,) by how many records the noise of each column's table is expected to set it apart: no
    cell by more than it holds."""
    return np.array(
        [
            float(np.minimum(HALF_NORMAL * each.deviation, np.maximum(each.counts, 0.0)).sum()) / 2
            for each in columns
        ]
    )


@dataclass(frozen=True, eq=False)
class _Trial:
    """One division, and the sum of the squares of what it would leave each pair off by."""

    share: float
    pairs: tuple[Marginal, ...]
    left: float

    @classmethod
    def of(
        cls,
        found: Misfit,
        misfits: Reals,
        columns: Sequence[Measured],
        spend: Allowance,
        share: float,
    ) -> _Trial:
        pairs = worth_measuring(found, misfits, spend.part(1 - share)) if share < 1 else ()
        errors = column_errors([_again(each, columns, spend.part(share)) for each in columns])
        left = _left(found, misfits, pairs, spend.part(1 - share))
        together = (
            each**2 + errors[one] ** 2 + errors[other] ** 2 for (one, other), each in left.items()
        )
        return cls(share, pairs, math.fsum(together))


def _again(column: Measured, columns: Sequence[Measured], spend: Allowance) -> Measured:
    """A column as certain as it would be, measured again with its part of this."""
    if not spend.amount or not column.deviation:
        return column
    weights = [spend.weight(len(each.counts)) for each in columns]
    part = spend.part(spend.weight(len(column.counts)) / math.fsum(weights))
    deviation = pooled_deviation(column.deviation, part.deviation)
    return Measured(column.marginal, column.counts, deviation)


def _left(
    found: Misfit, misfits: Reals, pairs: Sequence[Marginal], spend: Allowance
) -> Mapping[Pair, float]:
    """By how many records each pair of columns would be off: of one that is not measured all that
    it is found to be, of one that is, its noise and what the buckets it is seen through hide."""
    whole: dict[Pair, float] = {}
    own = dict(zip(found.candidates, misfits.tolist(), strict=True))
    for each, misfit in own.items():
        whole[_pair(each)] = max(whole.get(_pair(each), 0.0), misfit)
    left = dict(whole)
    weights = [spend.weight(size) for size in found.sizes(pairs)]
    for each, weight in zip(pairs, weights, strict=True):
        # In the currency of the noise the errors of tables are in proportion to their weights.
        noise = spend.total_error(math.fsum(weights)) * weight / math.fsum(weights) / 2
        left[_pair(each)] = noise + whole[_pair(each)] - own[each]
    return left


def _pair(marginal: Marginal) -> Pair:
    one, other = marginal
    return one.attribute, other.attribute
