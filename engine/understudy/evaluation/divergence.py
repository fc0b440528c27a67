"""Measures that compare relative frequencies of a table with those of held-out records.

A formula gives the divergence of two distributions. A `Divergence` applies it to every column,
every pair, some larger sets of columns or whole records, and reports the typical value. The
interval is a delete-one-block jackknife over records of the table and held-out records alike: the
first block is left out of both, then the second, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.evaluation.cells import Shares, Sides
from understudy.evaluation.finding import Interval, Measured, Part
from understudy.evaluation.intervals import (
    BLOCKS,
    block_jackknife,
    clopper_pearson,
    deal,
    hull,
    within,
)
from understudy.evaluation.measure import About
from understudy.evaluation.study import Study
from understudy.table.records import Records

Formula = Callable[[Shares], FloatArray]
"""A divergence: from (1 + blocks, cells) relative frequencies to one value for each row."""

Columns = tuple[int, ...]


@dataclass(frozen=True)
class Divergence:
    """A measure of shares. What it costs grows with the sets of columns times the records.

    Attributes:
        about: its description. Without `parts` there is one set of columns only.
        formula: the divergence.
        order: how many columns a set has; None for all of them, whole records.
        most: up to so many sets are looked at, chosen at random where there are more.
        typical: how the values of all sets are summarised.
        share_of: of whose records the value for one set is a share, if it is one. Its interval
            then also holds Clopper and Pearson's, as leaving blocks out shows no spread where
            hardly any or hardly no record is counted.
    """

    about: About
    formula: Formula
    order: int | None
    most: int | None = None
    typical: Literal["median", "mean"] = "median"
    share_of: Literal["", "table", "held-out"] = ""

    def measure(self, study: Study) -> dict[str, Measured]:
        """Return what it says of every table.

        Raises:
            Refusal: the table has too few columns for a set, or no record was held out.
        """
        if not len(study.held_out):
            raise Refusal("No records were held out.", "Hold some out, to compare tables with.")
        sets = self.sets(study)
        return study.each(lambda table: self._of(table.records, study, sets))

    def sets(self, study: Study) -> tuple[Columns, ...]:
        """Return the sets of columns, the same for every table."""
        columns = len(study.held_out.schema)
        order = columns if self.order is None else self.order
        if columns < order:
            raise Refusal(
                f"The table has fewer than {order} columns.",
                "Choose a measure of fewer columns at once.",
            )
        return sets_of(columns, order, self.most, study.random(f"sets of {order}"))

    def _of(self, table: Records, study: Study, sets: tuple[Columns, ...]) -> Measured:
        sides = side_by_side(table, study)
        # Rounding may exceed the end of a range by 2⁻⁵².
        found = np.array([self.formula(sides.shares(each)) for each in sets])
        values = np.clip(found, self.about.low, self.about.high)
        names = study.held_out.schema.names
        parts = tuple(
            Part(tuple(names[column] for column in each), float(row[0]), self._one(row, sides))
            for each, row in zip(sets, values, strict=True)
        )
        if not self.about.parts:
            return Measured(parts[0].value, parts[0].interval)
        typical = np.median(values, axis=0) if self.typical == "median" else values.mean(axis=0)
        return Measured(float(typical[0]), self._interval(typical), parts)

    def _one(self, row: FloatArray, sides: Sides) -> Interval | None:
        """Return the interval of one set of columns."""
        interval = self._interval(row)
        if interval is None or not self.share_of:
            return interval
        records = sides.ours if self.share_of == "table" else len(sides.block) - sides.ours
        return hull(interval, clopper_pearson(round(float(row[0]) * records), records))

    def _interval(self, row: FloatArray) -> Interval | None:
        if len(row) == 1:
            return None
        found = block_jackknife(float(row[0]), row[1:])
        return within(found, self.about.low, self.about.high)


def side_by_side(table: Records, study: Study) -> Sides:
    """Return a table of the study and its held-out records, assigned to this study's blocks."""
    blocks = min(BLOCKS, len(table), len(study.held_out))
    if blocks < 2:
        return Sides.of(table, study.held_out)
    random = study.random("blocks")
    dealt = deal(len(table), random, blocks), deal(len(study.held_out), random, blocks)
    return Sides.of(table, study.held_out, dealt)


def sets_of(
    columns: int, order: int, most: int | None, random: np.random.Generator
) -> tuple[Columns, ...]:
    """Return every set of `order` of the columns in turn, or `most` of them at random."""
    if most is None or comb(columns, order) <= most:
        return tuple(combinations(range(columns), order))
    drawn = (
        tuple(int(each) for each in np.sort(random.choice(columns, order, replace=False)))
        for _ in iter(int, 1)
    )
    chosen: dict[Columns, None] = {}
    for each in drawn:
        chosen[each] = None
        if len(chosen) == most:
            break
    return tuple(sorted(chosen))
