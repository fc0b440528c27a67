"""Copies: records of a table that equal some record used, or nearly, beside those of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import BoolArray, ByteArray, FloatArray
from understudy.evaluation.intervals import block_jackknife, one_group, wilson
from understudy.evaluation.measure import (
    About,
    BreakdownEntry,
    Interval,
    Study,
    SubjectResult,
    Table,
)
from understudy.evaluation.nearest import Nearness, nearness

# The share of a table's records near a seed, less the share near a record that was not used.
#
# For each of the table's records two things are asked that may both be true: of the seeds, and of
# as many held-out records. The value is the share for which the first is true less the share for
# which the second is. Its interval is the wider, at either end, of two: leaving out a block of the
# table's records, of the seeds and of the held-out records at a time, which knows that other people
# could have been seeds; and Newcombe's for the counts alone, which is never of no width.

SEEDS, CONTROL = "records used", "held-out records"
"""The two kinds of real records that parts are about."""


Asked = Callable[[ByteArray, ByteArray], tuple[BoolArray, BoolArray]]
"""From the (A,) distances to the nearest seed and to the nearest held-out record to what is true
of each of the table's records."""

_Each = BoolArray | ByteArray
_Asked = Callable[[ByteArray, ByteArray], tuple[_Each, _Each]]


def _within(columns: int) -> Asked:
    """Return whether the nearest differs in at most so many columns."""
    return lambda seeds, control: (seeds <= columns, control <= columns)


def closer(seeds: ByteArray, control: ByteArray) -> tuple[BoolArray, BoolArray]:
    """Return whether the one is closer than the other."""
    return seeds < control, control < seeds


@dataclass(frozen=True)
class Matches:
    """The share of a table's records that match some seed, less the share that match the control.

    Attributes:
        about: what it says of itself.
        asked: what a match is.
    """

    about: About
    asked: Asked

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every table; parts are the two shares.

        Raises:
            Refusal: there are too few seeds or held-out records.
        """
        return study.each(lambda table: self._of(study, table))

    def _of(self, study: Study, table: Table) -> SubjectResult:
        near = nearness(study, table)
        value, interval = _difference(near, self.asked)
        both = self.asked(*_nearest(near))
        parts = tuple(_share(name, yes) for name, yes in zip((SEEDS, CONTROL), both, strict=True))
        return SubjectResult(value, interval, parts)


@dataclass(frozen=True)
class Closer:
    """The share of a table's records that stand closer to a seed than to the control.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every table, records as close to either counting half; parts are those that are
        closer.

        Raises:
            Refusal: there are too few seeds or held-out records.
        """
        more = Matches(self.about, closer).measure(study)
        return {name: _rescale_measured(found) for name, found in more.items()}


@dataclass(frozen=True)
class Columns:
    """By how many columns fewer a table's records differ from the nearest seed than from the
    nearest of the control, on average.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every table; parts are the two averages.

        Raises:
            Refusal: there are too few seeds or held-out records.
        """
        return study.each(lambda table: self._of(study, table))

    def _of(self, study: Study, table: Table) -> SubjectResult:
        near = nearness(study, table)
        seeds, control = _nearest(near)
        value = _less(control, seeds)
        left_out = block_jackknife(value, _without_each(near, lambda one, other: (other, one)))
        parts = ((SEEDS, seeds), (CONTROL, control))
        return SubjectResult(
            value,
            left_out,
            tuple(BreakdownEntry((name,), float(each.mean())) for name, each in parts),
        )


def _nearest(near: Nearness) -> tuple[ByteArray, ByteArray]:
    """Return (A,) the distance of each of the table's records to the nearest seed and control."""
    return near.to_seeds.min(axis=1), near.to_control.min(axis=1)


def _difference(near: Nearness, asked: Asked) -> tuple[float, Interval]:
    """Return the share for which the first is true less the share for which the second is."""
    first, second = asked(*_nearest(near))
    counted = one_group(
        int((first & second).sum()),
        int((first & ~second).sum()),
        int((second & ~first).sum()),
        int((~first & ~second).sum()),
    )
    value = _less(first, second)
    left_out = block_jackknife(value, _without_each(near, asked))
    low, high = min(counted.low, left_out.low), max(counted.high, left_out.high)
    return value, Interval(max(-1.0, low), min(1.0, high))


def _rescale_measured(found: SubjectResult) -> SubjectResult:
    assert found.interval is not None
    ends = Interval((1 + found.interval.low) / 2, (1 + found.interval.high) / 2)
    return SubjectResult((1 + found.value) / 2, ends, found.parts)


def _without_each(near: Nearness, asked: _Asked) -> FloatArray:
    """Return (B,) the difference without a block of the table, of the seeds and of the control."""
    found = []
    for left_out in range(near.to_seeds.shape[1]):
        rows = near.block != left_out
        seeds, control = (
            np.delete(each[rows], left_out, axis=1).min(axis=1)
            for each in (near.to_seeds, near.to_control)
        )
        found.append(_less(*asked(seeds, control)))
    return np.array(found)


def _less(first: _Each, second: _Each) -> float:
    return float(first.mean() - second.mean())


def _share(name: str, yes: BoolArray) -> BreakdownEntry:
    return BreakdownEntry((name,), float(yes.mean()), wilson(int(yes.sum()), len(yes)))


# Records of a table that are copies of some record used, or nearly, beside those of others.
#
# A record is used if the table was made from it: a seed, or where a plan has none, a record that
# its model was learned from.


def _about(key: str, name: str, columns: str) -> About:
    return About(
        key=key,
        name=name,
        sentence=(
            f"How many more records of the table differ in at most {columns} from some record "
            "used than from some of as many real records that had no part in it."
        ),
        low=-1.0,
        high=1.0,
        better="lower",
        group="disclosure",
        parts="real records",
        ideal=0.0,
    )


EXACT = Matches(
    About(
        key="exact-matches",
        name="Exact copies",
        sentence=(
            "How many more records of the table are the same in every column as some record used "
            "than are the same as some of as many real records that had no part in it. Records "
            "of many columns seldom match by chance, common ones do: the second share is what "
            "chance does."
        ),
        low=-1.0,
        high=1.0,
        better="lower",
        group="disclosure",
        parts="real records",
        ideal=0.0,
        headline=True,
    ),
    _within(0),
)

ONE = Matches(_about("near-matches", "Copies except for one column", "one column"), _within(1))

TWO = Matches(
    _about("near-matches-two", "Copies except for two columns", "two columns"), _within(2)
)

CLOSER = Closer(
    About(
        key="closer-to-used",
        name="Closer to records used",
        sentence=(
            "How many of the table's records stand closer to some record used than to any of "
            "as many real records that had no part in it; those as close to either count half. "
            "50 % is what a table would show that owes nothing to the records used."
        ),
        low=0.0,
        high=1.0,
        better="lower",
        group="disclosure",
        parts="real records",
        ideal=0.5,
        headline=True,
    )
)

COLUMNS = Columns(
    About(
        key="columns-closer-to-used",
        name="Columns closer to records used",
        sentence=(
            "In how many columns fewer a record of the table differs from the nearest record used "
            "than from the nearest of as many real records that had no part in it, on average."
        ),
        low=-math.inf,
        high=math.inf,
        better="lower",
        group="disclosure",
        parts="real records",
        ideal=0.0,
        unit="number",
    )
)
