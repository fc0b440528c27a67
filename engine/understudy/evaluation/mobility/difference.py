"""Measures of days that compare sums over people, and those that say one number of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.evaluation.finding import Interval, Measured
from understudy.evaluation.intervals import BLOCKS, block_jackknife, within
from understudy.evaluation.measure import About
from understudy.evaluation.mobility.formulas import Formula
from understudy.evaluation.mobility.seen import Seen
from understudy.evaluation.mobility.study import DaysStudy
from understudy.evaluation.mobility.tallies import Tally

Tallied = Callable[[Seen], Tally]


@dataclass(frozen=True)
class Difference:
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

    def measure(self, study: DaysStudy) -> Mapping[str, Measured]:
        """Return every table."""
        blocks = _blocks(study) if self.jackknife else 0
        real = _sums(study, "held out", study.held_out, self.tallied, blocks)

        def of(name: str, seen: Seen) -> Measured:
            made = _sums(study, name, seen, self.tallied, blocks)
            return _measured(self.about, self.formula(made, real))

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

    def measure(self, study: DaysStudy) -> Mapping[str, Measured]:
        """Return every table.

        Raises:
            Refusal: no table has enough days, or stays, to tell.
        """
        blocks = _blocks(study)
        found = study.each(
            lambda table: _measured(
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


def _measured(about: About, rows: FloatArray) -> Measured:
    # Rounding may exceed the end of a range by 2⁻⁵².
    value = float(np.clip(rows[0], about.low, about.high))
    return Measured(value, _interval(about, value, rows[1:]))


def _interval(about: About, value: float, without: FloatArray) -> Interval | None:
    if not len(without) or not np.isfinite(without).all():
        return None
    return within(block_jackknife(value, without), about.low, about.high)
