"""Measures of days that compare sums over people, and those that say one number of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.evaluation.intervals import BLOCKS, block_jackknife, cut_to_range
from understudy.evaluation.measure import About, Interval, SubjectResult
from understudy.evaluation.mobility.counts import PeopleSums
from understudy.evaluation.mobility.days import DaysStudy, Seen

# How far two rows of counts are from each other. Each row is brought to shares first.

Formula = Callable[[FloatArray, FloatArray], FloatArray]
"""From (rows, size) counts of one side and of the other to (rows,) values."""


def variation(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return total variation, ½ Σ |p − q|, in [0, 1]."""
    found: FloatArray = np.abs(row_shares(one) - row_shares(other)).sum(axis=1) / 2
    return found


def jensen_shannon(one: FloatArray, other: FloatArray) -> FloatArray:
    """Jensen–Shannon divergence in bits, in [0, 1]; no square root is taken."""
    p, q = row_shares(one), row_shares(other)
    middle = (p + q) / 2
    found: FloatArray = (_entropies(p, middle) + _entropies(q, middle)) / 2
    return found


def kolmogorov(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the largest difference of cumulative shares, in [0, 1]: of Kolmogorov and Smirnov."""
    found: FloatArray = np.abs(np.cumsum(row_shares(one) - row_shares(other), axis=1)).max(axis=1)
    return found


def top_kept(top: int) -> Formula:
    """Return the share of the other side's `top` largest cells, or of as many as there are, that
    are among this side's. Of equal cells, the lower number is the larger."""

    def count_shared(one: FloatArray, other: FloatArray) -> FloatArray:
        most = min(top, one.shape[1])
        sides = ((np.argsort(-each, axis=1, kind="stable")[:, :most]) for each in (one, other))
        return np.array([len(np.intersect1d(a, b)) / most for a, b in zip(*sides, strict=True)])

    return count_shared


def kendall(one: FloatArray, other: FloatArray) -> FloatArray:
    """Kendall's τ of two orders of the same cells: pairs in the same order less pairs in the
    opposite one, of all pairs; in [−1, 1]. A pair that is equal on either side counts for none."""
    cells = one.shape[1]
    found = np.zeros(len(one))
    for row, (a, b) in enumerate(zip(one, other, strict=True)):
        alike = sum(
            int((np.sign(a[cell] - a[cell + 1 :]) * np.sign(b[cell] - b[cell + 1 :])).sum())
            for cell in range(cells - 1)
        )
        found[row] = alike / max(1, cells * (cells - 1) // 2)
    return found


def relative_error(floor: float) -> Formula:
    """Return the mean of |a − b| / max(b, floor) over the shares a of this side and b of the other.

    Counts are of days, with all days in the last cell; each cell but that is a share of them.
    """

    def error(one: FloatArray, other: FloatArray) -> FloatArray:
        a, b = (each[:, :-1] / np.maximum(1, each[:, -1:]) for each in (one, other))
        found: FloatArray = (np.abs(a - b) / np.maximum(b, floor)).mean(axis=1)
        return found

    return error


def row_shares(counts: FloatArray) -> FloatArray:
    """Return rows that add up to 1; of nothing, nothing."""
    total: FloatArray = counts.sum(axis=1, keepdims=True)
    found: FloatArray = counts / np.where(total > 0, total, 1)
    return found


def _entropies(p: FloatArray, middle: FloatArray) -> FloatArray:
    there = p > 0
    ratio = np.divide(p, middle, out=np.ones_like(p), where=there)
    found: FloatArray = np.where(there, p * np.log2(ratio), 0).sum(axis=1)
    return found


Tallied = Callable[[Seen], PeopleSums]


@dataclass(frozen=True)
class PeopleDifference:
    """How far a table's people are from those held out, in what is counted of them.

    Attributes:
        about: what it says of itself.
        tallied: what is counted.
        formula: how far two rows of sums are from each other.
        jackknife: whether an interval comes from leaving blocks of people out; not for ranks, which
            a few people change by leaps.
    """

    about: About
    tallied: Tallied
    formula: Formula
    jackknife: bool = True

    def measure(self, study: DaysStudy) -> Mapping[str, SubjectResult]:
        """Return every table."""
        blocks = _blocks(study) if self.jackknife else 0
        real = _sums(study, "held out", study.held_out, self.tallied, blocks)

        def of(name: str, seen: Seen) -> SubjectResult:
            made = _sums(study, name, seen, self.tallied, blocks)
            return _measure_rows(self.about, self.formula(made, real))

        return study.each(lambda table: of(table.name, table.seen))


@dataclass(frozen=True)
class Statistic:
    """One number of a table, to be read beside that of other real people.

    Attributes:
        about: what it says of itself.
        tallied: what is summed over people.
        statistic: from (rows, size) sums to (rows,) values.
    """

    about: About
    tallied: Tallied
    statistic: Callable[[FloatArray], FloatArray]

    def measure(self, study: DaysStudy) -> Mapping[str, SubjectResult]:
        """Return every table.

        Raises:
            Refusal: no table has enough days, or stays, to tell.
        """
        blocks = _blocks(study)
        found = study.each(
            lambda table: _measure_rows(
                self.about,
                self.statistic(_sums(study, table.name, table.seen, self.tallied, blocks)),
            )
        )
        known = {name: each for name, each in found.items() if np.isfinite(each.value)}
        if not known:
            raise Refusal(
                "People have too few days, or too few places, to tell.",
                "Make more days of each, or use a table that holds more of each person.",
            )
        return known


def _blocks(study: DaysStudy) -> int:
    fewest = min([len(study.held_out), *(len(each) for each in study.tables)])
    return min(BLOCKS, fewest) if fewest > 1 else 0


def _sums(study: DaysStudy, name: str, seen: Seen, tallied: Tallied, blocks: int) -> FloatArray:
    block = study.blocks(name, len(seen), max(1, blocks))
    return tallied(seen).left_out(block, blocks)


def _measure_rows(about: About, rows: FloatArray) -> SubjectResult:
    # Rounding may exceed the end of a range by 2⁻⁵².
    value = float(np.clip(rows[0], about.low, about.high))
    return SubjectResult(value, _interval(about, value, rows[1:]))


def _interval(about: About, value: float, without: FloatArray) -> Interval | None:
    if not len(without) or not np.isfinite(without).all():
        return None
    return cut_to_range(block_jackknife(value, without), about.low, about.high)
